"""Who may ask, how often, and what every answer carries.

One layer of ASGI around everything else. A fault inside becomes an answer without a trace.
"""

import hmac
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from http import HTTPMethod
from typing import Any

from starlette.requests import ClientDisconnect

from kproof.serve.records import AUDITED, RequestLog, digest
from kproof.serve.schema import refusal

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; style-src 'unsafe-inline'; "
    b"img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
"""What every answer carries. Nothing allows another origin to read it."""

OPEN_PATHS = ("/health", "/live", "/ready")
"""What is answered without a key."""

_MOST_ASKERS = 10_000
_METHODS = frozenset(HTTPMethod)


class RequestRate:
    """At most so many requests a minute of each who asks.

    >>> rate = RequestRate(2)
    >>> [rate.allows("me", at) for at in (0, 1, 2, 40)]
    [True, True, False, True]
    """

    def __init__(self, a_minute: int) -> None:
        self.a_minute = a_minute
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, who: str, now: float) -> bool:
        """Return whether one more is allowed now, and count it."""
        left, last = self._left.get(who, (float(self.a_minute), now))
        left = min(float(self.a_minute), left + (now - last) * self.a_minute / 60)
        if who not in self._left and len(self._left) >= _MOST_ASKERS:
            # Whoever asked longest ago has the most left and loses least.
            del self._left[next(iter(self._left))]
        # To the end of the dictionary, whose order is that of the last requests.
        self._left.pop(who, None)
        # A refusal costs nothing: else whoever asks on and on would never be answered again.
        self._left[who] = (left - 1 if left >= 1 else left, now)
        return left >= 1


class Guards:
    """Keys, rates, hosts and headers around an application.

    Args:
        app: The application.
        keys: Returns the API keys that are accepted now; none are asked for without it.
        rate: Requests a minute of each key, or of each address without keys; None for any number.
        hosts: Names by which the server may be called; empty for any. On a loopback address this
            keeps out pages whose own name was made to lead there.
        count_request: ``count_request(path, status, seconds)`` is called for every request.
        access, audit: Logs of requests, and of what was answered.
    """

    def __init__(
        self,
        app: Application,
        *,
        keys: Callable[[], Collection[str]] | None = None,
        rate: int | None = None,
        hosts: Collection[str] = (),
        count_request: Callable[[str, int, float], None],
        access: RequestLog | None = None,
        audit: RequestLog | None = None,
    ) -> None:
        self._app = app
        self._keys = keys
        self._access, self._audit = access, audit
        self._rate = None if rate is None else RequestRate(rate)
        self._hosts = frozenset(hosts)
        self._count_request = count_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and scope["path"] in OPEN_PATHS:
            # Probes ask so; the server drops the body.
            scope = {**scope, "method": "GET"}
        started, status = time.perf_counter(), 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                # Two headers of one name would leave it to the client which of them counts.
                headers = [
                    header for header in message["headers"] if header[0].lower() not in HEADERS
                ]
                message["headers"] = [*headers, *HEADERS.items()]
            await send(message)

        headers = {name.lower(): value for name, value in scope["headers"]}
        who = self._authenticate(headers)
        refused = self._refusal(scope, headers, who)
        try:
            if refused is None:
                await self._app(scope, receive, send_guarded)
            else:
                await _answer(send_guarded, *refused)
        except ClientDisconnect:
            status = 499
        except Exception as error:
            # Whatever it was, the client gets an answer and the log one line.
            sys.stderr.write(f"kproof: a fault of kproof itself, {type(error).__name__}\n")
            # Once the head of an answer is sent, another one would become part of its body.
            if not status:
                await _answer(send_guarded, 500, None, "a fault of kproof itself")
        finally:
            route = scope.get("route")
            # The pattern and not what was asked for: a client could fill logs and figures with
            # paths of its own making, or with what stands in them.
            path = getattr(route, "path", "other")
            seconds = time.perf_counter() - started
            self._count_request(path, status, seconds)
            # A client may call its method what it likes, at any length.
            method = scope["method"] if scope["method"] in _METHODS else "other"
            entry = {"who": who and digest(who), "method": method, "path": path}
            if self._access is not None:
                line = {**entry, "status": status, "seconds": round(seconds, 4)}
                self._access.write(line)
            if self._audit is not None and AUDITED in scope:
                self._audit.write({**entry, **scope[AUDITED]})

    def _authenticate(self, headers: dict[bytes, bytes]) -> str | None:
        """Return the key of a request that is accepted now, or None."""
        accepted = () if self._keys is None else self._keys()
        for sent in _keys(headers):
            for key in accepted:
                # In constant time: `==` ends at the first difference, and its time tells how much
                # was right.
                if hmac.compare_digest(sent, key.encode()):
                    return key
        return None

    def _refusal(
        self, scope: Scope, headers: dict[bytes, bytes], key: str | None
    ) -> tuple[int, str | None, str] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        # First of all: a page whose own name was made to lead to this address learns nothing else.
        if self._hosts and _without_port(host) not in self._hosts:
            return 400, "Host", f"Host: need one of {', '.join(sorted(self._hosts))}"
        if b"origin" in headers:
            return 403, "Origin", "Origin: pages of other origins may not ask"
        if scope["path"] in OPEN_PATHS:
            return None
        if self._keys is not None and key is None:
            return 401, "X-API-Key", "X-API-Key: need a key that the server knows"
        # By key where there is one: behind a proxy all addresses are the proxy's.
        who = key or str((scope.get("client") or ("",))[0])
        if self._rate is not None and not self._rate.allows(who, time.monotonic()):
            return 429, None, f"more than {self._rate.a_minute} requests a minute"
        return None


def _keys(headers: dict[bytes, bytes]) -> list[bytes]:
    """Return the keys that a request has sent: in one way or the other, or in both."""
    bearer = headers.get(b"authorization", b"")
    tokens = [bearer[7:]] if bearer[:7].lower() == b"bearer " else []
    return [*tokens, *([headers[b"x-api-key"]] if b"x-api-key" in headers else [])]


def _without_port(host: str) -> str:
    """Return the name of a host, or what is no name and port as it is.

    >>> _without_port("localhost:80"), _without_port("[::1]:80"), _without_port("[::1].a")
    ('localhost', '[::1]', '[::1].a')
    """
    match = re.fullmatch(r"(\[[^]]*\]|[^:]*)(:[0-9]*)?", host)
    return host if match is None else match[1]


async def _answer(send: Send, status: int, parameter: str | None, message: str) -> None:
    body = json.dumps(refusal(parameter, message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 429:
        headers.append((b"retry-after", b"60"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
