"""Privacy loss as an object: pairs of laws, composed, sampled, grouped, and what they give away."""

from kproof.theory.losses.adjacency import added, removed, replaced, secrets
from kproof.theory.losses.loss import PrivacyLoss
from kproof.theory.losses.routes import Route
from kproof.theory.losses.trade_off import TradeOff
from kproof.theory.losses.typed import Randomness, World

__all__ = [
    "PrivacyLoss",
    "Randomness",
    "Route",
    "TradeOff",
    "World",
    "added",
    "removed",
    "replaced",
    "secrets",
]
