"""``kproof serve``: k-anonymous flows of a database over HTTP, or to an agent."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from inspect import signature
from ipaddress import ip_address
from math import ceil
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from kproof.cli.base.common import SWITCH
from kproof.errors import DataError, InvalidArgument, MissingExtra, did_you_mean, show

if TYPE_CHECKING:
    from kproof.serve.app import ServiceLimits
    from kproof.serve.flows import Flows

_DATA = Group("Data", sort_key=2)
_WHO = Group("Who may ask", sort_key=3)

DEMO_ROWS = 60_000
"""Exits that ``--demo`` makes up."""

_NEEDED = ("fastapi", "uvicorn", "ibis", "duckdb", "prometheus_client", "mcp")


def serve(
    *,
    database: Annotated[str | None, Parameter(group=_DATA)] = None,
    database_from_env: Annotated[str | None, Parameter(group=_DATA)] = None,
    database_from_file: Annotated[str | None, Parameter(group=_DATA)] = None,
    csv: Annotated[str | None, Parameter(group=_DATA)] = None,
    demo: Annotated[SWITCH, Parameter(group=_DATA)] = False,
    table: Annotated[str, Parameter(group=_DATA)] = "exits",
    section: Annotated[str, Parameter(group=_DATA)] = "section_id",
    time: Annotated[str, Parameter(group=_DATA)] = "exit_time",
    toll: Annotated[str, Parameter(group=_DATA)] = "toll",
    vehicle: Annotated[str | None, Parameter(group=_DATA)] = None,
    time_zone: Annotated[str, Parameter(group=_DATA)] = "UTC",
    cells: Annotated[str | None, Parameter(group=_DATA)] = None,
    close_after: Annotated[str, Parameter(group=_DATA)] = "0",
    rebind: Annotated[SWITCH, Parameter(group=_DATA)] = False,
    sampled: Annotated[str | None, Parameter(group=_DATA)] = None,
    config: str | None = None,
    host: str = "127.0.0.1",
    port: str = "8000",
    least_k: str = "5",
    most_k: str | None = None,
    allow_printed: SWITCH = False,
    agent: SWITCH = False,
    api_keys: Annotated[str | None, Parameter(group=_WHO)] = None,
    rate: Annotated[str | None, Parameter(group=_WHO)] = None,
    most_bytes: Annotated[str, Parameter(group=_WHO)] = "10000000",
    access_log: Annotated[str | None, Parameter(group=_WHO)] = None,
    audit_log: Annotated[str | None, Parameter(group=_WHO)] = None,
) -> None:
    """Serve k-anonymous flows of trucks from a database.

    Closed days are divided into cells of at least k people once; every answer consists of whole
    cells and is checked before it leaves. Libraries of the extra serve are needed.

    Args:
        database: A DuckDB file, or a URL such as postgres://user@host/name. A password in it is
            refused: every process of the machine could read it.
        database_from_env: An environment variable with such a URL, which may have a password.
        database_from_file: A file with such a URL, which nobody but its owner may read.
        csv: A CSV file in place of a database.
        demo: Serve exits that are made up.
        table: The table of exits.
        section: Its column of section ids.
        time: Its column of times of exit.
        toll: Its column of tolls.
        vehicle: Its column that says whom a record is about: k then counts vehicles.
        time_zone: The zone whose days and hours are meant, such as Asia/Shanghai. Times with a zone
            are read in it; times without one are taken to be its own.
        cells: A file that keeps closed days as they were. Without it, a record that comes late
            changes cells when the server starts again. Several servers can share it: one of them
            closes days, the others read them.
        close_after: Hours from the end of a day until it is closed. Records that come or are
            corrected by then belong to it; later ones count with a later day.
        rebind: Confirm that the database is that of the file of cells, if it has another name and
            either none of the closed days or sampled ones.
        sampled: Keep the first exit of each vehicle and day by a coin of this chance, such as 1/2.
            A day's coins are tossed once, when it is closed, and sections with fewer than k sampled
            vehicles on it are dropped: the answers have an epsilon and a delta against everyone.
            Needs --cells and --vehicle; k is --least-k alone.
        config: A TOML file with options by name, such as least-k = 10. Options on the command line
            win.
        host: Address to listen on. Any but a loopback address needs --api-keys and --rate.
        port: Port to listen on; 0 for a free one.
        least_k: Smallest k, which all answers together promise. The other k are 2, 4, 10, 20, 40,
            100, ... times as large, and fixed with the cells.
        most_k: No larger k is answered; 1000 if not given.
        allow_printed: Allow algorithm=printed, which clusters each window afresh: its answers can
            be subtracted.
        agent: Speak the Model Context Protocol through standard input and output, in place of HTTP;
            without keys, rate and logs.
        api_keys: A file of mode 0600 with an API key of 16 signs or more in each line, read again
            when it changes.
        rate: Requests a minute of each key, or of each address without keys.
        most_bytes: Largest table that may be sent.
        access_log: A file for a line of JSON about each request, without parameters, addresses and
            keys; - for the standard error.
        audit_log: A file for a line of JSON about each answer about flows: what was asked, and a
            digest of what was answered; - for the standard error.
    """
    for option, value in locals().items():
        # A script whose variable is not set would mean "no file", and lose every closed day.
        if isinstance(value, str) and not value.strip():
            raise InvalidArgument(option, value, "a value that is not empty, or no such option")
    for name in _NEEDED:
        if find_spec(name) is None:
            raise MissingExtra(name, "serve")
    from kproof.models.tables.engines.opening import without_password
    from kproof.models.tables.kaca.fixed import MOST_K
    from kproof.serve.app import ServiceLimits
    from kproof.serve.flows import prepare_flows
    from kproof.serve.records import KeyFile, RequestLog, reopen_on_signal
    from kproof.serve.sampled import prepare_sampled
    from kproof.serve.source import TollColumns, TollSource, zone_named
    from kproof.theory.exact.typed import integer

    # What the file says is among the words already: see with_file.
    del config
    sources = (database, database_from_env, database_from_file, csv, demo or None)
    if sum(source is not None for source in sources) != 1:
        shown = None if database is None else without_password(database)
        need = "one of --database, --database-from-env, --database-from-file, --csv and --demo"
        raise InvalidArgument("database", shown, need)
    for option, address in (("database", database), ("csv", csv)):
        _require_no_secret(option, address)
    if database_from_env is not None:
        database = _variable(database_from_env)
    if database_from_file is not None:
        database = _read_private_address(database_from_file)
    if agent:
        # Nobody is asked for a key and nothing is logged there: to pass over these would be a lie.
        for option, value in (
            # A key in place of its file would be printed.
            ("api_keys", None if api_keys is None else "..."),
            ("rate", rate),
            ("access_log", access_log),
            ("audit_log", audit_log),
        ):
            if value is not None:
                raise InvalidArgument(option, value, "none with --agent, which has no HTTP")
    number = integer("port", port, least=0, most=65535)
    least = integer("least_k", least_k, least=2)
    size = integer("most_bytes", most_bytes, least=1)
    hours = integer("close_after", close_after, least=0, most=24 * 366)
    a_minute = None if rate is None else integer("rate", rate, least=1)
    keys = None if api_keys is None else KeyFile(api_keys)
    try:
        near = ip_address(host).is_loopback
    except ValueError:
        near = host == "localhost"
    if not near and not agent:
        for option, value in (("api_keys", api_keys), ("rate", rate)):
            if value is None:
                name = option.replace("_", "-")
                raise InvalidArgument(option, None, f"--{name} with --host {host}")
    columns = TollColumns(table, section, time, toll, vehicle, zone_named(time_zone).key)
    source = TollSource(columns, database, csv, DEMO_ROWS if demo else None)
    flows: Flows
    if sampled is None:
        most = integer("most_k", MOST_K if most_k is None else most_k, least=least)
        flows = prepare_flows(
            source,
            cells,
            least=least,
            most=most,
            printed=allow_printed,
            close_after=hours,
            rebind=rebind,
        )
    else:
        _require_alone(allow_printed=allow_printed, most_k=most_k)
        flows = prepare_sampled(
            source, cells, k=least, beta=sampled, close_after=hours, rebind=rebind
        )
    if agent:
        import asyncio

        from kproof.serve.agents import serve_agents

        flows.start()
        asyncio.run(serve_agents(flows))
        return
    # A page in a browser could have its own name lead to a loopback address, where no key is asked
    # for; elsewhere keys keep it out.
    hosts = ("localhost", "127.0.0.1", "[::1]", host) if near else ()
    logs = [None if path is None else RequestLog(path) for path in (access_log, audit_log)]
    reopen_on_signal(*(log for log in logs if log is not None))
    limits = ServiceLimits(
        keys=keys, rate=a_minute, hosts=hosts, most_bytes=size, access=logs[0], audit=logs[1]
    )
    _listen(flows, host, number, limits)


def with_file(words: Sequence[str]) -> list[str]:
    """Return the words of the command with those of its ``--config`` in front.

    Raises:
        InvalidArgument: If the file cannot be read, or has what is no option.
    """
    typed = {word.partition("=")[0] for word in words}
    at = next((at for at, word in enumerate(words) if word.partition("=")[0] == "--config"), None)
    if at is None or "--help" in typed:
        return list(words)
    path = words[at].partition("=")[2] or next(iter(words[at + 1 :]), "")
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not TOML"
        raise InvalidArgument("config", path, f"a TOML file that can be read: {reason}") from None
    parameters = signature(serve).parameters
    options = {name.replace("_", "-"): parameters[name].default is False for name in parameters}
    del options["config"]
    more = []
    for name, value in document.items():
        if name not in options:
            close = did_you_mean(name, sorted(options))
            raise DataError(f"{show(path)}: {show(name)} is no option of kproof serve{close}")
        # A column that is false would not be asked for, and people not be counted by it.
        if isinstance(value, bool) != options[name] or not isinstance(value, (str, int)):
            need = "true or false" if options[name] else "a text or a whole number"
            raise DataError(f"{show(path)}: {name}: need {need}")
        if f"--{name}" not in typed and value is not False:
            more.append(f"--{name}" if value is True else f"--{name}={value}")
    return [*more, *words]


def _require_no_secret(option: str, address: str | None) -> None:
    """Refuse what a list of processes would show."""
    from kproof.models.tables.engines.opening import without_password

    if address is not None and without_password(address) != address:
        need = "an address without secrets, which every process of the machine could read: see "
        raise InvalidArgument(
            option, without_password(address), need + "--database-from-env, PGPASSFILE"
        )


def _variable(name: str) -> str:
    # Taken out, so that nothing that the server starts inherits it.
    address = os.environ.pop(name, "").strip()
    if not address:
        # A name that is an address by mistake is not printed.
        raise InvalidArgument("database_from_env", None, "the name of a variable with an address")
    return address


def _read_private_address(path: str) -> str:
    """Return the address in a file that nobody else may read."""
    try:
        with open(path, encoding="utf-8") as file:
            open_to_others = os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077
            address = file.read().strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument("database_from_file", None, "a file that can be read") from None
    if open_to_others or not address or not address.isprintable():
        need = "one line, in a file of mode 0600 (chmod 600)"
        raise InvalidArgument("database_from_file", path, need)
    return address


def _require_alone(*, allow_printed: bool, most_k: str | None) -> None:
    """Refuse what would answer from the rows beside the sample, or for a second k."""
    if allow_printed:
        need = "none with --sampled: beside exact answers delta is 1 at every epsilon (R0)"
        raise InvalidArgument("allow_printed", allow_printed, need)
    if most_k is not None:
        need = "none with --sampled: each further k is a second table of one sample (R10)"
        raise InvalidArgument("most_k", most_k, need)


def _listen(flows: Flows, host: str, port: int, limits: ServiceLimits) -> None:
    import socket

    import uvicorn

    from kproof.serve.app import service
    from kproof.serve.patience import HeadersInTime

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without the protocol asyncio does not know that it is TCP, and small answers wait 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        # Else a server that is started again waits for the connections of the former one to expire.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise InvalidArgument("port", port, f"a free one: {error.strerror}") from None
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}"
        config = uvicorn.Config(
            service(flows, limits),
            http=HeadersInTime,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_keep_alive=5,
            # Whatever is worked on has its own limit, and may end.
            timeout_graceful_shutdown=ceil(limits.seconds) + 5,
            ws="none",
        )
        server = uvicorn.Server(config)
        failed: list[BaseException] = []

        def start() -> None:
            try:
                flows.start()
            except BaseException as error:
                failed.append(error)
                server.should_exit = True
            else:
                promise = f"{flows.promise}{flows.remark}"
                print(f"{address} serves {flows.source.name}, {promise}", flush=True)

        # Making the cells takes seconds, in which the server says that it is starting.
        Thread(target=start, daemon=True).start()
        server.run(sockets=[listening])
    if failed:
        raise failed[0]
