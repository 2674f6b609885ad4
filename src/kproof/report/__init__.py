"""One self-contained HTML page that shows what kproof found."""

from kproof.report.page import write_report
from kproof.report.sections import Context, Section, Settings

__all__ = ["Context", "Section", "Settings", "write_report"]
