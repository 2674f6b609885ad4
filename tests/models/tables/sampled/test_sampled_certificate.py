"""A certificate is judged again from two files, and whatever was changed in them is refused."""

import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest
from cases import cases, error_line

from kproof.datasets import TextTable
from kproof.errors import DataError
from kproof.models.tables.sampled import SampledCertificate, WrittenLevels, recheck, sampled
from kproof.models.tables.sampled.certificate import certify_bounds
from kproof.theory.profiles.sampled import sampled_exact

Document = dict[str, Any]


def people() -> TextTable:
    """A table of 600 people, an age and a sex each."""
    draw = random.Random(5)
    ages = tuple(str(draw.randrange(20, 50)) for _ in range(600))
    sexes = tuple(draw.choice("FM") for _ in range(600))
    ids = tuple(map(str, range(600)))
    return TextTable("people", ("id", "age", "sex"), (ids, ages, sexes), tuple(range(600)))


LEVELS = ["age=range:10,sex=value"]
ASKED = {"k": 8, "beta": "1/3", "person": "id", "epsilons": ["1/2", 1]}


def release(**asked: Any) -> tuple[bytes, bytes]:
    """A certificate and its file."""
    outcome = sampled(people(), **({"levels": LEVELS} | ASKED | asked))
    return outcome.certificate.to_text().encode(), outcome.to_csv().encode()


CERTIFICATE, FILE = release()


def signed(file: bytes, **fields: Any) -> bytes:
    """The certificate with the digest of another file, and other fields."""
    document = json.loads(CERTIFICATE)
    return json.dumps(document | {"sha256": sha256(file).hexdigest()} | fields).encode()


def test_what_the_method_makes_is_accepted():
    outcome = recheck(CERTIFICATE, FILE)
    assert outcome.holds
    assert outcome.sentence.startswith("holds against everyone")
    assert outcome.rows == len(FILE.splitlines()) - 1 > 100
    assert outcome.cells == 6


def test_a_table_without_rows_may_be_few():
    nobody = TextTable("nobody", ("id", "age", "sex"), ((), (), ()), ())
    assert sampled(nobody, levels=LEVELS, may_be_few=True, **ASKED).rows == ()


def test_the_certificate_tells_nothing_of_the_rows():
    """Those of two samples differ in the digest alone."""
    first, second = (json.loads(release()[0]) for _ in range(2))
    assert first.pop("sha256") != second.pop("sha256")
    assert first == second


@pytest.mark.parametrize("spread", [range(40), range(40, 80)])
def test_both_ways_of_working_it_out_agree(spread):
    """Accepted to 18 digits whatever k, β and ε are, and ε near -ln(1 - β) among them."""
    for seed in spread:
        draw = random.Random(seed)
        k, beta = draw.randrange(1, 40), Fraction(draw.randrange(1, 40), 40)
        epsilon = Fraction(draw.choice((0, draw.randrange(300))), 100)
        levels = WrittenLevels.parse(["a=value"])
        bounds = certify_bounds(k, beta, (epsilon,), None)
        of = {"sha256": sha256(b"a\n").hexdigest(), "choices": 1, "choose": None, "seeded": False}
        certificate = SampledCertificate.of(levels, bounds, k=k, beta=beta, **of)
        assert recheck(certificate.to_text().encode(), b"a\n").against == ()
        assert certificate.delta_at(epsilon) == sampled_exact(k, beta, epsilon=epsilon).upper


@pytest.mark.parametrize("beta", ["0.632120558", "0.632120559", "0.6321205588285577"])
def test_the_worst_table_may_have_billions_of_rows(beta):
    """At ε = -ln(1 - β), which is chosen often, the table without the row has no worst size."""
    certificate, file = release(beta=beta, epsilons=[1], k=58)
    assert recheck(certificate, file).holds


def change(name: str, value: object) -> Callable[[Document], object]:
    """What changes a field."""
    return lambda document: document.__setitem__(name, value)


def bound(place: int, name: str, factor: str) -> Callable[[Document], object]:
    """What changes a number of a bound by a factor."""

    def scale(document: Document) -> None:
        number = Fraction(document["bounds"][place][name]) * Fraction(factor)
        document["bounds"][place][name] = str(float(number))

    return scale


