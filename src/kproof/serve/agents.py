"""The answers for agents: a tool of the Model Context Protocol with the schema of the HTTP API."""

import json
from datetime import date
from typing import Any

from kproof.errors import InvalidArgument, KProofError, show
from kproof.serve.flows import Flows
from kproof.serve.schema import FLOW_SUMMARY, flow_request
from kproof.serve.watch import SourceWatch
from kproof.theory.exact.typed import integer
from kproof.version import __version__

TOOL = "exit_hourly_flow_k_anonymized"


def day(name: str, value: object) -> date | None:
    """Read a day as ``YYYY-MM-DD``.

    >>> day("start_date", "2023-01-02")
    datetime.date(2023, 1, 2)
    >>> day("start_date", "2023-02-30")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: start_date = 2023-02-30: need a day as YYYY-MM-DD
    """
    if value is None:
        return None
    try:
        # Since Python 3.11 `fromisoformat` takes 20230102 and days of weeks, too, which HTTP
        # refuses.
        if isinstance(value, str) and value.isascii() and len(value) == 10:
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise InvalidArgument(name, value, "a day as YYYY-MM-DD")


def answer_tool(flows: Flows, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to the arguments of a tool."""
    form = flow_request(flows.rungs)["properties"]
    for name, value in arguments.items():
        if name not in form:
            raise InvalidArgument(name, value, f"an argument among {', '.join(form)}")
    k = arguments.get("k", form["k"]["default"])
    # JSON's true is an int to Python, and would be read as k = 1.
    if isinstance(k, bool) or not isinstance(k, int):
        raise InvalidArgument("k", k, "a whole number")
    return flows.answer(
        day("start_date", arguments.get("start_date")),
        day("end_date", arguments.get("end_date")),
        integer("k", k, least=flows.least, most=flows.most),
    )


def agent_server(flows: Flows, watch: SourceWatch | None = None) -> Any:
    """Return a server of the Model Context Protocol with one tool.

    Args:
        flows: What answers.
        watch: What seals its days; by default one of its own.
    """
    import mcp_types as types
    from anyio import to_thread
    from mcp.server import Server

    days = SourceWatch(flows) if watch is None else watch

    async def list_tools(*_: Any) -> Any:
        tool = types.Tool(
            name=TOOL,
            title=FLOW_SUMMARY,
            description=flows.form.description,
            input_schema=flow_request(flows.rungs),
            output_schema=dict(flows.form.answer),
            annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True),
        )
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, request: Any) -> Any:
        try:
            if request.name != TOOL:
                raise InvalidArgument("name", request.name, TOOL)
            # Days that were closed since are answered as over HTTP, and nobody waits long for them.
            await to_thread.run_sync(days.refresh)
            answer = answer_tool(flows, dict(request.arguments or {}))
        except KProofError as error:
            text = types.TextContent(type="text", text=show(str(error), 500))
            return types.CallToolResult(content=[text], is_error=True)
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        # Both forms: clients of earlier versions of the protocol read the text alone.
        return types.CallToolResult(content=[text], structured_content=answer)

    return Server("kproof", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_agents(flows: Flows) -> None:
    """Speak to one agent through standard input and output until it goes."""
    from mcp.server.stdio import stdio_server

    watch = SourceWatch(flows)
    watch.keep()
    server = agent_server(flows, watch)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
