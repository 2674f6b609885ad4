"""Whether the search of the built documentation finds what people look for.

``python tests/support/search_words.py FOLDER`` looks up each word of the first column of
docs/reference/words.md in ``searchindex.js``, as the page in a browser does, and exits with 1 if
one finds no page.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx.search.en import SearchEnglish

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "words.md"


def looked_for() -> list[str]:
    """Return what people look for, as the page lists it."""
    rows = re.findall(
        r"^\| ([^|]+) \| .+\| \{doc\}", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [words for row in rows for words in row.split(", ")]


def not_found(folder: Path) -> Iterator[str]:
    """Yield what finds no page: all words of a query have to be on one."""
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    english = SearchEnglish({})
    for query in looked_for():
        hits = []
        for word in english.split(query):
            stem = english.stem(word.lower())
            if english.word_filter(stem):
                pages = (index[part].get(stem, []) for part in ("terms", "titleterms"))
                # A term on one page has its number, not a list.
                hits.append(
                    {n for found in pages for n in ([found] if isinstance(found, int) else found)}
                )
        if not hits or not set.intersection(*hits):
            yield query


def main() -> None:
    """Look everything up."""
    missed = list(not_found(Path(sys.argv[1])))
    print(*(f"the search does not find: {query}" for query in missed), sep="\n", end="")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
