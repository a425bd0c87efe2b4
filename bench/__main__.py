"""``make bench``: measures, prints beside the last recorded figures, and writes them to ``bench/out/``.

``python -m bench [engine] [evictions] [latency] [fill] [fleet]`` runs the named parts; without names all of them.
"""

from __future__ import annotations

import sys

from bench import engine, evictions, fill, fleet, latency
from bench.report import Report

PARTS = {
    "engine": engine.run,
    "evictions": evictions.run,
    "latency": latency.run,
    "fill": fill.run,
    "fleet": fleet.run,
}


def main() -> int:
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        print(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    report = Report()
    for name in wanted:
        report.add(name, PARTS[name]())
    report.write()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
