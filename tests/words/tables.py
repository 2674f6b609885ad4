"""Positive words about tables: verdicts, attacks, releases, and the report's page on a table."""

import html
import re
from pathlib import Path

from positive import either, rows
from report_pages import page_with
from shell import kproof, typed

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
    line = typed("anonymize mondrian --audience study -o out.csv")
    ran = kproof(*line, data, *ROLES, "--k", k, *words)
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


ROWS = rows(
    "tables",
    publish_singles_out_nobody=either(_publish, (WIDE,), (SPREAD,)),
    publish_its_rows=either(_decision, (CROWDED, *ROLES), (CROWDED,)),
    publish_as_it_is=(
        lambda: _release_as_it_is(permuted=True),
        lambda: _release_as_it_is(permuted=False),
    ),
    publish_with_settings=either(_decision, (WIDE, *ROLES), (WIDE,)),
    check_holds=either(_check, (DIVERSE, "--l", "2"), (GAP, "--l", "2")),
    check_holds_beside_columns=either(_check, (DIVERSE, "--k", "4"), (NAMED, "--k", "4")),
    check_holds_beside_others=either(
        _check, (DIVERSE, "--k", "4"), (NAMED, "--k", "4", "--other", "name")
    ),
    answer_holds=either(
        _check, (DIVERSE, "--k", "4", "--json"), (NAMED, "--k", "4", "--other", "name", "--json")
    ),
    holds_true=either(_check, (DIVERSE, "--l", "2", "--json"), (GAP, "--l", "2", "--json")),
    every_c=(
        lambda: _verdict(RecursiveCL(4, 2), DIVERSE),
        lambda: _verdict(RecursiveCL(4, 2), GAP),
    ),
    every_delta=(
        lambda: _verdict(DeltaDisclosure(1), DIVERSE),
        lambda: _verdict(DeltaDisclosure(1), DIVERSE + "40,HIV\n40,HIV\n"),
    ),
    summary=either(_check, (DIVERSE,), (GAP,)),
    attack_before_judgement=either(_attack, (DIVERSE,), (GAP,)),
    attack_beside_columns=either(_attack, (DIVERSE,), (NAMED,)),
    table_written=(
        lambda: _anonymize("age,ill\n" + "".join(f"a{i % 8},x\n" for i in range(9)), k="9"),
        lambda: _anonymize("age,ill\n" + "".join(f"a{i},x\n" for i in range(9)), k="9"),
    ),
    sensitive_written=either(_anonymize, (DIVERSE, "--l", "2"), (GAP, "--l", "2")),
    report_holds=either(_page, (DIVERSE,), (DIVERSE + "99,Flu\n",)),
    none_is_certain=either(_page, (DIVERSE,), (GAP,)),
    everyone_is_among=(
        lambda: _page(DIVERSE).split("mondrian")[0],
        lambda: _page(DIVERSE + "99,Flu\n").split("mondrian")[0],
    ),
    risk=either(_risk, (DIVERSE,), (DIVERSE + "99,Flu\n",)),
    risk_beside_columns=either(_risk, (DIVERSE,), (NAMED,)),
    risk_in_population=(
        lambda: _risk(
            DIVERSE + "99,Flu\n", "--population", _population("age\n20\n20\n20\n20\n99\n99\n")
        ),
        lambda: _risk(
            DIVERSE + "99,Flu\n", "--population", _population("age\n20\n20\n20\n20\n99\n18\n")
        ),
    ),
    unsure_of_membership=(
        lambda: _risk(DIVERSE),
        lambda: _risk(DIVERSE, "--population", _population("age\n20\n20\n20\n20\n")),
    ),
)
