"""The forms of requests and answers, for OpenAPI and for agents alike."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLOW_PATH = "/api/analytics/truck/exit-hourly-flow-k-anonymized"

FLOW_SUMMARY = "k-anonymous flows of trucks by region and period"

FLOW_DESCRIPTION = (
    "Counts exits of trucks from toll roads and their mean toll, by region (a common beginning of "
    "section ids) and period of the day, for a window of days. Every line counts at least k "
    "people. Days are divided into cells once; a window that cuts a cell leaves it out, and "
    "suppressed_records counts the exits in such cells. A difference of answers counts whole "
    "cells, too. Use it for traffic in a region; it says nothing about one truck."
)

SAMPLED_DESCRIPTION = (
    "Counts trucks that left toll roads, by section, for a window of days. Of each truck and day "
    "the first exit takes part if a coin says so; what is counted is a section on a day, and only "
    "where k or more were sampled. Everything that is left out is left out of every number: there "
    "are no totals. The member sampling says what that is worth against everyone."
)

DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
"""How a day is written."""


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": dict(properties),
    }


_TEXT: Mapping[str, Any] = {"type": "string"}
_WHOLE: Mapping[str, Any] = {"type": "integer", "minimum": 0}


def _answer_form(
    algorithm: str,
    *,
    count: str,
    toll: Mapping[str, Any],
    totals: Mapping[str, Any],
    protection: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the form of an answer about flows, with what not all of them have in three places."""
    line = {
        "section_region": {"type": "string", "description": "what section ids begin with"},
        "time_period": {"type": "string", "description": "an hour, a quarter of the day, a day"},
        "truck_count": {"type": "integer", "minimum": 1, "description": count},
        **toll,
        "k_anonymized": {"const": True},
        "algorithm": {"const": algorithm},
    }
    described = {
        "method": _TEXT,
        "algorithm": _TEXT,
        "k_value": {"type": "integer", "minimum": 2},
        "input_source": _TEXT,
        "quasi_identifiers": {"type": "array", "items": _TEXT},
        "clustering": _object({"algorithm": _TEXT, "clusters": _WHOLE, "description": _TEXT}),
        "generalization": _object({"geographic": _TEXT, "temporal": _TEXT}),
        "statistics": _object({"anonymized_groups": _WHOLE, **totals}),
        **protection,
    }
    return _object(
        {
            "success": {"const": True},
            "data": {"type": "array", "items": _object(line)},
            "count": _WHOLE,
            "category": _TEXT,
            "privacy_protection": _object(described),
        }
    )


FLOW_ANSWER: Mapping[str, Any] = _answer_form(
    "KACA",
    count="exits",
    toll={"avg_toll": {"type": "number", "description": "mean toll, rounded to cents"}},
    totals={
        "total_records": _WHOLE,
        "suppressed_records": _WHOLE,
        "retention_rate": {"type": "number", "minimum": 0, "maximum": 100},
        "unread_records": {
            "type": "object",
            "additionalProperties": _WHOLE,
            "description": "rows of the database, of any day, that are not read, by reason; they "
            "are part of total_records and suppressed_records",
        },
    },
    protection={},
)
"""What is answered about flows: the document's response."""

FLOW_EXAMPLE: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("flow_example.json").read_text(encoding="utf-8")
)
"""An answer, as OpenAPI shows it."""


@dataclass(frozen=True, slots=True)
class FlowForm:
    """What answers about flows look like."""

    answer: Mapping[str, Any]
    """Their JSON Schema."""
    description: str
    """What they tell, for whoever asks."""
    example: Mapping[str, Any] | None = None
    """One of them."""


EXACT_FORM = FlowForm(FLOW_ANSWER, FLOW_DESCRIPTION, FLOW_EXAMPLE)
"""Answers that count every exit of whole cells."""

SAMPLED_ALGORITHM = "sampled cells"
"""What sampled answers say in place of KACA's name: they are no clusters."""


def form_of_sampled() -> FlowForm:
    """Return the form of answers from sampled days: without tolls, and without totals."""
    from kproof.schemas import json_schema

    sampling = json_schema("serve-sampling")
    # References would be looked for in the document that this form becomes part of.
    bound = sampling.pop("$defs")["DailyBound"]
    sampling["properties"]["bounds"]["items"] = bound
    del sampling["$schema"]
    answer = _answer_form(
        SAMPLED_ALGORITHM,
        count="sampled vehicles, each day's",
        toll={},
        totals={},
        protection={"sampling": sampling},
    )
    return FlowForm(answer, SAMPLED_DESCRIPTION)


REFUSAL: Mapping[str, Any] = _object(
    {
        "success": {"const": False},
        "error": _object(
            {
                "parameter": {
                    "type": ["string", "null"],
                    "description": "what was wrong; null if it was no parameter",
                },
                "message": _TEXT,
            }
        ),
    }
)
"""What every request is told that is refused."""


def flow_request(rungs: Sequence[int]) -> dict[str, Any]:
    """Return the form of a request for flows, for agents."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "start_date": {
                "type": "string",
                "pattern": f"^{DAY}$",
                "description": "first day, YYYY-MM-DD; the first of the data if not given",
            },
            "end_date": {
                "type": "string",
                "pattern": f"^{DAY}$",
                "description": "last day, included; the last of the data if not given",
            },
            "k": {
                "type": "integer",
                "enum": list(rungs),
                "default": default_k(rungs),
                "description": "fewest people that a line counts",
            },
        },
    }


def default_k(rungs: Sequence[int]) -> int:
    """Return the k of a request that has none: the first from 5 on that is answered, or the last.

    >>> default_k((5, 10)), default_k((2, 4, 8)), default_k((2, 4))
    (5, 8, 4)
    """
    return next((k for k in rungs if k >= 5), rungs[-1])


def refusal(parameter: str | None, message: str) -> dict[str, Any]:
    """Return what a request is told that is refused.

    >>> refusal("k", "k = 1: need k >= 2")["error"]["parameter"]
    'k'
    """
    return {"success": False, "error": {"parameter": parameter, "message": message}}
