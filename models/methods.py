"""The methods that come with kproof; importing this module registers them."""

from __future__ import annotations

from kproof.models.graphs.baseline.method import ANONYMIZERS as BASELINE
from kproof.models.graphs.kdegree.method import ANONYMIZERS as K_DEGREE
from kproof.models.graphs.sangreea.method import ANONYMIZERS as SANGREEA
from kproof.models.places.density.method import ANONYMIZERS as DENSITY
from kproof.models.places.heatmap.quadtree import ANONYMIZERS as QUADTREE
from kproof.models.registry import register
from kproof.models.tables.kaca.hierarchical import ANONYMIZERS as KACA_HIERARCHICAL
from kproof.models.tables.kaca.method import ANONYMIZERS as KACA
from kproof.models.tables.mondrian.method import ANONYMIZERS as MONDRIAN
from kproof.models.tables.theta.method import ANONYMIZERS as THETA
from kproof.models.tables.topdown.method import ANONYMIZERS as SENSITIVITY

_TABLES = (*THETA, *SENSITIVITY, *MONDRIAN, *KACA, *KACA_HIERARCHICAL)
_PLACES = (*DENSITY, *QUADTREE)
_GRAPHS = (*SANGREEA, *K_DEGREE, *BASELINE)

for _anonymizer in (*_TABLES, *_PLACES, *_GRAPHS):
    register(_anonymizer)
