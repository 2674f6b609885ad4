"""Tables of the report fit into the window that shows them, on a desk and on a phone."""

import re

import pytest
from browser import Window, needs_chromium
from sample_pages import sample_report, with_one_font

pytestmark = needs_chromium

MEASURE = """
<script>addEventListener("load", () => {
  const found = document.createElement("pre");
  found.id = "hidden-pixels";
  const parts = [...document.querySelectorAll(".scroll")];
  found.textContent = parts.map((part) => part.scrollWidth - part.clientWidth).join(" ");
  document.body.append(found);
});</script>
"""


@pytest.fixture(scope="module")
def page() -> str:
    return with_one_font(sample_report("table")).replace("</body>", f"{MEASURE}</body>")


@pytest.mark.parametrize("window", [Window(1200, 900), Window(400, 800)], ids=["desk", "phone"])
def test_no_release_of_the_comparison_is_out_of_sight(window, page, tmp_path):
    found = re.search(r'<pre id="hidden-pixels">(.*?)</pre>', window.document(page, tmp_path))
    assert found is not None
    assert {*found[1].split()} == {"0"}
