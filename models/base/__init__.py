"""What all kinds of data share: arrays, classes, verdicts, taxonomies; no method is known here."""
