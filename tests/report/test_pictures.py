"""Pictures: what they say is text, and nothing but the data decides their bytes."""

from xml.etree import ElementTree as ET

import matplotlib as mpl
from svg_parts import SVG, parts, texts, tips

from kproof.pictures import CHART, Picture, as_png, as_svg, stand_in, style

HOSTILE = "</title><script>x</script> & \"'$\\alpha$ 数据 \x00\ud800"
PLAIN = HOSTILE.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")


def drawn() -> str:
    with style("test", CHART):
        picture = Picture("test", 200, 100)
        axes = picture.figure.add_subplot()
        picture.tell(axes.scatter([1], [2]), "dot", HOSTILE)
        picture.write(axes.set_title(""), HOSTILE)
        return picture.svg(HOSTILE, width="200")


def test_hostile_words_are_text():
    root = ET.fromstring(drawn())
    assert root.get("aria-label") == PLAIN
    assert root.get("width") == "200"
    assert root.get("viewBox") == "0 0 200 100"
    assert tips(root) == [PLAIN]
    assert PLAIN in texts(root)
    assert [one.findtext(f"{SVG}title") for one in parts(root, "dot")] == [PLAIN]
    assert not [one for one in root.iter() if one.tag.endswith(("script", "metadata", "style"))]


def test_the_settings_of_a_user_change_nothing(monkeypatch):
    before = drawn()
    for name, value in {"font.size": 30, "axes.grid": True, "svg.fonttype": "path"}.items():
        monkeypatch.setitem(mpl.rcParams, name, value)
    assert drawn() == before
    assert mpl.rcParams["font.size"] == 30


def test_a_figure_is_written_without_date_and_maker():
    with style("test"):
        picture = Picture("test", 72, 36)
        picture.figure.text(0, 0, "words")
        document = as_svg(picture.figure, "A & B")
        assert "<dc:title>A &amp; B</dc:title>" in document
        assert ">words<" in document
        assert "<dc:date>" not in document
        assert "Matplotlib v" not in document
        assert b"matplotlib" not in as_png(picture.figure).lower()


def test_stand_ins_are_measured_without_a_warning():
    assert stand_in("a b~") == "a b~"
    assert stand_in("$\x00\n") == "nnn"
    assert stand_in("数é") == "Wn"
