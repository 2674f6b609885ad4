import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from pnml_texts import (
    DOT,
    DOTS,
    GRAMMAR,
    NAMESPACE,
    access_rights,
    broadcast,
    con,
    copies,
    counted,
    document,
    enumeration,
    every,
    named,
    number,
    of,
    op,
    peterson,
    place,
    product,
    searched,
    shared_memory,
    token_ring,
    transition,
    var,
    variable,
)
from public_data import data_file

from kproof.errors import DataError, KProofError, NetError
from kproof.petri.net.colours import Dot, Integers
from kproof.petri.pnml.read import from_pnml, read_pnml
from kproof.petri.spaces.explore import explore


def published(name: str) -> Path:
    return data_file(f"mcc/{name}/model.pnml")


@cases(
    ("Philosophers-COL-000005", 243, 945),
    ("Philosophers-COL-000010", 59_049, 459_270),
    ("Referendum-COL-0010", 59_050, 393_661),
)
def test_published_models_have_the_published_state_spaces(name, states, arcs):
    space = explore(read_pnml(published(name)))
    assert (space.states, space.arcs) == (states, arcs)


def test_what_a_published_model_is_made_of():
    net = read_pnml(published("Referendum-COL-0010"))
    assert [one.name for one in net.places] == ["ready", "voted_no", "voted_yes", "voting"]
    assert [one.name for one in net.transitions] == ["start", "no", "yes"]
    assert str(net.initial) == "ready: •"
    assert net.place["voting"].colour.values == tuple(map(str, range(1, 11)))


Peterson = tuple[tuple[tuple[object, ...], ...], tuple[bool, ...], tuple[int, ...]]


def peterson_by_hand(size: int) -> tuple[int, int]:
    """Step processes through the loop of Peterson's algorithm; no markings, no bindings."""
    processes = range(size + 1)

    def following(state: Peterson) -> Iterator[Peterson]:
        at, want, turn = state
        for i in processes:
            here, *rest = at[i]

            def to(
                *place: object, i: int = i, wants: bool | None = None, turns: tuple[int, ...] = turn
            ) -> Peterson:
                wish = want[i] if wants is None else wants
                return ((*at[:i], place, *at[i + 1 :]), (*want[:i], wish, *want[i + 1 :]), turns)

            if here == "idle":
                yield to("ask", 0, wants=True)
            elif here == "inside":
                yield to("idle", wants=False)
            else:
                j, *ks = rest
                assert isinstance(j, int)
                k = ks[0] if ks else 0
                assert isinstance(k, int)
                if here == "ask":
                    yield to("test", j, turns=(*turn[:j], i, *turn[j + 1 :]))
                elif here == "test":
                    yield to("begin", j, 0) if turn[j] == i else to("end", j)
                elif here == "begin":
                    yield to("compare", j, k)
                elif here == "compare":
                    yield to("last?", j, k) if k == i else to("alone?", j, k)
                elif here == "alone?":
                    yield to("test", j) if want[k] else to("last?", j, k)
                elif here == "last?":
                    yield to("begin", j, k + 1) if k != size else to("end", j)
                else:
                    yield to("inside") if j == size - 1 else to("ask", j + 1)

    return searched(
        (tuple(("idle",) for _ in processes), (False,) * (size + 1), (0,) * size), following
    )


def test_peterson():
    assert counted(from_pnml(peterson(1))) == peterson_by_hand(1)
    space = explore(from_pnml(peterson(2)))
    assert (space.states, space.arcs) == peterson_by_hand(2)
    assert space.states == 20_754  # as published for Peterson-COL-2


