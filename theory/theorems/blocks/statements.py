"""The statements on blocks as data."""

from __future__ import annotations

from dataclasses import dataclass


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


_BOUND = r"\delta_S(\varepsilon) \le \mathbb{E}\, D_N(\varepsilon)"

STATEMENTS = {
    statement.name: statement
    for statement in (
        BlockStatement(
            "B1",
            "The sum of independent records is at most as telling as N uniform blocks, each record "
            "counted with the probability that is its block mass.",
            rf"{_BOUND}, \quad N = \sum_i \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent of one another.",
        ),
        BlockStatement(
            "B2",
            "It is enough to know that at least t records have a block mass of at least beta.",
            rf"{_BOUND}, \quad N \sim \mathrm{{Bin}}(t, \beta)",
            "The records are independent, and t of them have block mass beta or more.",
        ),
        BlockStatement(
            "B3",
            "Nothing smaller holds of all laws with these block masses: the law whose rest is a "
            "point far away attains the bound, for every epsilon and in both directions.",
            r"\sup_{\mathrm{rests}} \delta_S(\varepsilon) = \mathbb{E}\, D_N(\varepsilon)",
            "None: it is about all laws with given block masses.",
        ),
        BlockStatement(
            "B4",
            "Known records drop out: N runs over the unknown ones.",
            rf"{_BOUND}, \quad N = \sum_{{i\ \mathrm{{unknown}}}} \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent, the known ones included.",
        ),
        BlockStatement(
            "B5a",
            "Of groups that are independent of one another, each counts once: a record alone with "
            "its block mass, a larger group with that of its sum, or of one of its records given "
            "the others.",
            rf"{_BOUND}, \quad N = \sum_g \mathrm{{Bernoulli}}"
            r"(b_m({\textstyle\sum_{i \in g}} X_i))",
            "The groups are independent of one another.",
        ),
        BlockStatement(
            "B5b",
            "In a Markov random field the records of an independent set count, each with its least "
            "block mass given its neighbours.",
            rf"{_BOUND}, \quad N = \sum_{{i \in I}} \mathrm{{Bernoulli}}"
            r"(\min_x b_m(X_i \mid X_{\partial i} = x))",
            "Given its neighbours, a record is independent of all others; a dependency graph of "
            "Stein's method does not say so.",
        ),
        BlockStatement(
            "B6",
            "Known records may tie unknown ones together: least conditional block masses cover "
            "every value of what is known, and known members of a group belong to the rest.",
            rf"{_BOUND}, \quad N\ \mathrm{{over\ the\ unknown\ records\ of\ B5}}",
            "As B5a or B5b.",
        ),
        BlockStatement(
            "B7",
            "The bound falls as records are added and as block masses grow, so that the least "
            "number of records for a target, or the least block mass, is found by bisection.",
            r"n^* = \min\{ n : \mathbb{E}\, D_{N_n}(\varepsilon) \le \delta \}",
            "As the statement that is inverted.",
        ),
        BlockStatement(
            "B8",
            "Several sums of the same independent records tell of a record at most what the "
            "records in exactly the same sums hide: N runs over these.",
            rf"{_BOUND}, \quad N = \sum_{{i \in \mathrm{{cell}}}} \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent of one another.",
        ),
    )
}
"""The statements on blocks, by name."""

__all__ = ["STATEMENTS", "BlockStatement"]
