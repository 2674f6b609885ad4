"""The HTTP API."""

import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from kproof.errors import InvalidArgument, KProofError, one_of, show
from kproof.serve.agents import day
from kproof.serve.answers import as_json, refusals, refuse
from kproof.serve.closed import EPOCH
from kproof.serve.flows import Flows, ServedAlgorithm, Starting, Withheld
from kproof.serve.guards import OPEN_PATHS, Guards
from kproof.serve.posted import BodyTooLarge, NoRoom, TookTooLong
from kproof.serve.records import AUDITED, RequestLog
from kproof.serve.routes import add_posted
from kproof.serve.schema import DAY, FLOW_PATH, FLOW_SUMMARY, default_k
from kproof.serve.source import SourceGone
from kproof.serve.watch import SourceWatch
from kproof.version import __version__

_KEPT_ANSWERS = 256
_AT_A_TIME = 4


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What the service takes."""

    keys: Callable[[], Collection[str]] | None = None
    """Returns the API keys that are accepted now; none are asked for without it."""
    rate: int | None = None
    """Requests a minute of each key or address; None for any number."""
    hosts: Collection[str] = ()
    """Names by which it may be called; empty for any."""
    most_bytes: int = 10_000_000
    """Largest file that may be sent."""
    seconds: float = 60.0
    """Longest time for a table that was sent."""
    access: RequestLog | None = None
    """Log of requests."""
    audit: RequestLog | None = None
    """Log of what was answered about flows."""


class _Figures:
    """What Prometheus reads; a registry of its own, so that two services do not meet."""

    def __init__(self, *, timed: bool) -> None:
        self.registry = CollectorRegistry()
        labels = ("path", "status")
        self._requests = Counter(
            "kproof_requests", "Requests by path and status.", labels, registry=self.registry
        )
        self._seconds = Histogram(
            "kproof_request_seconds",
            "Seconds to an answer.",
            ("path",),
            # Without a registry it counts and nobody can read it: of sampled days a time would tell
            # of rows.
            registry=self.registry if timed else None,
        )
        self.withheld = Counter(
            "kproof_withheld", "Answers that did not pass the checker.", registry=self.registry
        )
        self.gone = Counter(
            "kproof_database_gone",
            "Reads of a database, or seals of a day, that failed.",
            registry=self.registry,
        )
        self._unread = Gauge(
            "kproof_unread_records",
            "Rows of the database that are not read, by reason.",
            ("reason",),
            registry=self.registry,
        )

        self._now = {
            name: Gauge(f"kproof_{name}", about, registry=self.registry)
            for name, about in {
                "closed_before_seconds": "When the first day begins that is not closed, in UTC.",
                "close_after_seconds": "From the end of a day until it is closed.",
                "database_ok": "1 if the database could be read when it was asked last.",
            }.items()
        }

    def state(self, flows: Flows, watch: SourceWatch) -> bytes:
        """Return all figures as text, with the state of now."""
        # A reason that no row has any more would keep its last number.
        self._unread.clear()
        for reason, number in flows.state.get("unread", {}).items():
            self._unread.labels(reason).set(number)
        days = 0 if flows.sealed.until is None else (flows.sealed.until - EPOCH).days
        values = (86_400 * days, 3600 * flows.close_after, int(watch.database == "ok"))
        for gauge, value in zip(self._now.values(), values, strict=True):
            gauge.set(value)
        return generate_latest(self.registry)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)


def service(flows: Flows, limits: ServiceLimits | None = None) -> FastAPI:
    """Return the application.

    Args:
        flows: What answers about the database.
        limits: What it takes; by default everything that is possible on a loopback address.
    """
    limits = ServiceLimits() if limits is None else limits
    figures = _Figures(timed=flows.timed)
    watch = SourceWatch(flows, figures.gone.inc)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        watch.keep()
        yield

    app = FastAPI(
        lifespan=life,
        title="kproof",
        version=__version__,
        summary="k-anonymous flows that are checked before they leave",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.add_middleware(
        Guards,
        keys=limits.keys,
        rate=limits.rate,
        hosts=limits.hosts,
        count_request=figures.count_request,
        access=limits.access,
        audit=limits.audit,
    )
    if limits.keys is not None:
        _add_schemes(app)
    needs = {
        "start_date": "a day as YYYY-MM-DD",
        "end_date": "a day as YYYY-MM-DD",
        "k": one_of(None, flows.rungs),
        "algorithm": "cells or printed",
    }
    _add_refusals(app, figures, needs)
    _add_flows(app, flows, watch)
    add_posted(app, limits.most_bytes, limits.seconds)
    _add_state(app, flows, figures, watch)
    return app


def _add_schemes(app: FastAPI) -> None:
    """Let OpenAPI say how a key is sent, and where none is asked for."""
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "bearer": {"type": "http", "scheme": "bearer"},
    }
    make = app.openapi

    def with_schemes() -> dict[str, Any]:
        document = make()
        document["components"] = {**document.get("components", {}), "securitySchemes": schemes}
        document["security"] = [{"key": []}, {"bearer": []}]
        for path in OPEN_PATHS:
            document["paths"][path]["get"]["security"] = []
        return document

    app.openapi = with_schemes  # type: ignore[method-assign]


def _add_refusals(app: FastAPI, figures: _Figures, needs: Mapping[str, str]) -> None:
    async def invalid(_: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
        name = str(first.get("loc", ("?",))[-1])
        value = show(str(first.get("input", "")), 40)
        return refuse(422, name, f"{name} = {value}: need {needs.get(name, 'another value')}")

    async def http(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        response = refuse(status, None, str(getattr(error, "detail", "")))
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response

    async def ours(_: Request, error: Exception) -> Response:
        if isinstance(error, InvalidArgument):
            return refuse(422, error.name, str(error))
        if isinstance(error, Starting):
            response = refuse(503, None, str(error))
            response.headers["retry-after"] = "1"
            return response
        if isinstance(error, SourceGone):
            figures.gone.inc()
            return refuse(503, None, "the database cannot be read at the moment")
        if isinstance(error, Withheld):
            figures.withheld.inc()
            return refuse(503, None, str(error))
        return refuse(422, None, str(error))

    refusal_of: dict[type[Exception], tuple[int, str | None, str]] = {
        BodyTooLarge: (413, "file", "file: larger than the server takes"),
        NoRoom: (503, None, "the server has no room for the file at the moment"),
        TookTooLong: (503, None, "it took too long and was ended"),
    }

    async def refuse_limited(_: Request, error: Exception) -> Response:
        return refuse(*refusal_of[type(error)])

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(KProofError, ours)
    for kind in refusal_of:
        app.add_exception_handler(kind, refuse_limited)


def _add_flows(app: FastAPI, flows: Flows, watch: SourceWatch) -> None:
    example, form = default_k(flows.rungs), flows.form
    answered: dict[str, Any] = {"schema": dict(form.answer)}
    if form.example is not None:
        answered["example"] = form.example
    first, last = (
        Query(
            description=about,
            pattern=f"^{DAY}$",
            json_schema_extra={"format": "date"},
            examples=[example_day],
        )
        for about, example_day in (
            ("First day; the first of the data if not given.", "2023-01-02"),
            ("Last day, included; the last of the data if not given.", "2023-01-04"),
        )
    )
    people = Query(
        description="Fewest people that a line counts.",
        ge=flows.least,
        le=flows.most,
        json_schema_extra={"enum": list(flows.rungs)},
    )
    asked_for = Query(
        description="cells: from cells that were made once. printed: the document's algorithm, "
        "run for this answer; only if the server was told to allow it.",
        json_schema_extra={"enum": ["cells", "printed"] if flows.allows_printed else ["cells"]},
    )

    turns, printing = BoundedSemaphore(_AT_A_TIME), BoundedSemaphore(_AT_A_TIME)

    @lru_cache(maxsize=_KEPT_ANSWERS)
    def answer_bytes(_generation: int, start: str | None, end: str | None, k: int) -> bytes:
        # The same cells give the same answer, so one that was checked is checked for good; with new
        # cells the generation is another key. More than a few at a time take memory and no less
        # time.
        with turns:
            return as_json(flows.answer(day("start_date", start), day("end_date", end), k))

    def flow(
        request: Request,
        start_date: Annotated[str | None, first] = None,
        end_date: Annotated[str | None, last] = None,
        k: Annotated[int, people] = example,
        algorithm: Annotated[Literal["cells", "printed"], asked_for] = "cells",
    ) -> Response:
        _require_known(request, ("start_date", "end_date", "k", "algorithm"))
        # " 5", "5.0" and "1_0" are numbers to a language, and none in a URL.
        if re.fullmatch("[0-9]+", typed := request.query_params.get("k", "0")) is None:
            raise InvalidArgument("k", typed, "a whole number, of digits alone")
        if not flows.ready:
            raise Starting("the cells are not made yet: ask again in a moment")
        # What is divided can be answered without the database.
        watch.refresh()
        if algorithm == "printed":
            # Read before a turn is taken: what is no day must not cost one.
            window = day("start_date", start_date), day("end_date", end_date)
            # It asks the database: if that hangs, threads are left for all who ask for cells.
            if not printing.acquire(blocking=False):
                return refuse(503, None, "enough others ask for it: ask again in a moment")
            try:
                body = as_json(flows.answer(*window, k, ServedAlgorithm.PRINTED))
            finally:
                printing.release()
        else:
            body = answer_bytes(flows.generation, start_date, end_date, k)
        until = flows.sealed.until
        request.scope[AUDITED] = {
            "start_date": start_date,
            "end_date": end_date,
            "k": k,
            "algorithm": algorithm,
            "closed_before": None if until is None else until.isoformat(),
            "sha256": sha256(body).hexdigest(),
        }
        return Response(body, media_type="application/json")

    app.add_api_route(
        FLOW_PATH,
        flow,
        methods=["GET"],
        operation_id="exit_hourly_flow_k_anonymized",
        summary=FLOW_SUMMARY,
        description=form.description,
        response_class=Response,
        responses={
            200: {"description": "flows", "content": {"application/json": answered}},
            **refusals(503),
        },
    )


def _add_state(app: FastAPI, flows: Flows, figures: _Figures, watch: SourceWatch) -> None:
    async def health() -> Response:
        """Say whether the service answers and whether its database could be read."""
        watch.look()
        until = flows.sealed.until
        state = {
            "status": "ok" if flows.ready else "starting",
            "version": __version__,
            "database": watch.database,
            "role": "seals" if flows.sealed.leads else "reads",
            "closed_before": None if until is None else until.isoformat(),
            "clock": flows.ahead or "ok",
            "least_k": flows.least,
            "k": flows.rungs,
            **flows.state,
        }
        return Response(as_json(state), media_type="application/json")

    async def live() -> Response:
        """Say that the process answers."""
        return Response(as_json({"status": "live"}), media_type="application/json")

    async def ready() -> Response:
        """Say whether flows are answered, if need be without the database."""
        watch.look()
        if not flows.ready:
            return refuse(503, None, "the cells are not made yet")
        state = {"status": "ready", "database": watch.database}
        return Response(as_json(state), media_type="application/json")

    async def metrics() -> Response:
        """Return figures for Prometheus."""
        watch.look()
        return Response(figures.state(flows, watch), media_type=CONTENT_TYPE_LATEST)

    for path, run, kind in (
        ("/health", health, "application/json"),
        ("/live", live, "application/json"),
        ("/ready", ready, "application/json"),
        ("/metrics", metrics, "text/plain"),
    ):
        shape = {"type": "string" if path == "/metrics" else "object"}
        app.add_api_route(
            path,
            run,
            methods=["GET"],
            response_class=Response,
            responses={
                200: {"description": "state", "content": {kind: {"schema": shape}}},
                **refusals(*((503,) if path == "/ready" else ())),
            },
        )


def _require_known(request: Request, names: tuple[str, ...]) -> None:
    """Refuse a parameter that is unknown or given twice, rather than answer another question."""
    earlier: set[str] = set()
    for name, value in request.query_params.multi_items():
        if name not in names:
            raise InvalidArgument(name, value, f"a parameter among {', '.join(names)}")
        if name in earlier:
            raise InvalidArgument(name, value, "one value")
        earlier.add(name)
