"""A competent forger of certificates: meaning is changed, and everything that is checked made anew.

A mutation changes what a certificate states. :func:`forged` then computes anew what the writer of
certificates computes: standings, what steps rest on, and digests; the questions and their files are
made anew by whoever wants them asked. Each mutation changes every certificate: where there is
nothing of its kind to change, it puts in what it would have changed.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from kproof.theory import recheck
from kproof.theory.derivations.certificate import Certificate
from kproof.theory.derivations.manifest import FILE, manifest, to_json

Document = dict[str, Any]
Tree = Any
FALSE, TRUE = ["=", "0", "1"], ["=", "0", "0"]


def forged(document: Document, mutation: Callable[[Document], None]) -> Document:
    """Return a changed copy with standings and digests as the writer would have them."""
    copied = json.loads(json.dumps(document))
    mutation(copied)
    stood(copied)
    return sealed(copied)


def stood(document: Document) -> None:
    """Compute anew what each step is worth and what it rests on."""
    rests = {}
    for step in document["steps"]:
        method = step["method"]
        used = dict.fromkeys([*step["follows"], *([method["of"]] if "of" in method else [])])
        found = list(dict.fromkeys(name for one in used for name in rests.get(one, [])))
        if method["name"] == "assumed":
            found.append(step["id"])
            step["standing"], step["queries"] = "assumed", []
            step["found"] = method["source"]
        elif method["name"] == "defined":
            step["standing"], step["queries"] = "defined", []
            step["found"] = "a new name"
        else:
            step["standing"] = "proved from assumptions" if found else "proved"
        step["rests_on"] = rests[step["id"]] = found


def sealed(document: Document) -> Document:
    """Compute all digests again."""
    before = ""
    for step in document["steps"]:
        step.pop("digest", None)
        before = step["digest"] = digest(before, step)
    document.pop("digest", None)
    document["digest"] = digest("", document)
    return document


def digest(before: str, part: Document) -> str:
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256((before + text).encode()).hexdigest()


def expecting(folder: Path, *documents: Document) -> Path:
    """Write the manifest that expects these certificates."""
    path = folder / FILE
    made = manifest(Certificate(one["name"], one, {}) for one in documents)
    path.write_text(to_json(made), encoding="utf-8")
    return path


def written(folder: Path, document: Document) -> tuple[Path, Path]:
    """Write a forged document, the questions that its steps need now, and what expects it.

    The questions are those of the recheck itself: no forger can do better.
    """
    name = document["name"]
    (folder / name).mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    expected = expecting(folder, sealed(document))
    by_id = {step["id"]: step for step in document["steps"]}

    class Forger(recheck._Checker):
        """Writes the questions that a step needs in place of comparing them."""

        def _questions(self, document: str, step: Any, asked: Any) -> None:
            queries = by_id[step.id]["queries"] = []
            for label, known, claim in asked:
                text = recheck._Question(known, claim).text()
                file = f"{document}/{step.id}.{label}.smt2"
                (folder / file).write_text(text, encoding="utf-8")
                sha = hashlib.sha256(text.encode()).hexdigest()
                queries.append({"label": label, "file": file, "sha256": sha})

    with contextlib.suppress(recheck._RejectedError):
        Forger(path, ("z3",), recheck.statements(expected)).run(document)
    path.write_text(json.dumps(sealed(document)), encoding="utf-8")
    return path, expecting(folder, document)


# Parts of a document ------------------------------------------------------------------------------


def concluded(document: Document) -> Document:
    """Return the step of the last conclusion."""
    wanted = document["conclusions"][-1]
    (step,) = (one for one in document["steps"] if one["id"] == wanted)
    return dict_of(step)


def dict_of(step: Any) -> Document:
    assert isinstance(step, dict)
    return step


def new_step(name: str, claim: Tree, method: Document) -> Document:
    return {
        "id": name,
        "place": "",
        "claim": claim,
        "given": [],
        "follows": [],
        "method": method,
        "because": "It is so.",
        "printed": None,
        "standing": "",
        "rests_on": [],
        "found": "unsat",
        "queries": [],
    }


def of_method(document: Document, method: str) -> Document:
    """Return the first step of a method, put in if there is none."""
    for step in document["steps"]:
        if step["method"]["name"] == method:
            return dict_of(step)
    x = some_symbol(document)
    if method == "assumed":
        step = new_step("taken", ["<", x, "1"], {"name": "assumed", "source": "Somebody 1900"})
    else:
        step = new_step("named", ["=", ["apply", "FF", x], x], {"name": method})
    document["steps"].insert(0, step)
    return step


def printed(document: Document) -> Document:
    """Return what is printed first, put in if nothing is."""
    for step in document["steps"]:
        if step["printed"] is not None:
            return dict_of(step["printed"])
    concluded(document)["printed"] = {"relation": FALSE, "given": [], "ruling": "typo", "at": {}}
    return dict_of(concluded(document)["printed"])


def names_in(node: Tree, document: Document) -> Iterator[str]:
    if isinstance(node, str):
        if node in document["symbols"]:
            yield node
        return
    for one in node:
        yield from names_in(one, document)


def some_symbol(document: Document) -> str:
    """Return a symbol that the last conclusion speaks of."""
    step = concluded(document)
    return next(names_in([step["given"], step["claim"]], document))


def everywhere(document: Document, change: Callable[[str], str]) -> None:
    """Change every word and number of every formula."""
    for step in document["steps"]:
        for one in ("claim", "given"):
            step[one] = leaves(step[one], change)
        method = step["method"]
        for one in ("function", "variable", "low", "high", "base", "at"):
            if one in method:
                method[one] = leaves(method[one], change)
        if step["printed"] is not None:
            for one in ("relation", "given", "at"):
                step["printed"][one] = leaves(step["printed"][one], change)


def leaves(node: Tree, change: Callable[[str], str]) -> Tree:
    if isinstance(node, str):
        return change(node)
    if isinstance(node, dict):
        return {change(key): leaves(one, change) for key, one in node.items()}
    return [leaves(one, change) for one in node]


def scaled(by: Fraction) -> Callable[[str], str]:
    """Return what multiplies fractions that are no halves and quarters of a formula."""

    def change(text: str) -> str:
        number = "/" in text and Fraction(text)
        return str(number * by) if number and number.denominator > 16 else text

    return change


def first_relation(node: Tree) -> Tree:
    """Return the first relation within a formula, to be changed where it is."""
    while node[0] not in ("=", "!=", "<=", "<"):
        node = node[1]
    return node


# Mutations ----------------------------------------------------------------------------------------

MUTATIONS = {}
"""By the field that it changes and what becomes of it."""


def mutation(change: Callable[[Document], None]) -> Callable[[Document], None]:
    field, _, rest = change.__name__.partition("_")
    MUTATIONS[f"{field}: {rest.replace('_', ' ')}"] = change
    return change


def setting(name: str, change: Callable[[Document], object]) -> None:
    """List a mutation that is one expression."""

    def applied(document: Document) -> None:
        change(document)

    MUTATIONS[name] = applied


setting("title: another sentence", lambda d: d.update(title="Theorem 9 for all laws"))
setting("title: one word more", lambda d: d.update(title=d["title"] + ", exactly"))
setting("title: none", lambda d: d.update(title=""))
setting("theorem: another", lambda d: d.update(theorem=1 + (d["theorem"] or 0) % 5))
setting("theorem: none or one", lambda d: d.update(theorem=None if d["theorem"] else 2))
setting("name: one that is not known", lambda d: d.update(name=d["name"] + "-exact"))

setting("conclusions: first step", lambda d: d.update(conclusions=[d["steps"][0]["id"]]))
setting("conclusions: none", lambda d: d.update(conclusions=[]))
setting("conclusions: one twice", lambda d: d["conclusions"].append(d["conclusions"][0]))
setting("conclusions: one more", lambda d: d["conclusions"].insert(0, d["steps"][0]["id"]))
setting("conclusions: no such step", lambda d: d["conclusions"].append("all-laws"))
setting("conclusions: last one left out", lambda d: d["conclusions"].pop())
setting(
    "conclusions: a definition", lambda d: d.update(conclusions=[of_method(d, "defined")["id"]])
)
setting(
    "conclusions: an assumption", lambda d: d.update(conclusions=[of_method(d, "assumed")["id"]])
)


@mutation
def conclusions_a_new_triviality(document: Document) -> None:
    document["steps"].append(new_step("all", TRUE, {"name": "arithmetic"}))
    document["conclusions"] = ["all"]


def sign(document: Document, kinds: list[str], otherwise: list[str]) -> None:
    name = some_symbol(document)
    document["symbols"][name] = otherwise if document["symbols"][name] == kinds else kinds


setting("symbols: positive", lambda d: sign(d, ["real", "positive"], ["integer", "positive"]))
setting("symbols: whole", lambda d: sign(d, ["integer"], ["real"]))
setting("symbols: nonnegative", lambda d: sign(d, ["real", "nonnegative"], ["real"]))
setting("symbols: any real", lambda d: sign(d, ["real"], ["real", "positive"]))
setting("symbols: one more", lambda d: d["symbols"].update(zz=["real"]))


@mutation
def symbols_one_renamed(document: Document) -> None:
    name = some_symbol(document)
    everywhere(document, lambda text: "zz" if text == name else text)
    kinds = document["symbols"]
    document["symbols"] = {"zz" if one == name else one: kinds[one] for one in kinds}


def supposing(name: str, hypothesis: Callable[[Document], Tree]) -> None:
    """List a hypothesis added to the last conclusion, at the end and at the beginning."""
    setting(f"given: {name}", lambda d: concluded(d)["given"].append(hypothesis(d)))
    setting(f"given: first, {name}", lambda d: concluded(d)["given"].insert(0, hypothesis(d)))


supposing("a contradiction", lambda d: FALSE)
supposing("a negative square", lambda d: ["<", ["^", some_symbol(d), "2"], "0"])
supposing("less than itself", lambda d: ["<", some_symbol(d), some_symbol(d)])
supposing("the claim", lambda d: concluded(d)["claim"])
supposing("what is always true", lambda d: TRUE)
supposing("one value", lambda d: ["=", some_symbol(d), "1"])
supposing("small values", lambda d: ["<=", some_symbol(d), "1"])


@mutation
def given_below_zero_for_all(document: Document) -> None:
    for step in document["steps"]:
        if step["method"]["name"] != "defined":
            step["given"].append(["<", some_symbol(document), "0"])


@mutation
def given_all_left_out(document: Document) -> None:
    step = concluded(document)
    step["given"] = [] if step["given"] else [TRUE]


@mutation
def given_one_turned(document: Document) -> None:
    given = concluded(document)["given"]
    if not given:
        given.append(["<", "0", some_symbol(document)])
        return
    relation = first_relation(given[0])
    relation[1:] = reversed(relation[1:])


def claiming(name: str, change: Callable[[Tree, Document], Tree]) -> None:
    """List a change of the last conclusion's claim, made also in the conclusion alone."""

    def applied(document: Document) -> None:
        step = concluded(document)
        step["claim"] = change(step["claim"], document)

    MUTATIONS[f"claim: {name}"] = applied


