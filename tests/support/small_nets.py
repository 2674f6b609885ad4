"""Nets that are small enough to be counted by hand."""

from kproof.petri.net.colours import Dot, enumeration
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import Constant, Function, Shift, Variable, everything, tuple_of


def philosophers() -> Net:
    """Three philosophers who take both forks at once, with strings for seats, as files have."""
    seats = enumeration("Seat", ["1", "2", "3"], cyclic=True)
    x = Variable("x", seats)
    both = x + Shift(x, 1)
    build = NetBuilder("dining")
    build.place("Think", seats, everything(seats))
    build.place("Fork", seats, everything(seats))
    build.place("Eat", seats)
    build.transition("take", takes={"Think": x, "Fork": both}, puts={"Eat": x})
    build.transition("leave", takes={"Eat": x}, puts={"Think": x, "Fork": both})
    return build.net()


def parcels() -> Net:
    """Two parcels in a van; big ones are delivered, small ones may be lost."""
    sizes = enumeration("Size", ["big", "small", "huge"])
    houses = enumeration("House", [1, 2, 3])
    s, h = Variable("s", sizes), Variable("h", houses)
    nearby = Function("nearby", lambda size: [1] if size == "small" else [1, 2])
    build = NetBuilder("parcels")
    build.place("Van", sizes, 2 * Constant("big", sizes) + Constant("small", sizes))
    build.place("Door", tuple_of(s, h).colour)
    build.transition(
        "deliver",
        takes={"Van": s},
        puts={"Door": tuple_of(s, h)},
        choices=(Choice(h, nearby, (s,)),),
    )
    build.transition(
        "return", takes={"Door": tuple_of(s, h)}, puts={"Van": s}, guard=s.equals("big")
    )
    build.transition("lose", takes={"Van": s}, guard=s.equals("huge"))
    return build.net()


def hourglass() -> Net:
    """Two grains that fall; a third would be needed to turn it."""
    dot = everything(Dot())
    build = NetBuilder("hourglass")
    build.place("Above", Dot(), 2 * dot)
    build.place("Below", Dot())
    build.transition("fall", takes={"Above": dot}, puts={"Below": dot})
    build.transition("turn", takes={"Below": 3 * dot}, puts={"Above": 3 * dot})
    return build.net()
