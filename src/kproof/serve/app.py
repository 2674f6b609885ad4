"""The HTTP API."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from kproof import __version__
from kproof.errors import InvalidArgument, KProofError, one_of, show
from kproof.serve.agents import day
from kproof.serve.flows import Flows, ServedAlgorithm, Starting, Withheld
from kproof.serve.guards import Guards
from kproof.serve.posted import (
    ANSWERS,
    LAWS,
    MODELS,
    ROLES,
    Answered,
    BodyTooLarge,
    NoRoom,
    TookTooLong,
    Workers,
    options_of,
    options_of_bounds,
)
from kproof.serve.schema import DAY, FLOW_PATH, FLOW_SUMMARY, REFUSAL, default_k, refusal
from kproof.serve.source import SourceGone
from kproof.serve.watch import SourceWatch

_KEPT_ANSWERS = 256
_AT_A_TIME = 4


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What the service takes."""

    keys: Collection[str] = ()
    """API keys; none are asked for if there are none."""
    rate: int | None = None
    """Requests a minute of each key or address; None for any number."""
    hosts: Collection[str] = ()
    """Names by which it may be called; empty for any."""
    most_bytes: int = 10_000_000
    """Largest file that may be sent."""
    seconds: float = 60.0
    """Longest time for a table that was sent."""


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

    def state(self, unread: Mapping[str, int]) -> bytes:
        """Return all figures as text, with the rows that are not read now."""
        self._unread.clear()
        for reason, number in unread.items():
            self._unread.labels(reason).set(number)
        return generate_latest(self.registry)

    def seen(self, path: str, status: int, seconds: float) -> None:
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
    )
    app.add_middleware(
        Guards, keys=limits.keys, rate=limits.rate, hosts=limits.hosts, seen=figures.seen
    )
    needs = {
        "start_date": "a day as YYYY-MM-DD",
        "end_date": "a day as YYYY-MM-DD",
        "k": one_of(None, flows.rungs),
        "algorithm": "cells or printed",
    }
    _add_refusals(app, figures, needs)
    _add_flows(app, flows, watch)
    _add_posted(app, limits)
    _add_state(app, flows, figures, watch)
    return app