def right(change: Callable[[Tree], Tree]) -> Callable[[Tree, Document], Tree]:
    """Change the right side of the first relation."""

    def changed(claim: Tree, _: Document) -> Tree:
        relation = first_relation(claim)
        relation[2] = change(relation[2])
        return claim

    return changed


def turned(claim: Tree, _: Document) -> Tree:
    relation = first_relation(claim)
    relation[1:] = reversed(relation[1:])
    return claim


def other_order(claim: Tree, _: Document) -> Tree:
    relation = first_relation(claim)
    relation[0] = "<" if relation[0] == "<=" else "<="
    return claim


claiming("what is always true", lambda claim, d: TRUE)
claiming("a square is nonnegative", lambda claim, d: ["<=", "0", ["^", some_symbol(d), "2"]])
claiming("a symbol is not negative", lambda claim, d: ["<=", "0", ["abs", some_symbol(d)]])
claiming("false", lambda claim, d: FALSE)
claiming("not so", lambda claim, d: ["not", claim])
claiming("or else", lambda claim, d: ["or", claim, TRUE])
claiming("and more", lambda claim, d: ["and", claim, ["<=", some_symbol(d), "0"]])
claiming("only if false", lambda claim, d: ["implies", FALSE, claim])
claiming("turned around", turned)
claiming("strict or weak", other_order)
claiming("one more", right(lambda side: ["+", "1", side]))
claiming("a hundredth", right(lambda side: ["*", "1/100", side]))
claiming("negated side", right(lambda side: ["*", "-1", side]))
claiming("zero", right(lambda side: "0" if side != "0" else "1"))
claiming("absolute value", right(lambda side: ["abs", side]))
claiming("squared", right(lambda side: ["^", side, "2"]))
claiming("that of the step before", lambda claim, d: d["steps"][0]["claim"])


