(set-logic QF_NRA)
(assert (not (<= 0 0)))
(check-sat)
