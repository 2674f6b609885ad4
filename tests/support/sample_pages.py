"""Pages of the report that depend on nothing but the code: no day, no version, no machine's font.

They are set in DejaVu Sans as matplotlib brings it, whatever fonts the machine has.
"""

from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest import mock

import matplotlib as mpl
from markupsafe import Markup
from report_pages import page_with

from kproof.datasets import SAMPLE, read_text_table
from kproof.models.papers.theta_tables import microdata
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.readers import read_table
from kproof.report import figures
from kproof.report.context import BuiltSection, Context, Microdata, Section
from kproof.report.decision import decide
from kproof.report.findings import CertifiedCurve, of_columns, of_curves
from kproof.report.sections import sections
from kproof.report.sources import SourceFile
from kproof.theory.exact.enclosure import Enclosure

_ROLES = {
    "quasi_identifiers": ("born", "sex", "postcode"),
    "ladders": {"postcode": "prefix"},
    "sensitive": "diagnosis",
    "person": "patient_number",
    "identifiers": ("stay", "name", "phone", "email"),
    "drop": ("admitted", "discharged", "ward", "weight_kg", "note"),
}


def sample_report(*names: str) -> str:
    """The report on the paper's table, with some of its sections."""
    given = Microdata.of("table-1a", microdata())
    decision = None
    if "decision" in names:
        made_up = read_table(SAMPLE, **_ROLES)
        found = decide(
            TablePublisher.of(made_up), SourceFile.of(SAMPLE), typed="FILE --roles r.toml"
        )
        decision = replace(found, made="2026-01-02", version="1.2.3")
    context = Context(
        (read_text_table("table-1a"),),
        microdata=given,
        decision=decision,
        measured=frozenset(["Age"]),
    )
    with mock.patch("kproof.report.context.__version__", "1.2.3"):
        return page_with(context, (one for one in sections() if one.id in names))


def sample_charts() -> str:
    """A page with a chart of each kind that readers meet most, from numbers made up."""
    with mock.patch("kproof.report.context.__version__", "1.2.3"):
        charts = Section("charts", "Charts", lambda _: BuiltSection(_charts()))
        return page_with(Context(()), (charts,))


def _as_it_is(value: float) -> Enclosure:
    return Enclosure.exactly(Fraction(value))


def with_one_font(page: str) -> str:
    """The page in a font that it carries."""
    faces = "".join(
        f"@font-face {{ font-family: Sample; font-weight: {weight}; "
        f"src: url(data:font/ttf;base64,{_font(name)}); }}\n"
        for name, weight in (("DejaVuSans", "400"), ("DejaVuSans-Bold", "600 700"))
    )
    rule = "* { font-family: Sample !important; }"
    return page.replace("</head>", f"<style>{faces}{rule}</style></head>", 1)


def _font(name: str) -> str:
    file = Path(mpl.get_data_path(), "fonts", "ttf", f"{name}.ttf")
    return b64encode(file.read_bytes()).decode("ascii")


def _charts() -> Markup:
    xs = tuple(step / 10 for step in range(11))
    curves = [
        figures.PlottedCurve(kind, xs, tuple(start * 10 ** (-fall * x) for x in xs))
        for kind, start, fall in (
            ("exact", 0.3, 5.0),
            ("blocks", 0.5, 3.0),
            ("corrected", 1.0, 2.0),
            ("derived", 0.2, 1.0),
            ("printed", 0.01, 0.5),
        )
    ]
    labels = ["Asthma", "Cancer", "Flu", "Hepatitis", "HIV", "Indigestion"]
    after = {
        name: [4 + (at + place) % 3 + place / 4 for at in range(len(labels))]
        for place, name in enumerate(figures.LINES)
    }
    certified = [
        CertifiedCurve.of(one.kind, map(Fraction, one.x), map(_as_it_is, one.y)) for one in curves
    ]
    bars = [2, 5, 7, 3, 4, 1]
    drawn = [
        ("Curves", of_curves(certified), figures.STYLES, figures.curves_svg(
            "sample-curves", "Curves", curves, x_label="ε", y_label="δ"
        )),
        ("Columns", of_columns(bars, after), figures.LINES, figures.bars_svg(
            "sample-bars", "Columns", labels, bars, after
        )),
    ]  # fmt: skip
    shown = Markup("")
    for name, title, looks, svg in drawn:
        keys = Markup("").join(
            Markup("<li>{}{}</li>").format(Markup(figures.key_svg(look)), kind)
            for kind, look in looks.items()
        )
        bar = Markup("<li>{}as it is</li>").format(Markup(figures.bar_key_svg()))
        shown += Markup(
            '<section class="level"><h4>{}</h4><ul class="legend">{}{}</ul><figure>'
            '<figcaption class="finding">{}</figcaption>{}</figure></section>'
        ).format(name, bar if looks is figures.LINES else "", keys, title, Markup(svg))
    return Markup('<article><div class="levels">{}</div></article>').format(shown)
