"""Secrets that are written in many ways and mean one thing: who is certain of what they mean."""

import re
from fractions import Fraction
from math import prod

import numpy as np
from cases import cases
from publications import secret

from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues
from kproof.models.judgement.secrets.inference import inference
from kproof.models.judgement.secrets.views import views
from kproof.models.judgement.thresholds import THRESHOLDS

PUBLIC = THRESHOLDS["public"]
DEPARTMENTS, EACH = 4, 15


def certain(column: PublishedColumn, person: np.ndarray | None = None) -> tuple[int, str]:
    of_row = np.repeat(np.arange(DEPARTMENTS), EACH)
    known = PublishedColumn("k", ColumnKnowledge.KNOWN, of_row, ("a", "b", "c", "d"))
    finding = next(inference(PublishedFile((known, column), person), PUBLIC))
    return finding.hit, finding.sentence


def cells(*written: list[str]) -> list[str]:
    """Return for each department its ways of writing one thing, in turn."""
    return [ways[row % len(ways)] for ways in written for row in range(EACH)]


@cases(
    cells(["1970"], ["1982"], ["1995"], ["2010"]),
    cells(["7.35"], ["7.40"], ["7.20"], ["7.10"]),
    cells(*([str(1000000 + base + more) for more in range(5)] for base in (0, 600, 1500, 3000))),
    cells(["-1970"], ["-1982"], ["-1995"], ["-2010"]),
)
def test_numbers_far_from_zero_are_not_all_one_value(written):
    assert certain(secret("s", written, numeric=True))[0] == DEPARTMENTS * EACH


@cases(
    (
        cells(*([f"{head}.{more}" for more in range(9)] for head in ("B20", "C50", "J45", "F10"))),
        "the first part of s of all 60 rows",
    ),
    (
        cells(*([f"{head}{more}" for more in range(9)] for head in ("B20", "C50", "J45", "F10"))),
        "the first part of s of all 60 rows",
    ),
    (
        cells(*([f"{ill} ({more})" for more in "abcd"] for ill in ("HIV", "Gicht", "Flu", "Gout"))),
        "the first word of s of all 60 rows",
    ),
    (
        cells(*([f"Krebs {more}" for more in ("T1", "links", "neu")], *3 * [["Flu", "Gout"]])),
        "the first word of s of 15 of 60 rows",
    ),
    (
        cells(*([f"€ {pay + more}00" for more in range(9)] for pay in (520, 610, 430, 350))),
        "the number in s of all 60 rows",
    ),
    (
        cells(*([f"{pay + more},50 EUR" for more in range(9)] for pay in (520, 610, 430, 350))),
        "the number in s of all 60 rows",
    ),
    (
        cells(*([f"{dose + more} mg" for more in range(4)] for dose in (100, 160, 250, 400))),
        "the number in s of all 60 rows",
    ),
    (
        cells(*([f"{year}-01-{day:02}" for day in range(1, 28)] for year in range(2001, 2032, 10))),
        "the date in s of all 60 rows",
    ),
    (
        cells(["HIV;Flu", "Cold;HIV", "hiv; Acne", "HIV"], *3 * [["Flu", "Cold", "Acne", "Gout"]]),
        "a part of s of 15 of 60 rows",
    ),
    (
        cells(["B20.0, Flu", "Cold, B20.1"], *3 * [["Flu", "Cold", "Acne", "Gout"]]),
        "a part of s of 15 of 60 rows",
    ),
    (
        cells(["HIV (stage 1)", "hiv (stage 2)"], *3 * [["Flu", "Cold", "Acne", "Gout"]]),
        "the first word of s of 15 of 60 rows",
    ),
    (
        cells(["B20.1", "b20.2"], *3 * [["F10.1", "C50", "J45", "M10"]]),
        "the first part of s of 15 of 60 rows",
    ),
    (
        cells(["HIV;Flu", "Cold;\uff28\uff29\uff36"], *3 * [["Flu", "Cold", "Acne", "Gout"]]),
        "a part of s of 15 of 60 rows",
    ),
    (
        cells([None], ["theft", "arson"], ["theft", "fraud"], ["arson", "fraud"]),
        "the value or gap of s of 15 of 60 rows",
    ),
)
def test_cells_that_mean_the_same_are_one_value(written, reading):
    hit, sentence = certain(secret("s", written))
    assert hit == int(re.findall(r"\d+", reading)[0])
    assert reading in sentence


