"""The engine without a pool: decisions played out on plain data, for replays of traces, properties and what-if."""