def _refuse(status: int, parameter: str | None, message: str) -> JSONResponse:
    return JSONResponse(refusal(parameter, message), status)


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how OpenAPI tells of refusals."""
    content = {"application/json": {"schema": dict(REFUSAL)}}
    return {
        status: {"description": "refused", "content": content}
        for status in (400, 401, 403, 405, 422, 429, 500, *statuses)
    }


def _add_refusals(app: FastAPI, figures: _Figures, needs: Mapping[str, str]) -> None:
    async def invalid(_: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
        name = str(first.get("loc", ("?",))[-1])
        value = show(str(first.get("input", "")), 40)
        return _refuse(422, name, f"{name} = {value}: need {needs.get(name, 'another value')}")

    async def http(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        response = _refuse(status, None, str(getattr(error, "detail", "")))
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response

    async def ours(_: Request, error: Exception) -> Response:
        if isinstance(error, InvalidArgument):
            return _refuse(422, error.name, str(error))
        if isinstance(error, Starting):
            response = _refuse(503, None, str(error))
            response.headers["retry-after"] = "1"
            return response
        if isinstance(error, SourceGone):
            figures.gone.inc()
            return _refuse(503, None, "the database cannot be read at the moment")
        if isinstance(error, Withheld):
            figures.withheld.inc()
            return _refuse(503, None, str(error))
        return _refuse(422, None, str(error))

    async def large(*_: Any) -> Response:
        return _refuse(413, "file", "file: larger than the server takes")

    async def full(*_: Any) -> Response:
        return _refuse(503, None, "the server has no room for the file at the moment")

    async def long(*_: Any) -> Response:
        return _refuse(503, None, "it took too long and was ended")

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(KProofError, ours)
    app.add_exception_handler(BodyTooLarge, large)
    app.add_exception_handler(TookTooLong, long)
    app.add_exception_handler(NoRoom, full)


def _add_flows(app: FastAPI, flows: Flows, watch: SourceWatch) -> None:
    example, form = default_k(flows.rungs), flows.form
    answered: dict[str, Any] = {"schema": dict(form.answer)}
    if form.example is not None:
        answered["example"] = form.example
    first = Query(
        description="First day; the first of the data if not given.",
        pattern=f"^{DAY}$",
        json_schema_extra={"format": "date"},
        examples=["2023-01-02"],
    )
    last = Query(
        description="Last day, included; the last of the data if not given.",
        pattern=f"^{DAY}$",
        json_schema_extra={"format": "date"},
        examples=["2023-01-04"],
    )
    people = Query(
        description="Fewest people that a line counts.",
        ge=flows.least,
        le=flows.most,
        json_schema_extra={"enum": list(flows.rungs)},
    )
    asked_for = Query(
        description="cells: from cells that were made once. printed: the document's algorithm, "
        "run for this answer; only if the server was told to allow it."
    )

    turns, printing = BoundedSemaphore(_AT_A_TIME), BoundedSemaphore(_AT_A_TIME)

    @lru_cache(maxsize=_KEPT_ANSWERS)
    def kept(_generation: int, start: str | None, end: str | None, k: int) -> bytes:
        # The same cells give the same answer, so one that was checked is checked for good. More
        # than a few at a time take memory and no less time.
        with turns:
            return _json(flows.answer(day("start_date", start), day("end_date", end), k))

    def flow(
        request: Request,
        start_date: Annotated[str | None, first] = None,
        end_date: Annotated[str | None, last] = None,
        k: Annotated[int, people] = example,
        algorithm: Annotated[Literal["cells", "printed"], asked_for] = "cells",
    ) -> Response:
        _require_known(request, ("start_date", "end_date", "k", "algorithm"))
        if not flows.ready:
            raise Starting("the cells are not made yet: ask again in a moment")
        # What is divided can be answered without the database.
        watch.refresh()
        if algorithm == "printed":
            window = day("start_date", start_date), day("end_date", end_date)
            # It asks the database: if that hangs, threads are left for all who ask for cells.
            if not printing.acquire(blocking=False):
                return _refuse(503, None, "enough others ask for it: ask again in a moment")
            try:
                body = _json(flows.answer(*window, k, ServedAlgorithm.PRINTED))
            finally:
                printing.release()
        else:
            body = kept(flows.generation, start_date, end_date, k)
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
            **_refusals(503),
        },
    )


def _add_posted(app: FastAPI, limits: ServiceLimits) -> None:
    bounds = options_of_bounds()
    workers = Workers(limits.most_bytes, limits.seconds, asyncio.Semaphore(2))
    models = (*ROLES, *MODELS)
    asked_of_anonymize = (*models, "method", "suppress", "suppressed", "seed", "audience", "keep")

    async def check(request: Request) -> Response:
        """Check a published table, sent as CSV or Parquet, against privacy models."""
        allowed = (*models, "suppressed", "audience")
        options = options_of(request.query_params.multi_items(), allowed)
        answered = await workers.run(["check", "FILE", "--json"], options, request.stream())
        return _told(answered)

    async def anonymize(request: Request) -> Response:
        """Publish a table, sent as CSV or Parquet, safely, or by a method that is named.

        The release comes back with its account and judgement; it is empty if it is not to be
        published, unless audience is study.
        """
        options = options_of(request.query_params.multi_items(), asked_of_anonymize)
        method = [_word("method", options.pop("method"))] if "method" in options else []
        words = ["anonymize", *method, "FILE", "--json", "--output=release.csv"]
        answered = await workers.run(words, options, request.stream(), ["release.csv"])
        if answered.status not in ANSWERS:
            return _told(answered)
        document = {**answered.document(), "release": answered.files.get("release.csv", "")}
        return Response(_json(document), media_type="application/json")

    async def attack(request: Request) -> Response:
        """Attack a published table, sent as CSV or Parquet."""
        allowed = (*ROLES, "attack", "tau", "k", "mu", "suppressed")
        options = options_of(request.query_params.multi_items(), allowed)
        name = _word("attack", options.pop("attack", "homogeneity"))
        answered = await workers.run(["attack", name, "FILE", "--json"], options, request.stream())
        return _told(answered)

    async def report(request: Request) -> Response:
        """Return the report page of a table, sent as CSV or Parquet."""
        allowed = (*ROLES, "k", "mu", "column")
        options = options_of(request.query_params.multi_items(), allowed)
        words = ["report", "FILE", "--json", "--output=page"]
        answered = await workers.run(words, options, request.stream(), ["page/report.html"])
        if answered.status not in ANSWERS:
            return _told(answered)
        return Response(answered.files["page/report.html"], media_type="text/html")

    async def bound(request: Request) -> Response:
        """Set what a theorem prints beside what can be proved and the exact value.

        theorem is 1 to 5, or blocks for what block masses prove. Parameters are the options of
        kproof bound; data names a shipped table, and where an option names another file, the
        parameter is its text.
        """
        query = request.query_params.multi_items()
        theorem = _chosen(query, "theorem", "1", tuple(bounds))
        options = options_of(query, ("theorem", *bounds[theorem]))
        options.pop("theorem", None)
        return _told(await workers.run(["bound", theorem, "--json"], options))

    async def exact(request: Request) -> Response:
        """Return the exact epsilon or delta of a law with certified digits.

        law is that of kproof exact, binomial if not given. Parameters are its options; data names a
        shipped table, and for law=file the parameter file is the text of the file.
        """
        query = request.query_params.multi_items()
        law = _chosen(query, "law", "binomial", tuple(LAWS))
        # What bound calls law is the text of a file; here it is a name.
        parameters = [(name, value) for name, value in query if name != "law"]
        if len(query) - len(parameters) > 1:
            raise InvalidArgument("law", law, "one value")
        options = options_of(parameters, LAWS[law])
        return _told(await workers.run(["exact", law, "--json"], options))

    text = {"schema": {"type": "string"}}
    body = {
        "requestBody": {
            "required": True,
            "content": {"text/csv": text, "application/vnd.apache.parquet": text},
        }
    }
    ways: list[tuple[str, Callable[..., Any], tuple[str, ...], Mapping[str, Any]]] = [
        ("/api/check", check, (*models, "suppressed"), body),
        ("/api/anonymize", anonymize, asked_of_anonymize, body),
        ("/api/attack", attack, (*ROLES, "attack", "tau", "k", "mu", "suppressed"), body),
        ("/report", report, (*ROLES, "k", "mu", "column"), body),
        ("/api/bound", bound, _union({"": ("theorem",), **bounds}), {}),
        ("/api/exact", exact, _union({"": ("law",), **LAWS}), {}),
    ]
    for path, run, names, extra in ways:
        parameters = [
            {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
            for name in names
        ]
        kind = "text/html" if path == "/report" else "application/json"
        shape: dict[str, Any] = {"type": "string" if path == "/report" else "object"}
        app.add_api_route(
            path,
            run,
            methods=["POST" if extra else "GET"],
            response_class=Response,
            openapi_extra={**extra, "parameters": parameters},
            responses={
                200: {"description": "done", "content": {kind: {"schema": shape}}},
                **_refusals(413, 503),
            },
        )


def _union(options: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return all options once, as names of parameters."""
    parameters = (name.replace("-", "_") for names in options.values() for name in names)
    return tuple(dict.fromkeys(parameters))


