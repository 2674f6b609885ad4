"""Risk: how likely somebody is to pick a person's row out of a release."""

from kproof.models.tables.risk.assessment import Risk as Risk
from kproof.models.tables.risk.assessment import risk as risk
from kproof.models.tables.risk.chances import Chances as Chances
from kproof.models.tables.risk.chances import chances as chances
from kproof.models.tables.risk.superpopulation import Estimate as Estimate
from kproof.models.tables.risk.superpopulation import estimate as estimate
