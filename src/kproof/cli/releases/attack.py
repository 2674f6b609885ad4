"""``kproof attack``: what an adversary learns from a release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Group, Parameter

from kproof.cli.base.columns import SUPPRESSED_AS, Columns, SourceColumns
from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import JSON, REPEATED
from kproof.cli.base.generated import command, fallback
from kproof.cli.base.printing import ExitStatus, console, write_json, write_line, write_table
from kproof.cli.releases.attack_inference import infer_from
from kproof.cli.releases.judging import Judging, publisher_of, status_of
from kproof.cli.releases.moving import attack_intersection
from kproof.cli.releases.request import Request, join, split_left_out
from kproof.errors import InvalidArgument
from kproof.models.adversaries import ATTACKS
from kproof.models.base.parameters import MU, K
from kproof.models.methods import METHODS
from kproof.models.registry import Attack, Kind, by_name
from kproof.schemas.printed import AttackJudged
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.attacks import Disclosure
    from kproof.models.judgement.findings import Judgement
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table

app = App(name="attack", help_epilogue=epilogue("attack"))

_ADVERSARY = Group("What the adversary knows", sort_key=2)
_SUCCESS = Group("When it counts as disclosure", sort_key=3)
_METHOD = Group("With a METHOD: what is asked of it", sort_key=4)

OF_METHOD = by_name(K.but(required=False), MU)
"""What is asked of METHOD by options of its own, besides ``--set``."""

LISTED = 10
"""Disclosed people that are listed one by one in a terminal."""


def attack(
    entry: Attack,
    typed: dict[str, Any],
    source: str,
    data: str | None = None,
    /,
    *,
    columns: SourceColumns = SourceColumns(),
    target: Annotated[str | None, Parameter(group=_ADVERSARY)] = None,
    background: Annotated[str | None, Parameter(group=_ADVERSARY)] = None,
    matching: Annotated[Literal["class", "cover"] | None, Parameter(group=_ADVERSARY)] = None,
    noise_recognised: Annotated[bool, Parameter(group=_ADVERSARY, negative=())] = False,
    tau: Annotated[str, Parameter(group=_SUCCESS)] = "1",
    set_: Annotated[REPEATED, Parameter(name="--set", group=_METHOD)] = (),
    suppressed: SUPPRESSED_AS = None,
    judging: Judging = Judging(),
    original: str | None = None,
    limit: str = "100",
    json: JSON = False,
) -> int:
    """Attack a published table, or what a method makes of a table.

    The last line is the judgement of the whole release, beside the original:
    passing one attack is no leave to publish. The status is 1 if somebody is disclosed or
    the release may not be published, and 4 if that is not decided: there is no
    original, no published row fits anybody who was looked for, or a column published
    as it is singles out nearly every row. For --audience study the attack alone is
    judged.

    Args:
        source: A published table: a CSV or Parquet file or the name of a shipped table. With DATA:
            a registered METHOD that is to anonymize them first.
        data: The microdata for METHOD: a CSV or Parquet file, or the name of a shipped table.
            Hierarchies of columns go with METHOD only.
        target: The sensitive column to disclose, by default the first.
        background: A JSON or CSV file: victims, members, known columns, excluded values; rows are
            counted from 0. Without one everyone is a victim.
        matching: How she finds a person's class: she knows it (class) or compares labels (cover).
            If not given: what the background says; without one class, and cover for linkage.
        noise_recognised: She tells noise rows from real ones.
        tau: A person is disclosed when the probability is at least this.
        set_: Any other parameter of the method: NAME=VALUE; may be repeated.
        suppressed: What suppressed rows of a published table show in every quasi-identifier, such
            as '*': they may be anybody's. With a METHOD: --set suppress=5% --set suppressed=mark.
        original: The table that the published one was made of; the judgement compares them.
        limit: How many disclosed people the JSON document lists at most.
    """
    from kproof.models.api import anonymize
    from kproof.models.attacks import Matching, knowledge_for, read_background
    from kproof.models.attacks import attack as run_attack
    from kproof.theory.exact.typed import integer

    most = integer("limit", limit, least=0)
    # Whatever can be wrong with the words is told before anything is read.
    if data is None:
        options, parameters = entry.complete_arguments(typed), {}
        left_out: dict[str, Any] = {}
        if set_ or columns.is_drawn():
            admissible = "METHOD DATA with --set, --taxonomy, --ladder, --code or the like"
            raise InvalidArgument("data", None, admissible)
    else:
        if original is not None:
            admissible = "a published table; DATA is what METHOD makes its release of"
            raise InvalidArgument("original", original, admissible)
        options = entry.complete_arguments(
            {name: typed[name] for name in typed if name in entry.parameters}
        )
        takes = METHODS.entry(source).parameters
        if suppressed is not None:
            admissible = "a published table; what METHOD leaves out is --set suppress=SHARE"
            raise InvalidArgument("suppressed", suppressed, admissible)
        # mu may be meant for the attack alone; its other parameters are the method's by --set.
        meant = {name: typed[name] for name in typed if name in OF_METHOD and name in takes}
        own, left_out = split_left_out(join(meant, set_))
        method = METHODS[source]
        parameters = method.complete_arguments(Request.of(method, own).parameters)
    knowledge = knowledge_for(entry) if background is None else read_background(background)
    if matching is not None:
        knowledge = replace(knowledge, matching=Matching(matching))
    if noise_recognised:
        knowledge = replace(knowledge, noise_recognised=True)
    place = source if data is None else data
    with stage(f"reading {place}"):
        table = _table(place, columns, suppressed, original, published=data is None)
    release: Table | Release = table
    if data is not None:
        with stage(f"anonymizing {table.rows} rows"):
            release = anonymize(source, table, **left_out, **parameters)
    with stage(f"attacking {table.rows} rows"):
        how: dict[str, Any] = {"target": target, "background": knowledge, "tau": tau}
        disclosure = run_attack(entry.name, release, **how, **options)
    judgement = None
    if judging.audience != "study" and (data is not None or original is not None):
        with stage("judging what a reader learns"):
            judgement = _judge(source, columns, judging, release, data, original)
    if json:
        write_json("attack", AttackJudged(disclosure, judgement), limit=most)
    else:
        _print(disclosure)
        _tell_who_knows_the_method(judgement)
        if judgement is not None:
            write_line(console(), judgement.sentence)
        elif judging.audience != "study":
            line = "not judged: whether it may be published; name its source with --original FILE"
            write_line(console(), line)
    # Failures first: OPEN says that nothing which was judged fails.
    if disclosure or (judgement is not None and judgement.broken):
        return ExitStatus.VIOLATED
    if disclosure.unmatched == disclosure.victims or disclosure.scope.gives_away:
        return ExitStatus.OPEN
    if judgement is not None:
        return status_of(judgement)
    return ExitStatus.DONE if judging.audience == "study" else ExitStatus.OPEN


def _judge(
    source: str,
    columns: Columns,
    judging: Judging,
    release: Table | Release,
    data: str | None,
    original: str | None,
) -> Judgement:
    """Judge what a method made, or a published file beside its original."""
    from kproof.models.judgement.judge import judge
    from kproof.models.tables.release import Release

    if data is not None and isinstance(release, Release):
        publisher = publisher_of(release.table, data, columns, judging)
        return publisher.judge(publisher.publication(release))
    roles = columns.roles(source if original is None else original)
    publication = judging.publication(source, original, roles, columns.unconfirmed)
    return judge(publication, audience=judging.audience)


def _table(
    place: str,
    columns: SourceColumns,
    suppressed: str | None,
    original: str | None,
    *,
    published: bool,
) -> Table:
    """Read a table; the quasi-identifiers of a published one are labels."""
    from kproof.models.judgement.reading import roles_shown
    from kproof.models.tables.readers import read_table

    if published:
        roles = columns.roles(place if original is None else original, published=original is None)
        roles = roles if original is None else roles_shown(roles, place, original)
        # Labels are texts, whatever they look like: rows are alike if they show the same.
        roles["numeric"] = dict.fromkeys(roles["quasi_identifiers"], False)
    else:
        roles = columns.roles(place)
    if roles.get("sensitive") is None:
        raise InvalidArgument("sensitive", None, "--sensitive NAME, the column to disclose")
    most = columns.most_members
    return read_table(place, **roles, most_members=most, suppressed=suppressed)


def _tell_who_knows_the_method(judgement: Judgement | None) -> None:
    """Print beside the attack, by somebody who does not know it, what the method gives away."""
    from kproof.models.judgement.findings import JudgedCriterion

    findings = [] if judgement is None else judgement.findings
    for finding in findings:
        if finding.criterion in (JudgedCriterion.MINIMALITY, JudgedCriterion.MEMBERSHIP):
            standing = f"{finding.standing}: {finding.sentence}"
            write_line(console(), f"to anyone who knows the method: {standing}")
    if not findings:
        write_line(console(), "to anyone who knows the method: not judged")


def _print(result: Disclosure) -> None:
    out = console()
    victims = result.counted(result.victims)
    out.print(f"{result.attack}: {len(result)} of {victims} disclosed", markup=False)
    mean = f"a guess is right {100 * result.mean:.4g} % of the time on average"
    out.print(f"disclosed means {result.rule}; {mean}", markup=False)
    for note in (*result.remarks, *result.scope.notes):
        write_line(out, note)
    if result.unmatched:
        fit = "fits" if result.unmatched == 1 else "fit"
        out.print(f"{result.counted(result.unmatched)} {fit} no published row", markup=False)
    worst = result.worst
    if worst is None:
        return
    bets = [result.victim(int(position)) for position in result.disclosed[:LISTED]]
    out.print()
    extra = list(worst.figures)
    rows = []
    for bet in (worst, *(bet for bet in bets if bet != worst)):
        figures = (bet.figures.get(name, "") for name in extra)
        mark = "worst" if bet is worst else ""
        rows.append((mark, bet.who, bet.guess, bet.posterior, bet.candidates, *figures))
    write_table(["", "who", result.target.value, "probability", "candidates", *extra], rows)
    if len(result) > len(bets):
        out.print(f"and {len(result) - len(bets)} more", markup=False)


for _attack in ATTACKS.values():
    if _attack.kind is Kind.TABLE:
        _more = {key: OF_METHOD[key] for key in OF_METHOD if key not in _attack.parameters}
        _command = command(attack, [(_SUCCESS, _attack.parameters), (_METHOD, _more)], _attack)
    else:
        _command = command(infer_from, [], _attack)
    app.command(_command, name=_attack.name)
app.command(attack_intersection, name="intersection")
fallback(app, ATTACKS)
