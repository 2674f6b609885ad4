"""Pages as a browser shows them: headless Chromium, each time with a profile of its own."""

import io
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PIL import Image

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

_BELOW = 200
"""Pixels that a picture is taken with and loses again. Chromium first lays a page out without the
83 pixels that tabs and an address bar would take, and on a busy machine takes its picture before
it has painted those."""

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)


@dataclass(frozen=True)
class Window:
    """What a page is looked at through."""

    width: int
    height: int
    dark: bool = False

    def picture(self, page: str, folder: Path) -> Image.Image:
        """The page from its top, as far as the window goes."""
        shot = folder / "shot.png"
        higher = replace(self, height=self.height + _BELOW)
        higher._open(page, folder, f"--screenshot={shot}")
        taken = Image.open(io.BytesIO(shot.read_bytes())).convert("RGB")
        assert taken.size == (higher.width, higher.height)
        return taken.crop((0, 0, self.width, self.height))

    def document(self, page: str, folder: Path) -> str:
        """The page after its scripts have run, as HTML."""
        # Time that passes as fast as nothing is left to do, for scripts that wait.
        return self._open(page, folder, "--dump-dom", "--virtual-time-budget=60000")

    def _open(self, page: str, folder: Path, *asked: str) -> str:
        assert CHROMIUM is not None
        file = folder / "page.html"
        file.write_text(page, encoding="utf-8")
        ran = subprocess.run(
            [
                CHROMIUM,
                *_OPTIONS,
                *(["--force-dark-mode"] if self.dark else []),
                f"--user-data-dir={folder / 'profile'}",
                f"--window-size={self.width},{self.height}",
                *asked,
                file.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout
