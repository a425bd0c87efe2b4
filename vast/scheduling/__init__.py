"""The engine: snapshot -> decisions. Pure functions over plain data; no Django, no I/O, no clock."""
