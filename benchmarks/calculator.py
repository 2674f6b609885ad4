"""How long the calculator's page takes to follow a slider.

Run ``python benchmarks/calculator.py`` in an environment that has kproof, where Chromium is
installed. Each job drags one slider over its range in a headless browser; the figure is the median
redraw, layout included, the note the slowest. The first redraws of a page, before the browser has
compiled it, are left out.
"""

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from common import Row, machine, told, with_json

LIMIT = 0.05
FIRST = {"about": "sum", "n": 1000, "p": 0.3, "lambda1": 0, "lambda2": 0, "believed": False}
BELIEF = FIRST | {"believed": True, "beta": 0.8, "block": 10}
JOBS: tuple[tuple[str, str, tuple[float, float], dict[str, object]], ...] = (
    ("p, n = 1,000", "p", (0.1, 0.9), FIRST),
    ("ε, n = 1,000", "epsilon", (0, 0.5), FIRST),
    ("n = 1 … 10,000", "n", (1, 10_000), FIRST),
    ("p, n = 10⁶", "p", (0.1, 0.9), FIRST | {"n": 1_000_000}),
    ("λ₁", "lambda1", (0, 1), FIRST),
    ("λ₂", "lambda2", (0, 0.9), FIRST),
    ("s", "s", (1, 20), FIRST),
    ("β, blocks of 10", "beta", (0.05, 1), BELIEF),
    ("m = 2 … 50", "block", (2, 50), BELIEF),
    ("p, Theorem 1", "p", (0.1, 0.9), FIRST | {"about": "count"}),
    ("p, Theorem 1, n = 10⁶", "p", (0.1, 0.9), FIRST | {"about": "count", "n": 1_000_000}),
)
PROBE = """
const dragged = (name, [low, high], setting) => {
  for (const [field, value] of Object.entries(setting)) {
    if (field === "about") form.elements.about.value = value;
    else if (field === "believed") byId(field).checked = value;
    else byId(field).value = String(value);
  }
  const whole = ["n", "s", "block"].includes(name), times = [];
  for (let i = -10; i < 40; i++) {
    const value = low + ((high - low) * Math.abs(i)) / 39;
    byId(name).value = String(whole ? Math.round(value) : Number(value.toPrecision(4)));
    const start = performance.now();
    draw();
    document.body.getBoundingClientRect();
    if (i >= 0) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
};
const text = document.createElement("pre");
text.id = "times";
const found = JOBS.map(([, name, range, setting]) => dragged(name, range, setting));
text.textContent = JSON.stringify(found);
document.body.append(text);
"""


def rows(chromium: str) -> Iterator[Row]:
    """Yield the figure of each job."""
    from kproof.report.calculator import calculator

    probe = f"<script>const JOBS = {json.dumps(JOBS)};{PROBE}</script></body>"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(calculator().replace("</body>", probe), encoding="utf-8")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
        ]
        ran = subprocess.run(
            [chromium, *options, "--window-size=1280,1000", "--dump-dom", file.as_uri()],
            capture_output=True,
            text=True,
            check=True,
        )
    found = re.search(r'<pre id="times">(.*?)</pre>', ran.stdout, re.DOTALL)
    if found is None:
        raise SystemExit("the page was not measured")
    for (job, *_), times in zip(JOBS, json.loads(unescape(found[1])), strict=True):
        yield Row(job, times[len(times) // 2] / 1000, LIMIT, note=f"slowest {times[-1]:.0f} ms")


def main() -> None:
    """Measure and print."""
    options = with_json(argparse.ArgumentParser(description=__doc__.splitlines()[0])).parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("need Chromium")
    told(options, list(rows(chromium)), machine([]))


if __name__ == "__main__":
    main()
