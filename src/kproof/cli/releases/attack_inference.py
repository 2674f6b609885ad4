"""``kproof attack mle`` and ``bas``: who is identified in a social graph, or in traces."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.columns import names_like
from kproof.cli.base.common import HEADER, JSON, NAMES, OptionGroup, option_group, split
from kproof.cli.base.printing import ExitStatus, console, write_json, write_line, write_lines
from kproof.errors import InvalidArgument
from kproof.models.methods import METHODS
from kproof.models.registry import Attack, Kind
from kproof.schemas.printed import InferenceAttack
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.attacks.inference.bound import BoundBeside
    from kproof.models.attacks.inference.fu import FU
    from kproof.models.attacks.inference.traces import Traces
    from kproof.models.graphs.release import GraphRelease
    from kproof.theory.theorems.adversary import Adversary

_PUBLISHED = Group("What is published", sort_key=1)
_ADVERSARY = Group("What the adversary knows", sort_key=2)

TRACES = "traces"
"""What stands for a method where mobility traces are attacked."""


@option_group(_PUBLISHED)
class ReleaseOptions(OptionGroup):
    """How the release is made."""

    k: str | None = None
    """Social graphs: fewest people in a cluster, as the method takes it."""
    cell: str | None = None
    """Traces: side in metres of the cells that positions are rounded to; by default 0."""
    period: str | None = None
    """Traces: seconds for which one position is published; by default 60."""
    user: str | None = None
    """Traces: column that says whose a point is, if not called user, user_id, userid or users."""
    header: HEADER = "detect"


@option_group(_ADVERSARY)
class AdversaryOptions(OptionGroup):
    """What the adversary has beside the release."""

    level: str | None = None
    """I, II, III or IV; by default the shares decide it."""
    lambda1: str | None = None
    """Share of users whose friendships with one another are seen under pseudonyms."""
    lambda2: str | None = None
    """Share of users whose friends, or traces, are known by name."""
    known: NAMES = ()
    """In place of lambda2: the users who are known, separated by commas; may be repeated."""
    s: str = "1"
    """The shift, of which the bound makes use."""
    prior: Literal["class", "all"] = "class"
    """Social graphs: whether she knows the victim's class beforehand, or looks everywhere."""
    observations: str | None = None
    """Traces: how often each victim was seen; by default never."""
    noise: Annotated[str | None, Parameter(name="--sigma")] = None
    """Traces: standard deviation of where they were seen, in metres; by default 0."""
    seed: str = "0"
    """Seed of the random draws: which users are known, and the observations."""

    @property
    def shares(self) -> dict[str, Any]:
        """What both kinds of attacks take, as keywords of the library."""
        names = ("level", "lambda1", "lambda2", "s", "seed")
        return {name: getattr(self, name) for name in names}

    def adversary(self, victims: Collection[int]) -> Adversary:
        """Return the adversary who knows these users by index, or a share if none is named."""
        from kproof.models.attacks.inference.base import adversary_at

        return adversary_at(
            self.level, lambda1=self.lambda1, lambda2=self.lambda2, known=victims or None, s=self.s
        )


def infer_from(
    attack: Attack,
    _asked: dict[str, Any],
    method: str,
    data: str,
    /,
    *,
    published: ReleaseOptions = ReleaseOptions(),
    knows: AdversaryOptions = AdversaryOptions(),
    json: JSON = False,
) -> int:
    """Find users.

    The status is 1 if more are found than by guessing, and 4 if nothing was
    judged: traces are attacked, and the adversary saw nobody.

    Args:
        method: sangreea, k-degree or baseline for a list of friendships; traces for mobility
            traces.
        data: Two users in each line, or a .graphml file; for traces a CSV, Parquet, NDJSON, GeoJSON
            or GPX file with latitude, longitude, time and user.
    """
    if method == TRACES:
        result, traces = _on_traces(attack.name, data, published, knows)
        return _tell(result, None, json, _why_nothing(result), traces)
    return _tell(*_on_friends(attack.name, method, data, published, knows), json)


