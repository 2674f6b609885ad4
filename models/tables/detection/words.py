"""Words that headings and ordered categories are made of, in English and German.

A heading is a hint, never a proof: it is used where values alone cannot tell, such as whether five
digits are a code, and every reason that rests on one says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum


class Hint(Enum):
    """What a heading says that its column holds: the words that say it."""

    IDENTIFIER = (
        "id ids identifier mrn record patient patientid subject ssn nhs passport account accession "
        "insurance licence license plate case kennung fallnummer aktenzeichen patientennummer "
        "versichertennummer ausweis uuid guid key hash login username user"
    )
    PERSON = (
        "patient patientid patientnumber person personid subject member user userid customer "
        "client insured employee student patientennummer versichertennummer kunde mitarbeiter"
    )
    NAME = (
        "name names surname firstname lastname forename fullname givenname familyname maiden "
        "vorname nachname familienname geburtsname"
    )
    PHONE = "phone telephone tel mobile cell fax telefon handy telefonnummer rufnummer"
    ADDRESS = "address street adresse strasse straße anschrift url ip"
    CODE = (
        "zip zipcode postcode postal plz postleitzahl code icd icd10 icd9 atc ops drg loinc snomed "
        "naics fips section tract nuts schluessel schlüssel"
    )
    SENSITIVE = (
        "disease diagnosis diagnoses diagnose illness condition disorder hiv medication drug "
        "treatment therapy salary income wage religion salaryclass krankheit erkrankung gehalt "
        "einkommen ill cancer icd icd10 icd9 sensitive"
    )
    FREE_TEXT = (
        "note notes comment comments remark remarks text description narrative bemerkung "
        "bemerkungen anmerkung befund freitext"
    )
    PERIOD = "year yr jahr period quarter"


SCALES: Sequence[Sequence[str]] = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "normal", "elevated", "high"),
    ("none", "mild", "moderate", "severe", "critical"),
    ("absent", "mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("never", "former", "current"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "excellent"),
    ("very bad", "bad", "fair", "good", "very good"),
    ("extra small", "small", "medium", "large", "extra large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("child", "adolescent", "adult", "senior"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("gering", "mittel", "hoch"),
    ("niedrig", "mittel", "hoch"),
    ("leicht", "mittel", "schwer"),
    ("keine", "leicht", "mittel", "schwer"),
    ("nie", "selten", "manchmal", "oft", "immer"),
)
"""Words whose order is known, from low to high."""

ROMAN: Mapping[str, int] = {
    one: place
    for place, one in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
}


def hints(heading: str) -> frozenset[Hint]:
    """Return what a heading says, word by word.

    Examples
    --------
    >>> sorted(one.name for one in hints("Patient ID")), hints("ZipCode") == {Hint.CODE}
    (['IDENTIFIER', 'PERSON'], True)
    >>> hints("native-country")
    frozenset()
    """
    parted = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])", " ", heading).lower()
    words = {*re.findall(r"[^\W_]+", parted), re.sub(r"[\W_]+", "", parted)}
    return frozenset(one for one in Hint if not words.isdisjoint(one.value.split()))


def scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return texts from low to high if their order is known; None if it is not.

    Known are words of one scale, text that differs in one number or Roman numeral alone, and
    ranges of numbers.

    Examples
    --------
    >>> scale(["High", "Low", "Medium"]), scale(["Stage II", "Stage IV", "Stage I"])
    (('Low', 'Medium', 'High'), ('Stage I', 'Stage II', 'Stage IV'))
    >>> scale(["20-29", "<20", ">=80", "30-79"]), scale(["flu", "HIV"])
    (('<20', '20-29', '30-79', '>=80'), None)
    """
    if not 2 <= len(texts) <= MOST_STEPS:
        return None
    return _by_words(texts) or _by_number(texts) or _by_range(texts)


MOST_STEPS = 200
"""Most different values of an ordered text."""


def _by_words(texts: Sequence[str]) -> tuple[str, ...] | None:
    low = {one.casefold(): one for one in texts}
    for one in SCALES:
        if len(low) == len(texts) and low.keys() <= set(one):
            return tuple(low[word] for word in one if word in low)
    return None


def _by_number(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Order texts such as ``ASA 2``, ``T1`` and ``Stage IV``: the same words before one number."""
    found = [
        re.fullmatch(r"(?P<stem>[^\W\d_][^\d]*?)[ -]?(?P<rank>\d{1,2}|[IVX]+)", one)
        for one in texts
    ]
    ranks: dict[str, int] = {}
    for one, match in zip(texts, found, strict=True):
        if match is None:
            break
        rank = match["rank"]
        if not rank.isdigit() and rank not in ROMAN:
            break
        ranks[one] = int(rank) if rank.isdigit() else ROMAN[rank]
    # More of them are rooms or places rather than steps.
    if len(texts) > len(ROMAN):
        return None
    alike = {match["stem"] for match in found if match is not None}
    if len(ranks) < len(texts):
        ranks = {one: ROMAN[one] for one in texts if one in ROMAN}
        alike = {""}
    # Numbers with gaps are places or rooms rather than steps.
    steps = set(ranks.values())
    close = bool(steps) and max(steps) <= 2 * len(steps)
    if len(alike) != 1 or len(ranks) < len(texts) or len(steps) < len(texts) or not close:
        return None
    return tuple(sorted(texts, key=ranks.__getitem__))


_RANGE = re.compile(
    r"(?P<open>[<≤>≥]=?|under |over |from |up to )?\s*[\[(]?(?P<low>-?\d+(?:\.\d+)?)"
    r"(?:\s?(?:-|–|to|,|;)\s?(?P<high>\d+(?:\.\d+)?))?[\])]?(?P<more>\s?\+| and over| and older)?"
)


def _by_range(texts: Sequence[str]) -> tuple[str, ...] | None:
    bounds: dict[str, tuple[float, float]] = {}
    ranges = 0
    for one in texts:
        found = _RANGE.fullmatch(one)
        if found is None:
            return None
        low = float(found["low"])
        sign = (found["open"] or "").strip()
        if sign and sign[0] in "<≤u":
            bounds[one] = (float("-inf"), low)
        elif sign or found["more"]:
            bounds[one] = (low, float("inf"))
        else:
            high = float(found["high"] or low)
            if high < low:
                return None
            bounds[one] = (low, high)
        ranges += found["high"] is not None or bool(sign or found["more"])
    return tuple(sorted(texts, key=bounds.__getitem__)) if 2 * ranges > len(texts) else None
