"""The matrix of links that most vendors' ``topo`` commands print: a row and a column for each device."""

from __future__ import annotations

import re

from vast.vendors.readers.base import Readout, UnreadableText

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RANGES = re.compile(r"\d[\d,\-]*")
_NIC = re.compile(r"\s*(NIC\d+): (\S+)")
_NEAR = {"CPU Affinity": "cpu_affinity", "NUMA Affinity": "numa", "Node Affinity": "numa"}
SELF = "X"


def parse_matrix(text: str) -> Readout:
    """``topology``: devices, each unordered pair once, and the CPUs near each device where the table tells."""
    lines = _lines(text)
    header = _header(lines)
    if header is None:
        raise UnreadableText("no matrix of devices: a line of names with a row for each is expected")
    start, names = header
    cells = _rows(lines[start + 1 :], names)
    links = [
        {"a": a, "b": b, "type": cells[a][names.index(b)]}
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if a in cells and cells[a][names.index(b)] != SELF
    ]
    topology: Readout = {"devices": names, "links": links, "cpu_affinity": {}}
    for position, title in enumerate(_titles_after(lines[start])):
        if key := _NEAR.get(title):
            near = {
                name: row[len(names) + position : len(names) + position + 1] for name, row in cells.items()
            }
            topology[key] = {
                name: cell[0] for name, cell in near.items() if cell and _RANGES.fullmatch(cell[0])
            }
    nics = {match[1]: match[2] for match in map(_NIC.match, lines) if match}
    if nics:
        topology["nic_names"] = nics
    return {"topology": topology}


def _titles_after(header: str) -> list[str]:
    """The titles of the columns behind the devices, in their order."""
    at = {title: header.find(title) for title in (*_NEAR, "GPU NUMA ID")}
    return sorted((title for title, position in at.items() if position >= 0), key=lambda title: at[title])


def _lines(text: str) -> list[str]:
    return _ANSI.sub("", text).splitlines()


def _header(lines: list[str]) -> tuple[int, list[str]] | None:
    """Which line names the columns, and the names of devices in it."""
    firsts = {line.split()[0] for line in lines if line.split()}
    for number, line in enumerate(lines):
        words = line.split()
        names = []
        for word in words:
            if word not in firsts or word in names:
                break
            names.append(word)
        below = next((following.split() for following in lines[number + 1 :] if following.split()), [])
        if names and below and below[0] == names[0] and SELF in below[1:]:
            return number, names
    return None


def _rows(lines: list[str], names: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        # Between tabs a cell may be empty: CPUs that a container hides.
        tabbed = line.count("\t") >= len(names)
        words = [word.strip() for word in line.split("\t")] if tabbed else line.split()
        if words and words[0] in names and words[0] not in found and len(words) > len(names):
            found[words[0]] = words[1:]
    return found