@cases(
    (change("k", 7), "does not follow"),
    (change("k", 9), "does not follow"),
    (change("beta", "1/4"), "does not follow"),
    (change("beta", "1"), "without coins delta is 1"),
    (change("beta", "-0.3"), "without coins delta is 1"),
    (change("sha256", "0" * 64), "the file is another one"),
    (change("fit", False), "the columns of the file are not those"),
    (bound(0, "delta", "0.999999"), r"delta = .* \(add\) does not follow"),
    (bound(1, "delta", "0.999999"), r"delta = .* \(replace\) does not follow"),
    (bound(1, "delta", "1.000001"), r"delta = .* \(replace\) does not follow"),
    (bound(2, "epsilon", "0.5"), r"epsilon = .* does not follow"),
    (bound(2, "sample_epsilon", "2"), "one bound for each kind"),
    (lambda document: document["bounds"].pop(), "one bound for each kind"),
    (
        lambda document: document["bounds"].__setitem__(1, document["bounds"][0]),
        "one bound for each kind",
    ),
    (lambda document: document["bounds"][1].__setitem__("delta", "1e-9"), "does not follow"),
    (lambda document: document["levels"].pop(), "the columns of the file are not those"),
    (lambda document: document["levels"].reverse(), "the columns of the file are not those"),
    (
        lambda document: document["levels"][0].__setitem__("rule", "range:5;origin=0"),
        "is no label of its level",
    ),
    (
        lambda document: document["levels"][0].__setitem__("rule", "range:10;origin=1"),
        "is no label of its level",
    ),
    (
        lambda document: document["levels"][1].update(rule="hierarchy", labels=["F"]),
        "is no label of its level",
    ),
    (
        change("choice", {"epsilon": "1", "beta": "1/3", "levels": 2}),
        r"epsilon = .* does not follow",
    ),
    (change("choice", {"epsilon": "1", "beta": "1/30", "levels": 2}), "the choice of levels"),
    (change("choice", {"epsilon": "0", "beta": "1/3", "levels": 2}), "the choice of levels"),
    (change("choice", {"epsilon": "1", "beta": "1/3", "levels": 1}), "the choice of levels"),
)
def test_a_changed_certificate_is_refused(tamper, reason):
    document = json.loads(CERTIFICATE)
    tamper(document)
    outcome = recheck(json.dumps(document).encode(), FILE)
    assert not outcome.holds
    assert re.search(reason, "\n".join(outcome.against))
    assert outcome.sentence == "the certificate is refused: nothing follows from it"


HEADER, *ROWS = FILE.decode().splitlines(keepends=True)


@cases(
    ([HEADER, *ROWS[1:]], None),
    ([HEADER, *ROWS, '"[50-60)",F\n'], "a cell has 1 rows"),
    ([HEADER, *ROWS, "*,*\n" * 8], None),
    ([HEADER, *ROWS, "37,F\n" * 8], "37 is no label"),
    ([HEADER, *ROWS, "[20-30),F,\n"], "more or fewer cells"),
    ([HEADER, *sorted(ROWS)], "rows are sorted"),
    ([HEADER, *sorted(ROWS, key=lambda row: row[-2:])], "rows are sorted"),
    (["sex,age\n", *ROWS], "the columns of the file"),
    ([HEADER.strip() + ",n\n", *ROWS], "the columns of the file"),
)
def test_another_file_is_refused(lines, reason):
    file = "".join(lines).encode()
    assert recheck(CERTIFICATE, file).against[0].startswith("the file is another one")
    # Also by whoever writes its digest anew, as far as a file alone can tell.
    outcome = recheck(signed(file), file)
    assert outcome.holds is (reason is None)
    assert reason is None or reason in outcome.against[0]


@cases(
    b"",
    b"[]",
    b"\xff",
    b'{"k": 1}',
    CERTIFICATE.replace(b'"fit"', b'"k"'),
    CERTIFICATE.replace(b'"k": 8', b'"k": true'),
    CERTIFICATE.replace(b'"k": 8', b'"k": 8.0'),
    CERTIFICATE.replace(b'"k": 8', b'"k": ' + b"9" * 10**6),
    CERTIFICATE.replace(b'"k": 8', b'"k": 1001'),
    CERTIFICATE.replace(b'"k": 8', b'"k": 0'),
    CERTIFICATE.replace(b'"1/3"', b'"1/0"'),
    CERTIFICATE.replace(b'"1/3"', b"0.3"),
    CERTIFICATE.replace(b'"1/3"', b'"1e999999"'),
    CERTIFICATE.replace(b'"schema": 1', b'"schema": 2'),
    CERTIFICATE.replace(b"sampled-certificate", b"check"),
    CERTIFICATE.replace(b'"value"', b'"auto"'),
    CERTIFICATE.replace(b'"value"', b'"range:1/0;origin=0"'),
    CERTIFICATE.replace(b'"value"', b'"range:1.5/2;origin=0"'),
    CERTIFICATE.replace(b'"value"', b'"range:1' + b"0" * 5000 + b';origin=0"'),
    CERTIFICATE.replace(b'"add"', b'"remove"'),
    CERTIFICATE.replace(b'"fit": true', b'"fit": true, "also": "totals"'),
    b"[" * 10**5,
)
def test_what_is_no_certificate_is_said_to_be_none(content):
    assert "no certificate" in error_line(DataError, recheck, content, FILE)


