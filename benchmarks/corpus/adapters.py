"""Anonymizers that others wrote, each as a function that ``kproof verify`` can call.

An adapter passes a table and k on as the library's documentation shows, and turns what comes back
into a frame with a row for each record; it mends nothing. A library is imported when it is called,
so that an environment needs no other. What is set up for each call is what a user would have to
write: hierarchies, or which columns are text.
"""

import contextlib
import io
import logging
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from pandas.api.types import is_numeric_dtype


class Request(NamedTuple):
    """What is asked of a library."""

    names: list[str]
    """Of the quasi-identifiers."""
    sensitive: Any
    k: int


def adapter(call: Callable[[Any, Request], Any]) -> Callable[..., Any]:
    """Return a function with the arguments that kproof knows.

    Names of people and row labels are left out: most libraries would publish them as they are.
    """

    def publish(
        frame: Any, quasi_identifiers: Any, sensitive: Any, identifiers: Any, k: int
    ) -> Any:
        people = frame.drop(columns=list(identifiers)).reset_index(drop=True)
        return call(people, Request(list(quasi_identifiers), sensitive, k))

    publish.__name__, publish.__doc__ = call.__name__, call.__doc__
    return publish


def _text(frame: Any, names: list[str]) -> list[str]:
    return [name for name in names if not is_numeric_dtype(frame[name])]


def _row_for_each(frame: Any) -> Any:
    repeated = frame.loc[frame.index.repeat(frame["count"])]
    return repeated.drop(columns="count").reset_index(drop=True)


@adapter
def crowds(frame: Any, request: Request) -> Any:
    """Call OLA with the levels that every rule of crowds has: the value, and nothing."""
    from crowds.kanonymity import ola
    from crowds.kanonymity.generalizations import GenRule

    answer = ola.anonymize(frame, {name: GenRule([]) for name in request.names}, k=request.k)
    return None if answer is None else answer[0]


@adapter
def umbra(frame: Any, request: Request) -> Any:
    """Call Umbra-K's transformer."""
    from umbra_k import MondrianAnonymizer

    return MondrianAnonymizer(k=request.k, quasi_id=request.names).fit_transform(frame)


@adapter
def pyikaild(frame: Any, request: Request) -> Any:
    """Call IKA, which finds out itself which columns are numbers."""
    from pyikaild.ika import IKA

    method = IKA(request.k, request.names, request.sensitive, silent=True)
    return method.fit_transform(frame)


def pyikaild_diverse(
    frame: Any, quasi_identifiers: Any, sensitive: Any, identifiers: Any, k: int, ell: int
) -> Any:
    """Call IKA and then ILD, as the README does."""
    from pyikaild.ild import ILD

    classes = pyikaild(frame, quasi_identifiers, sensitive, identifiers, k)
    return ILD(ell, list(quasi_identifiers), sensitive, silent=True).transform(classes)


def _polarfrost() -> Any:
    # Its other backend is imported with it; an empty module stands for 450 MB of Spark.
    names = ("pyspark", "pyspark.sql", "pyspark.sql.functions")
    modules = {name: sys.modules.get(name) or ModuleType(name) for name in names}
    functions: Any = modules[names[-1]]
    functions.pandas_udf = functions.PandasUDFType = None
    sys.modules.update(modules)
    from polarfrost import mondrian

    return mondrian


def _in_polars(frame: Any, request: Request, name: str) -> Any:
    import pandas as pd
    import polars as pl

    call = getattr(_polarfrost(), name)
    # By way of lists, since the other way needs PyArrow; Polars tells NaN from a missing value.
    recorded = frame.astype(object).where(frame.notna(), None)
    rows = pl.DataFrame(recorded.to_dict("list")).lazy()
    answer = call(rows, *request, categorical=_text(frame, request.names)).lazy().collect()
    return pd.DataFrame(answer.to_dict(as_series=False))


@adapter
def polarfrost(frame: Any, request: Request) -> Any:
    """Call the function that returns a row and a count for each class."""
    return _row_for_each(_in_polars(frame, request, "mondrian_k_anonymity_polars"))


