"""How long the property suite takes, and how surely it finds what is broken.

Run ``python benchmarks/suite.py`` in an environment that has kproof. In one run: every registered
anonymizer at the quick profile; every member of the zoo at the default profile with five seeds;
and classes of k - 1, planted, with twenty seeds. The exit status is 1 if a registered anonymizer
breaks a promise or a member goes uncaught.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from common import Row, document, machine, with_json

from kproof.models.registry import Kind
from kproof.proptests import check_anonymizer
from kproof.proptests.contract import CheckStatus
from kproof.proptests.profiles import profile_named
from kproof.proptests.subjects.registered import own_subjects
from kproof.proptests.zoo import hunt, members

PLANTED = "k minus one"


def quick() -> dict[str, object]:
    """Hold every registered anonymizer to its promises at the quick profile."""
    start = time.perf_counter()
    failed = []
    for subject in own_subjects():
        results = check_anonymizer(subject, profile="quick", on_fail="return")
        failed += [f"{subject.name}: {result.check.name}" for result in results.failures]
        failed += [f"{subject.name}: nothing judged of {promise}" for promise in results.unjudged]
    return {
        "subjects": len(own_subjects()),
        "seconds": round(time.perf_counter() - start, 1),
        "failed": failed,
    }


def caught(seeds: Iterable[int], only: str | None = None) -> Iterator[dict[str, object]]:
    """Hunt members of the zoo; shrinking, which finds nothing, is left out."""
    profile = replace(profile_named("default"), shrinking=0)
    for member in members():
        if only is not None and member.name != only:
            continue
        start = time.perf_counter()
        results = [hunt(member, profile=profile, seed=seed) for seed in seeds]
        found = [result.examples for result in results if result.status is CheckStatus.FAILED]
        yield {
            "member": member.name,
            "kind": str(member.subject.kind),
            "check": member.caught_by,
            "seeds": len(results),
            "caught": len(found),
            "examples": found,
            "seconds": round(time.perf_counter() - start, 1),
        }


def main() -> None:
    """Take the figures and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="seeds of the zoo; 0 leaves it out")
    options = with_json(parser).parse_args()
    [planted] = caught(range(20), PLANTED)
    zoo = list(caught(range(options.seeds))) if options.seeds else []
    found = {"quick": quick(), "planted": planted, "zoo": zoo}
    facts = machine(["hypothesis", "numpy"])
    if options.json:
        print(json.dumps(document(list(rows(found)), facts) | found, indent=2))
    else:
        print(told(found | {"machine": facts}))
    if found["quick"]["failed"] or any(one["caught"] < one["seeds"] for one in zoo):
        raise SystemExit(1)


def rows(found: dict) -> Iterator[Row]:
    """Yield the figures as the other benchmarks have them."""
    quickly, planted, zoo = found["quick"], found["planted"], found["zoo"]
    note = f"{len(quickly['failed'])} promises broken"
    name = f"quick profile, {quickly['subjects']} registered subjects"
    yield Row(name, quickly["seconds"], 90, note=note)
    for name, members_of in (("classes of k - 1", [planted]), ("the whole zoo", zoo)):
        if members_of:
            seeds, hits = (sum(one[key] for one in members_of) for key in ("seeds", "caught"))
            spent = sum(one["seconds"] for one in members_of)
            most = max(max(one["examples"], default=0) for one in members_of)
            note = f"{hits} of {seeds} caught, after at most {most} examples"
            yield Row(name, spent, note=note)


def told(document: dict) -> str:
    """Return the figures as a page of text."""
    quickly, planted, zoo = document["quick"], document["planted"], document["zoo"]
    facts = ", ".join(f"{name} {value}" for name, value in document["machine"].items())
    lines = [
        facts,
        f"quick profile, {quickly['subjects']} registered subjects: {quickly['seconds']} s, "
        f"{len(quickly['failed'])} promises broken",
        f"classes of k - 1: caught {planted['caught']} of {planted['seeds']}, after at most "
        f"{max(planted['examples'])} examples",
        "",
    ]
    for kind in Kind:
        mine = [one for one in zoo if one["kind"] == kind]
        if not mine:
            continue
        looks = [examples for one in mine for examples in one["examples"]]
        lines.append(
            f"{kind}: {sum(one['caught'] for one in mine)} of {sum(one['seeds'] for one in mine)} "
            f"caught ({len(mine)} members), after {statistics.median(looks):g} examples in the "
            f"middle and {max(looks)} at most"
        )
    lines += [""] + [
        f"{one['member']:<40} {one['check']:<24} {one['caught']}/{one['seeds']}  "
        f"{', '.join(map(str, one['examples']))}"
        for one in zoo
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
