"""Taxonomies: what is refused, and the tree's answers against brute force on sets of leaves."""

from fractions import Fraction

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from public_data import data_file

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy

WORLD = Taxonomy.from_paths(
    [
        *(("USA", "America", "*"), ("Canada", "America", "*"), ("Japan", "Asia", "*")),
        *(("China", "Asia", "*"), ("Atlantis", "Atlantis", "*")),
    ]
)


def refusal(paths: list[tuple[str, ...]]) -> str:
    return error_line(DataError, Taxonomy.from_paths, paths).removeprefix("taxonomy: ")


def test_a_tree_is_numbered_in_preorder():
    assert WORLD.labels == ("*", "America", "USA", "Canada", "Asia", "Japan", "China", "Atlantis")
    assert WORLD.parents.tolist() == [0, 0, 1, 1, 0, 4, 4, 0]
    assert WORLD.ends.tolist() == [7, 3, 2, 3, 6, 5, 6, 7]
    assert WORLD.depths.tolist() == [0, 1, 2, 2, 1, 2, 2, 1]
    assert WORLD.leaves.tolist() == [5, 2, 1, 1, 2, 1, 1, 1]
    assert WORLD.height == 2
    assert WORLD.children(0).tolist() == [1, 4, 7]
    assert WORLD.ancestors(3) == (1, 0)
    assert WORLD.at_depth(1).tolist() == [0, 1, 1, 1, 4, 4, 4, 7]
    assert WORLD.at_depth(0).tolist() == [0] * 8
    assert WORLD.covers(1, np.arange(8)).tolist() == [False, True, True, True] + [False] * 4


def test_mappings_make_the_same_tree():
    flat = {"USA": "America", "Canada": "America", "Japan": "Asia", "China": "Asia"}
    flat |= {"America": "*", "Asia": "*", "Atlantis": "*"}
    paths = {"USA": ("America", "*"), "Canada": ["America", "*"], "Atlantis": ("*",)}
    paths |= dict.fromkeys(("Japan", "China"), ("Asia", "*"))
    for tree in (Taxonomy.from_dict(flat), Taxonomy.from_dict(paths)):
        assert set(tree.labels) == set(WORLD.labels)
        for values in (["USA", "Canada"], ["USA", "Japan"], ["Japan"]):
            assert tree.label_of(values) == WORLD.label_of(values)


@cases(
    ([], "no paths"),
    ([("a", "", "*")], "path a;;* has an empty label"),
    ([("a", "*"), ("b", "all")], "paths end at both * and all; need one root"),
    (
        [("a", "x", "*"), ("b", "y", "*"), ("a", "y", "*")],
        "a is below both x and y; need one parent for each label",
    ),
    ([("*", "x", "*")], "the root * is below x"),
    ([("a", "b", "a", "*")], "a is below both b and *; need one parent for each label"),
)
def test_what_is_not_a_tree_is_refused(paths, says):
    assert refusal(paths).startswith(says)


@cases(
    ({"a": "b", "b": "a"}, "is below itself; need a tree with one root"),
    ({"a": "*", "b": "c", "c": "b"}, "is below itself"),
    ({"a": "x", "b": "y"}, "both x and y have no parent; need one root"),
    ({}, "no paths"),
)
def test_mappings_that_are_no_tree_are_refused(tree, says):
    with pytest.raises(DataError, match=says):
        Taxonomy.from_dict(tree)


def test_values_must_have_a_place():
    with pytest.raises(DataError, match="column country: value Peru is not in taxonomy; add a"):
        WORLD.fitted(["USA", "Peru"], column="country")
    assert "at least one value" in error_line(InvalidArgument, WORLD.label_of, [])


def test_a_missing_value_hangs_below_the_root():
    tree = WORLD.fitted(["USA", MISSING], column="country")
    node = int(tree.of([MISSING])[0])
    assert (tree.labels[node], tree.ancestors(node)) == ("?", (0,))
    assert tree.label_of(["USA", MISSING]) == "*"
    assert WORLD.labels[-1] == "Atlantis"
    own = Taxonomy.from_paths([("?", "unknown", "*"), ("a", "known", "*")])
    assert own.fitted(["a", MISSING], column="x") is own


