"""Positive words about tables: verdicts, attacks, releases, and the report's page on a table."""

import html
import re
from functools import partial
from pathlib import Path

from positive import JUDGED, NOBODY, READER, Positive, either
from report_pages import page_with
from shell import kproof

from kproof.datasets import read_text_table
from kproof.models.papers.theta_tables import microdata
from kproof.models.privacy import DeltaDisclosure, RecursiveCL
from kproof.models.tables.readers import read_classes, read_table
from kproof.report.context import Context, Microdata, Section
from kproof.report.tables import build

ROLES = ("--qi", "age", "--sensitive", "ill")
DIVERSE = "age,ill\n20,HIV\n20,HIV\n20,HIV\n20,Flu\n"
GAP = "age,ill\n20,HIV\n20,HIV\n20,HIV\n20,\n"
SPREAD = "age,ill\n" + "".join(f"{20 + one},{'HIV' if one % 2 else 'Flu'}\n" for one in range(16))
NAMED = "age,ill,name\n20,HIV,Ann\n20,HIV,Bob\n20,HIV,Carl\n20,Flu,Dora\n"


def _given(text: str) -> str:
    Path("data.csv").write_text(text, encoding="utf-8")
    return "data.csv"


def _check(text: str, *words: str) -> str:
    ran = kproof("check", "--models-only", _given(text), *ROLES, *words)
    return ran.out + ran.err


def _attack(text: str, *words: str) -> str:
    ran = kproof("attack", "homogeneity", _given(text), *ROLES, *words)
    return ran.out + ran.err


def _anonymize(text: str, *words: str, k: str = "4") -> str:
    data = _given(text)
    ran = kproof(
        "anonymize",
        "mondrian",
        "--audience",
        "study",
        data,
        *ROLES,
        "--k",
        k,
        *words,
        "-o",
        "out.csv",
    )
    return ran.out + ran.err


def _risk(text: str, *words: str) -> str:
    return _check(text, "--k", "1", "--risk", *words)


def _population(text: str) -> str:
    Path("people.csv").write_text(text, encoding="utf-8")
    return "people.csv"


def _page(text: str | None, k: int = 4) -> str:
    """The visible words of the report's section on a table; None for the paper's."""
    table = microdata()
    if text is not None:
        table = read_table(_given(text), quasi_identifiers=["age"], sensitive="ill")
    given = Microdata.of("data", table, k=k, mu="1/100")
    context = Context((read_text_table("table-1a"),), (), microdata=given)
    page = page_with(context, (Section("table", "Your table", build),))
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def _verdict(model: RecursiveCL | DeltaDisclosure, text: str) -> str:
    classes = read_classes(_given(text), quasi_identifiers=["age"], sensitive="ill")
    found = model.check(classes)
    return f"{found.meaning} {found.value}"


def _decision(text: str, *words: str) -> str:
    data = _given(text)
    asked = ("--k", "4", "--sections", "decision", "--output", "out")
    kproof("report", data, *words, *asked)
    page = Path("out/report.html").read_text(encoding="utf-8")
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


CROWDED = "age,ill\n" + "".join(
    f"{20 + place % 3},{('HIV', 'Flu', 'Gout', 'Cold')[place // 3 % 4]}\n" for place in range(120)
)
WIDE = "age,ill\n" + "".join(
    f"{20 + place % 40},{('HIV', 'Flu', 'Gout', 'Cold')[place // 40 % 4]}\n" for place in range(120)
)


def _release_as_it_is(*, permuted: bool) -> str:
    data = _given(CROWDED)
    kproof("anonymize", "as-is", data, *ROLES, "-o", "out.csv")
    release = "out.csv" if permuted else data
    kproof("report", release, *ROLES, "--original", data, "--sections", "decision", "-o", "out")
    page = Path("out/report.html").read_text(encoding="utf-8")
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", body))


def _publish(text: str) -> str:
    ran = kproof("anonymize", _given(text), *ROLES, "-o", "out.csv")
    return ran.out + ran.err


of_judge = partial(Positive, adversary=JUDGED)
of_reader = partial(Positive, adversary=READER)