def test_a_code_that_is_a_persons_for_good_is_told_by_all_of_her_rows():
    # Each illness is had in two of three classes, and written in two ways: no class shows one
    # alone, but two classes have only one in common.
    had = [("B20", 0, 1), ("C50", 0, 2), ("J45", 1, 2)] * 10
    rows = [(who, own[1 + at], f"{own[0]}.{at}") for who, own in enumerate(had) for at in (0, 1)]
    person, of_class, codes = zip(*rows, strict=True)
    known = PublishedColumn("k", ColumnKnowledge.KNOWN, np.array(of_class), ("a", "b", "c"))
    shown = PublishedFile((known, secret("s", [*codes])), np.array(person))
    assert next(inference(shown, PUBLIC)).sentence.endswith(
        "the first part of s of all 30 people is certain for anyone who knows k of everybody and "
        "puts all rows of a person together"
    )


@cases(
    ["flu", "gout"],
    ["101", "102"],
    ["COVID-19", "COVID-20"],
    ["P00017", "P00018"],
    ["flu, severe", "gout, mild"],
)
def test_what_has_one_meaning_has_one_reading(written):
    assert len(views(secret("s", written))) == 1


def test_days_are_judged_in_both_orders_of_day_and_month():
    """Eleven days of one month are near one another, the first days of eleven months are not."""
    for order in ("{day:02}/{month:02}/2020", "{month:02}/{day:02}/2020"):
        days = [[order.format(day=day, month=m) for day in range(1, 12)] for m in (1, 4, 8, 12)]
        assert certain(secret("s", cells(*days)))[0] == DEPARTMENTS * EACH


def test_every_part_of_a_cell_is_judged_however_many_there_are():
    often = [";".join(f"p{(row + at) % 9}" for at in range(6)) for row in range(60)]
    written = [f"{cell};HIV" if row < EACH else cell for row, cell in enumerate(often)]
    hit, sentence = certain(secret("s", written))
    assert hit == EACH
    assert "a part of s" in sentence


def test_a_class_of_which_nothing_is_recorded_is_told_that_unless_nearly_all_are():
    few = cells([None], ["theft", "arson"], ["fraud", "theft", None], ["fraud", "arson", None])
    assert certain(secret("s", few))[0] == 15
    assert certain(secret("s", [None] * 56 + ["theft", "arson"] * 2))[0] == 0
    # Numbers too, of which those that are near are one value.
    pay = cells([None], ["100", "900"], ["200", "800"], ["300", "700"])
    hit, sentence = certain(secret("s", pay, numeric=True))
    assert (hit, sentence[:18]) == (15, "the value or gap of"[:18])


def test_a_text_without_a_number_shows_no_value():
    column = secret("s", [f"€ {pay}" for pay in range(100, 110)] + ["none"])
    _, amount = views(column)
    assert amount.atoms[-1] == ()
    assert amount.numbers == tuple(map(Fraction, range(100, 110)))
    relative, _ = SecretValues.each(amount, PUBLIC.window)
    assert relative.rows == 11
    assert relative.share.max() == 10


def test_the_narrow_window_is_a_share_of_the_distance_between_percentiles():
    # Of 0 to 99 the 5th percentile is 4, the 95th 94: numbers 4.5 apart are one.
    numbers = [str(1000 + number) for number in range(100)]
    _, narrow = SecretValues.each(secret("s", numbers, numeric=True), PUBLIC.window)
    assert narrow.share.tolist()[50] == 9
    # What a few have far off does not make it wider.
    numbers[:4] = map(str, range(4))
    numbers[95:] = map(str, range(10**6, 10**6 + 5))
    _, narrow = SecretValues.each(secret("s", numbers, numeric=True), PUBLIC.window)
    assert narrow.share.tolist()[50] == 9


def test_weights_of_labels_of_many_lengths_do_not_wrap_around():
    # Labels of a prime number of values each: a row weighs their product, a thousand rows more
    # than 64 bits hold, though there are no more than fourteen distinct labels.
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
    names = iter(map(str, range(sum(primes))))
    atoms = tuple(tuple(next(names) for _ in range(prime)) for prime in primes)
    codes = np.arange(1000) % len(primes)
    labels = tuple(f"label {prime}" for prime in primes)
    column = PublishedColumn("s", ColumnKnowledge.BOTH, codes, labels, None, atoms)
    values = SecretValues.of(column, PUBLIC.window)
    beliefs = SecretBeliefs.count(np.zeros(1000, dtype=np.int64), codes, 1, values)
    assert beliefs.total.tolist() == [1000 * values.scale] == [1000 * prod(primes)]
    assert sum(values.share.tolist()) == values.rows