def test_distance_is_the_height_where_two_meet():
    index = WORLD.index
    assert WORLD.distance(index["USA"], index["USA"]) == 0
    assert WORLD.distance(index["USA"], index["Canada"]) == Fraction(1, 2)
    assert WORLD.distance(index["Japan"], index["USA"]) == 1


@given(st.lists(st.integers(0, 2**30), min_size=1, max_size=30))
def test_ancestors_at_a_depth_are_those_of_walking_up(draws):
    above = {f"v{child}": f"v{draw % child}" for child, draw in enumerate(draws, start=1)}
    tree = Taxonomy.from_dict(above)
    for depth in range(tree.height + 2):
        for node, ancestor in enumerate(tree.at_depth(depth).tolist()):
            path = [*reversed(tree.ancestors(node)), node]
            assert ancestor == path[min(depth, len(path) - 1)]


def test_thousands_of_levels_are_read_at_once(tmp_path, monkeypatch):
    path = tmp_path / "deep.csv"
    levels = [";".join(f"{side}{level}" for level in range(1000)) for side in "ab"]
    path.write_text("".join(f"{line};*\n" for line in levels), encoding="utf-8")
    tree = Taxonomy.from_csv(path)
    assert [tree.at_depth(depth)[-1] for depth in (0, 1, 999)] == [0, 1001, 1999]
    monkeypatch.setattr("kproof.models.base.taxonomy._MOST_RUNGS", 2_000 * 1_000)
    with pytest.raises(DataError, match="2001 labels at 1001 levels; need at most 2000000"):
        Taxonomy.from_csv(path)


