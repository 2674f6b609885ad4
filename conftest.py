"""What pytest leaves out where an extra is not installed."""

from importlib.util import find_spec

# Their doctests import the libraries of the extra; tests/serve says that it is skipped.
collect_ignore_glob = [] if find_spec("fastapi") and find_spec("ibis") else ["src/kproof/serve/*"]