@mutation
def throughout_constants_a_tenth(document: Document) -> None:
    """0.5583 becomes 0.05583, in what is assumed as well."""
    before = json.dumps(document)
    everywhere(document, scaled(Fraction(1, 10)))
    if json.dumps(document) == before:
        step = concluded(document)
        step["claim"] = ["and", step["claim"], ["<=", "5583/100000", "1"]]


@mutation
def throughout_functions_renamed(document: Document) -> None:
    name = first_relation(of_method(document, "defined")["claim"])[1][1]
    everywhere(document, lambda text: name + "x" if text == name else text)


def defining(name: str, change: Callable[[Tree], Tree]) -> None:
    def applied(document: Document) -> None:
        relation = first_relation(of_method(document, "defined")["claim"])
        relation[2] = change(relation[2])

    MUTATIONS[f"definitions: {name}"] = applied


defining("nothing", lambda meaning: "0" if meaning != "0" else "1")
defining("twice as much", lambda meaning: ["*", "2", meaning])
defining("one more", lambda meaning: ["+", "1", meaning])
setting(
    "definitions: another id", lambda d: rename(d, of_method(d, "defined")["id"], "defined-anew")
)
setting(
    "definitions: assumed instead",
    lambda d: of_method(d, "defined").update(method={"name": "assumed", "source": "By definition"}),
)


