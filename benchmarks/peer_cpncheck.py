"""The peer's side of a benchmark: occurrence graphs of cpncheck.

Runs in an environment of its own that has cpncheck. Reads ``{"philosophers": n, "states": most}``
as JSON from standard input, writes the net as a ``.cpn`` file, explores it, and writes one line of
JSON: ``states``, ``arcs``, ``seconds``. kproof is not imported here.
"""

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from xml.sax.saxutils import escape

from cpncheck import ColouredNet, CPNNet, build_state_space

TRANSITIONS = (
    ("FF1a", {"Think": "x", "Fork": "x"}, {"Catch1": "x"}),
    ("FF1b", {"Think": "x", "Fork": "NEXT"}, {"Catch2": "x"}),
    ("FF2a", {"Catch1": "x", "Fork": "NEXT"}, {"Eat": "x"}),
    ("FF2b", {"Catch2": "x", "Fork": "x"}, {"Eat": "x"}),
    ("End", {"Eat": "x"}, {"Think": "x", "Fork": "1`x ++ 1`NEXT"}),
)


def document(count):
    """Return the net of the Model Checking Contest, Philosophers-COL, as CPN Tools writes nets."""
    following = f"((x + 1) mod {count})"
    places = ("Think", "Fork", "Catch1", "Catch2", "Eat")
    parts = []
    for place in places:
        marking = "SEAT.all()" if place in ("Think", "Fork") else ""
        parts.append(
            f'<place id="{place}"><text>{place}</text><type><text>SEAT</text></type>'
            f"<initmark><text>{marking}</text></initmark></place>"
        )
    for name, takes, puts in TRANSITIONS:
        parts.append(f'<trans id="{name}"><text>{name}</text></trans>')
        for orientation, arcs in (("PtoT", takes), ("TtoP", puts)):
            for place, text in arcs.items():
                annotation = escape(text.replace("NEXT", following))
                parts.append(
                    f'<arc orientation="{orientation}"><transend idref="{name}"/>'
                    f'<placeend idref="{place}"/><annot><text>{annotation}</text></annot></arc>'
                )
    return (
        "<workspaceElements><cpnet><globbox>"
        f"<color><id>SEAT</id><int><with><ml>0</ml><ml>{count - 1}</ml></with></int>"
        f"<layout>colset SEAT = int with 0..{count - 1};</layout></color>"
        "<var><type><id>SEAT</id></type><id>x</id><layout>var x: SEAT;</layout></var>"
        '</globbox><page id="p1"><pageattr name="Dining"/>' + "".join(parts) + "</page>"
        '<instances><instance id="i1" page="p1"/></instances></cpnet></workspaceElements>'
    )


def main():
    """Explore, at most as far as asked; the components it finds as well are not in the time."""
    task = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "philosophers.cpn")
        path.write_text(document(task["philosophers"]))
        start = time.perf_counter()
        net = ColouredNet(CPNNet(str(path)))
        compiled = time.perf_counter() - start
        space = build_state_space(net, max_nodes=task.get("states") or 10**9)
    answer = {
        "states": space.n_nodes,
        "arcs": space.n_arcs,
        "seconds": compiled + space.elapsed,
        "version": version("cpncheck"),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
