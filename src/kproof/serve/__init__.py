"""KACA served: answers about a database over HTTP and to agents.

Nothing here is imported by the rest of kproof but by ``kproof serve``; the extra ``serve`` brings
the libraries. ``source`` reads the database, ``sealed`` keeps what was divided, ``flows`` answers,
and ``app``, ``guards``, ``posted`` and ``agents`` are the ways in.
"""
