"""Who may be behind a record, person by person, and every set of slots: the plain form."""

from itertools import combinations


def whereabouts(reports, age, people, slots):
    """Return the code of each person in each slot, None if unknown, from (slot, person, code)."""
    table = {}
    for slot in slots:
        for person in range(people):
            inside = [code for when, who, code in reports if who == person and when == slot]
            before = [r for r in reports if r[1] == person and slot - age <= r[0] < slot]
            latest = [r[2] for r in before if r[0] == max(when for when, _, _ in before)]
            table[slot, person] = inside[0] if inside else latest[-1] if latest else None
    return table


def covers(label, code, height):
    """Say whether a code, or None, is inside a cell; a hidden one has everybody."""
    if label == 0:
        return True
    depth = label.bit_length() - 1
    return code is not None and (1 << depth) + (code >> (height - depth)) == label


def candidates(table, shown, people, height):
    """Return who was inside every cell of {slot: label}."""
    return {
        person
        for person in range(people)
        if all(covers(label, table.get((slot, person)), height) for slot, label in shown.items())
    }


def fewest(table, records, people, height):
    """Return the fewest candidates of a record over all records and all sets of its slots."""
    return min(
        (
            len(candidates(table, {slot: shown[slot] for slot in slots}, people, height))
            for shown in records.values()
            for count in range(len(shown) + 1)
            for slots in combinations(sorted(shown), count)
        ),
        default=None,
    )


def fits(table, records, people, height):
    """Return how many records fit what is known of a person, for all sets of slots; 0 left out."""
    counts = set()
    slots = sorted({slot for slot, _ in table})
    for person in range(people):
        for count in range(len(slots) + 1):
            for known in combinations([s for s in slots if table[s, person] is not None], count):
                counts.add(
                    sum(
                        all(
                            covers(shown[slot], table[slot, person], height)
                            for slot in known
                            if slot in shown
                        )
                        for shown in records.values()
                    )
                )
    return counts - {0}


def equal(records):
    """Return the fewest records that are equal to one."""
    shown = [tuple(sorted(entry.items())) for entry in records.values()]
    return min((shown.count(entry) for entry in shown), default=None)
