"""Nothing but the one gate writes files: the source is held to it, as to its layers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cases import cases

ROOT = Path(__file__).parents[2]
PARTS = ("theory", "models", "petri", "proptests")
SOURCES = {
    str(path.relative_to(ROOT)): path
    for folder in (*PARTS, "src/kproof")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not any((ROOT / "src/kproof" / part) in path.parents for part in PARTS)
    and ROOT / "src/kproof/outputs" not in path.parents
}

OF_PATHS = {
    "write_text", "write_bytes", "mkdir", "makedirs", "rmdir", "unlink", "touch", "chmod", "rename",
    "renames", "symlink", "symlink_to", "hardlink_to", "rmtree", "copyfile", "copytree", "copy2",
    "mkstemp", "mkdtemp", "NamedTemporaryFile", "mkfifo", "lchmod", "chown",
}  # fmt: skip
"""Names of calls that change the disk, whatever they are called on."""

OF_LIBRARIES = {
    "to_parquet", "to_excel", "to_feather", "to_pickle", "to_hdf", "to_file", "write_csv",
    "write_parquet", "write_ipc", "tofile", "savetxt", "savez", "savez_compressed", "write_graphml",
    "write_edgelist", "write_gml", "write_table", "sink_csv", "sink_parquet", "imsave", "memmap",
}  # fmt: skip
"""Names of calls by which libraries write files."""

OF_OS = {"remove", "replace", "link", "open", "makedirs"}
"""Names that only as ``os.NAME`` change the disk."""


SUSPECT = re.compile(
    rf"\b(?:{'|'.join(sorted(OF_PATHS | OF_LIBRARIES | OF_OS))}"
    r"|copy|move|save|savefig|to_csv|to_json)\("
)
"""What the text of a source has if one of these is called: the others are not parsed."""

CACHES = {"models/base/compiled.py": ["makedirs(cache_file._cache_path, exist_ok=True)"]}
"""Numba writes machine code, which is no output, and does not make the folder that it is told."""

BUFFERS = {"io.StringIO", "io.BytesIO", "StringIO", "BytesIO"}


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def imported(tree: ast.AST) -> dict[str, str]:
    """Return the module that each name was taken from."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def name_of(call: ast.Call, homes: dict[str, str]) -> tuple[str, str]:
    """Return what a function is called on, or the module it is from, and its name."""
    if isinstance(call.func, ast.Attribute):
        return ast.unparse(call.func.value), call.func.attr
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return homes.get(name, ""), name


def opens_to_write(call: ast.Call, owner: str) -> bool:
    """Whether ``open`` is told a mode that writes, or one that is not said."""
    place = 0 if owner and owner not in {"io", "gzip", "bz2", "lzma", "codecs"} else 1
    given = [one.value for one in call.keywords if one.arg == "mode"] or call.args[place:][:1]
    if not given:
        return False
    mode = given[0]
    return not (isinstance(mode, ast.Constant) and not set(str(mode.value)) & set("wax+"))


def drawn_in_memory(tree: ast.AST, call: ast.Call) -> bool:
    """Whether a figure is saved to a buffer, made in the same file by its name."""
    buffers = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            sides = node.targets[0], node.value
            names, values = [ast.unparse(one).strip("()").split(", ") for one in sides]
            both = zip(names, values, strict=False)
            buffers |= {name for name, value in both if value.strip("()") in BUFFERS}
    return isinstance(call.args[0], ast.Name) and call.args[0].id in buffers


def writing(text: str) -> Iterator[str]:
    """Run through the calls of a source that write to the disk."""
    if not SUSPECT.search(text):
        return
    tree = ast.parse(text)
    homes = imported(tree)
    for call in calls(tree):
        owner, name = name_of(call, homes)
        if (
            (name in OF_PATHS | OF_LIBRARIES and owner and not owner.startswith("kproof."))
            or (owner == "os" and name in OF_OS and "os.O_RDONLY" not in ast.unparse(call))
            or (owner == "shutil" and name in {"copy", "move"})
            or (owner in {"np", "numpy"} and name == "save")
            or (name == "savefig" and not drawn_in_memory(tree, call))
            or (name == "open" and owner != "os" and opens_to_write(call, owner))
            or (name in {"to_csv", "to_json"} and owner in {"frame", "data", "df"})
        ):
            yield ast.unparse(call)


def test_only_the_gate_writes():
    texts = {name: path.read_text(encoding="utf-8") for name, path in SOURCES.items()}
    assert {name: found for name, text in texts.items() if (found := [*writing(text)])} == CACHES


@cases(
        "open(path, 'w')", "open(path, mode='ab')", "open(path, how)", "path.open('x')",
        "gzip.open(path, 'wt')", "os.open(path, flags)", "path.write_text('')", "os.replace(a, b)",
        "path.unlink()", "folder.mkdir()", "figure.savefig(path)", "frame.to_parquet(path)",
        "np.save(path, a)", "shutil.move(a, b)", "tempfile.mkstemp()", "frame.to_csv(path)",
        "drawn = 1\nfigure.savefig(drawn)", "from os import replace\nreplace(a, b)",
)  # fmt: skip
def test_whatever_writes_is_seen(line):
    assert list(writing(line))


@cases(
        "open(path)", "open(path, 'rb')", "path.open('rb')", "text.replace('a', 'b')",
        "release.to_csv(path)", "a, b = io.StringIO(), io.BytesIO()\nfigure.savefig(b)",
        "from kproof.outputs import write_text\nwrite_text(path, text)", "gzip.open(path, 'rb')",
)  # fmt: skip
def test_what_only_reads_is_not(line):
    assert not list(writing(line))
