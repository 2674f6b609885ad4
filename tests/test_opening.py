"""Files as people export them: compressed, in other encodings, with commas, spreadsheets."""

import bz2
import gzip
import lzma
import os
from datetime import date
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
import pytest
from cases import cases, error_line
from pyarrow import parquet
from shell import kproof, refused, typed

from kproof.datasets import read_text_table
from kproof.datasets.limits import MOST_CHARACTERS, MOST_COLUMNS, MOST_LINE
from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.decimals import DecimalSign, plain_numbers
from kproof.models.tables.readers import read_table

TEXT = "name,weight\nJosé,1\nŽofie,2\n"
CELLS = (("José", "Žofie"), ("1", "2"))


@cases((".gz", gzip.compress), (".bz2", bz2.compress), (".XZ", lzma.compress))
def test_compressed_files(ending, packed, tmp_path):
    path = tmp_path / f"data.csv{ending}"
    path.write_bytes(packed(TEXT.encode()))
    assert read_text_table(path).cells == CELLS
    for damaged in (packed(TEXT.encode())[:-9], TEXT.encode()):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=rf"cannot be read: not a whole {ending.lower()} file"):
            read_text_table(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_says_the_encoding(tmp_path, encoding):
    path = tmp_path / "data.csv"
    path.write_bytes(TEXT.encode(encoding))
    assert read_text_table(path).cells == CELLS
    assert read_text_table(path, encoding=encoding).cells == CELLS
    if encoding != "utf-8":
        with pytest.raises(DataError, match=r"its byte-order mark is that of utf-\d+, not cp1252"):
            read_text_table(path, encoding="cp1252")


@pytest.mark.parametrize("encoding", ["cp1250", "utf-16-le", "iso8859-2"])
def test_an_encoding_without_a_mark_has_to_be_said(tmp_path, encoding):
    path = tmp_path / "data.csv"
    path.write_bytes(TEXT.encode(encoding))
    assert 'say its encoding: encoding="cp1252"' in error_line(DataError, read_text_table, path)
    assert read_text_table(path, encoding=encoding).cells == CELLS
    with pytest.raises(DataError, match=r"byte 0x.. is not ascii"):
        read_text_table(path, encoding="ascii")
    with pytest.raises(InvalidArgument, match="encoding = rot13: need an encoding of text"):
        read_text_table(path, encoding="rot13")


def workbook(
    path: Path,
    *,
    merged: str = "",
    beyond: str = "",
    strings: str = "",
    doctype: str = "",
    **sheets: list[list[object]],
) -> Path:
    """Write a spreadsheet by hand: the least that the format asks for."""
    joined = f'<mergeCells><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'

    def cell(value: object) -> str:
        if isinstance(value, bool):
            return f'<c t="b"><v>{int(value)}</v></c>'
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as file:
        listed, related = "", ""
        if strings:
            file.writestr("xl/sharedStrings.xml", f"<sst {main}>{strings}</sst>")
            target = "sharedStrings.xml"
            related = f'<Relationship Id="s" Type="{rel}/sharedStrings" Target="{target}"/>'
        for number, (name, rows) in enumerate(sheets.items(), 1):
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            text = f"<worksheet {main}><sheetData>{body}{beyond}</sheetData>{joined}</worksheet>"
            file.writestr(f"xl/worksheets/sheet{number}.xml", doctype + text)
            listed += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
            target = f"worksheets/sheet{number}.xml"
            related += f'<Relationship Id="rId{number}" Type="{rel}/worksheet" Target="{target}"/>'
        book = f'<workbook {main} xmlns:r="{rel}"><sheets>{listed}</sheets></workbook>'
        file.writestr("xl/workbook.xml", book)
        file.writestr(
            "xl/_rels/workbook.xml.rels", f"<Relationships {package}>{related}</Relationships>"
        )
        first = f'<Relationship Id="a" Type="{rel}/officeDocument" Target="xl/workbook.xml"/>'
        file.writestr("_rels/.rels", f"<Relationships {package}>{first}</Relationships>")
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
        file.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Default Extension="xml" ContentType="{kind}"/></Types>',
        )
    return path