def _chosen(
    query: Sequence[tuple[str, str]], name: str, otherwise: str, among: Sequence[str]
) -> str:
    """Return the value of the parameter on which it depends what the others are."""
    value = next((text for key, text in query if key == name), otherwise)
    if value not in among:
        raise InvalidArgument(name, value, one_of(value, among))
    return value


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
            "least_k": flows.least,
            "k": flows.rungs,
            **flows.state,
        }
        return Response(_json(state), media_type="application/json")

    async def live() -> Response:
        """Say that the process answers."""
        return Response(_json({"status": "live"}), media_type="application/json")

    async def ready() -> Response:
        """Say whether flows are answered, if need be without the database."""
        watch.look()
        if not flows.ready:
            return _refuse(503, None, "the cells are not made yet")
        state = {"status": "ready", "database": watch.database}
        return Response(_json(state), media_type="application/json")

    async def metrics() -> Response:
        """Return figures for Prometheus."""
        return Response(
            figures.state(flows.state.get("unread", {})), media_type=CONTENT_TYPE_LATEST
        )

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
                **_refusals(*((503,) if path == "/ready" else ())),
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


def _word(name: str, value: str) -> str:
    """Return a name of a method or an attack: it stands where an option could."""
    if not value.replace("-", "").isalnum() or value.startswith("-"):
        raise InvalidArgument(name, value, "the name of one")
    return value


def _told(answered: Answered) -> Response:
    if answered.status in ANSWERS:
        return Response(_json(answered.document()), media_type="application/json")
    if answered.status == 2:
        return _refuse(422, answered.parameter, answered.message)
    if answered.status < 0:
        return _refuse(503, None, "the system ended it: it may have needed too much memory")
    return _refuse(500, None, "a fault of kproof itself")


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()
