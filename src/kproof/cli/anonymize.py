"""``kproof anonymize``: a release of a table by one of the registered methods."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.columns import NAMES, Columns, pairs, split, stage, taxonomies
from kproof.cli.common import JSON, write_json
from kproof.errors import InvalidArgument
from kproof.outputs import checked

app = App(name="anonymize")

_ASKED = Group("What is asked for; each method says which of these it takes", sort_key=2)
_MORE = Group("More about the columns", sort_key=3)
_DEFAULTS = Columns()

for _name, _help in {
    "density": "Cloak requests from a road network in connected regions of at least k users.",
}.items():
    # What is not a table is read in ways of its own.
    app.command(f"kproof.cli.anonymize_{_name}:app", name=_name, help=_help)

app.command(
    "kproof.cli.anonymize_points:app",
    name="quadtree",
    help="Publish a heat map of points: squares, finer where there are more, with k in each.",
)

for _name, _help in {
    "sangreea": "Publish a social graph as clusters of users alike in friends and attributes.",
    "k-degree": "Add friendships to a social graph until every number of friends occurs k times.",
    "baseline": "Publish a social graph as clusters for which the bound of a theorem is least.",
}.items():
    app.command(f"kproof.cli.anonymize_graphs:{_name.replace('-', '_')}", name=_name, help=_help)


@app.default
def anonymize(
    method: str,
    data: str,
    /,
    *,
    output: Annotated[str, Parameter(name=("--output", "-o"))],
    columns: Columns = _DEFAULTS,
    k: Annotated[str | None, Parameter(group=_ASKED)] = None,
    mu: Annotated[str | None, Parameter(group=_ASKED)] = None,
    p: Annotated[str | None, Parameter(group=_ASKED)] = None,
    alpha: Annotated[str | None, Parameter(group=_ASKED)] = None,
    ell: Annotated[str | None, Parameter(name="--l", group=_ASKED)] = None,
    t: Annotated[str | None, Parameter(group=_ASKED)] = None,
    reading: Annotated[str | None, Parameter(group=_ASKED)] = None,
    seed: Annotated[str | None, Parameter(group=_ASKED)] = None,
    set_: Annotated[NAMES, Parameter(name="--set", negative=(), group=_ASKED)] = (),
    taxonomy: Annotated[NAMES, Parameter(negative=(), group=_MORE)] = (),
    code: Annotated[NAMES, Parameter(negative=(), group=_MORE)] = (),
    most_members: Annotated[str | None, Parameter(group=_MORE)] = None,
    class_column: Annotated[str | None, Parameter(group=_MORE)] = None,
    json: JSON = False,
) -> None:
    """Anonymize a table and write the release as CSV, whole or not at all.

    Parameters
    ----------
    method
        A registered method, such as mondrian or theta-sensitive.
    data
        A CSV or Parquet file, or the name of a shipped table.
    output
        The file to write.
    k
        Fewest people in a class.
    mu
        Share of the variance of a fully diverse class, such as 3/5.
    p
        Fewest distinct sensitive values, or categories of them, in a class.
    alpha
        Least weight of a class.
    ell
        Fewest distinct sensitive values in a class.
    t
        Largest distance of a class from the table.
    reading
        corrected, or printed: as the method's source says, with its defects.
    seed
        Of whatever is random.
    set_
        Any other parameter of the method: NAME=VALUE; may be repeated.
    taxonomy
        Generalization hierarchy of a column: COLUMN=FILE, a path from leaf to root in each line,
        separated by semicolons; may be repeated.
    code
        Quasi-identifiers whose numbers are codes: published as sets, not as ranges.
    most_members
        Most members of a set that a label may show; 8 if not said, and 3 if they are dates.
    class_column
        Publish a column of this name that numbers the classes.
    json
        Print the account of the release as one JSON document.
    """
    from kproof.models.api import anonymize as release_of
    from kproof.models.tables.readers import read_table

    reads = [data, columns.categories, *pairs("taxonomy", taxonomy).values()]
    files = checked({"output": output}, reads=reads)
    given: dict[str, Any] = {
        "k": k,
        "mu": mu,
        "p": p,
        "alpha": alpha,
        "l": ell,
        "t": t,
        "reading": reading,
        "seed": seed,
    }
    parameters: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    truths = {"true": True, "false": False}
    for name, value in pairs("set", set_).items():
        if name in parameters:
            raise InvalidArgument("set", name, f"--{name} or --set {name}, not both")
        parameters[name] = truths.get(value, value)
    if seed is not None:
        from kproof.theory.exact.typed import integer

        parameters["seed"] = integer("seed", seed, least=0)
    with stage(f"reading {data}"):
        table = read_table(
            data,
            **columns.roles(),
            taxonomies=taxonomies(taxonomy),
            numeric=dict.fromkeys(split(code), False),
            most_members=most_members,
        )
    with stage(f"anonymizing {table.rows} rows"):
        release = release_of(method, table, **parameters)
    with stage(f"writing {output}"), files.together():
        guarded = release.to_csv(output, class_column=class_column)
    if json:
        write_json(release.to_dict() | {"output": output, "guarded": guarded})
        return
    if guarded:
        cells = "1 cell opens" if guarded == 1 else f"{guarded} cells open"
        verb = "was" if guarded == 1 else "were"
        sys.stderr.write(f"kproof: {cells} like a formula and {verb} written with an apostrophe\n")
    print(release.summary())
    print(f"written: {output}")
