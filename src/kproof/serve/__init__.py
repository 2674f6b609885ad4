"""KACA served: answers about a database over HTTP and to agents.

Nothing here is imported by the rest of kproof but by ``kproof serve``; the extra ``serve`` brings
the libraries. ``source`` reads the database, ``closed`` and ``sealed`` keep what was divided,
``flows`` answers, ``watch`` closes days, and ``app``, ``guards``, ``routes``, ``posted`` and
``agents`` are the ways in. ``parameters`` has their types, ``records`` the logs and the keys.
"""
