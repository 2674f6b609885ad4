"""Small PNML documents, written by hand from short pieces, and a plain search of their markings."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from kproof.petri.net.firing import firings
from kproof.petri.net.net import Net

State = TypeVar("State", bound=Hashable)

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
GRAMMAR = "http://www.pnml.org/version-2009/grammar/"


def counted(net: Net) -> tuple[int, int]:
    """Return the numbers of reachable markings and of firings in them, by the firing rule alone."""
    return searched(net.initial, lambda marking: [after for _, after in firings(net, marking)])


def searched(start: State, following: Callable[[State], Iterable[State]]) -> tuple[int, int]:
    """Return the numbers of reachable states and of steps between them."""
    seen, waiting, steps = {start}, [start], 0
    while waiting:
        for after in following(waiting.pop()):
            steps += 1
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return len(seen), steps


def document(*parts: str, declared: str = "", kind: str = "symmetricnet") -> str:
    """Return a document with one net on one page."""
    declaration = f"<declaration><structure><declarations>{declared}</declarations></structure>"
    declaration += "</declaration>"
    return (
        f'<pnml xmlns="{NAMESPACE}">\n<net id="net" type="{GRAMMAR}{kind}">\n'
        f"{declaration if declared else ''}\n<page id='page'>\n" + "\n".join(parts) + "\n"
        "</page></net></pnml>"
    )


def enumeration(sort: str, *values: str, cyclic: bool = False, name: str = "") -> str:
    """Return a declared enumeration; the id of a value is that of the sort and the value."""
    constants = "".join(
        f'<feconstant id="{sort}{value}" name="{name or value}"/>' for value in values
    )
    tag = "cyclicenumeration" if cyclic else "finiteenumeration"
    return named(sort, f"<{tag}>{constants}</{tag}>")


def named(sort: str, content: str) -> str:
    return f'<namedsort id="{sort}" name="{sort}">{content}</namedsort>'


def variable(name: str, sort: str) -> str:
    return f'<variabledecl id="var-{name}" name="{name}">{of(sort)}</variabledecl>'


def product(sort: str, *parts: str) -> str:
    return named(sort, f"<productsort>{''.join(map(of, parts))}</productsort>")


def of(sort: str) -> str:
    return f'<usersort declaration="{sort}"/>'


def place(name: str, sort: str, initial: str = "") -> str:
    marking = f"<hlinitialMarking><structure>{initial}</structure></hlinitialMarking>"
    return (
        f'<place id="{name}"><name><text>{name}</text></name>'
        f"<type><structure>{of(sort)}</structure></type>{marking if initial else ''}</place>"
    )


def transition(
    name: str, guard: str = "", *, takes: dict[str, str] | None = None, puts: dict[str, str]
) -> str:
    """Return a transition with its arcs."""
    condition = f"<condition><structure>{guard}</structure></condition>" if guard else ""
    arcs = [arc(place, name, term) for place, term in (takes or {}).items()]
    arcs += [arc(name, place, term) for place, term in puts.items()]
    return f'<transition id="{name}">{condition}</transition>' + "\n".join(arcs)


def arc(source: str, target: str, term: str) -> str:
    return (
        f'<arc id="{source}-to-{target}" source="{source}" target="{target}">'
        f"<hlinscription><structure>{term}</structure></hlinscription></arc>"
    )


def op(operator: str, *operands: str) -> str:
    inside = "".join(f"<subterm>{operand}</subterm>" for operand in operands)
    return f"<{operator}>{inside}</{operator}>"


def var(name: str) -> str:
    return f'<variable refvariable="var-{name}"/>'


def con(identifier: str) -> str:
    return f'<useroperator declaration="{identifier}"/>'


def every(sort: str) -> str:
    return f"<all>{of(sort)}</all>"


def number(value: int, low: int, high: int) -> str:
    """Return a constant of a range of integers."""
    return (
        f'<finiteintrangeconstant value="{value}"><finiteintrange start="{low}" end="{high}"/>'
        "</finiteintrangeconstant>"
    )


def copies(count: int, term: str, operator: str = "numberof") -> str:
    return op(operator, f'<numberconstant value="{count}"><positive/></numberconstant>', term)


DOT = "<dotconstant/>"
DOTS = named("dot", "<dot/>")


def token_ring(size: int) -> str:
    """Return Dijkstra's self-stabilizing ring: a machine copies its neighbour, the first counts.

    All values share one name, as in the published file of this model.
    """
    values = [str(i) for i in range(size + 1)]
    declared = (
        enumeration("Process", *values, cyclic=True, name="Process")
        + product("State", "Process", "Process")
        + "".join(variable(name, "Process") for name in "ixy")
    )
    first, last = con("Process0"), con(f"Process{size}")
    return document(
        place("state", "State", op("add", *(op("tuple", con(f"Process{v}"), con(f"Process{v}"))
                                            for v in values))),
        transition(
            "first",
            takes={"state": op("add", op("tuple", first, var("x")), op("tuple", last, var("x")))},
            puts={"state": op("add", op("tuple", first, op("successor", var("x"))),
                              op("tuple", last, var("x")))},
        ),
        transition(
            "other",
            op("and", op("inequality", var("i"), first), op("inequality", var("x"), var("y"))),
            takes={"state": op("add", op("tuple", var("i"), var("x")),
                               op("tuple", op("predecessor", var("i")), var("y")))},
            puts={"state": op("add", op("tuple", var("i"), var("y")),
                              op("tuple", op("predecessor", var("i")), var("y")))},
        ),
        declared=declared,
    )  # fmt: skip


def shared_memory(size: int) -> str:
    """Return processors with memories of their own, and one bus to those of others."""
    declared = (
        DOTS
        + enumeration("P", *map(str, range(size)))
        + product("Access", "P", "P")
        + variable("x", "P")
        + variable("y", "P")
    )
    access = op("tuple", var("x"), var("y"))
    return document(
        place("Active", "P", every("P")),
        place("Memory", "P", copies(1, every("P"))),
        place("Own", "P"),
        place("Queue", "P"),
        place("External", "Access"),
        place("Bus", "dot", copies(1, DOT)),
        transition("own", takes={"Active": var("x")}, puts={"Own": var("x")}),
        transition("done", takes={"Own": var("x")}, puts={"Active": var("x")}),
        transition("ask", takes={"Active": var("x")}, puts={"Queue": var("x")}),
        transition(
            "enter",
            op("inequality", var("x"), var("y")),
            takes={"Queue": var("x"), "Memory": var("y"), "Bus": DOT},
            puts={"External": access},
        ),
        transition(
            "leave",
            takes={"External": access},
            puts={"Active": var("x"), "Memory": var("y"), "Bus": DOT},
        ),
        declared=declared,
    )


def peterson(size: int) -> str:
    """Return Peterson's mutual exclusion for ``size`` + 1 processes, with its loop in the open."""
    last_tour = con(f"Tour{size - 1}")
    declared = (
        enumeration("Process", *map(str, range(size + 1)), cyclic=True)
        + enumeration("Tour", *map(str, range(size)), cyclic=True)
        + enumeration("Bool", "F", "T")
        + product("Wish", "Process", "Bool")
        + product("At", "Process", "Tour")
        + product("Turns", "Tour", "Process")
        + product("Check", "Process", "Tour", "Process")
        + variable("i", "Process")
        + variable("k", "Process")
        + variable("j", "Tour")
    )
    i, j, k, last = var("i"), var("j"), var("k"), con(f"Process{size}")
    at, check = op("tuple", i, j), op("tuple", i, j, k)
    yes, no = con("BoolT"), con("BoolF")
    return document(
        place("Idle", "Process", every("Process")),
        place("Want", "Wish", copies(1, op("tuple", every("Process"), no))),
        place("Turn", "Turns", copies(1, op("tuple", every("Tour"), con("Process0")))),
        *(place(name, "At") for name in ("Ask", "TestTurn", "EndTurn")),
        *(place(name, "Check") for name in ("Begin", "Identity", "Alone", "IsEnd")),
        place("CS", "Process"),
        transition(
            "ask",
            takes={"Idle": i, "Want": op("tuple", i, no)},
            puts={"Want": op("tuple", i, yes), "Ask": op("tuple", i, con("Tour0"))},
        ),
        transition(
            "update",
            takes={"Ask": at, "Turn": op("tuple", j, k)},
            puts={"Turn": op("tuple", j, i), "TestTurn": at},
        ),
        transition(
            "turn_equal",
            takes={"TestTurn": at, "Turn": op("tuple", j, i)},
            puts={"Turn": op("tuple", j, i), "Begin": op("tuple", i, j, con("Process0"))},
        ),
        transition(
            "turn_differs",
            op("inequality", i, k),
            takes={"TestTurn": at, "Turn": op("tuple", j, k)},
            puts={"Turn": op("tuple", j, k), "EndTurn": at},
        ),
        transition("continue", takes={"Begin": check}, puts={"Identity": check}),
        transition(
            "same", takes={"Identity": op("tuple", i, j, i)}, puts={"IsEnd": op("tuple", i, j, i)}
        ),
        transition(
            "other", op("inequality", i, k), takes={"Identity": check}, puts={"Alone": check}
        ),
        transition(
            "alone",
            takes={"Alone": check, "Want": op("tuple", k, no)},
            puts={"IsEnd": check, "Want": op("tuple", k, no)},
        ),
        transition(
            "not_alone",
            takes={"Alone": check, "Want": op("tuple", k, yes)},
            puts={"TestTurn": at, "Want": op("tuple", k, yes)},
        ),
        transition(
            "loop",
            op("inequality", k, last),
            takes={"IsEnd": check},
            puts={"Begin": op("tuple", i, j, op("successor", k))},
        ),
        transition("end_loop", takes={"IsEnd": op("tuple", i, j, last)}, puts={"EndTurn": at}),
        transition(
            "next_turn",
            op("inequality", j, last_tour),
            takes={"EndTurn": at},
            puts={"Ask": op("tuple", i, op("successor", j))},
        ),
        transition("enter", takes={"EndTurn": op("tuple", i, last_tour)}, puts={"CS": i}),
        transition(
            "leave",
            takes={"CS": i, "Want": op("tuple", i, yes)},
            puts={"Idle": i, "Want": op("tuple", i, no)},
        ),
        declared=declared,
    )