@cases(
    (("c01,c10", "unknown,c11"), ""),
    (("c01,c10", "unknown,c1"), "cells are of several depths"),
    (("c01,home",), "home is neither a cell nor unknown"),
)
def test_cells_are_those_of_the_file_that_the_certificate_names(texts, against):
    file = "".join([HEADER, *(f"{text}\n" * 8 for text in texts)]).encode()
    levels = [{"column": name, "rule": "value", "labels": None} for name in ("age", "sex")]
    named = signed(file, levels=levels, cells=sha256(b"cells").hexdigest())
    wrong = recheck(named, file, b"cells").wrong
    said = [sentence for sentence in wrong if "sorted" not in sentence]
    assert (len(said), against in "".join(said)) == (bool(against), True)
    others = recheck(named, file, b"others").wrong
    assert "the cells are another file than the certificate names" in others
    assert "names a file of cells" in error_line(DataError, recheck, named, file)
    unnamed = signed(file, levels=levels)
    assert "the certificate names no file of cells" in recheck(unnamed, file, b"cells").wrong


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'a\n"b'])
def test_what_is_no_table_is_said_to_be_none(content):
    assert "no release" in error_line(DataError, recheck, CERTIFICATE, content)


def test_no_row_may_be_left():
    certificate, file = release(k=400)
    assert file == b"age,sex\n"
    assert recheck(certificate, file).holds


def test_coins_of_a_seed_stamp_both_files():
    certificate, file = release(test_seed=3)
    assert (certificate, file) == release(test_seed=3)
    outcome = recheck(certificate, file)
    assert not outcome.holds
    assert outcome.against == (
        "the coins came from a seed: the release is a test's, unfit to publish",
    )
    header, *rows = file.decode().splitlines()
    assert header == "age,sex,unfit to publish"
    assert {row.rpartition(",")[2] for row in rows} == {"coins of a seed"}
    # Taking the stamp from one of the files is seen in the other.
    unstamped = certificate.replace(b'"fit": false', b'"fit": true')
    assert "the columns of the file" in recheck(unstamped, file).against[0]
    assert release(test_seed=4)[1] != file != release()[1]


def test_chosen_levels_cost_what_choosing_costs():
    document = json.loads(release(levels=[LEVELS, ["age=range:5"]], choose="1/2")[0])
    assert document["choice"] == {"epsilon": "0.5", "beta": "1/3", "levels": 2}
    # ln(1 + (e^(1/2) - 1)/3) = 0.195764...
    assert document["bounds"][0]["epsilon"].startswith("0.69576")
    plain = json.loads(CERTIFICATE)["bounds"]
    assert [entry["delta"] for entry in document["bounds"]] == [entry["delta"] for entry in plain]


@pytest.mark.parametrize("seed", range(8))
def test_no_change_of_a_letter_is_overlooked(seed):
    """Whatever is still accepted says the same, up to digits beyond the eighteenth."""
    draw = random.Random(seed)
    for _ in range(60):
        place, letter = draw.randrange(len(CERTIFICATE)), draw.choice(b'0123456789,:"/.-e {}[]nt')
        content = CERTIFICATE[:place] + bytes([letter]) + CERTIFICATE[place + 1 :]
        try:
            outcome = recheck(content, FILE)
        except DataError:
            continue
        if outcome.holds:
            before, after = json.loads(CERTIFICATE), json.loads(content)
            for bound, other in zip(before.pop("bounds"), after.pop("bounds"), strict=True):
                for name in ("epsilon", "delta"):
                    number = Fraction(bound.pop(name))
                    assert abs(Fraction(other.pop(name)) - number) <= number / 10**17
                assert bound == other
            assert before == after
