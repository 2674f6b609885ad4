"""What leaves the repository: the source distribution, its description, URLs and links."""

import email
import os
import re
import shutil
import tarfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest
from apart import python

import kproof

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "models", "petri", "proptests", "src", "theory")
ADDRESS = "https://forge.example/kproof/kproof"
LINK = re.compile(r"\]\(([^)#\s]+)[^)\s]*\)")


@dataclass(frozen=True)
class Built:
    """An unpacked source distribution and what it says about itself."""

    folder: Path
    about: Message

    @property
    def description(self) -> str:
        text = self.about.get_payload()
        assert isinstance(text, str)
        return text


def build(folder: Path, repository: str) -> Built:
    """Build the source distribution as if the repository had this address."""
    copy = folder / "copy"
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "_build", "*.egg-info")
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in ("tests/snapshots", "results/figures"):
        shutil.copytree(ROOT / name, copy / name)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    setting = copy / "pyproject.toml"
    text, changed = re.subn(
        '^repository = ".*"$', f'repository = "{repository}"', setting.read_text(), flags=re.M
    )
    assert changed == 1
    setting.write_text(text)
    code = "import setuptools.build_meta as builder; builder.build_sdist('dist')"
    done = python("-c", code, cwd=copy)
    assert done.returncode == 0, done.stderr
    (packed,) = (copy / "dist").glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / f"kproof-{kproof.__version__}"
    about = email.message_from_string((unpacked / "PKG-INFO").read_text(encoding="utf-8"))
    return Built(unpacked, about)


@pytest.fixture(scope="module")
def unhosted(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("unhosted"), "")


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("hosted"), ADDRESS)


def relative_links(text: str) -> list[str]:
    return [target for target in LINK.findall(text) if not re.match("[a-z]+:", target)]


def readme_targets() -> set[str]:
    return set(relative_links((ROOT / "README.md").read_text(encoding="utf-8")))


def test_the_readme_links_to_what_the_checkout_has():
    assert {"docs/index.md", "CONTRIBUTING.md"} <= readme_targets()
    assert [target for target in readme_targets() if not (ROOT / target).exists()] == []


def test_without_an_address_the_description_names_files_and_no_urls(unhosted):
    assert unhosted.about.get_all("Project-URL") is None
    assert unhosted.about["Description-Content-Type"].startswith("text/markdown")
    assert relative_links(unhosted.description) == []
    assert [target for target in readme_targets() if target not in unhosted.description] == []


def test_with_an_address_links_and_urls_lead_to_the_release(hosted):
    files = f"{ADDRESS}/blob/v{kproof.__version__}/"
    assert relative_links(hosted.description) == []
    found = {target.removesuffix("?raw=true") for target in LINK.findall(hosted.description)}
    assert {files + target for target in readme_targets()} <= found
    urls = dict(line.split(", ", 1) for line in hosted.about.get_all("Project-URL", []))
    assert set(urls) == {"Homepage", "Documentation", "Source", "Changelog", "Issues"}
    assert urls["Homepage"] == urls["Source"] == ADDRESS
    for name in ("Documentation", "Changelog"):
        assert (hosted.folder / urls[name].removeprefix(files)).is_file()


def test_nothing_but_links_changes_on_the_way(unhosted, hosted):
    outside = re.compile(r"!?\[([^\]]+)\]\([^)]*\)")
    readme = outside.sub(r"\1", (ROOT / "README.md").read_text(encoding="utf-8")).strip()
    assert outside.sub(r"\1", hosted.description).strip() == readme
    assert re.sub(r" \(`[^`]+\.(?:md|svg)`\)", "", unhosted.description).strip() == readme


def test_the_source_distribution_holds_what_its_pages_link_to(unhosted):
    pages = [*unhosted.folder.glob("*.md"), *unhosted.folder.glob("docs/**/*.md")]
    assert unhosted.folder / "docs" / "architecture.md" in pages
    lost = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        included = re.findall(r"^```\{literalinclude\} (\S+)$", text, flags=re.MULTILINE)
        targets = [page.parent / target for target in relative_links(text) + included]
        lost += [target for target in targets if not target.exists()]
    assert lost == []


def test_the_source_distribution_needs_no_links(unhosted):
    for folder, names, _ in os.walk(unhosted.folder):
        assert not [name for name in names if (Path(folder) / name).is_symlink()]
    for part in ("theory", "models", "petri", "proptests"):
        assert (unhosted.folder / part / "__init__.py").is_file()
        assert not (unhosted.folder / "src" / "kproof" / part).exists()


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall("^version: (.+)$", citation, flags=re.MULTILINE) == [kproof.__version__]
    assert re.findall("^license: (.+)$", citation, flags=re.MULTILINE) == ["Apache-2.0"]
    listed = re.search("^keywords:\n((?:  - .+\n)+)", citation, flags=re.MULTILINE)
    assert listed is not None
    keywords = [line.removeprefix("  - ") for line in listed[1].splitlines()]
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for keyword in keywords:
        assert f'"{keyword}"' in pyproject