def test_token_ring():
    def following(ring: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if ring[0] == ring[-1]:
            yield ((ring[0] + 1) % len(ring), *ring[1:])
        for i in range(1, len(ring)):
            if ring[i] != ring[i - 1]:
                yield (*ring[:i], ring[i - 1], *ring[i + 1 :])

    found = counted(from_pnml(token_ring(5)))
    assert found == searched(tuple(range(6)), following)
    assert found[0] == 166  # as published for TokenRing-COL-000005


@pytest.mark.parametrize("size", [2, 3, 4])
def test_shared_memory(size):
    # Every processor alone: active, in its own memory or queueing; or one is on the bus, at one of
    # the other memories.
    states = 3**size + size * (size - 1) * 3 ** (size - 1)
    assert counted(from_pnml(shared_memory(size)))[0] == states


def test_shared_memory_of_the_published_size():
    assert explore(from_pnml(shared_memory(5))).states == 1_863  # as SharedMemory-COL-000005


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_in_tuples_and_subtraction(size):
    # A round is a set of answers out of the others', or the turn alone; rounds follow in a circle.
    answers = size - 1
    steps = 2 + answers * 2 ** (answers - 1)
    assert counted(from_pnml(broadcast(size))) == (size * (1 + 2**answers), size * steps)


def test_partitions_in_guards():
    rank = {"apache": 0, "iis": 0, "chris": 1, "denise": 1, "root": 2}
    everyone = frozenset(rank)
    State = tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str, str]]]

    def following(state: State) -> Iterator[State]:
        users, files, held = state
        for u in users:
            for v in files:
                for kind, may in (
                    ("open", u == v or rank[u] > rank[v]),
                    ("share", u != v and rank[u] == rank[v] < rank["chris"]),
                ):
                    if may:
                        yield users - {u}, files - {v}, held | {(kind, u, v)}

    found = counted(from_pnml(access_rights()))
    assert found == searched((everyone, everyone, frozenset()), following)


def test_ranges_and_every_comparison():
    low, high = 2, 5
    cases = {
        "equality": lambda x, y: x == y,
        "inequality": lambda x, y: x != y,
        "lessthan": lambda x, y: x < y,
        "lessthanorequal": lambda x, y: x <= y,
        "greaterthan": lambda x, y: x > y,
        "greaterthanorequal": lambda x, y: x >= y,
        "lt": lambda x, y: x < y,
        "leq": lambda x, y: x <= y,
        "gt": lambda x, y: x > y,
        "geq": lambda x, y: x >= y,
    }
    declared = named("n", f'<finiteintrange start="{low}" end="{high}"/>')
    declared += variable("x", "n") + variable("y", "n")
    for tag, holds in cases.items():
        net = from_pnml(
            document(
                place("p", "n", every("n")),
                transition("t", op(tag, var("x"), var("y")), puts={"p": var("x")}),
                transition(
                    "u", op("not", op(tag, number(3, low, high), var("x"))), puts={"p": var("x")}
                ),
                declared=declared,
            )
        )
        guards = [one.guard for one in net.transitions]
        values = range(low, high + 1)
        for x in values:
            for y in values:
                assert guards[0].holds({"x": x, "y": y}) == holds(x, y), tag
            assert guards[1].holds({"x": x}) == (not holds(3, x)), tag


def test_truth_tables():
    declared = enumeration("B", "F", "T") + "".join(variable(name, "B") for name in "xyz")
    x, y, z = (op("equality", var(name), con("BT")) for name in "xyz")
    true, false = '<booleanconstant value="true"/>', '<booleanconstant value="0"/>'
    cases = {
        op("and", op("and", x, y), z): lambda x, y, z: x and y and z,
        op("or", x, op("or", y, z)): lambda x, y, z: x or y or z,
        op("imply", op("and", x, y), z): lambda x, y, z: not (x and y) or z,
        op("or", op("and", x, op("not", y)), z, false): lambda x, y, z: (x and not y) or z,
        op("and", op("or", x, y), true): lambda x, y, z: x or y,
    }
    for guard, holds in cases.items():
        text = document(place("p", "B"), transition("t", guard, puts={"p": var("x")}),
                        declared=declared)  # fmt: skip
        (read,) = from_pnml(text).transitions
        for bits in range(8):
            values = [bool(bits >> i & 1) for i in range(3)]
            binding = {name: "FT"[value] for name, value in zip("xyz", values, strict=True)}
            assert read.guard.holds(binding) == holds(*values), guard


