"""The methods that come with kproof; importing this module registers them."""

from __future__ import annotations

from kproof.models.baseline_sets import ANONYMIZERS as BASELINE
from kproof.models.density import ANONYMIZERS as DENSITY
from kproof.models.kaca import ANONYMIZERS as KACA
from kproof.models.kaca_hierarchical import ANONYMIZERS as KACA_HIERARCHICAL
from kproof.models.kdegree import ANONYMIZERS as K_DEGREE
from kproof.models.mondrian import ANONYMIZERS as MONDRIAN
from kproof.models.quadtree import ANONYMIZERS as QUADTREE
from kproof.models.registry import register
from kproof.models.sangreea import ANONYMIZERS as SANGREEA
from kproof.models.sensitivity import ANONYMIZERS as SENSITIVITY
from kproof.models.theta import ANONYMIZERS as THETA

_TABLES = (*THETA, *SENSITIVITY, *MONDRIAN, *KACA, *KACA_HIERARCHICAL)
_PLACES = (*DENSITY, *QUADTREE)
_GRAPHS = (*SANGREEA, *K_DEGREE, *BASELINE)

for _anonymizer in (*_TABLES, *_PLACES, *_GRAPHS):
    register(_anonymizer)