def test_spreadsheets(tmp_path):
    rows: list[list[object]] = [
        ["name", "weight", "in"],
        ["José", 72.5, True],
        ["Eva", 80.0, False],
    ]
    path = workbook(tmp_path / "data.xlsx", Patients=rows, Empty=[])
    table = read_text_table(path)
    assert table.names == ("name", "weight", "in")
    assert table.cells == (("José", "Eva"), ("72.5", "80"), ("TRUE", "FALSE"))
    assert read_table(path, quasi_identifiers=["weight"]).quasi_identifiers[0].values == (72.5, 80)
    low = '<row r="4"><c r="B4"><v>1</v></c></row><row r="6"><c r="B6"><v>7</v></c></row>'
    below = read_text_table(workbook(tmp_path / "low.xlsx", beyond=low, S=[]), header="no")
    assert (below.lines, below.cells) == ((4, 6), (("1", "7"),))
    two = workbook(tmp_path / "two.xlsx", A=rows, B=rows)
    with pytest.raises(DataError, match=r'2 sheets have cells: A, B; say sheet="NAME"'):
        read_text_table(two)
    assert read_text_table(two, sheet="B").names == table.names
    assert "no sheet C; there are A, B" in error_line(DataError, read_text_table, two, sheet="C")
    with pytest.raises(InvalidArgument, match="sheet = A: need a spreadsheet with it, unlike"):
        read_text_table("table-1a", sheet="A")
    with pytest.raises(InvalidArgument, match="encoding = cp1252: need a text file"):
        read_text_table(two, encoding="cp1252")
    for name, body in (("a.xlsx", b"a,b\n1,2\n"), ("b.xls", b""), ("c.ods", b"PK\x03\x04")):
        (tmp_path / name).write_bytes(body)
        assert "cannot be read: " in error_line(DataError, read_text_table, tmp_path / name)
    assert "no such file" in error_line(DataError, read_text_table, tmp_path / "none.xlsx")


def test_merged_cells_are_not_taken_for_missing_values(tmp_path):
    rows: list[list[object]] = [["name", "ward"], ["José", "A"], ["Eva", ""], ["Ana", "B"]]
    with pytest.raises(DataError, match=r"cells B2:B3 are merged, and only the first holds A; un"):
        read_text_table(workbook(tmp_path / "merged.xlsx", merged="B2:B3", S=rows))
    # What is merged and empty says nothing of anybody.
    assert read_text_table(workbook(tmp_path / "empty.xlsx", merged="D9:E9", S=rows)).names


def test_parquet_is_read_as_text_and_lists_are_refused(tmp_path):
    days = [date(2020, 1, 2), None, date(2019, 12, 31)]
    frame = pa.table({"age": [34, None, 7], "weight": [1.5, 2.0, float("nan")], "day": days})
    path = tmp_path / "data.parquet"
    parquet.write_table(frame, path)
    table = read_text_table(path)
    assert table.names == ("age", "weight", "day")
    assert table.cells == (("34", "", "7"), ("1.5", "2.0", ""), ("2020-01-02", "", "2019-12-31"))
    with pytest.raises(InvalidArgument, match="encoding = latin-1: need a text file"):
        read_text_table(path, encoding="latin-1")
    parquet.write_table(pa.table({"age": [1], "tags": [["a"]]}), path)
    for read in (read_text_table, lambda path: read_table(path, quasi_identifiers=["age"])):
        with pytest.raises(DataError, match=r"data.parquet: column tags holds list<.*; make it a"):
            read(path)
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"data.parquet: cannot be read: not a Parquet file"):
        read_text_table(path)


