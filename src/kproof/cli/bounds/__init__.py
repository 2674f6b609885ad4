"""Commands about bounds and the papers that claim them, from ``bound`` to ``audit``."""
