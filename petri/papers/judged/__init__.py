"""Every publication, judged without counting them: by all forms of a class, and by some runs."""
