"""Rows kept by coins in cells fixed beforehand: a release with an (ε, δ) of its own.

It takes a table of texts and not a :class:`~kproof.models.tables.table.Table`: whether a column of
that is one of numbers hangs on all of its rows, those included that no coin keeps. It is not among
:data:`kproof.models.methods.METHODS` either: those are tried side by side on one table, and
whoever picks the best of several samples has picked by rows that were not published.
"""

from kproof.models.tables.sampled.certificate import SampledCertificate as SampledCertificate
from kproof.models.tables.sampled.levels import WrittenLevels as WrittenLevels
from kproof.models.tables.sampled.method import SampledRelease as SampledRelease
from kproof.models.tables.sampled.method import sampled as sampled
from kproof.models.tables.sampled.rechecking import CertificateCheck as CertificateCheck
from kproof.models.tables.sampled.rechecking import recheck as recheck