def broadcast(size: int) -> str:
    """Return a round of messages: one asks all the others, each answers, then it goes on."""
    declared = (
        enumeration("P", *map(str, range(size)), cyclic=True)
        + product("Mail", "P", "P")
        + variable("x", "P")
        + variable("y", "P")
    )
    to_all = op("tuple", var("x"), every("P"))
    to_self = op("tuple", var("x"), var("x"))
    others = op("subtract", to_all, copies(1, to_self))
    return document(
        place("Turn", "P", con("P0")),
        place("Asked", "Mail"),
        place("Answered", "Mail"),
        place("Waiting", "P"),
        transition("ask", takes={"Turn": var("x")}, puts={"Asked": others, "Waiting": var("x")}),
        transition(
            "answer",
            takes={"Asked": op("tuple", var("x"), var("y"))},
            puts={"Answered": op("tuple", var("x"), var("y"))},
        ),
        transition(
            "go_on",
            takes={"Waiting": var("x"), "Answered": others},
            puts={"Turn": op("successor", op("successor", op("predecessor", var("x"))))},
        ),
        declared=declared,
    )


def access_rights() -> str:
    """Return users who take files of users of a lower or of their own rank, by a partition."""

    def block(name: str, *users: str) -> str:
        inside = "".join(con(f"User{user}") for user in users)
        return f'<partitionelement id="{name}" name="{name}">{inside}</partitionelement>'

    def rank(user: str) -> str:
        whose = f"<subterm>{var(user)}</subterm>"
        return f'<partitionelementof refpartition="Rank">{whose}</partitionelementof>'

    declared = (
        enumeration("User", "apache", "iis", "chris", "denise", "root")
        + f'<partition id="Rank" name="Rank">{of("User")}{block("www", "apache", "iis")}'
        + f"{block('work', 'chris', 'denise')}{block('admin', 'root')}</partition>"
        + product("Pair", "User", "User")
        + variable("u", "User")
        + variable("v", "User")
    )
    may = op("or", op("equality", var("u"), var("v")), op("gtp", rank("u"), rank("v")))
    equals = op("and", op("equality", rank("u"), rank("v")), op("inequality", var("u"), var("v")))
    below = op("ltp", rank("u"), con("work"))
    pair = op("tuple", var("u"), var("v"))
    return document(
        place("Users", "User", every("User")),
        place("Files", "User", every("User")),
        place("Open", "Pair"),
        place("Shared", "Pair"),
        transition("open", may, takes={"Users": var("u"), "Files": var("v")}, puts={"Open": pair}),
        transition(
            "share",
            op("and", equals, below),
            takes={"Users": var("u"), "Files": var("v")},
            puts={"Shared": pair},
        ),
        declared=declared,
    )  # fmt: skip
