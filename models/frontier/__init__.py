"""What privacy costs: releases by many methods, each with its loss and its risk."""

from kproof.models.frontier.comparison import Frontier as Frontier
from kproof.models.frontier.comparison import frontier as frontier
from kproof.models.frontier.judging import Candidate as Candidate
from kproof.models.frontier.judging import RiskAxis as RiskAxis
from kproof.models.frontier.rivals import Rival as Rival
from kproof.models.frontier.rivals import rival as rival
