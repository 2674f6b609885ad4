"""How long the server waits for the head of a request.

Uvicorn limits how long an idle connection is kept, but not how slowly the lines of a head may
arrive: whoever sends a byte now and then would keep a place for good.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class HeadersInTime(H11Protocol):
    """HTTP/1.1 whose connections end if the head of a request is not there in time.

    The time counts from when a connection is made or, on one that is kept, from the first bytes of
    the next request; bytes that arrive later do not lengthen it.
    """

    seconds = 10.0
    """How long a head may take."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes, and stop to wait if they end the head."""
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
