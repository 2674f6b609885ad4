"""Strings with a positive word that name or describe something and judge nothing."""

from __future__ import annotations

ELSEWHERE: dict[str, tuple[str, ...]] = {}
