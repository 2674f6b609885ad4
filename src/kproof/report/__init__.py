"""One self-contained HTML page that shows what kproof found."""

from kproof.report.context import Context, Section, Settings
from kproof.report.sections import write_report

__all__ = ["Context", "Section", "Settings", "write_report"]