@cases(
    (["1,5", "-22", "0,25"], ",", ["1.5", "-22", "0.25"]),
    (["1.234,5", "1.234.567"], ",", ["1234.5", "1234567"]),
    (["1,234", "1,234.5"], ".", ["1234", "1234.5"]),
    (["1'234.5", "12"], ".", ["1234.5", "12"]),
    (["1\u00a0234,5"], ",", ["1234.5"]),
    # What is no number in that notation leaves the column as it is.
    (["1,5", "12.5"], ",", ["1,5", "12.5"]),
    (["1,23,4"], ".", ["1,23,4"]),
    (["12,34"], ".", ["12,34"]),
    (["007,5"], ",", ["007,5"]),
    (["1.2345"], ",", ["1.2345"]),
)
def test_numbers_with_commas(cells, sign, plain):
    assert plain_numbers(cells, DecimalSign(sign)) == plain


def test_a_comma_is_not_guessed(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("weight;ill\n72,5;flu\n80;HIV\n")
    words = typed("check --models-only {path} --qi ill --sensitive weight --l 2", path=path)
    says = "column weight: 72,5 looks like a number; say --decimal , if it is one, or that the"
    assert says in refused(*words)
    assert kproof(*words, "--decimal", ",").status == 1
    table = read_table(path, quasi_identifiers=["weight"], sensitive="ill", decimal=",")
    assert table.quasi_identifiers[0].values == (72.5, 80)
    assert table.quasi_identifiers[0].numeric
    codes = read_table(path, quasi_identifiers=["weight"], numeric={"weight": False})
    assert codes.quasi_identifiers[0].values == ("72,5", "80")
    path.write_text("weight;ill\n1,234;flu\n2,5;HIV\n")
    with pytest.raises(InvalidArgument, match=r"decimal = ;: need \. or ,"):
        read_table(path, quasi_identifiers=["weight"], decimal=";")
    path.write_text("weight;ill\n1,234;flu\n")
    with pytest.raises(DataError, match=r'say decimal="," or decimal="\." for what it is'):
        read_table(path, quasi_identifiers=["weight"])


def _repeated(text: str, times: int) -> pa.Table:
    codes = pa.array([0]).take(pa.array([0] * times)).cast(pa.int32())
    return pa.table({"a": pa.DictionaryArray.from_arrays(codes, [text])})


def _prefixes(path: Path) -> None:
    """Write texts that each repeat the one before: kilobytes that stand for 110 MB."""
    texts = pa.array([f"{'x' * 100_000}{number}" for number in range(1_100)])
    encoding = {"a": "DELTA_BYTE_ARRAY"}
    table = pa.table({"a": texts})
    parquet.write_table(table, path, use_dictionary=False, column_encoding=encoding)


def _lies(path: Path) -> None:
    """Write ten rows of which the file says that they are sixty."""
    parquet.write_table(pa.table({"a": list(range(10))}), path)
    written = path.read_bytes()
    footer = len(written) - 8 - int.from_bytes(written[-8:-4], "little")
    path.write_bytes(written[:footer] + written[footer:].replace(b"\x16\x14", b"\x16\x78", 1))


def _repeats(path: Path) -> None:
    """Write one cell of an OpenDocument sheet that stands for 10^9."""
    kinds = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{kind}="{_OASIS}:{kind}:1.0"' for kind in kinds)
    cell = '<table:table-cell office:value-type="string" table:number-columns-repeated="1000">'
    with ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("META-INF/manifest.xml", "<manifest/>")
        file.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576">'
            f"{cell}<text:p>a</text:p></table:table-cell></table:table-row></table:table>"
            "</office:spreadsheet></office:body></office:document-content>",
        )


def _nested(depth: int) -> pa.Table:
    kind = pa.int32()
    for _ in range(depth):
        kind = pa.list_(kind)
    return pa.table({"a": pa.array([None], kind)})


_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_SHEET: list[list[object]] = [["a", "b"], ["1", "2"]]

