"""The registries: one entry shows everywhere, and says what its function takes."""

import json
import sys
from enum import StrEnum
from inspect import signature
from typing import Any, get_args, get_type_hints

import pytest
from apart import kproof_prints, python_prints

import kproof
from kproof.models.adversaries import ATTACKS
from kproof.models.base.parameters import Word
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.registry import Attack, Home, Kind, Method
from kproof.proptests.oracles import DEFINITIONS
from kproof.theory.reading import PRINTED_OR_CORRECTED

ROLES = "--qi Age --sensitive Disease --identifier ID,Name"
ENTRIES = [*METHODS.values(), *(one for one in ATTACKS.values() if one.kind is Kind.TABLE)]


def test_a_toy_method_and_a_toy_model_show_in_all_six_places(tmp_path):
    words = f"table-1a {ROLES} --other 'Zip Code,Country' --k 3"
    methods, sides, released, models, verdicts, attacked, verified = kproof_prints(
        "anonymize --help",
        "anonymize toy --help",
        f"anonymize toy --audience study {words} -o {tmp_path / 'out.csv'}",
        "check --help",
        f"check --models-only table-1a {ROLES} --crowd 2 --json",
        f"attack homogeneity toy {words} --json",
        "verify toy --profile quick --check k-anonymity --json",
        toys="toys",
    )
    # anonymize: command, help and ranges; and the release.
    assert "toy" in methods
    assert "A side (left or right). [default: left]" in sides
    assert "method: toy(k=3" in released
    # check: option, help and verdict.
    assert "People that make a crowd (at least 1), for crowd." in models
    assert json.loads(verdicts)["verdicts"][0]["value"] == "1"
    # attack: what the method makes of a table.
    document = json.loads(attacked)
    assert (document["victims"], document["disclosed"]) == (12, 0)
    # verify: the method's promises.
    document = json.loads(verified)
    assert (document["subject"]["name"], document["answer"]) == ("toy", "kept")
    # report: a column for the method and a row for the model. Suite and reference.
    html, _, told = python_prints(
        "from kproof.models.papers.theta_tables import microdata\n"
        "from kproof.proptests.checkers import checkers\n"
        "from kproof.proptests.subjects.registered import own_subjects\n"
        "from kproof.report.context import Context, Microdata\n"
        "from kproof.report.tables import build\n"
        "from reference_tables import methods_table, models_table\n"
        "print(build(Context((), (), microdata=Microdata.of('table-1a', microdata()))))\n"
        "print(end='\\0')\n"
        "print(*(one.name for one in (*checkers(), *own_subjects())), sep='\\n')\n"
        "print(methods_table(), models_table(), sep='\\n')",
        toys="toys",
    ).partition("\0")
    assert 'data-label="toy"' in html
    assert "people that make a crowd" in html
    names = told.splitlines()
    assert {"toy", "checker of crowd"} <= set(names)
    assert any(line.startswith("| `toy` | table | Everybody is in one class.") for line in names)
    assert any(line.startswith("| crowd | every class is a crowd |") for line in names)


def target(entry: Method | Attack) -> Any:
    assert isinstance(entry.run, Home)
    return entry.run.target


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_says_what_its_function_takes(entry):
    taken = {
        name: one
        for name, one in signature(target(entry)).parameters.items()
        if one.kind is one.KEYWORD_ONLY and name not in ("background", "tau")
    }
    assert entry.parameters.keys() == taken.keys()
    for name, one in entry.parameters.items():
        default = taken[name].default
        assert one.required == (default is taken[name].empty)
        if not one.required and one.default is not None:
            same = one.read(one.default), one.read(_typed(default))
            assert same[0] == same[1], name


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_words_of_a_choice_are_those_of_its_enum(entry):
    function = target(entry)
    hints = get_type_hints(function, vars(sys.modules[function.__module__]) | _typing(function))
    for name, one in entry.parameters.items():
        if isinstance(one, Word):
            [words] = map(tuple, [kind for kind in get_args(hints[name]) if _is_enum(kind)])
            # A source without a derivation of its own has two of the three readings.
            assert one.words in (words, PRINTED_OR_CORRECTED), name


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_made_from_its_parameters_and_has_a_definition(name):
    entry = MODELS[name]
    model = entry.model(*(one.example for one in entry.parameters.values()))
    assert name in DEFINITIONS
    assert isinstance(entry.model, Home)
    taken = signature(entry.model.target).parameters
    assert len(entry.parameters) == sum(one.default is one.empty for one in taken.values())
    assert model.needs_sensitive == bool(entry.needs)
    assert entry.model.target.__name__ in kproof.__all__
    assert str(model.name)


def _typed(default: Any) -> Any:
    return ",".join(map(str, default)) if isinstance(default, tuple) and default else default


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _typing(function: Any) -> dict[str, Any]:
    """Names that the function's module imports for the type checker only."""
    return dict.fromkeys(
        ("City", "Points", "SocialGraph", "Table", "Release", "Evidence", "Number"), Any
    ) | {"Iterable": __import__("collections.abc").abc.Iterable, "Disclosure": Any}