ROWS = (
    of_judge(
        word="publish: … singles out nobody and is certain of nobody's secret; each criterion met: "
        "no cell …, and few hold a value of their own; nobody can be picked; nobody is found out; "
        "nobody's row was left out; that smaller groups were not safe gives nobody away",
        printed_by="kproof anonymize, attack, check, compose, report: the judgement",
        modules=(
            "kproof.models.judgement.releases.composition",
            "kproof.models.judgement.cells.identifying",
            "kproof.models.judgement.findings",
            "kproof.models.judgement.classes.linkage",
            "kproof.models.judgement.classes.membership",
            "kproof.models.judgement.classes.minimality",
            "kproof.models.judgement.classes.singling",
            "kproof.models.publishing.search",
        ),
        judged="Every criterion was asked of every published cell, and none is broken or open.",
        mutant="so few people that no class hides anybody",
        absent="publish: an attacker",
        **either(_publish, (WIDE,), (SPREAD,)),
    ),
    of_judge(
        word="Publish its rows in a random order",
        printed_by="kproof report: the decision",
        modules=("kproof.report.decision",),
        judged="Somebody said the roles of all columns, and the table meets every criterion of the "
        "judge once its rows stand in another order.",
        mutant="nobody said the roles",
        **either(_decision, (CROWDED, *ROLES), (CROWDED,)),
    ),
    of_judge(
        word="Publish as it is",
        printed_by="kproof report of a release: the decision",
        modules=("kproof.report.decision",),
        judged="The file meets every criterion of the judge, its order included.",
        mutant="the rows stand in the order of the source",
        holds=lambda: _release_as_it_is(permuted=True),
        turns=lambda: _release_as_it_is(permuted=False),
    ),
    of_judge(
        word="Publish with these settings",
        printed_by="kproof report: the decision",
        modules=("kproof.report.decision",),
        judged="Somebody said the roles of all columns, and the release that is recommended meets "
        "every criterion of the judge.",
        mutant="nobody said the roles; they are proposed",
        **either(_decision, (WIDE, *ROLES), (WIDE,)),
    ),
    of_reader(
        word="holds",
        printed_by="`kproof check`, for each model",
        modules=("kproof.cli.releases.check", "kproof.models.base.verdict"),
        judged="Every class of the published table was judged, for every way to fill in missing "
        "sensitive values. Columns that were not judged are named beside it.",
        mutant="one of the sensitive values that make a class diverse is missing",
        **either(_check, (DIVERSE, "--l", "2"), (GAP, "--l", "2")),
    ),
    of_reader(
        word="holds",
        printed_by="`kproof check`, beside columns nobody gave a role",
        modules=("kproof.cli.releases.check", "kproof.models.base.verdict"),
        judged="No column without a role singles out nearly every row.",
        mutant="a column of names stands beside the quasi-identifiers",
        **either(_check, (DIVERSE, "--k", "4"), (NAMED, "--k", "4")),
    ),
    of_reader(
        word="holds",
        printed_by="`kproof check`, beside columns published as they are",
        modules=("kproof.cli.releases.check", "kproof.models.base.verdict"),
        judged="No column published as it is singles out nearly every row, alone or with one or "
        "two others.",
        mutant="a column of names is published as it is: the answer is OPEN",
        **either(_check, (DIVERSE, "--k", "4"), (NAMED, "--k", "4", "--other", "name")),
    ),
    of_reader(
        word='"answer": "holds"',
        printed_by="`kproof check --json`",
        modules=("kproof.models.base.verdict",),
        judged="The same was judged as for `holds`, and `gives_away` is empty.",
        mutant="a column of names is published as it is",
        holds=lambda: _check(DIVERSE, "--k", "4", "--json"),
        turns=lambda: _check(NAMED, "--k", "4", "--other", "name", "--json"),
    ),
    of_reader(
        word='"holds": true',
        printed_by="`kproof check --json`",
        modules=("kproof.models.base.verdict",),
        judged="The same was judged as for `holds`; `left_out` and `missing` say what was not "
        "judged.",
        mutant="one of the sensitive values that make a class diverse is missing",
        **either(_check, (DIVERSE, "--l", "2", "--json"), (GAP, "--l", "2", "--json")),
    ),
    of_reader(
        word="holds for every c above",
        printed_by="verdicts on recursive (c,l)-diversity",
        modules=("kproof.models.privacy.diversity",),
        judged="The largest ratio of the commonest value to the tail was computed over all classes "
        "and completions.",
        mutant="a class has fewer than l values, so that no c helps",
        holds=lambda: _verdict(RecursiveCL(4, 2), DIVERSE),
        turns=lambda: _verdict(RecursiveCL(4, 2), GAP),
        absent="above 3",
    ),
    of_reader(
        word="holds for every delta above",
        printed_by="verdicts on δ-disclosure",
        modules=("kproof.models.privacy.likeness",),
        judged="The largest |ln(q/p)| was computed over all classes, values and completions.",
        mutant="a class lacks a value of the table, so that no delta helps",
        holds=lambda: _verdict(DeltaDisclosure(1), DIVERSE),
        turns=lambda: _verdict(DeltaDisclosure(1), DIVERSE + "40,HIV\n40,HIV\n"),
        absent="above 0",
    ),
    of_reader(
        word="l=2",
        printed_by="`kproof check` without a model",
        modules=("kproof.models.privacy.summary",),
        judged="The parameter of each model that the worst class attains was computed in the worst "
        "completion.",
        mutant="one of the sensitive values that make a class diverse is missing",
        **either(_check, (DIVERSE,), (GAP,)),
    ),
    of_reader(
        word="0 of 4 people disclosed",
        printed_by="`kproof attack`, before the judgement",
        modules=("kproof.cli.releases.attack", "kproof.models.attacks.base"),
        judged="Every victim's exact posterior was computed, in the completion of missing values "
        "that is worst for the victim. Columns that were not judged are named beside it.",
        mutant="one of the sensitive values that make a class diverse is missing",
        **either(_attack, (DIVERSE,), (GAP,)),
    ),
    of_reader(
        word="0 of 4 people disclosed",
        printed_by="`kproof attack`, beside columns nobody gave a role",
        modules=("kproof.cli.releases.attack", "kproof.models.attacks.base"),
        judged="No column without a role singles out nearly every row.",
        mutant="a column of names stands beside the quasi-identifiers",
        **either(_attack, (DIVERSE,), (NAMED,)),
    ),
    Positive(
        word="written:",
        printed_by="`kproof anonymize`, of a table",
        modules=("kproof.cli.releases.anonymize",),
        judged="Every class satisfies what the method was asked for, no label shows more members "
        "than it may, and no column without a role singles out nearly every row.",
        mutant="nine towns in one class, without a hierarchy",
        holds=lambda: _anonymize("age,ill\n" + "".join(f"a{i % 8},x\n" for i in range(9)), k="9"),
        turns=lambda: _anonymize("age,ill\n" + "".join(f"a{i},x\n" for i in range(9)), k="9"),
        adversary=NOBODY,
    ),
    Positive(
        word="written:",
        printed_by="`kproof anonymize`, when something is asked of sensitive values",
        modules=("kproof.cli.releases.anonymize",),
        judged="The request can be promised whatever the missing values are.",
        mutant="one of the sensitive values is missing",
        **either(_anonymize, (DIVERSE, "--l", "2"), (GAP, "--l", "2")),
        adversary=NOBODY,
    ),
    of_reader(
        word="holds",
        printed_by="the report, for what was asked of a table",
        modules=("kproof.report.tables",),
        judged="k, μ and p⁺ of every class of the table and of each release were computed, as by "
        "`kproof check`.",
        mutant="a fifth row that is like no other row, so that the table has a class of one",
        **either(_page, (DIVERSE,), (DIVERSE + "99,Flu\n",)),
        absent="fewest people in a class 4 holds",
    ),
    of_reader(
        word="No … is certain; the best guess is right",
        printed_by="the report, for each attack",
        modules=("kproof.report.tables",),
        judged="Every row's exact posterior in the worst completion was computed, for the table "
        "and the releases. The judge of the whole release infers nobody's value, either.",
        mutant="one of the sensitive values that make a class diverse is missing",
        **either(_page, (DIVERSE,), (GAP,)),
        absent="homogeneity everyone in a class has the same value 0 no ill is certain; the best",
    ),
    of_reader(
        word="Everyone is among 4 people or more",
        printed_by="the report, in words",
        modules=("kproof.report.tables",),
        judged="The people of every class were counted; noise rows were not.",
        mutant="a fifth row that is like no other row",
        holds=lambda: _page(DIVERSE).split("mondrian")[0],
        turns=lambda: _page(DIVERSE + "99,Flu\n").split("mondrian")[0],
    ),
    of_reader(
        word="Nobody is alone in the table",
        printed_by="`kproof check --risk` and `kproof anonymize`",
        modules=("kproof.models.tables.risk.assessment",),
        judged="The people of every class were counted; noise rows were not.",
        mutant="a fifth row that is like no other row",
        **either(_risk, (DIVERSE,), (DIVERSE + "99,Flu\n",)),
    ),
    of_reader(
        word="Nobody is alone in the table",
        printed_by="`kproof check --risk`, beside columns nobody gave a role",
        modules=("kproof.models.tables.risk.assessment",),
        judged="No column without a role singles out nearly every row.",
        mutant="a column of names stands beside the quasi-identifiers",
        **either(_risk, (DIVERSE,), (NAMED,)),
    ),
    of_reader(
        word="Nobody is alone in the population",
        printed_by="`kproof check --population`",
        modules=("kproof.models.tables.risk.assessment",),
        judged="The people of the population who fit the labels of each class were counted.",
        mutant="somebody who is alone in the table is alone in the population, too",
        holds=lambda: _risk(
            DIVERSE + "99,Flu\n", "--population", _population("age\n20\n20\n20\n20\n99\n99\n")
        ),
        turns=lambda: _risk(
            DIVERSE + "99,Flu\n", "--population", _population("age\n20\n20\n20\n20\n99\n18\n")
        ),
    ),
    of_reader(
        word="Attackers unsure of membership do no better",
        printed_by="`kproof check --risk` and `kproof anonymize`, without a population",
        modules=("kproof.models.tables.risk.assessment",),
        judged="Nothing more: a population holds the people of the table, so that a row fits at "
        "least as many people there. Where it is at hand it is counted instead.",
        mutant="the population is given",
        holds=lambda: _risk(DIVERSE),
        turns=lambda: _risk(DIVERSE, "--population", _population("age\n20\n20\n20\n20\n")),
    ),
)
