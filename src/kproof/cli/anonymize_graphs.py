"""``kproof anonymize sangreea``, ``k-degree`` and ``baseline``: social graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.columns import NAMES, pairs, split, stage, taxonomies
from kproof.cli.common import HEADER, JSON, write_json
from kproof.outputs import checked

if TYPE_CHECKING:
    from kproof.models.graphs.social import SocialGraph

sangreea = App(name="sangreea")
k_degree = App(name="k-degree")
baseline = App(name="baseline")

_ASKED = Group("What is asked for", sort_key=1)
_PEOPLE = Group("What is known of users", sort_key=2)
_FILES = Group("Files", sort_key=3)


@Parameter(name="*", group=_FILES)
@dataclass(frozen=True, kw_only=True)
class Written:
    """Where a release goes."""

    output: Annotated[str, Parameter(name=("--output", "-o"))]
    """The file to write."""

    key: str | None = None
    """A CSV file for yourself: which user has which number."""

    seed: str | None = None
    """Draws the published numbers; drawn afresh unless given. Whoever knows it knows them."""

    header: HEADER = "detect"
    """Whether the first line names the columns."""


@sangreea.default
def _sangreea(
    friends: str,
    /,
    *,
    k: Annotated[str, Parameter(group=_ASKED)],
    written: Written,
    alpha: Annotated[str, Parameter(group=_ASKED)] = "1/2",
    beta: Annotated[str, Parameter(group=_ASKED)] = "1/2",
    users: Annotated[str | None, Parameter(group=_PEOPLE)] = None,
    attributes: Annotated[NAMES, Parameter(negative=(), group=_PEOPLE)] = (),
    code: Annotated[NAMES, Parameter(negative=(), group=_PEOPLE)] = (),
    taxonomy: Annotated[NAMES, Parameter(negative=(), group=_PEOPLE)] = (),
    json: JSON = False,
) -> None:
    """Publish a social graph as clusters of users alike in friends and attributes (CA).

    Parameters
    ----------
    friends
        Two users in each line, separated by tab, comma, semicolon or spaces; or a .graphml file.
    k
        Fewest users in a cluster.
    written
        Where it goes: a .json or .graphml file.
    alpha
        Weight of attributes.
    beta
        Weight of structure.
    users
        A CSV file of all users, named in its first column.
    attributes
        Columns of it, or attributes of GraphML's nodes, whose generalized values are published:
        names separated by commas; may be repeated.
    code
        Those of them whose numbers are codes.
    taxonomy
        Generalization hierarchy of an attribute: NAME=FILE; may be repeated.
    json
        Print the account as one JSON document.
    """
    from kproof.models.graphs.loss import graph_loss

    read = [users, *pairs("taxonomy", taxonomy).values()]
    given: dict[str, Any] = {
        "users": users,
        "attributes": split(attributes),
        "codes": split(code),
        "taxonomies": taxonomies(taxonomy),
    }
    asked = {"k": k, "alpha": alpha, "beta": beta}
    release = _publish("sangreea", friends, read, given, asked, written)
    loss = graph_loss(release)
    if json:
        write_json(release.to_dict() | {"loss": loss.to_dict(), "output": written.output})
        return
    print(release.summary())
    shares = float(loss.attributes), float(loss.structure)
    print("lost: {:.4g} of attributes, {:.4g} of structure".format(*shares))
    print(f"written: {written.output}")


@k_degree.default
def _k_degree(
    friends: str,
    /,
    *,
    k: Annotated[str, Parameter(group=_ASKED)],
    written: Written,
    json: JSON = False,
) -> None:
    """Add friendships to a social graph until every number of friends occurs k times (IA).

    Parameters
    ----------
    friends
        Two users in each line, separated by tab, comma, semicolon or spaces; or a .graphml file.
    k
        How often each number of friends must occur.
    written
        Where it goes: a .tsv, .csv or .graphml file.
    json
        Print the account as one JSON document.
    """
    _told(_publish("k-degree", friends, (), {}, {"k": k}, written), written.output, json)


@baseline.default
def _baseline(
    friends: str,
    /,
    *,
    k: Annotated[str, Parameter(group=_ASKED)],
    written: Written,
    epsilon: Annotated[str, Parameter(group=_ASKED)] = "1",
    lambda1: Annotated[str | None, Parameter(group=_ASKED)] = None,
    known: Annotated[NAMES, Parameter(negative=(), group=_ASKED)] = (),
    json: JSON = False,
) -> None:
    """Put users into clusters for which the bound of Theorems 2 to 5 is least (BE).

    Parameters
    ----------
    friends
        Two users in each line, separated by tab, comma, semicolon or spaces; or a .graphml file.
    k
        Fewest users in a cluster.
    written
        Where it goes: a .json or .graphml file.
    epsilon
        At which the bound's delta is compared.
    lambda1
        Share of users whose dependencies the adversary knows.
    known
        Users whose friends the adversary knows: names separated by commas; may be repeated.
    json
        Print the account as one JSON document.
    """
    asked: dict[str, Any] = {"k": k, "epsilon": epsilon, "known": split(known)}
    if lambda1 is not None:
        asked["lambda1"] = lambda1
    _told(_publish("baseline", friends, (), {}, asked, written), written.output, json)


def _publish(
    method: str,
    friends: str,
    read: Any,
    given: Mapping[str, Any],
    asked: Mapping[str, Any],
    written: Written,
) -> Any:
    """Read, anonymize and write."""
    from kproof.models.api import anonymize
    from kproof.models.graphs.files import read_graph
    from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
    from kproof.models.graphs.writers import check_format, numbering, write_graph

    files = checked({"output": written.output, "key": written.key}, reads=[friends, *read])
    check_format(written.output, SupergraphRelease if method == "k-degree" else ClusterRelease)
    with stage(f"reading {friends}"):
        graph = read_graph(friends, header=written.header, **given)
    parameters = dict(asked)
    if "known" in parameters:
        parameters["known"] = [_name(graph, name) for name in parameters["known"]]
    with stage(f"anonymizing {graph.users} users"):
        release = anonymize(method, graph, **parameters)
    numbers = numbering(release, seed=written.seed)
    with stage(f"writing {written.output}"), files.together():
        write_graph(written.output, release, numbers, key=written.key)
    return release


def _name(graph: SocialGraph, text: str) -> object:
    """Return a user's name, a number if those of the graph are."""
    whole = bool(graph.names) and isinstance(graph.names[0], int)
    return int(text) if whole and text.isascii() and text.isdecimal() else text


def _told(release: Any, output: str, json: bool) -> None:
    if json:
        write_json(release.to_dict() | {"output": output})
        return
    print(release.summary())
    print(f"written: {output}")
