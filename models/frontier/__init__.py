"""What privacy costs: releases by many methods, each with its loss and its risk.

:mod:`~kproof.models.frontier.attempts` says which releases are tried,
:mod:`~kproof.models.frontier.judging` makes one and judges it, :mod:`~kproof.models.frontier.pool`
does that in several processes, :mod:`~kproof.models.frontier.comparison` finds those that no other
beats, and :mod:`~kproof.models.frontier.picture` draws them.
:mod:`~kproof.models.frontier.rivals` compares one release with that of a method that loses little.
"""

from __future__ import annotations

from kproof.models.frontier.comparison import Frontier as Frontier
from kproof.models.frontier.comparison import frontier as frontier
from kproof.models.frontier.judging import Candidate as Candidate
from kproof.models.frontier.judging import RiskAxis as RiskAxis
from kproof.models.frontier.rivals import Rival as Rival
from kproof.models.frontier.rivals import rival as rival
