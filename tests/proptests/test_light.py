"""Who tests an anonymizer of tables pays for Hypothesis, NumPy and the frames it takes."""

import numpy as np
from apart import python
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from kproof.proptests.checks import _MODULES, checks, import_module
from kproof.proptests.labels.matching import rows_unmatched

HEAVY = (
    *("scipy", "sympy", "z3", "matplotlib", "networkx", "numba", "sklearn", "mpmath", "duckdb"),
    *("pandas", "pyarrow", "polars", "hypothesis", "numpy", "narwhals"),
)
IMPORT = "from kproof.proptests import check_anonymizer\n"
RUN = """
def publish(frame, quasi_identifiers, k):
    if len(frame) < k:
        raise ValueError(f"k = {{k}}: {{len(frame)}} rows")
    return {publish}

few = {{"profile": "quick", "max_examples": 3}}
results = check_anonymizer(publish, supports=["{container}"], **few, on_fail="return")
assert all(result.judged > 20 for result in results if result.check.name == "k-anonymity")
results.report()
"""
POLARS = (
    "frame.with_columns(__import__('polars').lit('*').alias(n) for n in quasi_identifiers)"
    ".drop('name', strict=False)"
)
PANDAS = (
    "frame.drop(columns='name', errors='ignore').reset_index(drop=True)"
    ".assign(**dict.fromkeys(quasi_identifiers, '*'))"
)
SUITE = {"hypothesis", "numpy", "narwhals"}


@cases(
    (IMPORT, set()),
    (IMPORT + RUN.format(publish=POLARS, container="polars"), {*SUITE, "polars"}),
    # pandas imports PyArrow by itself, where it is there.
    (IMPORT + RUN.format(publish=PANDAS, container="pandas"), {*SUITE, "pandas", "pyarrow"}),
    ids=["import", "polars", "pandas"],
)
def test_a_run_imports_the_suite_and_the_frames_of_its_subject(script, needs):
    listing = f"{script}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    done = python("-c", listing)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= needs


def test_no_check_is_in_a_module_for_other_kinds():
    for name, kinds in _MODULES.items():
        module = import_module(f"kproof.proptests.checks.{name}")
        assert frozenset().union(*(check.kinds for check in module.CHECKS)) <= kinds
    for kind in {kind for kinds in _MODULES.values() for kind in kinds}:
        assert checks(kind) == tuple(check for check in checks() if kind in check.kinds)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_as_many_rows_as_can_be_have_an_original(rows, originals, cells):
    density = cells.random()  # type: ignore[attr-defined]
    fits = np.array(
        [[cells.random() < density for _ in range(originals)] for _ in range(rows)]  # type: ignore[attr-defined]
    )
    partner = maximum_bipartite_matching(csr_array(fits), perm_type="column")
    alone = rows_unmatched(fits)
    assert len(alone) == int((partner < 0).sum())
    # The others do have an original each, so that nobody else can be named in their place.
    assert rows_unmatched(np.delete(fits, alone, axis=0)) == ()
