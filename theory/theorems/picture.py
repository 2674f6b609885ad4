"""Claims of a theorem beside the exact value, as a picture."""

from collections.abc import Sequence
from math import inf

from kproof.pictures import CHART, Picture, style
from kproof.theory.exact.enclosure import Enclosure


def comparison_svg(
    title: str, quantity: str, values: Sequence[tuple[str, Enclosure | None]]
) -> str:
    """Draw named values, the last one uppermost, on an axis of powers of ten, as an ``<svg>``.

    A value that no such axis has keeps its line, without a mark.
    """
    with style("comparison", CHART):
        picture = Picture("comparison", 520, 60 + 34 * len(values))
        picture.figure.set_layout_engine("constrained")
        axes = picture.figure.add_subplot()
        for place, (_, value) in enumerate(values):
            # The upper end is what a claim says: the lower one would flatter it.
            if value is not None and 0 < (upper := float(value.upper)) < inf:
                (mark,) = axes.plot([upper], [place], "o", color="#0072b2")
                picture.tell(mark, "value", str(value))
        axes.set_xscale("log")
        axes.set_xlabel(quantity)
        axes.set_ylim(-0.6, len(values) - 0.4)
        axes.set_yticks(range(len(values)), [name for name, _ in values])
        axes.grid(axis="x", color="#e5e9ed", linewidth=0.8)
        return picture.svg(title)