def test_sums_are_what_they_say():
    declared = DOTS + enumeration("C", "a", "b", "c", cyclic=True) + product("D", "C", "dot")
    b = con("Cb")
    cases = {
        op("add", op("add", con("Ca"), b), copies(3, b)): {"a": 1, "b": 4},
        op("subtract", copies(5, every("C"), "scalarproduct"), op("add", b, b)): {
            "a": 5, "b": 3, "c": 5,
        },
        op("subtract", every("C"), b, con("Ca")): {"c": 1},
        op("add", op("predecessor", con("Ca")), op("successor", op("successor", b))): {
            "c": 1, "a": 1,
        },
        copies(2, op("add", b, copies(3, con("Cc")))): {"b": 2, "c": 6},
        op("add", f"<empty>{of('C')}</empty>", op("numberof", b)): {"b": 1},
    }  # fmt: skip
    for term, tokens in cases.items():
        net = from_pnml(document(place("p", "C", term), declared=declared))
        assert dict(net.initial["p"]) == tokens, term
    pairs = from_pnml(
        document(place("p", "D", copies(2, op("tuple", every("C"), DOT))), declared=declared)
    )
    assert dict(pairs.initial["p"]) == {("a", "•"): 2, ("b", "•"): 2, ("c", "•"): 2}


def plain(*parts: str) -> str:
    return document(*parts, kind="ptnet")


def test_a_plain_net_on_several_pages():
    net = from_pnml(
        plain(
            '<place id="p"><initialMarking><text> 3 </text></initialMarking></place>',
            '<transition id="t"/>',
            '<page id="inner"><referencePlace id="rp" ref="rrp"/>'
            '<page id="innermost"><referencePlace id="rrp" ref="p"/></page>'
            '<referenceTransition id="rt" ref="t"/><place id="q"/>'
            '<arc id="a" source="rp" target="rt"><inscription><text>2</text></inscription></arc>'
            '<arc id="b" source="rt" target="q"/></page>',
            '<arc id="c" source="t" target="q"><inscription><text>4</text></inscription></arc>',
        )
    )
    assert [one.name for one in net.places] == ["p", "q"]
    assert all(isinstance(one.colour, Dot) for one in net.places)
    space = explore(net)
    assert (space.states, space.arcs) == (2, 1)
    assert str(space.marking(1)) == "p: •; q: 5·•"  # both arcs to q count


def test_counts_are_not_unfolded():
    many = 10**12
    net = from_pnml(
        plain(
            f'<place id="p"><initialMarking><text>{many}</text></initialMarking></place>',
            '<transition id="t"/><arc id="a" source="p" target="t"><inscription>'
            f"<text>{many // 2}</text></inscription></arc>",
        )
    )
    assert net.initial.total("p") == many
    assert counted(net) == (3, 2)


def test_names_stand_for_ids_where_they_are_distinct():
    def two(first: str, second: str) -> list[str]:
        text = plain(
            f'<place id="p1"><name><text>{first}</text></name></place>'
            f'<place id="p2"><name><text>{second}</text></name></place>'
        )
        return [one.name for one in from_pnml(text).places]

    assert two("Think ", "Eat\n now") == ["Think", "Eat now"]
    assert two("Think", "Think") == ["p1", "p2"]
    assert two("", "p1") == ["p1", "p2"]


def test_variables_of_one_name_stay_apart():
    twice = (
        f'<variabledecl id="v1" name="x">{of("C")}</variabledecl>'
        f'<variabledecl id="v2" name="x">{of("C")}</variabledecl>'
    )
    pair = op("tuple", '<variable refvariable="v1"/>', '<variable refvariable="v2"/>')
    net = from_pnml(
        document(
            place("p", "D"),
            transition("t", puts={"p": pair}),
            declared=enumeration("C", "a", "b") + product("D", "C", "C") + twice,
        )
    )
    assert [one.name for one in net.transitions[0].variables] == ["v1", "v2"]


def test_equal_ranges_are_one_sort():
    net = from_pnml(
        document(
            place("p", "late", op("tuple", number(1, 0, 3), number(2, 0, 3))),
            declared=named(
                "late", f'<productsort><finiteintrange start="0" end="3"/>{of("n")}</productsort>'
            )
            + named("n", '<finiteintrange start="0" end="3"/>'),
        )
    )
    assert dict(net.initial["p"]) == {(1, 2): 1}
    assert net.colours == (Integers("n", 0, 3), net.place["p"].colour)


def test_declarations_on_pages_and_files_without_namespace():
    text = document(place("p", "C", every("C"))).replace(f' xmlns="{NAMESPACE}"', "")
    inner = f"<declaration><structure><declarations>{enumeration('C', 'a', 'b')}"
    inner += "</declarations></structure></declaration>"
    net = from_pnml(text.replace("<page id='page'>", f"<page id='page'>{inner}"))
    assert str(net.initial) == "p: a, b"


