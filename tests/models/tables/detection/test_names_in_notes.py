"""Names inside notes, in eight languages, and notes without any."""

import pytest
from columns_of_trades import WORDS

from kproof.models.tables.detection.names import names_somebody

NOTES = ("{} called", "call {}", "{} absent", "Gespräch mit {}", "visite de {}", "note: {}, again")
CASED = [language for language in WORDS if language not in ("zh", "ar")]


@pytest.mark.parametrize("language", CASED)
@pytest.mark.parametrize("group", [0, 1])
def test_a_full_name_is_found_wherever_it_stands_and_no_good_or_illness_is_one(language, group):
    words = WORDS[language]
    given, family = words["given"][group].split(), words["family"][group].split()
    known = [
        f"{first} {last}"
        for first, last in zip(given, family, strict=False)
        if names_somebody(f"{first} {last}")
    ]
    assert len(known) > len(given) // 2
    for note in NOTES:
        assert all(names_somebody(note.format(name)) for name in known)
        assert names_somebody(note.format(f"Dr. {family[0]}"))
    for kind in ("ills", "goods", "towns", "jobs"):
        assert not any(map(names_somebody, words[kind][group].split("|")))
