# %% [markdown]
# # A release, end to end
#
# A hospital's table has names, record numbers, dates and notes. What may be published, and at
# what cost?

# %%
from pathlib import Path

import kproof
from kproof.cli import main
from kproof.datasets.hospital import hospital

Path("hospital.csv").write_text(hospital(rows=300, seed=1), encoding="utf-8")
proposal = kproof.propose_roles("hospital.csv")
print({one.name: one.role.value for one in proposal.columns})

# %% [markdown]
# Nobody confirmed these roles, so that the decision is not to publish yet:

# %%
status = main(["report", "hospital.csv", "--k", "4", "--sections", "decision", "-o", "first"])
assert status == 4

# %% [markdown]
# Somebody who knows the data reads the file of roles, and confirms it. Then the report says what
# to publish, and the command that does.

# %%
Path("roles.toml").write_text(proposal.to_toml(), encoding="utf-8")
main(["roles", "--confirm", "roles.toml"])
asked = ["hospital.csv", "--roles", "roles.toml", "--k", "4"]
main(["report", *asked, "--sections", "decision", "-o", "second"])
status = main(
    ["anonymize", "mondrian", "--audience", "study", *asked, "--l", "2", "-o", "release.csv"]
)
assert status == 0
assert "Publish with these settings" in Path("second/report.html").read_text(encoding="utf-8")