def test_a_coloured_file_under_the_type_of_plain_nets():
    text = document(
        place("p", "dot", copies(2, con("dot"))),
        '<place id="q"/><transition id="t"/><arc id="a" source="p" target="t" type="normal"/>',
        declared=DOTS,
        kind="ptnet",
    )
    assert str(from_pnml(text).initial) == "p: 2·•"


def test_one_net_of_several():
    text = (
        f'<pnml><net id="one" type="{GRAMMAR}ptnet"/><net id="two" type="{GRAMMAR}ptnet">'
        "<name><text>the second</text></name></net></pnml>"
    )
    assert from_pnml(text, net_id="two").name == "the second"
    with pytest.raises(NetError, match=r"name one of several nets; the file has one, two$"):
        from_pnml(text)
    with pytest.raises(NetError, match=r"no net three; the file has one, two$"):
        from_pnml(text, net_id="three")


def test_drawings_and_tools_are_skipped_unread():
    hostile = (
        '<toolspecific tool="x" version="1"><script>import os</script><place id="p"/>'
        '<other xmlns="urn:other"/></toolspecific>'
        '<graphics><position x="1" y="2"/><place id="p"/></graphics>'
    )
    net = from_pnml(plain(f'<place id="p">{hostile}</place>', hostile))
    assert [one.name for one in net.places] == ["p"]


def test_names_are_never_code():
    name = "x); import os; os._exit(1) #"
    value = "__import__('os')._exit(1)"
    text = document(
        place("p", "C", every("C")),
        place("q", "C"),
        transition(
            "t", op("equality", var("x"), con("Ca")), takes={"p": var("x")}, puts={"q": var("x")}
        ),
        declared=f'<namedsort id="C" name="{name}"><finiteenumeration>'
        f'<feconstant id="Ca" name="{value}"/><feconstant id="Cb" name="b"/>'
        f'</finiteenumeration></namedsort><variabledecl id="var-x" name="{name}">{of("C")}'
        "</variabledecl>",
    ).replace('id="t"', f'id="{name}"').replace('"t"', f'"{name}"')  # fmt: skip
    net = from_pnml(text)
    assert net.transitions[0].name == name
    for engine in ("general", "auto"):
        space = explore(net, engine=engine)
        assert (space.states, space.arcs) == (2, 1)


SORTS = DOTS + enumeration("C", "a", "b", cyclic=True) + enumeration("E", "a") + variable("x", "C")
FINE = document(
    place("p", "C", every("C")),
    transition("t", op("equality", var("x"), con("Ca")), takes={"p": var("x")}, puts={}),
    declared=SORTS + named("n", '<finiteintrange start="0" end="9"/>') + product("D", "C", "C"),
)
PLACE = '<place id="p"><name><text>p</text></name>'
GUARD = op("equality", var("x"), con("Ca"))
INITIAL = f"<hlinitialMarking><structure>{every('C')}"
ARC = f"<hlinscription><structure>{var('x')}</structure></hlinscription>"


DAMAGED = access_rights()


def test_the_document_the_faults_are_put_into_is_fine():
    assert counted(from_pnml(FINE)) == (2, 1)
    for part in (PLACE, GUARD, INITIAL, ARC):
        assert FINE.count(part) == 1


def nested(count: int, tag: str, inside: str) -> str:
    return f"<{tag}><subterm>" * count + inside + f"</subterm></{tag}>" * count


