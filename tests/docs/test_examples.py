"""The examples of the docs run as they stand, and each has a page."""

from pathlib import Path

import pytest
from apart import python

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SCRIPTS = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_and_finds_what_it_says(name, tmp_path):
    ran = python(str(EXAMPLES / f"{name}.py"), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


def test_every_example_has_a_page_and_ends_with_what_was_found():
    index = (EXAMPLES / "index.md").read_text(encoding="utf-8")
    assert SCRIPTS
    for name in SCRIPTS:
        assert f"{name}.py" in (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")
        assert f"{{doc}}`{name}`" in index
        script = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        assert script.startswith("# %% [markdown]\n# # ")
        assert script.rpartition("\n# %%\n")[2].count("assert ") >= 1
