"""``kproof calculator``: the bounds as a page with sliders."""

from typing import Annotated

from cyclopts import Parameter

from kproof.cli.base.printing import write_lines
from kproof.outputs import check_outputs, write_text
from kproof.stages import stage


def calculator(*, output: Annotated[str, Parameter(name=("--output", "-o"))]) -> None:
    """Write a page of HTML on which the bounds follow sliders, without a server or a network.

    The page shows floats, rounded upward; with them it shows the command that certifies the value.

    Args:
        output: The file to write.
    """
    files = check_outputs({"output": output})
    with stage("writing the formulas as JavaScript"):
        from kproof.report.calculator import calculator as page

        text = page()
    with files.together():
        write_text(output, text)
    write_lines(output)
