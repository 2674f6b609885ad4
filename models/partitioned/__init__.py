"""Anonymizing folders of Parquet files that no single process could hold.

The table is cut into regions along its quasi-identifiers, after a sketch of it (:mod:`.regions`);
each region is a table of its own to the registered method (:mod:`.work`), and what is promised of
classes holds for all of them together, for the reasons given in :mod:`.folder`.
"""

from kproof.models.partitioned.account import FolderRelease
from kproof.models.partitioned.folder import anonymize_folder

__all__ = ["FolderRelease", "anonymize_folder"]
