"""A net as data, and the firing rule."""