@adapter
def polarfrost_rows(frame: Any, request: Request) -> Any:
    """Call the function that keeps every row."""
    return _in_polars(frame, request, "mondrian_k_anonymity_alt")


@adapter
def microagg1d(frame: Any, request: Request) -> Any:
    """Cluster by the first column, and publish the range of each column in each cluster."""
    from microagg1d import univariate_microaggregation

    values = frame[request.names]
    clusters = univariate_microaggregation(values.iloc[:, 0].to_numpy(float), request.k)
    groups = values.groupby(clusters)
    low, high = groups.transform("min").astype(str), groups.transform("max").astype(str)
    return frame.assign(**("[" + low + ", " + high + "]"))


def _local_aggregation(frame: Any, request: Request, method: str) -> Any:
    from anonymizer.anonymity import all_local_aggregation

    text = frame.astype(dict.fromkeys(request.names, object))
    return all_local_aggregation(text, request.k, request.names, method)


@adapter
def anonymizer_unknown(frame: Any, request: Request) -> Any:
    """Call local aggregation; what is rare becomes an empty text."""
    return _local_aggregation(frame, request, "into_unknown")


@adapter
def anonymizer_regroup(frame: Any, request: Request) -> Any:
    """Call local aggregation; what is rare is put together, as "a ou b"."""
    return _local_aggregation(frame, request, "regroup_with_smallest")


def _spanish(frame: Any, request: Request, method: str) -> Any:
    from anonymity.tools import k_anonymity

    text = _text(frame, request.names)
    # Above a number an interval, as its hierarchies have it; above a text a star.
    levels = {
        name: [
            [value, "*" if name in text else f"[{column.min()}, {column.max() + 1})"]
            for value in column.unique()
        ]
        for name, column in frame[request.names].items()
    }
    with contextlib.redirect_stdout(io.StringIO()):
        return k_anonymity(frame, [], request.names, request.k, 0, levels, method)


@adapter
def datafly(frame: Any, request: Request) -> Any:
    """Call python-anonymity's Datafly without suppression."""
    return _spanish(frame, request, "datafly")


@adapter
def incognito(frame: Any, request: Request) -> Any:
    """Call python-anonymity's Incognito without suppression."""
    return _spanish(frame, request, "incognito")


@adapter
def lighthouse(frame: Any, request: Request) -> Any:
    """Call Core Mondrian in one process, with numbers as floats and flat trees for text."""
    from project_lighthouse_anonymize import k_anonymize

    numbers = [name for name in request.names if is_numeric_dtype(frame[name])]
    rows = frame.astype(dict.fromkeys(numbers, float)).assign(_id=range(len(frame)))
    log = logging.getLogger("corpus")
    answer, _, _ = k_anonymize(log, rows, request.names, request.k, {}, "_id", parallelism=None)
    return answer.drop(columns="_id").reset_index(drop=True)


@adapter
def anonypy(frame: Any, request: Request) -> Any:
    """Call Mondrian with the columns of text as categories."""
    import pandas as pd
    from anonypy import Preserver

    text = dict.fromkeys(_text(frame, request.names), "category")
    preserver = Preserver(frame.astype(text), request.names, request.sensitive)
    return _row_for_each(pd.DataFrame(preserver.anonymize_k_anonymity(request.k)))


@adapter
def anjana(frame: Any, request: Request) -> Any:
    """Call k-anonymity without suppression; a star is above every value."""
    from anjana.anonymity import k_anonymity

    stars = ["*"] * len(frame)
    levels = {name: {0: frame[name].to_numpy(), 1: stars} for name in request.names}
    return k_anonymity(frame, [], request.names, request.k, 0, levels)


@adapter
def anonymity_api(frame: Any, request: Request) -> Any:
    """Call k-anonymity."""
    from anonymity_api import anonymity

    return anonymity.k_anonymity(frame, request.names, request.k)
