# %% [markdown]
# # A net of your own, and a page about it
#
# Three clerks share two stamps. Each takes a pen and a stamp, signs, and puts both back. Can
# they get stuck, and can two sign at once?

# %%
from pathlib import Path

from kproof.cli import main
from kproof.petri.logic.properties import bound, check, deadlock
from kproof.petri.net.colours import Dot, enumeration
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Variable, everything
from kproof.petri.spaces.explore import explore

clerk = enumeration("Clerk", ["ann", "bob", "eve"])
c, stamp = Variable("c", clerk), everything(Dot())
build = NetBuilder("office")
build.place("Idle", clerk, everything(clerk))
build.place("Stamp", Dot(), 2 * stamp)
build.place("Pen", clerk, everything(clerk))
build.place("Sign", clerk)
build.transition("take", takes={"Idle": c, "Pen": c, "Stamp": stamp}, puts={"Sign": c})
build.transition("done", takes={"Sign": c}, puts={"Idle": c, "Pen": c, "Stamp": stamp})
space = explore(build.net())
verdicts = check(space, [deadlock(name="never stuck"), bound("Sign", 1)])
for verdict in verdicts:
    print(verdict)

# %% [markdown]
# They never get stuck; two can sign at once. For the nets of the papers there is a page with
# every run:

# %%
asked = ["--data", "table-1a", "--k", "4", "--html", "runs.html"]
status = main(["net", "simulate", "theta-sensitive", *asked])
print(Path("runs.html").stat().st_size, "bytes")
assert [bool(verdict) for verdict in verdicts] == [True, False]
assert status == 0
