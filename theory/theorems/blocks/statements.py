"""The statements on blocks: the paragraphs of ``blocks.statements`` beside this module."""

from dataclasses import dataclass
from pathlib import Path

from kproof.theory.paragraphs import read_statements


@dataclass(frozen=True, slots=True)
class BlockStatement:
    """One of the statements on blocks."""

    name: str
    """``B1`` to ``B8``."""
    says: str
    """What it says, in a sentence."""
    formula: str
    """The same as LaTeX."""
    needs: str
    """What has to hold of the records."""

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        return self.formula


_TEXTS = ("formula", "needs")
_TEXT = Path(__file__).with_name("blocks.statements").read_text(encoding="utf-8")
_NAMED = read_statements(_TEXT, _TEXTS, needs=_TEXTS)
STATEMENTS = {name: BlockStatement(name, says, **texts) for name, says, texts in _NAMED}
"""The statements on blocks, by name."""
