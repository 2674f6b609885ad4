"""What every answer over HTTP is made of."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi.responses import JSONResponse

from kproof.serve.schema import REFUSAL, refusal


def refuse(status: int, parameter: str | None, message: str) -> JSONResponse:
    """Return a refusal."""
    return JSONResponse(refusal(parameter, message), status)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how OpenAPI tells of refusals."""
    content = {"application/json": {"schema": dict(REFUSAL)}}
    return {
        status: {"description": "refused", "content": content}
        for status in (400, 401, 403, 405, 422, 429, 500, *statuses)
    }


def as_json(document: Mapping[str, Any]) -> bytes:
    """Return a document as it is sent."""
    return json.dumps(document, ensure_ascii=False).encode()
