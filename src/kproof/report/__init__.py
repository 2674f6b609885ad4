"""One self-contained HTML page that shows what kproof found."""