@cases(
    # XML
    ("<pnml", "<!DOCTYPE pnml SYSTEM 'file:///etc/passwd'><pnml", "line 1: a document type"),
    ("<pnml", "<!DOCTYPE p [<!ENTITY a SYSTEM 'http://x'>]><pnml", "line 1: a document type"),
    ("<page", "<pag", "not well-formed XML: mismatched tag"),
    ("<pnml", "<html/><pnml", "not well-formed XML: junk after document element"),
    (PLACE, "&bomb;" + PLACE, "not well-formed XML: undefined entity"),
    (PLACE, "<a>" * 20_000 + "</a>" * 20_000 + PLACE, "nested in more than 10,000 levels"),
    (f'xmlns="{NAMESPACE}"', 'xmlns="urn:other"', "pnml (line 1): is of urn:other, not of PNML"),
    # the net
    (f"{GRAMMAR}symmetricnet", "stochastic", "net net (line 2): type stochastic is not supported"),
    (' id="p"', "", "place (line 5): attribute id is missing"),
    (PLACE, f"<transition id='p'/>{PLACE}", "place p (line 5): the id is taken by transition"),
    (PLACE, f"<place id='page'/>{PLACE}", "place page (line 5): the id is taken by page"),
    (PLACE, f"{PLACE}<capacity/>", "capacity (line 5): not supported in place p (line 5)"),
    (PLACE, f"{PLACE}<name/>", "place p (line 5): has 2 elements name, not one"),
    (ARC, f"<type value='reset'/>{ARC}", "arc p-to-t (line 6): type reset is not supported"),
    (ARC, f"<type/>{ARC}", "type (line 6): attribute value is missing"),
    ('source="p"', 'source="p" type="reset"', "arc p-to-t (line 6): type reset is not supported"),
    ('source="p"', 'source="nowhere"', "arc p-to-t (line 6): there is no place or transition now"),
    ('source="p"', 'source="page"', "arc p-to-t (line 6): there is no place or transition page"),
    ('source="p"', 'source="t"', "arc p-to-t (line 6): leads from transition to transition"),
    ('source="p"', "", "arc p-to-t (line 6): attribute source is missing"),
    (ARC, "", "arc p-to-t (line 6): hlinscription is missing"),
    (ARC, "<hlinscription><text>x</text></hlinscription>", "hlinscription has no structure"),
    (ARC, "<inscription><text>1</text></inscription>", "inscription is for plain tokens, not for"),
    (INITIAL, f"<initialMarking><text>1</text></initialMarking>{INITIAL}", "two initial markings"),
    ("<type>", "<type><text>C</text></type><type>", "place p (line 5): has 2 elements type"),
    (f"<type><structure>{of('C')}</structure></type>", "", "place p (line 5): type is missing"),
    (PLACE, f'<referencePlace id="r" ref="r"/>{PLACE}', "the references lead back to it"),
    # declarations
    ("<declarations>", "<declarations><arbitrarysort id='s' name='s'/>", "arbitrarysort s (line"),
    (
        "<declarations>",
        "<declarations><arbitraryoperator id='f' name='f'><output><bool/></output>"
        "</arbitraryoperator>",
        "arbitraryoperator f (line 3): not supported, for its meaning is not in the file",
    ),
    ("<declarations>", "<declarations><unparsed id='u' name='u'/>", "unparsed u (line 3)"),
    ("<declarations>", "<declarations><namedoperator id='o' name='o'/>", "namedoperator o (line"),
    ('id="Cb"', 'id="Ca"', "feconstant Ca (line 3): the id is taken by feconstant in line 3"),
    ('id="Cb"', "", "feconstant (line 3): attribute id is missing"),
    ('start="0" end="9"', 'start="9" end="0"', "finiteintrange (line 3): start 9 is above end 0"),
    ('end="9"', 'end="1e9"', "finiteintrange (line 3): 1e9 is not a whole number"),
    ('end="9"', 'end="9000000000"', "ranges and multisets list more than 2,000,000 tokens"),
    ('end="9"', f'end="{10**24}"', "is beyond 9,223,372,036,854,775,807"),
    ('end="9"', f'end="{"9" * 9999}"', "is not a whole number of 25 digits or fewer"),
    ('<finiteintrange start="0" end="9"/>', "<string/>", "string (line 3): this sort is not"),
    ('<finiteintrange start="0" end="9"/>', of("D"), None),
    (
        f"<productsort>{of('C')}{of('C')}",
        f"<productsort>{of('C')}{of('D')}",
        "namedsort D (line 3): the sort is made of itself",
    ),
    (f"<productsort>{of('C')}", f"<productsort>{of('t')}", "usersort (line 3): there is no sort t"),
    (f"<productsort>{of('C')}{of('C')}", "<productsort>", "productsort (line 3): the product has"),
    (f"<productsort>{of('C')}", "<productsort>" + of("C") * 64, "more than 64 parts"),
    (
        f"<productsort>{of('C')}",
        "<productsort>" * 60 + of("C") + "</productsort>" * 59,
        "terms nested in more than 50 levels",
    ),
    # terms
    (GUARD, op("equality", var("x"), con("nobody")), "useroperator (line 6): there is no constant"),
    (GUARD, op("equality", var("y"), con("Ca")), "variable (line 6): there is no variable var-y"),
    (GUARD, op("equality", var("x"), con("Ea")), "equality (line 6): compares C with E"),
    (GUARD, op("equality", var("x"), every("C")), "a multiset stands where one value is needed"),
    (GUARD, op("equality", var("x")), "equality (line 6): has 1 operands; need 2"),
    (GUARD, op("xor", GUARD, GUARD), "xor (line 6): not supported as a condition; supported are"),
    (GUARD, var("x"), "variable (line 6): not supported as a condition"),
    (GUARD, f"<not>{GUARD}</not>", "equality (line 6): only subterm elements may stand in not"),
    (GUARD, "<booleanconstant value='maybe'/>", "value maybe is not true or false"),
    (GUARD, nested(60, "not", GUARD), "terms nested in more than 50 levels"),
    (GUARD, nested(4_000, "and", GUARD), None),  # one operator in itself is one sum
    (GUARD, op("ltp", var("x"), con("Ca")), "variable (line 6): is not an element of a partition"),
    (
        GUARD,
        op("equality", var("x"), op("successor", con("Ea"))),
        "successor (line 6): E is not a cyclic enumeration",
    ),
    (
        GUARD,
        op("equality", number(12, 0, 9), number(1, 0, 9)),
        "finiteintrangeconstant (line 6): 12 is not in 0..9",
    ),
    (
        GUARD,
        '<equality><subterm><partitionelementof refpartition="P"/></subterm>'
        f"<subterm>{con('Ca')}</subterm></equality>",
        "partitionelementof (line 6): there is no partition P",
    ),
    (ARC, ARC.replace(var("x"), con("Ea")), "arc p-to-t (line 6): a is of E, not of C"),
    (ARC, ARC.replace(var("x"), op("mult", var("x"))), "mult (line 6): this operator is not supp"),
    (ARC, ARC.replace(var("x"), op("cardinality", var("x"))), "cardinality (line 6): this oper"),
    (ARC, ARC.replace(var("x"), op("tuple", *[var("x")] * 65)), "has 65 operands; need 1 to 64"),
    (ARC, ARC.replace(var("x"), copies(-1, var("x"))), "numberconstant (line 6): -1 is below 0"),
    (ARC, ARC.replace(var("x"), op("numberof", var("x"), var("x"))), "need a numberconstant"),
    (ARC, ARC.replace(var("x"), copies(2**62, copies(2, var("x")))), "copies are not supported"),
    (ARC, ARC.replace(var("x"), nested(4_000, "successor", var("x"))), None),
    (every("C"), op("tuple", *[every("C")] * 30), "multisets list more than 2,000,000 tokens"),
    (every("C"), var("x"), "place p: variable x in the initial marking"),
    (every("C"), op("subtract", con("Ca"), con("Cb")), "-1 of token b"),
    (every("C"), "", "structure (line 5): has 0 elements in it, not one"),
)
def test_faults_are_named_on_one_line(part, fault, message):
    assert part in FINE
    text = FINE.replace(part, fault, 1)
    if message is None:
        from_pnml(text)
        return
    with pytest.raises(KProofError) as caught:
        from_pnml(text)
    assert isinstance(caught.value, DataError | NetError)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@cases(
    ('<referencePlace id="r" ref="s"/><referencePlace id="s" ref="r"/>', "lead back to it"),
    ('<referencePlace id="r" ref="t"/>', "referencePlace r (line 5): t is not a place"),
    ('<referencePlace id="r"/>', "referencePlace r (line 5): attribute ref is missing"),
    ('<place id="r"><initialMarking/></place>', "place r (line 5): initialMarking has no text"),
    (
        '<place id="r"><initialMarking><text>-1</text></initialMarking></place>',
        "place r (line 5): initialMarking -1 is below 0",
    ),
    (
        '<place id="r"><initialMarking><text>Default,1</text></initialMarking></place>',
        "place r (line 5): Default,1 is not a whole number",
    ),
    ('<place id="r"/><place id="r"/>', "place r (line 5): the id is taken by place in line 5"),
)
def test_faults_of_plain_nets(parts, message):
    text = plain(parts, '<transition id="t"/><arc id="a" source="r" target="t"/>')
    assert message in error_line(NetError, from_pnml, text)