HOSTILE = {
    "wide.csv": (",".join(map(str, range(MOST_COLUMNS + 1))), "16,385 columns; need at most"),
    "line.csv": ("x" * (MOST_LINE + 9), "line 1: over 16,777,216 characters"),
    "cell.csv": (f"a\n{'x' * (MOST_CHARACTERS + 1)}\n", "a cell of over 131072 characters"),
    "rows.csv.gz": (
        gzip.compress(b"a,b,c\n" + b"1,2,3\n" * 3_400_000),
        "more than 10,000,000 cells in",
    ),
    "text.csv.bz2": (bz2.compress(b"a\n" + b" " * 100_000_001), "over 16,777,216 characters"),
    "text.csv.xz": (
        lzma.compress(b"a\n" + (b"a" * 9_999 + b"\n") * 10_001),
        "more than 100,000,000 bytes in a file of",
    ),
    "wide.parquet": (pa.table({f"c{n}": [0] for n in range(MOST_COLUMNS + 1)}), "16,385 columns"),
    "rows.parquet": (_repeated("x", 10_000_001), "more than 10,000,000 cells in a file of"),
    "cell.parquet": (_repeated("x" * 2_000_000, 500), "column a: a cell of 2,000,000 characters"),
    "prefixes.parquet": (_prefixes, "more than 100,000,000 bytes in a file of 5,"),
    "cell.xlsx": (
        lambda path: workbook(path, S=[["a", "b"], ["x" * 3_000_000, "y"]]),
        "row 2: a cell of 3,000,000 characters; need at most 131,072",
    ),
    "pipe.xlsx": (os.mkfifo, "need a regular file"),
    "far.xlsx": (
        lambda path: workbook(
            path, beyond='<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', S=_SHEET
        ),
        "a cell may stand far from the others",
    ),
    "blank.xlsx": (
        lambda path: workbook(path, beyond=" " * 100_000_000, S=_SHEET),
        "more than 100,000,000 bytes in a file of",
    ),
    "shared.xlsx": (
        lambda path: workbook(
            path,
            strings=f"<si><t>{'x' * 30_000}</t></si>",
            beyond='<row><c t="s"><v>0</v></c></row>' * 60_000,
            S=_SHEET,
        ),
        "cannot be read in 1 GB",
    ),
    "entity.xlsx": (
        lambda path: workbook(path, doctype='<!DOCTYPE a [<!ENTITY a "a">]>', S=[["&a;"]]),
        "unrecognized entity",
    ),
    "repeat.ods": (_repeats, "Cell limit exceeded"),
    "old.xls": (bytes.fromhex("d0cf11e0a1b11ae1") + b"\xff" * 4096, "cannot be read: "),
    "bare.parquet": (pa.table({}), "it has no columns"),
    "lies.parquet": (_lies, "it says 60 rows and has 10"),
    "nested.parquet": (_nested(90), "cannot be read: not a Parquet file"),
    "quote.csv": ('a,b\n"' + "1,2\n" * 50_000, "is a quotation mark left open?"),
    "nul.csv": ("a\n\0", "line 2: a NUL byte"),
    "part.csv.gz": (gzip.compress(b"a,b\n" + b"1,2\n" * 1_000)[:-6], "not a whole .gz file"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_memory_holds_is_refused(tmp_path, name):
    contents, says = HOSTILE[name]
    path = tmp_path / name
    if isinstance(contents, pa.Table):
        parquet.write_table(contents, path, compression="zstd")
    elif callable(contents):
        contents(path)
    else:
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    refusal = refused("check", str(path), "--qi", "a", "--k", "2")
    assert says in refusal
    assert refusal.count(name) == 1


@pytest.mark.parametrize("name", ["a\nb.csv", "a\nb.parquet", "a\nb.xlsx"])
def test_a_name_of_two_lines_is_told_once_and_in_one(tmp_path, name):
    (tmp_path / name).write_bytes(b"\0")
    refusal = refused("check", str(tmp_path / name), "--qi", "a", "--k", "2")
    assert refusal.count(name.replace("\n", r"\n")) == 1


def test_repetition_that_costs_nothing_is_read(tmp_path):
    parquet.write_table(_repeated("x" * 1_000, 2_000_000), tmp_path / "data.parquet")
    table = read_table(tmp_path / "data.parquet", quasi_identifiers=["a"])
    assert (table.rows, table.quasi_identifiers[0].values) == (2_000_000, ("x" * 1_000,))
