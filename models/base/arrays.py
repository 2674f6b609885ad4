"""What arrays hold, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
"""Whole numbers that stand for something: values, classes, nodes, cells."""
