"""axe-core finds nothing to object to in the report, by day, by night and on a phone.

axe-core is not part of the project. ``npm install axe-core`` anywhere, and name its file:
``KPROOF_AXE=node_modules/axe-core/axe.min.js python -m pytest tests/report/test_axe.py``. Without
it, or without Chromium, the tests are skipped.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser import Window, needs_chromium
from sample_pages import sample_report
from shell import kproof

from kproof.report.calculator import calculator
from kproof.report.sections import ids

pytestmark = [
    needs_chromium,
    pytest.mark.skipif(
        not os.environ.get("KPROOF_AXE"), reason="set KPROOF_AXE to the file axe.min.js"
    ),
]

WINDOWS = {
    "light": Window(1200, 900),
    "dark": Window(1200, 900, dark=True),
    "phone": Window(400, 800),
}
RUN = """
addEventListener("load", async () => {
  const found = document.createElement("pre");
  try {
    const all = await axe.run(document);
    const told = (one) => `${one.target.join(" ")}: ${one.failureSummary}`;
    const broken = all.violations.map((rule) => [rule.id, rule.nodes.map(told)]);
    found.textContent = JSON.stringify({ broken, passed: all.passes.length });
  } catch (error) {
    found.textContent = JSON.stringify({ broken: [["axe", [String(error)]]], passed: 0 });
  }
  found.id = "axe-found";
  document.body.append(found);
});
"""


def judged(page: str, window: Window, folder: Path) -> Any:
    """What axe says of a page: rules that are broken, and where; how many passed."""
    # Within a script nothing may end it.
    axe = Path(os.environ["KPROOF_AXE"]).read_text(encoding="utf-8").replace("</", "<\\/")
    scripts = f"<script>{axe}</script><script>{RUN}</script>"
    shown = window.document(page.replace("</body>", f"{scripts}</body>"), folder)
    found = re.search(r'<pre id="axe-found">(.*?)</pre>', shown, re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


def _net(*words: str) -> Callable[[Path], str]:
    def written(folder: Path) -> str:
        page = folder / "net.html"
        roles = ("--data", "table-4b", "--class", "Class", "--sensitive", "Disease", "--k", "4")
        ran = kproof("net", *words, "theta-sensitive", *roles, "--html", str(page))
        assert page.exists(), ran.err
        return page.read_text(encoding="utf-8")

    return written


@cache
def _report() -> str:
    return sample_report(*ids())


PAGES: Mapping[str, Callable[[Path], str]] = {
    "report": lambda _: _report(),
    "runs of a net": _net("simulate"),
    "a net": _net("explore"),
    "calculator": lambda _: calculator(),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(page, window, tmp_path):
    found = judged(PAGES[page](tmp_path), WINDOWS[window], tmp_path)
    assert found["broken"] == []
    assert found["passed"] > 15


def test_axe_finds_what_is_broken_on_purpose(tmp_path):
    page = sample_report("audit").replace(
        '<main id="content">', '<main id="content"><img src="data:,"><p style="color:#ccc">pale</p>'
    )
    found = judged(page, WINDOWS["light"], tmp_path)
    assert {rule for rule, _ in found["broken"]} == {"image-alt", "color-contrast"}
