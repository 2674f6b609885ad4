"""The ways in for tables that are sent and for questions of theory."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from kproof.errors import InvalidArgument, one_of
from kproof.serve.answers import as_json, refusals, refuse
from kproof.serve.parameters import (
    describe_parameters,
    of_anonymize,
    of_laws,
    of_tables,
    of_theory,
    require_typed,
)
from kproof.serve.posted import (
    LAWS,
    MODELS,
    ROLES,
    Answered,
    Workers,
    options_of,
    options_of_bounds,
)

_OF_MODELS = (*ROLES, *MODELS)
TABLE_WAYS = {
    "check": (*_OF_MODELS, "suppressed-as", "audience"),
    "anonymize": (*_OF_MODELS, "method", "suppress", "suppressed", "seed", "audience", "keep"),
    "attack": (*ROLES, "attack", "tau", "k", "mu", "suppressed-as"),
    "report": (*ROLES, "k", "mu", "column"),
}
"""Parameters of the ways in for tables by command, whose options they are to a test."""


def add_posted(app: FastAPI, most_bytes: int, seconds: float) -> None:
    """Add them to an application whose tables have so many bytes and take so long at most."""
    bounds = options_of_bounds()
    workers = Workers(most_bytes, seconds, asyncio.Semaphore(2))
    asked_of_check, asked_of_anonymize, asked_of_attack, asked_of_report = TABLE_WAYS.values()

    async def check(request: Request) -> Response:
        """Check a published table, sent as CSV or Parquet, against privacy models."""
        options = read_options(request, asked_of_check, of_tables())
        answered = await workers.run(["check", "FILE", "--json"], options, request.stream())
        return _to_response(answered)

    async def anonymize(request: Request) -> Response:
        """Publish a table, sent as CSV or Parquet, safely, or by a method that is named.

        The release comes back with its account and judgement; it is empty if it is not to be
        published, unless audience is study.
        """
        options = read_options(request, asked_of_anonymize, of_anonymize())
        method = [options.pop("method")] if "method" in options else []
        words = ["anonymize", *method, "FILE", "--json", "--output=release.csv"]
        answered = await workers.run(words, options, request.stream(), ["release.csv"])
        if not answered.answers:
            return _to_response(answered)
        document = {**answered.document(), "release": answered.files.get("release.csv", "")}
        return Response(as_json(document), media_type="application/json")

    async def attack(request: Request) -> Response:
        """Attack a published table, sent as CSV or Parquet."""
        options = read_options(request, asked_of_attack, of_tables())
        name = options.pop("attack", "homogeneity")
        answered = await workers.run(["attack", name, "FILE", "--json"], options, request.stream())
        return _to_response(answered)

    async def report(request: Request) -> Response:
        """Return the report page of a table, sent as CSV or Parquet."""
        options = read_options(request, asked_of_report, of_tables())
        words = ["report", "FILE", "--json", "--output=page"]
        answered = await workers.run(words, options, request.stream(), ["page/report.html"])
        if not answered.answers:
            return _to_response(answered)
        return Response(answered.files["page/report.html"], media_type="text/html")

    async def bound(request: Request) -> Response:
        """Set what a theorem prints beside what can be proved and the exact value.

        theorem is 1 to 5, or blocks for what block masses prove. Parameters are the options of
        kproof bound; data names a shipped table, and where an option names another file, the
        parameter is its text.
        """
        query = request.query_params.multi_items()
        theorem = _choice(query, "theorem", "1", tuple(bounds))
        options = options_of(query, ("theorem", *bounds[theorem]))
        require_typed(options, of_theory())
        options.pop("theorem", None)
        return _to_response(await workers.run(["bound", theorem, "--json"], options))

    async def exact(request: Request) -> Response:
        """Return the exact epsilon or delta of a law with certified digits.

        law is that of kproof exact, binomial if not given. Parameters are its options; data names a
        shipped table, and for law=file the parameter file is the text of the file.
        """
        query = request.query_params.multi_items()
        law = _choice(query, "law", "binomial", tuple(LAWS))
        # What bound calls law is the text of a file; here it is a name.
        parameters = [(name, value) for name, value in query if name != "law"]
        if len(query) - len(parameters) > 1:
            raise InvalidArgument("law", law, "one value")
        options = options_of(parameters, LAWS[law])
        require_typed(options, of_theory())
        return _to_response(await workers.run(["exact", law, "--json"], options))

    text = {"schema": {"type": "string"}}
    body = {
        "requestBody": {
            "required": True,
            "content": {"text/csv": text, "application/vnd.apache.parquet": text},
        }
    }
    ways: list[tuple[str, Callable[..., Any], tuple[str, ...], Any, Mapping[str, Any]]] = [
        ("/api/check", check, asked_of_check, of_tables(), body),
        ("/api/anonymize", anonymize, asked_of_anonymize, of_anonymize(), body),
        ("/api/attack", attack, asked_of_attack, of_tables(), body),
        ("/report", report, asked_of_report, of_tables(), body),
        ("/api/bound", bound, _union({"": ("theorem",), **bounds}), of_theory(), {}),
        ("/api/exact", exact, _union({"": ("law",), **LAWS}), of_laws(), {}),
    ]
    for path, run, names, schemas, extra in ways:
        parameters = describe_parameters(names, schemas)
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
                **refusals(413, 503),
            },
        )


def read_options(
    request: Request, allowed: Sequence[str], schemas: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the options of a request, each allowed and of its type."""
    options = options_of(request.query_params.multi_items(), allowed)
    require_typed(options, schemas)
    return options


def _union(options: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return all options once, as names of parameters."""
    parameters = (name.replace("-", "_") for names in options.values() for name in names)
    return tuple(dict.fromkeys(parameters))


def _choice(
    query: Sequence[tuple[str, str]], name: str, otherwise: str, among: Sequence[str]
) -> str:
    """Return the value of the parameter on which it depends what the others are."""
    value = next((text for key, text in query if key == name), otherwise)
    if value not in among:
        raise InvalidArgument(name, value, one_of(value, among))
    return value


def _to_response(answered: Answered) -> Response:
    if answered.answers:
        return Response(as_json(answered.document()), media_type="application/json")
    if answered.status == 2:
        return refuse(422, answered.parameter, answered.message)
    if answered.status < 0:
        return refuse(503, None, "the system ended it: it may have needed too much memory")
    sys.stderr.write(f"kproof: a fault of kproof itself: {answered.fault}\n")
    return refuse(500, None, "a fault of kproof itself")
