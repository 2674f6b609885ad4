"""The privacy models that come with kproof: one entry adds one to every command and document.

An entry refers to its class by name, so that help texts cost no NumPy.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kproof.errors import InvalidArgument, did_you_mean, show, spell
from kproof.models.base.parameters import (
    ALPHA,
    BETA,
    DELTA,
    ENTROPY_L,
    GROUP_K,
    MU,
    SHARE,
    C,
    Hierarchy,
    K,
    L,
    P,
    Parameter,
    T,
    Word,
    values_by_column,
)
from kproof.models.registry import Home, Needs, PrivacyModel, RegisteredModel, Registry, by_name

_CATEGORIES = frozenset({Needs.SENSITIVE, Needs.CATEGORIES})
_SUN = "Sun, Sun, Wang, Computer Communications 34 (2011) 526-535 [recalled]"
_BETA = "Cao and Karras, Publishing Microdata with a Robust Privacy Guarantee, VLDB 2012"
_L = "Machanavajjhala et al., l-diversity, ACM TKDD 1(1), 2007"


def _home(name: str) -> Home:
    return Home(f"kproof.models.privacy:{name}")


MODELS = Registry(
    "model",
    (
        RegisteredModel(
            "k-anonymity",
            _home("KAnonymity"),
            "every class has at least k people",
            "Samarati and Sweeney, Protecting Privacy when Disclosing Information, 1998",
            by_name(K),
            needs=frozenset(),
            symbol="k",
            loosest=(1,),
        ),
        RegisteredModel(
            "(alpha,k)-anonymity",
            _home("AlphaK"),
            "no value has more than a share of a class of k people",
            "Wong et al., (alpha, k)-Anonymity, KDD 2006",
            by_name(SHARE, K),
            symbol="α",
            loosest=(1, 1),
        ),
        RegisteredModel(
            "l-diversity",
            _home("DistinctL"),
            "every class has at least l distinct sensitive values",
            _L,
            by_name(L),
            symbol="l",
            loosest=(1,),
        ),
        RegisteredModel(
            "entropy l-diversity",
            _home("EntropyL"),
            "the entropy of every class is at least ln l",
            _L,
            by_name(ENTROPY_L),
            symbol="entropy l",
            loosest=(1,),
        ),
        RegisteredModel(
            "recursive (c,l)-diversity",
            _home("RecursiveCL"),
            "the commonest value of a class is rarer than c times the l-th and all after it",
            _L,
            by_name(C, L),
        ),
        RegisteredModel(
            "t-closeness",
            _home("TCloseness"),
            "no class is further than t from the table",
            "Li, Li and Venkatasubramanian, t-closeness, ICDE 2007",
            by_name(T),
            options=by_name(
                Word(
                    "distance",
                    "distance between sensitive values, for t-closeness",
                    default="equal",
                    words=("equal", "ordered", "hierarchical"),
                ),
                Hierarchy(
                    "taxonomy",
                    "file with the hierarchy of the sensitive values, for a hierarchical distance",
                    typed="sensitive_taxonomy",
                ),
            ),
            symbol="t",
            loosest=(1,),
        ),
        RegisteredModel(
            "p-sensitivity",
            _home("PSensitive"),
            "every class has k people with at least p distinct sensitive values",
            "Truta and Vinay, p-Sensitive k-Anonymity Property, ICDE Workshops 2006",
            by_name(P, K),
        ),
        RegisteredModel(
            "p+-sensitivity",
            _home("PPlusSensitive"),
            "every class has k people with values of at least p distinct categories",
            _SUN,
            by_name(P.but(help="fewest distinct categories in a class", typed="p_plus"), K),
            needs=_CATEGORIES,
            symbol="p⁺",
            loosest=(1, 1),
        ),
        RegisteredModel(
            "(p,alpha)-sensitivity",
            _home("PAlphaSensitive"),
            "every class has k people with at least p distinct values of weight alpha",
            _SUN,
            by_name(P, ALPHA, K),
            lead="alpha",
            needs=_CATEGORIES,
        ),
        RegisteredModel(
            "theta-sensitivity",
            _home("ThetaSensitivity"),
            "every class has k people and a variance of at least theta",
            "Khan et al., Electronics 9(5), 716, 2020, Definition 7",
            by_name(GROUP_K, MU),
            lead="mu",
            symbol="μ",
        ),
        RegisteredModel(
            "basic beta-likeness",
            _home("BasicBeta"),
            "no value gains more than beta in a class",
            _BETA,
            by_name(BETA),
            symbol="β",
            loosest=(1,),
        ),
        RegisteredModel(
            "enhanced beta-likeness",
            _home("EnhancedBeta"),
            "no value gains more than beta, nor more than -ln of its share of the table",
            _BETA,
            by_name(BETA.but(typed="enhanced_beta")),
        ),
        RegisteredModel(
            "delta-disclosure",
            _home("DeltaDisclosure"),
            "the share of every value in a class is within a factor e^delta of its share",
            "Brickell and Shmatikov, The Cost of Privacy, KDD 2008",
            by_name(DELTA),
        ),
    ),
)
"""Every registered privacy model by name."""


def options_of(models: Mapping[str, RegisteredModel]) -> dict[str, Parameter[Any]]:
    """Return the options that ask for models, by what the command line calls them.

    >>> print(options_of(MODELS)["mu"].line)
    Share of the variance of a fully diverse class (at least 0), for theta-sensitivity with --k.
    """
    options = {}
    for model in models.values():
        lead = model.parameters[model.lead]
        more = [typed.options[0] for typed in model.parameters.values() if typed is not lead]
        beside = f" with {' and '.join(more)}" if more else ""
        purpose = f", for {model.name}{beside}"
        options[model.key] = lead.but(name=model.key, required=False, purpose=purpose)
    # After the leads: a parameter of several models, such as k, says what it asks for by itself.
    for model in models.values():
        for parameter in (*model.parameters.values(), *model.options.values()):
            key = parameter.key
            options.setdefault(key, parameter.but(name=key, required=False))
    return options


def models_by_column(
    typed: Mapping[str, Any], columns: Sequence[str]
) -> list[tuple[str, str | None, PrivacyModel]]:
    """Return the models that options ask for, and the sensitive column each is asked of.

    ``typed`` is what was typed, by option: a value for every column, or ``NAME=VALUE,NAME=VALUE``
    for some. Returned are the name of the registered model, the column (None for all), and the
    model.

    >>> by_option = {"l": "disease=3,pay=2", "k": "4"}
    >>> for _, column, model in models_by_column(by_option, ["disease", "pay"]):
    ...     print(column, model.name)
    None k-anonymity(k=4)
    disease l-diversity(l=3)
    pay l-diversity(l=2)
    """
    models: list[tuple[str, str | None, PrivacyModel]] = []
    for entry in MODELS.values():
        if entry.key not in typed:
            continue
        values_of = {
            parameter.key: _by_column(parameter.key, typed[parameter.key], columns, strict=strict)
            for parameters, strict in ((entry.parameters, True), (entry.options, False))
            for parameter in parameters.values()
            if parameter.key in typed
        }
        # One value for all columns is one model, which is judged of each of them.
        if Needs.SENSITIVE not in entry.needs or not any(values_of.values()):
            models.append((entry.name, None, entry.of(typed)))
            continue
        for column in columns:
            pairs = values_of.items()
            own = {key: typed[key] if of is None else of.get(column) for key, of in pairs}
            # Columns that the lead does not name are not asked about, whatever else names them.
            if own[entry.key] is not None:
                models.append((entry.name, column, entry.of(own)))
    return models


def _by_column(
    name: str, value: object, columns: Sequence[str], *, strict: bool = True
) -> dict[str, str] | None:
    """Read ``NAME=VALUE,NAME=VALUE``; None if it is one value for all.

    Names of files and words are such a list only if a sensitive column comes first.
    """
    if not strict and str(value).partition("=")[0].strip() not in columns:
        return None
    values = values_by_column(name, value)
    for column, own in (values or {}).items():
        if column not in columns:
            named = ", ".join(map(show, columns))
            named = named or f"there is none, name it with {spell('sensitive')}"
            admissible = f"one of the sensitive columns: {named}{did_you_mean(column, columns)}"
            raise InvalidArgument(name, f"{column}={own}", admissible)
    return values
