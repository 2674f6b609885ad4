"""The calculator's page: its JavaScript against certified values, and how a browser shows it."""

import json
import math
import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flint import arb
from shell import kproof, refused

from kproof.report.calculator import DEFAULTS, calculator, script
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import Binomial, TruncatedBinomial
from kproof.theory.profiles import exact
from kproof.theory.profiles.blocks import blocks_between, blocks_delta
from kproof.theory.profiles.sampled import sampled_exact
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.record_moments import RecordMoments

POINTS = 10_000
DIGITS = Fraction(1, 10**12)
"""How far the middle of a value may be from the truth, relatively."""
TINY = Fraction(1, 10**36)
"""Below it the page has fewer digits: masses below 1e-60 are left out there."""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@dataclass(frozen=True)
class Curve:
    """A reading at a setting: typed epsilons, and the certified value at each, None for none."""

    fields: dict[str, Any]
    reading: str
    epsilons: Sequence[str]
    truth: Sequence[Enclosure | None]


def in_node(program: str, given: object, folder: Path) -> Any:
    """Run what evaluates on the page, and a program that fills `out` from `given`."""
    file = folder / "run.js"
    head = f"{script()}\nconst given = JSON.parse(require('fs').readFileSync(0));\n"
    tail = "\nprocess.stdout.write(JSON.stringify(out));"
    file.write_text(f"{head}{program}{tail}", encoding="utf-8")
    ran = subprocess.run(
        ["node", str(file)], input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


VALUES = """
const out = given.map(({ fields, reading, epsilons }) => {
  const plan = planned({ ...fields });
  const one = plan.readings.find((each) => each.id === reading);
  if (!one) return epsilons.map(() => null);
  const at = epsilons.map((text) => ofRational(typed("epsilon", text, "")));
  return one.values(at).map(({ value }) =>
    value && [value.hi, value.lo, value.err, lower(value), upper(value)]);
});
"""


def typed(draw: random.Random, low: float, high: float, digits: int = 3) -> str:
    return f"{draw.uniform(low, high):.{digits}f}"


def settings(draw: random.Random, most: int, **fixed: str) -> dict[str, Any]:
    n = int(2 ** draw.uniform(3, most))
    return {
        **DEFAULTS,
        "n": str(n),
        "p": typed(draw, 0.03, 0.97),
        "k": str(draw.randint(1, max(1, n // 5))),
        **fixed,
    }


def epsilons(draw: random.Random, n: int, number: int) -> list[str]:
    """Draw where delta is neither 1 nor next to nothing: a few times 1 / sqrt(n)."""
    return ["0", *(typed(draw, 0, min(5, 14 / n**0.5), 5) for _ in range(number - 1))]


def counts(draw: random.Random, curves: int) -> Iterator[Curve]:
    for _ in range(curves):
        fields = settings(draw, 11, about="count")
        at = epsilons(draw, int(fields["n"]), 25)
        law = TruncatedBinomial(int(fields["n"]), fields["p"], int(fields["k"]))
        yield Curve(fields, "exact", at, exact(law, shift=1, epsilon=at))


def sums(draw: random.Random, curves: int) -> Iterator[Curve]:
    for _ in range(curves):
        s = draw.randint(1, 4)
        fields = settings(draw, 11, s=str(s), lambda2=draw.choice(["0", "0.3"]))
        unknown = Adversary.of(lambda2=fields["lambda2"]).unknown(int(fields["n"]))
        at = epsilons(draw, unknown, 25)
        yield Curve(fields, "exact", at, exact(Binomial(unknown, fields["p"]), shift=s, epsilon=at))


def blocks(draw: random.Random, curves: int) -> Iterator[Curve]:
    for turn in range(curves):
        fields = settings(draw, 7)
        n, p = int(fields["n"]), Fraction(fields["p"])
        beta, block, steps = 2 * min(p, 1 - p), 2, draw.randint(1, 3)
        if turn % 2:
            beta, block = Fraction(typed(draw, 0.1, 0.99)), draw.randint(2, 12)
            belief = {"believed": True, "beta": str(float(beta)), "block": str(block)}
            fields, steps = fields | belief, 1
        fields["s"] = str(steps)
        at = epsilons(draw, n, 25)
        found = blocks_delta({beta: n}, block=block, epsilon=at, steps=steps)
        yield Curve(fields, "blocks", at, found)


def tables(draw: random.Random, curves: int) -> Iterator[Curve]:
    """Rows kept by coins: most ε where both directions count, some where only one does."""
    for turn in range(curves):
        rate = typed(draw, 0.02, 0.98)
        fields = {
            **DEFAULTS,
            "about": "table",
            "k": str(int(2 ** draw.uniform(0, 6 + turn % 4))),
            "rate": rate,
        }
        most = -math.log(1 - float(rate)) * (1, 4)[turn % 2]
        at = ["0", *(typed(draw, 0, most, 6) for _ in range(24))]
        truth = [sampled_exact(fields["k"], rate, epsilon=epsilon) for epsilon in at]
        yield Curve(fields, "exact", at, truth)


def readings(draw: random.Random, points: int) -> Iterator[Curve]:
    """What the theorems say: each formula, and whether its hypotheses are met."""
    for turn in range(points):
        about = ("count", "sum", "sum", "sum")[turn % 4]
        reading = ("printed", "corrected")[turn // 4 % 2]
        fields = settings(draw, 19, about=about)
        n, at = int(fields["n"]), typed(draw, 0, 1.5, 4)
        if about == "count":
            closed = {"closed_form": True} if reading == "corrected" else {}
            found = bound(
                1, n=n, p=fields["p"], k=fields["k"], epsilon=at, reading=reading, **closed
            )
        else:
            # Printed, a fraction is no size of a neighbourhood, unless it is all; corrected, many
            # records and a small one are needed to say anything.
            dependent = draw.choice(["0", "0", "1"])
            if reading == "corrected" and dependent == "1":
                n = draw.randint(2**17, 2**19)
                dependent = f"{draw.randint(1, 2)}/{n}"
            fields |= {"n": str(n), "lambda1": dependent, "lambda2": draw.choice(["0", "0.25"])}
            fields |= {"k": str(draw.randint(1, 3)), "s": str(draw.randint(1, 3))}
            told = {key: fields[key] for key in ("lambda1", "lambda2") if fields[key] != "0"}
            adversary = Adversary.of(s=fields["s"], **told)
            found = bound(
                adversary.theorem,
                moments=RecordMoments.of(*[fields["p"]] * 4),
                n=n,
                k=fields["k"],
                adversary=adversary,
                epsilon=at,
                reading=reading,
            )
        yield Curve(fields, reading, [at], [found.delta if found.applies else None])


@needs_node
def test_javascript_has_the_certified_values_to_twelve_digits_at_10_000_points(tmp_path):
    draw = random.Random(19)
    curves = [
        *counts(draw, 120),
        *sums(draw, 130),
        *blocks(draw, 70),
        *tables(draw, 60),
        *readings(draw, POINTS - 25 * (120 + 130 + 70 + 60)),
    ]
    given = [{"fields": c.fields, "reading": c.reading, "epsilons": c.epsilons} for c in curves]
    answers = in_node(VALUES, given, tmp_path)
    seen = 0
    for curve, found in zip(curves, answers, strict=True):
        for epsilon, value, truth in zip(curve.epsilons, found, curve.truth, strict=True):
            where = curve.fields, curve.reading, epsilon, value, str(truth)
            seen += 1
            assert (value is None) == (truth is None), where
            if value is None or truth is None:
                continue
            least, most = Fraction(truth.lower), Fraction(truth.upper)
            high, low, _, under, over = (Fraction(one) for one in value)
            assert under <= most, where
            assert least <= over, where
            if most > TINY:
                assert abs(high + low - least) <= DIGITS * most + (most - least), where
    assert seen == POINTS


OPERATIONS = """
const out = given.map(([name, numbers]) => {
  const found = { add, mul, inverse, sqrt, exp, log, phi, lambertw }[name](
    ...numbers.map(([hi, lo, err]) => num(hi, lo, err)));
  return [found.hi, found.lo, found.err];
});
"""
RANGES = {"inverse": 9.0, "sqrt": 9.0, "log": 9.0, "lambertw": 6.0, "exp": 2.5, "phi": 1.5}
"""Powers of ten within which the argument is drawn, on either side of 1."""


def in_balls(name: str, arguments: Sequence[arb]) -> arb:
    x, y = arguments[0], arguments[-1]
    return {
        "add": lambda: x + y,
        "mul": lambda: x * y,
        "inverse": lambda: 1 / x,
        "sqrt": lambda: x.sqrt(),
        "exp": lambda: x.exp(),
        "log": lambda: x.log(),
        "phi": lambda: (-x / arb(2).sqrt()).erfc() / 2,
        "lambertw": lambda: x.lambertw(),
    }[name]()


@needs_node
def test_a_number_is_never_further_off_than_it_says(tmp_path):
    draw = random.Random(3)

    def number(power: float, *, signed: bool) -> list[float]:
        high = 10 ** draw.uniform(-power, power) * (draw.choice([1, -1]) if signed else 1)
        off = draw.choice([0.0, abs(high) * 10 ** draw.uniform(-25, -5)])
        return [high, high * 2**-54 * draw.uniform(-1, 1), off]

    cases: list[tuple[str, list[list[float]]]] = []
    for name, power in RANGES.items():
        signed = name in ("inverse", "exp", "phi")
        cases += [(name, [number(power, signed=signed)]) for _ in range(300)]
    for name in ("add", "mul"):
        for _ in range(300):
            first, second = number(6, signed=True), number(6, signed=True)
            # Every other sum nearly cancels.
            if draw.random() < 0.5:
                second = [-first[0] * (1 + draw.uniform(-1, 1) * 1e-12), second[1] / 1e20, 0.0]
            cases.append((name, [first, second]))
    answers = in_node(OPERATIONS, cases, tmp_path)
    with use_bits(400):
        for (name, numbers), (high, low, off) in zip(cases, answers, strict=True):
            # Anywhere within its error each argument may be.
            true = [arb(hi) + arb(lo) + arb(err) * draw.uniform(-1, 1) for hi, lo, err in numbers]
            # JSON shows a large double as an integer of fewer digits.
            gap = abs(in_balls(name, true) - arb(float(high)) - arb(float(low)))
            assert gap <= arb(off), (name, numbers, high, low, off)
            if all(err == 0 for *_, err in numbers) and name not in ("add", "phi"):
                assert off <= abs(high) * 1e-20, (name, numbers, high, low, off)


@needs_node
def test_many_blocks_are_bounded_from_above_and_not_by_much(tmp_path):
    at = ["0", "0.01", "0.03"]
    cases = [
        ({"n": "40000", "p": "0.35"}, Fraction(7, 10), 2, 40_000),
        ({"n": "4000", "believed": True, "beta": "0.8", "block": "10"}, Fraction(4, 5), 10, 4_000),
    ]
    given = [
        {"fields": {**DEFAULTS, **fields}, "reading": "blocks", "epsilons": at}
        for fields, *_ in cases
    ]
    for found, (_, beta, block, n) in zip(in_node(VALUES, given, tmp_path), cases, strict=True):
        truth = blocks_between({beta: n}, block=block, epsilon=at, parts=64)
        for value, one in zip(found, truth, strict=True):
            assert value[3] <= one.upper
            assert value[4] >= one.lower
            if block == 2:
                assert value[4] <= float(one.upper) * 1.1


@needs_node
def test_a_textbook_erf_is_found_out_by_the_comparison_with_certified_values(tmp_path):
    # Abramowitz and Stegun 7.1.26, off by 1.5e-7: on either side.
    textbook = """
erfc = (x) => {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const c = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  const tail = c.reduce((sum, one) => sum * t + one, 0) * t * Math.exp(-x * x);
  return x < 0 ? 2 - tail : tail;
};
"""
    program = "const found = () => compared(given).differing.map((one) => one.id), out = [found()];"
    sound, off = in_node(f"{program}{textbook}out.push(found());", DEFAULTS, tmp_path)
    assert sound == []
    assert "corrected" in off


@needs_node
def test_digits_are_rounded_outward(tmp_path):
    draw = random.Random(7)
    values = [10 ** draw.uniform(-30, 3) for _ in range(500)] + [0.0, 1.0, 9.9999999e-7, 0.001]
    program = "const out = given.map((x) => [shown(x, 4, true), shown(x, 4, false)]);"
    for value, (above, below) in zip(values, in_node(program, values, tmp_path), strict=True):
        assert Fraction(below) <= Fraction(value) <= Fraction(above)
        assert Fraction(above) - Fraction(below) <= Fraction(value) / 500


PROBE = """
const result = {};
const curves = () => [...chart.querySelectorAll("path.curve")].map((one) => one.getAttribute("d"));
const type = (name, text) => {
  byId(name).value = text;
  byId(name).dispatchEvent(new Event("input"));
};
result.checked = byId("checked").textContent;
result.before = curves();
byId("p-slider").value = 0.5;
byId("p-slider").dispatchEvent(new Event("input"));
result.typed = byId("p").value;
result.after = curves();
result.finding = byId("finding").textContent;
result.named = chart.getAttribute("aria-labelledby");
result.command = byId("commands").querySelector("code").textContent;
type("p", "1.2");
result.refused = byId("problem").textContent;
result.nothing = curves();
result.rows = byId("values").hidden;
type("p", "0.5");
type("lambda1", "0.3");
result.cells = [...byId("rows").rows].map((row) => row.textContent);
const radio = form.elements.about;
radio.value = "table";
radio[2].dispatchEvent(new Event("change"));
type("k", "20");
type("epsilon", "1");
result.table = byId("finding").textContent;
result.tableCommand = byId("commands").querySelector("code").textContent;
result.unreached = chart.querySelectorAll(".unreached").length;
result.hidden = ["n", "p", "s", "block"].filter((name) => byId(name).offsetParent === null);
result.unlabelled = [...document.querySelectorAll("input, select")]
  .filter((one) => !one.labels.length && !one.ariaLabel).map((one) => one.id);
result.problems = problems;
const text = document.createElement("pre");
text.id = "probed";
text.textContent = JSON.stringify(result);
document.body.append(text);
"""
WATCH = """<script>
const problems = [];
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => problems.push(String(event.message || event.reason)));
}
// Redraws at once: the page is read before a next frame comes.
requestAnimationFrame = (work) => work();
console.error = (...words) => problems.push(words.join(" "));
</script>"""


@needs_chromium
def test_a_browser_draws_the_page_and_redraws_it_without_an_error(tmp_path):
    page = calculator().replace("<head>", f"<head>{WATCH}")
    file = tmp_path / "page.html"
    file.write_text(page.replace("</body>", f"<script>{PROBE}</script></body>"), encoding="utf-8")
    assert CHROMIUM is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu"]
    ran = subprocess.run(
        [
            CHROMIUM,
            *options,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    probed = re.search(r'<pre id="probed">(.*?)</pre>', ran.stdout, re.DOTALL)
    assert probed is not None, ran.stderr
    found = json.loads(unescape(probed[1]))
    assert found["problems"] == []
    assert "none differs" in found["checked"]
    assert len(found["before"]) == len(found["after"]) == 4
    assert all(map(str.__ne__, found["before"][1:], found["after"][1:]))
    assert found["typed"] == "0.5"
    assert found["finding"].startswith("δ at ε = 0.1: exact ≤ 0.001619, blocks ≤ 0.001619")
    assert found["named"] == "finding"
    assert found["refused"].startswith("p = 1.2: need")
    assert (found["nothing"], found["rows"]) == ([], True)
    printed, _, blocks, missing = found["cells"]
    assert "Does not apply: lambda1 = max |N_i| >= 1 is not met" in printed
    assert "dependency graph" in blocks
    assert "not determined by their moments" in missing
    assert found["unlabelled"] == []
    assert found["table"] == "δ at ε = 1: exact ≤ 2.761e-15, no ε makes it less than 9.999e-21"
    assert (found["unreached"], found["hidden"]) == (1, ["n", "p", "s", "block"])
    # The commands that the page names are some.
    for command in (found["command"], found["tableCommand"]):
        assert kproof(*command.split()[1:]).status in (0, 1, 4)


def test_the_page_needs_nothing_but_itself():
    page = calculator()
    assert len(page.encode()) < 300_000
    assert not re.search(r"""(src|href)=["'](?!#|data:|https://stdlib\.io)""", page)
    assert not re.search(r"\b(fetch|XMLHttpRequest|importScripts|eval)\(", page)


def test_the_command_writes_the_page_or_says_why_not(tmp_path):
    file = tmp_path / "page.html"
    ran = kproof("calculator", "--output", str(file))
    assert (ran.status, ran.out.strip()) == (0, str(file))
    assert file.read_text(encoding="utf-8") == calculator()
    assert "none" in refused("calculator", "--output", str(tmp_path / "none" / "page.html"))
