"""The methods that come with kproof; importing this module registers them."""

from __future__ import annotations

from kproof.models.kaca import ANONYMIZERS as KACA
from kproof.models.kaca_hierarchical import ANONYMIZERS as KACA_HIERARCHICAL
from kproof.models.mondrian import ANONYMIZERS as MONDRIAN
from kproof.models.registry import register
from kproof.models.sensitivity import ANONYMIZERS as SENSITIVITY
from kproof.models.theta import ANONYMIZERS as THETA

for _anonymizer in (*THETA, *SENSITIVITY, *MONDRIAN, *KACA, *KACA_HIERARCHICAL):
    register(_anonymizer)
