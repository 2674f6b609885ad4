"""Print the notes of a release: the section of CHANGELOG.md about its version.

``python .ci/notes.py v0.2.0 >notes.md`` before the release is made. A tag is ``v`` and the version.
What could not be meant is refused with a line and status 2: a tag that is none, a version other
than that of ``src/kproof/version.py``, no section or two, one without a date or without a word.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(tag: str, changelog: str, version: str) -> str:
    """Return the notes of a tag, without the heading of the section."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        raise ValueError(f"tag = {tag}: need v and a version, such as v0.2.0")
    if tag != f"v{version}":
        raise ValueError(f"tag = {tag}: the sources are of version {version}")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    wanted = [text for text in sections if text.startswith(f"[{version}]")]
    if len(wanted) != 1:
        raise ValueError(f"CHANGELOG.md: {len(wanted)} sections for [{version}], not one")
    heading, _, body = wanted[0].partition("\n")
    if not re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heading):
        raise ValueError(f"CHANGELOG.md: '## {heading}' has no date, such as 2026-01-31")
    # Addresses that the headings of sections lead to stand at the end of the file.
    body = re.sub(r"^\[[^]]+\]: \S+\n?", "", body, flags=re.MULTILINE).strip()
    if not re.search("^- ", body, re.MULTILINE):
        raise ValueError(f"CHANGELOG.md: the section of [{version}] lists no change")
    return f"{body}\n"


def main() -> None:
    """Print the notes, or say why there are none."""
    source = (ROOT / "src" / "kproof" / "version.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    try:
        if len(sys.argv) != 2:
            raise ValueError("need a tag, such as v0.2.0")
        print(
            notes(sys.argv[1], (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version), end=""
        )
    except ValueError as error:
        print(f"notes: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