def _on_traces(
    attack: str, data: str, published: ReleaseOptions, knows: AdversaryOptions
) -> tuple[FU, Traces]:
    from kproof.models.attacks.inference.api import infer
    from kproof.models.attacks.inference.traces import publish_traces, read_traces

    _none_of("with traces", k=published.k)
    names = split(knows.known)
    knows.adversary(range(len(names)))  # refused before anything is read
    with stage(f"reading {data}"):
        traces = read_traces(data, user=published.user)
    release = publish_traces(traces, cell=published.cell or 0, period=published.period or 60)
    with stage(f"attacking {traces.users} traces"):
        observed: dict[str, Any] = {
            "observations": knows.observations or 0,
            "noise": knows.noise or 0,
        }
        return infer(attack, release, known=names or None, **observed, **knows.shares), traces


def _on_friends(
    attack: str, method: str, data: str, published: ReleaseOptions, knows: AdversaryOptions
) -> tuple[FU, BoundBeside]:
    from kproof.models.api import anonymize
    from kproof.models.attacks.inference.api import infer
    from kproof.models.attacks.inference.base import Background
    from kproof.models.attacks.inference.bound import bound_beside
    from kproof.models.graphs.files import read_graph

    graphs = [name for name, entry in METHODS.items() if entry.kind is Kind.GRAPH]
    if method not in graphs:
        raise InvalidArgument("method", method, f"{', '.join(sorted(graphs))} or {TRACES}")
    for_traces = {"cell": published.cell, "period": published.period, "user": published.user}
    for_traces |= {"observations": knows.observations, "noise": knows.noise}
    _none_of("with a social graph", **for_traces)
    if published.k is None:
        raise InvalidArgument("k", None, f"--k, which {method} needs")
    typed = split(knows.known)
    knows.adversary(range(len(typed)))  # refused before anything is read
    with stage(f"reading {data}"):
        graph = read_graph(data, header=published.header)
    named_users = names_like(graph.names, typed) or None
    with stage(f"anonymizing {graph.users} users"):
        release: GraphRelease = anonymize(method, graph, k=published.k)
    with stage(f"attacking {graph.users} users"):
        result = infer(attack, release, known=named_users, prior=knows.prior, **knows.shares)
        adversary = knows.adversary([graph.index(name) for name in named_users or ()])
        # Drawn as the attack draws it, by the same seed: the bound has to be about the same
        # victims.
        drawn = Background.draw(graph.users, adversary, seed=knows.seed)
        beside = bound_beside(release, drawn)
    return result, beside


def _none_of(where: str, **options: str | None) -> None:
    for name, value in options.items():
        if value is not None:
            raise InvalidArgument(name, value, f"no such option {where}")


def _why_nothing(result: FU) -> str | None:
    """Return why an attack on traces says nothing of them, if it does: guessing finds as many."""
    if len(result.victims) == 1:
        return "there is one trace to choose from, which everybody finds"
    if not result.parameters["observations"]:
        return (
            "nobody was seen; say --observations N, with --cell METRES and --period SECONDS of "
            "what is published"
        )
    return None


def _tell(
    result: FU,
    beside: BoundBeside | None,
    json: bool,
    nothing: str | None = None,
    traces: Traces | None = None,
) -> int:
    guessing = result.sanity or 1 / len(result.victims)
    if json:
        judged = 0 if nothing else len(result.victims)
        write_json("attack-inference", InferenceAttack(result, judged, beside, traces))
    else:
        if traces is not None:
            write_lines(traces.points.summary())
        write_lines(result.summary())
        if nothing:
            write_lines(f"judged: nothing, as {nothing}")
        if beside is not None:
            write_line(console(), beside.verdict)
    if nothing:
        return ExitStatus.OPEN
    return ExitStatus.VIOLATED if result.value > guessing else ExitStatus.DONE
