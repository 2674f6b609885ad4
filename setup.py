"""Maps the four top-level folders into the package, with or without the symbolic links."""

from setuptools import find_packages, setup

PARTS = ("theory", "models", "petri", "proptests")
FOLDERS = {"": "src"} | {f"kproof.{part}": part for part in PARTS}
NESTED = [f"kproof.{part}.{name}" for part in PARTS for name in find_packages(part)]
OWN = ["kproof"] + [
    f"kproof.{name}" for name in find_packages("src/kproof", exclude=[f"{p}*" for p in PARTS])
]
setup(packages=OWN + [f"kproof.{part}" for part in PARTS] + NESTED, package_dir=FOLDERS)