def test_a_weight_of_zero_is_refused():
    text = plain(
        '<place id="p"/><transition id="t"/><arc id="a" source="p" target="t">'
        "<inscription><text>0</text></inscription></arc>"
    )
    assert "arc a (line 5): inscription 0 is below 1" in error_line(NetError, from_pnml, text)


def test_partitions_must_cover_their_sort_once():
    fine = access_rights()
    assert fine.count(con("Useriis")) == 1
    for fault in ("", con("Useriis") * 2, con("Userroot")):
        with pytest.raises(NetError, match="need each value of User in one element exactly"):
            from_pnml(fine.replace(con("Useriis"), fault))
    with pytest.raises(NetError, match="partition element is supported in guards only"):
        from_pnml(fine.replace(every("User"), con("www")))


def test_sorts_that_double_do_not_take_forever():
    doubled = "".join(product(f"S{i}", f"S{i - 1}", f"S{i - 1}") for i in range(1, 60))
    with pytest.raises(NetError, match="more than 64 parts"):
        from_pnml(document(declared=enumeration("S0", "a", "b") + doubled))


@cases("nonsense", "hex", "rot13", "utf-7", "idna", "unicode_escape")
def test_strange_encodings(encoding):
    document = f"<?xml version='1.0' encoding='{encoding}'?><pnml/>"
    with pytest.raises(DataError, match=f"^encoding {encoding} is not supported; supported are"):
        from_pnml(document.encode("ascii"))