def rename(document: Document, old: str, new: str) -> None:
    """Give a step another id, wherever it is named."""
    for step in document["steps"]:
        step["id"] = new if step["id"] == old else step["id"]
        step["follows"] = [new if one == old else one for one in step["follows"]]
        if step["method"].get("of") == old:
            step["method"]["of"] = new
    document["conclusions"] = [new if one == old else one for one in document["conclusions"]]


@mutation
def assumptions_what_follows_at_once(document: Document) -> None:
    """The conclusion is assumed under another name, and follows."""
    step = concluded(document)
    source = {"name": "assumed", "source": "Hoeffding 1963, Theorem 1"}
    taken = new_step("known", step["claim"], source) | {"given": step["given"]}
    document["steps"].insert(document["steps"].index(step), taken)
    step.update(follows=["known"], method={"name": "arithmetic"})


@mutation
def assumptions_a_contradiction(document: Document) -> None:
    source = {"name": "assumed", "source": "Hoeffding 1963, Theorem 1"}
    document["steps"].insert(0, new_step("known", FALSE, source))
    concluded(document).update(follows=["known"], method={"name": "arithmetic"})


@mutation
def assumptions_one_that_nothing_uses(document: Document) -> None:
    source = {"name": "assumed", "source": "Berry 1941"}
    document["steps"].append(new_step("unused", TRUE, source))


setting(
    "assumptions: the conclusion",
    lambda d: concluded(d).update(method={"name": "assumed", "source": "Well known"}),
)


def assuming(name: str, change: Callable[[Document], object]) -> None:
    setting(f"assumptions: {name}", lambda d: change(of_method(d, "assumed")))


assuming("another source", lambda one: one["method"].update(source="Nobody 2031"))
assuming(
    "a year", lambda one: one["method"].update(source=one["method"]["source"] + ", reprinted 1994")
)
assuming("another hypothesis", lambda one: one["given"].append(["<", "0", "1"]))
assuming("no hypotheses", lambda one: one.update(given=[] if one["given"] else [FALSE]))
assuming("false", lambda one: one.update(claim=FALSE))
assuming("always true", lambda one: one.update(claim=TRUE))
assuming("turned around", lambda one: turned(one["claim"], {}))
assuming("another place", lambda one: one.update(place=one["place"] + " (99)"))
assuming("another reason", lambda one: one.update(because="Everybody knows."))
setting("assumptions: another id", lambda d: rename(d, of_method(d, "assumed")["id"], "taken-anew"))

setting("conclusion: another place", lambda d: concluded(d).update(place="Theorem 9"))
setting("conclusion: another reason", lambda d: concluded(d).update(because="For all laws."))
setting("conclusion: another id", lambda d: rename(d, concluded(d)["id"], "exact"))


def ruling(document: Document) -> None:
    one = printed(document)
    one["ruling"] = "proved" if one["ruling"] != "proved" else "loose"


def moved(document: Document) -> None:
    """Move the printed counterexample."""
    at = printed(document)["at"]
    for name in at:
        at[name] = str(Fraction(at[name]) + 1)


setting("printed: another ruling", ruling)
setting("printed: another point", moved)
setting("printed: false for sure", lambda d: printed(d).update(relation=["=", "1", "2"], given=[]))
setting("printed: another hypothesis", lambda d: printed(d)["given"].append(["<", "0", "2"]))


@mutation
def printed_left_out(document: Document) -> None:
    """No step is printed otherwise; where none was, one is."""
    before = [one for one in document["steps"] if one["printed"] is not None]
    for step in before:
        step["printed"] = None
    if not before:
        printed(document)
