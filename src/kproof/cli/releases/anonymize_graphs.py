"""``kproof anonymize`` with social graphs."""

from typing import Annotated, Any

from cyclopts import Group, Parameter

from kproof.cli.base.columns import names_like, pairs, taxonomies
from kproof.cli.base.common import HEADER, JSON, NAMES, OptionGroup, option_group, split
from kproof.cli.base.printing import write_result
from kproof.cli.releases.judging import AUDIENCE, not_judged
from kproof.models.registry import Method, Promise
from kproof.outputs import check_outputs
from kproof.stages import stage

_PEOPLE = Group("What is known of users", sort_key=3)
_FILES = Group("Files", sort_key=4)


@option_group(_FILES)
class GraphFiles(OptionGroup):
    """Where a release goes."""

    output: Annotated[str, Parameter(name=("--output", "-o"))]
    """The file to write: .graphml, or .json for clusters, .tsv or .csv for a graph."""
    key: str | None = None
    """A CSV file for yourself: which user has which number."""
    seed: str | None = None
    """Seed of the published numbers, random if not given; whoever knows the seed knows them."""
    header: HEADER = "detect"
    audience: AUDIENCE = "public"
    """Who reads the release; study if nothing is published."""


@option_group(_PEOPLE)
class People(OptionGroup):
    """What is known of users besides their friends."""

    users: Annotated[str | None, Parameter(name="--user-list")] = None
    """A CSV file of all users, named in its first column."""
    attributes: NAMES = ()
    """Columns of that file, or attributes of GraphML nodes, to publish in generalized form."""
    code: NAMES = ()
    """Quasi-identifiers whose numbers are codes."""
    taxonomy: NAMES = ()
    """Generalization hierarchy of a column or attribute: NAME=FILE; may be repeated."""


def publish_graph(
    method: Method,
    typed: dict[str, Any],
    friends: str,
    /,
    *,
    written: GraphFiles,
    people: People = People(),
    json: JSON = False,
) -> int:
    """Publish a social graph, as clusters or as a graph.

    Args:
        friends: Two users in each line, separated by tab, comma, semicolon or spaces; or a .graphml
            file.
    """
    from kproof.models.api import anonymize
    from kproof.models.graphs.files import read_graph
    from kproof.models.graphs.loss import graph_loss
    from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
    from kproof.models.graphs.writers import check_format, number_vertices, write_graph
    from kproof.schemas.printed import AnonymizedGraph

    parameters = method.complete_arguments(typed)
    reads = [friends, people.users, *pairs("taxonomy", people.taxonomy).values()]
    files = check_outputs({"output": written.output, "key": written.key}, reads=reads)
    adds = Promise.SUPERGRAPH in method.promises
    check_format(written.output, SupergraphRelease if adds else ClusterRelease)
    with stage(f"reading {friends}"):
        graph = read_graph(
            friends,
            header=written.header,
            users=people.users,
            attributes=split(people.attributes),
            codes=split(people.code),
            taxonomies=taxonomies(people.taxonomy),
        )
    if "known" in parameters:
        parameters["known"] = names_like(graph.names, parameters["known"])
    with stage(f"anonymizing {graph.users} users"):
        release = anonymize(method.name, graph, **parameters)
    numbers = number_vertices(release, seed=written.seed)
    with stage(f"writing {written.output}"), files.together():
        write_graph(written.output, release, numbers, key=written.key)
    loss = graph_loss(release) if isinstance(release, ClusterRelease) else None
    text = release.summary()
    if loss is not None:
        shares = f"{float(loss.attributes):.4g} of attributes, {float(loss.structure):.4g}"
        text += f"\nlost: {shares} of structure"
    published = AnonymizedGraph(release, loss, written.output)
    write_result("anonymize-graph", published, json=json, text=text, written=[written.output])
    return not_judged("graphs", written.audience, json=json)
