"""Pages as a browser shows them: headless Chromium, each time with a profile of its own."""

import io
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

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
        self._open(page, folder, f"--screenshot={shot}")
        return Image.open(io.BytesIO(shot.read_bytes())).convert("RGB")

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
