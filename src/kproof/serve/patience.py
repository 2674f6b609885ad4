"""How long the server waits for the head of a request, and for whoever reads an answer.

Uvicorn limits how long an idle connection is kept, but not how slowly the lines of a head may
arrive or an answer be read: whoever does it byte by byte would keep a place for good. What is no
HTTP, and who comes when there is no place, gets the JSON of every other refusal.
"""

import asyncio
import json
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from kproof.serve.guards import HEADERS
from kproof.serve.schema import refusal


class OneLength(h11.Connection):
    """A connection whose requests say once how long their body is.

    RFC 9112, 6.3, lets a server refuse a length beside a transfer coding. A proxy in front that
    believes the length, where h11 believes the coding, would take the end of a body for the next
    client's request.
    """

    def next_event(self) -> Any:
        """Return what h11 would.

        Raises:
            RemoteProtocolError: for a request with both, or of HTTP/2.
        """
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("a length beside a transfer coding")
            # To h11 the preface of HTTP/2 is a request, and what comes behind it another.
            if not event.http_version.startswith(b"1."):
                raise h11.RemoteProtocolError("another version")
        return event


class HeadersInTime(H11Protocol):
    """HTTP/1.1 whose connections end if a head is not there, or an answer not read, in time.

    The time counts from when a connection is made or, on one that is kept, from the first bytes of
    the next request; bytes that arrive later do not lengthen it. That of a reader counts from when
    more is written than the system holds, until nearly all of it is read.
    """

    seconds = 10.0
    """How long a head may take."""
    reading = 30.0
    """How long an answer may take to be read."""
    most = 500
    """Connections at a time."""

    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = OneLength(h11.SERVER)

    def connection_made(self, transport: Any) -> None:
        """Start to wait."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(503, "the server has no place for another connection at the moment")
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes, and stop to wait if they end the head."""
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop()
        # This also cancels the timer, which would keep a dead connection until it runs out.
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for a reader."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(self.reading, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop to wait for a reader."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that nobody uses, and in time if its last answer is not read."""
        super().timeout_keep_alive_handler()
        # To close waits until what was written is read, and nothing else limits that.
        self._unread = self._unread or self.loop.call_later(self.reading, self.transport.abort)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse what is no HTTP; the reason may quote it, and is not repeated."""
        self._refuse(400, "the request is not of the form of HTTP/1.1")

    def _refuse(self, status: int, message: str) -> None:
        if self.transport.is_closing():
            # Refused already; what comes behind is no request.
            return
        # In the middle of an answer another head would be read as a part of it.
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = json.dumps(refusal(None, message)).encode()
            head = [
                b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode()),
                b"content-type: application/json",
                b"content-length: %d" % len(body),
                *(b"%s: %s" % header for header in HEADERS.items()),
                b"connection: close\r\n\r\n",
            ]
            self.transport.write(b"\r\n".join(head) + body)
            if self.cycle is not None and not self.cycle.response_complete:
                # Whoever waits for the body, of which a piece is no HTTP, answers no more.
                self.cycle.disconnected = True
                self.cycle.message_event.set()
        self.transport.close()

    def _await_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
