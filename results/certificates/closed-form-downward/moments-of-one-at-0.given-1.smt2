(set-logic QF_NRA)
(assert (not (< 0 1)))
(check-sat)