def test_files(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text("\ufeffa;x;*\n\nb;y;*\n", encoding="utf-8")
    assert Taxonomy.from_csv(path).labels == ("*", "x", "a", "y", "b")
    path.write_text("250.00;250.0;250;*\n")
    assert Taxonomy.from_csv(path).top == 3
    with pytest.raises(DataError, match=r"none\.csv: cannot be read: No such file"):
        Taxonomy.from_csv(tmp_path / "none.csv")


@cases(
    (b"\xff\xfe;*\n", "not UTF-8 text"),
    (b"a;x;*\na;y;*\n", "a is below both x and y"),
    (b"a\0b;*\n", "a NUL byte; save the file as UTF-8 text"),
    ("\uff21;*\nA;*\n", "\uff21 and A look like two spellings of one label; write them alike"),
    ("HIV;*\nhiv;*\n", "HIV and hiv look like two spellings of one label"),
    ("a\u200b;*\na;*\n", "'a\\u200b' and a look like two spellings of one label"),
    (b"a;*\n" + b" " * 200_000, "line 2: a cell of over 131072 characters"),
    (b" " * ((1 << 26) + 1), "more than 64 MiB, the largest file of a hierarchy"),
    (b'a;"*\n', "line 1: a quotation mark is opened and not closed"),
    (b'a;"*"b\n', "line 1: ';' expected after '\"'"),
    (b"", "no paths"),
    (b"\n\n", "no paths"),
    (b";\n", "no paths"),
    (b"a;;*\n", "has an empty label"),
    (b"PK\3\4\0", "a NUL byte"),
    (b"a,*\nb,*\n", "paths end at both"),
    (b"a;\xed\xa0\x80\n", "not UTF-8 text"),
)
def test_files_that_are_no_hierarchy_are_refused_in_one_line(content, says, tmp_path):
    path = tmp_path / "two\nlines.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    line = error_line(DataError, Taxonomy.from_csv, path)
    assert says in line
    assert "two\\nlines.csv" in line


def test_the_hierarchies_of_adult():
    for path in sorted(data_file("adult_hierarchies").glob("*.csv")):
        tree = Taxonomy.from_csv(path)
        rows = [line.split(";") for line in path.read_text().split("\n") if line]
        for row in rows:
            assert [tree.labels[node] for node in tree.ancestors(tree.index[row[0]])] == row[1:]
        # The columns of the file are its levels.
        nodes = tree.of([row[0] for row in rows])
        assert tree.top == len(rows[0]) - 1
        for level in range(tree.top + 1):
            at = [tree.labels[node] for node in tree.at_level(level)[nodes]]
            assert at == [row[level] for row in rows]


def test_levels_as_they_are_drawn():
    """A label that repeats stays at its level: it counts once as a node, twice as a level."""
    tree = Taxonomy.from_paths(
        [("a", "a", "x", "*"), ("b", "y", "y", "*"), ("c", "z", "x", "*"), ("d", "z", "x", "*")]
    )
    nodes = tree.of("abcd")
    assert tree.top == 3
    levels = [[tree.labels[node] for node in tree.at_level(level)[nodes]] for level in range(4)]
    assert list(map("".join, levels)) == ["abcd", "ayzz", "xyxx", "****"]
    # A node above the values stands for itself until its level has passed.
    inner = tree.of(["z", "x", "*"])
    levels = [[tree.labels[node] for node in tree.at_level(level)[inner]] for level in range(4)]
    assert list(map("".join, levels)) == ["zx*", "zx*", "xx*", "***"]
    for level in (-1, 4):
        with pytest.raises(InvalidArgument, match=f"level = {level}: need a level of taxonomy, 0"):
            tree.at_level(level)


def test_levels_that_nobody_drew_are_counted_from_the_root():
    uneven = Taxonomy.from_paths([("a", "x", "*"), ("b", "*")])
    assert uneven.rungs is None
    nodes = uneven.of(["a", "b"])
    levels = [[uneven.labels[node] for node in uneven.at_level(level)[nodes]] for level in range(3)]
    assert list(map("".join, levels)) == ["ab", "xb", "**"]


def test_levels_that_part_again_are_refused():
    """Each label has one parent, and yet values that are alike at a level differ at the next."""
    assert refusal([("a", "x", "x", "y", "*"), ("b", "x", "y", "y", "*")]) == (
        "at level 1 x stands for values that are x and y at level 2; need one label above each"
    )
    assert refusal([("a", "x", "y", "*"), ("b", "x", "z", "*")]).startswith("x is below both y and")


def test_a_missing_value_keeps_its_sign_at_every_level_but_the_last():
    tree = Taxonomy.from_paths([("a", "x", "w", "*"), ("b", "y", "w", "*")])
    placed = tree.fitted(["a", MISSING], column="x")
    node = placed.of([MISSING])
    levels = [placed.labels[int(placed.at_level(level)[node][0])] for level in range(4)]
    assert levels == ["?", "?", "?", "*"]


@st.composite
def trees(draw: st.DrawFn) -> dict[object, object]:
    """A random tree on labels n0, ..., with n0 the root."""
    size = draw(st.integers(2, 12))
    return {f"n{i}": f"n{draw(st.integers(0, i - 1))}" for i in range(1, size)}


@given(tree=trees(), data=st.data())
def test_the_lowest_common_ancestor_by_brute_force(tree, data):
    taxonomy = Taxonomy.from_dict(tree)

    def above(label: object) -> list[object]:
        chain = [label]
        while chain[-1] in tree:
            chain.append(tree[chain[-1]])
        return chain

    chosen = data.draw(st.lists(st.sampled_from(sorted({*tree, "n0"}, key=str)), min_size=1))
    common = set.intersection(*(set(above(label)) for label in chosen))
    lowest = next(label for label in above(chosen[0]) if label in common)
    assert taxonomy.label_of(chosen) == lowest
    for label in {*tree, "n0"}:
        node = taxonomy.index[str(label)]
        assert taxonomy.depths[node] == len(above(label)) - 1
        below = {other for other in {*tree, "n0"} if label in above(other)}
        assert {taxonomy.labels[i] for i in range(node, taxonomy.ends[node] + 1)} == below
        inner = set(tree.values())
        assert taxonomy.leaves[node] == len([one for one in below if one not in inner])
