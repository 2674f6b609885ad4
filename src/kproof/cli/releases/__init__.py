"""Commands about releases of data: how they are made, judged, attacked and compared."""