@pytest.mark.parametrize("text", ["", "net", "<pnml", "\0", "<pnml>\x01</pnml>"])
def test_what_is_not_xml(text):
    with pytest.raises(DataError, match=r"^not well-formed XML: .*line 1"):
        from_pnml(text)


def test_other_documents():
    assert error_line(NetError, from_pnml, "<svg/>").startswith("svg (line 1): not a PNML document")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_documents_are_read_or_refused_in_one_line(data):
    text = data.draw(st.sampled_from([FINE, DAMAGED]))
    pieces = re.findall(r"<[^>]*>|[^<]+", text)
    words = sorted(set(re.findall(r"[\w-]+", text)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        match data.draw(st.sampled_from(["drop", "repeat", "swap", "rename", "cut"])):
            case "drop":
                del pieces[at]
            case "repeat":
                pieces.insert(at, pieces[at])
            case "swap":
                other = data.draw(st.integers(0, len(pieces) - 1))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case "rename":
                old, new = (data.draw(st.sampled_from(words)) for _ in range(2))
                pieces[at] = pieces[at].replace(old, new)
            case "cut":
                pieces[at] = pieces[at][:-1]
    message = ""
    try:
        from_pnml("".join(pieces))
    except (DataError, NetError) as error:
        message = str(error)
    assert "\n" not in message


def test_files(tmp_path, monkeypatch):
    path = tmp_path / "net.pnml"
    path.write_text(FINE, encoding="utf-8")
    assert read_pnml(path) == from_pnml(FINE)
    path.write_bytes(FINE.replace("Ca", "Cä").encode("utf-16"))
    assert counted(read_pnml(path)) == (2, 1)
    path.write_text("<pnml/>", encoding="utf-8")
    with pytest.raises(NetError, match=r"net\.pnml: pnml \(line 1\): .*the file has none$"):
        read_pnml(path)
    with pytest.raises(DataError, match=r"none\.pnml: cannot be read: No such file"):
        read_pnml(tmp_path / "none.pnml")
    monkeypatch.setattr("kproof.petri.pnml.xml.BYTES", 1000)
    path.write_text(FINE, encoding="utf-8")
    assert "net.pnml: more than 0 MiB, the largest" in error_line(DataError, read_pnml, path)
    monkeypatch.undo()
    monkeypatch.setattr("kproof.petri.pnml.xml.ELEMENTS", 10)
    assert "more than 10 elements" in error_line(DataError, read_pnml, path)
