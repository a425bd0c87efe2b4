"""Pages of the documentation that are made from the code, so that they cannot disagree with it."""

from __future__ import annotations

import json
from typing import Any

import yaml

from vast.common.sentences import say
from vast.config.env import Environment
from vast.jobs.document import JobDocument, parse
from vast.simulator.cases.reference import tables
from vast.vendors.base import Vendor
from vast.vendors.registry import vendors
from vast.vendors.sharing import HIGH, LOW, POLICIES, means, refusal

EXAMPLE = """\
name: train
queue: demo/research
priority: high
max_runtime: 2h
groups:
  - name: worker
    replicas: 4
    command: ["python3", "-u", "train.py"]
    working_dir: /srv/train
    request:
      cores: 50
      memory_mib: 40960
      selector:
        - {vendor: nvidia}
        - {vendor: ascend, memory_mib: 32768}
    strategy: {node: pack, device: spread}
"""

INTRO = f"""\
# The job document

<!-- Made from the code by `vast manage reference`; do not edit. -->

What a user submits, as YAML or JSON: `vast job submit -f FILE`, the form in the console, or `POST /api/v1/jobs/` with
`Content-Type: application/yaml` or `application/json`. Unknown fields are refused. The JSON Schema is at
`/api/v1/jobs/schema/`.

```yaml
{EXAMPLE}```

All groups together are one **gang**: every task is placed in one decision, or none is. A task is told where it is by
`RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `LOCAL_WORLD_SIZE`, `NODE_RANK`, `NNODES`, `MASTER_ADDR`, `MASTER_PORT`; what it is by
`VAST_JOB_ID`, `VAST_JOB_NAME`, `VAST_TASK_ID`, `VAST_GROUP`, `VAST_TASK_INDEX`, `VAST_QUEUE`, `VAST_NODE_NAME`,
`VAST_ATTEMPT`; and what it holds by the vendor's visible-device and limit variables and by `VAST_DEVICE_UUIDS`,
`VAST_DEVICE_CORES` (percent) and `VAST_DEVICE_MEMORY_MIB`, lists by comma in device order, and `VAST_SHARING`, how the
compute of its slices is shared (`docs/sharing.md`).

A slice is rounded up to what the vendor's hardware can cut; the job page shows what was got. It is charged to its queue in
milli-cards (1000 = one card): the larger of its share of compute and of memory.
"""


CASES_INTRO = """\
# Scheduling cases

<!-- Made from the code by `vast manage reference`; do not edit. -->

A case is a small world and what the scheduler should do in it, written in YAML. A file holds one case or a list of them.

    vast scheduler cases FILE_OR_FOLDER...

prints a line for each case, what differs under each that fails, and last `N passed, N failed`; the exit code is 1 when one
failed. The cases of VAST itself are in `tests/cases/`; each is also a test.

## An example

```yaml
- id: lender-takes-back
  title: an indivisible job above its guarantee goes whole
  pool: 2                                  # one node n0 of two cards: n0/0 and n0/1
  queues:
    - {name: q0, guaranteed: 1}
    - {name: q1, guaranteed: 1}
  running: {q0: [{name: big, size: 2}]}    # one job of two whole cards
  pending: {q1: [{name: asker}]}           # one job of one card
  expect:
    evicted: [big]
    rules: {big: guarantee}
    running: [asker]
    waiting: [big]
  steps:
    - after: 60                            # a minute later the asker ends
      end: [asker]
      expect: {running: [big], evicted: []}
```

## How a case runs

1. The world is built. Running jobs are put where `at` says, else by first fit: the first node in the list with enough
   empty cards; part of a card goes to the first card in use that has room, else to the first empty one.
2. `share` and `unassigned` are compared before anything happens.
3. The scheduler decides, and its decisions come true at once: what starts runs, what is told to stop is gone (with
   `victims_stay`, only at the next step) and waits again. This repeats, a second each time, until a cycle neither starts nor
   evicts anybody. A case that does not come to rest within `cycles` fails; with `cycles: 1` only the first cycle is looked
   at.
4. Everything in `expect` is compared. `evicted`, `moved`, `shrunk`, `started` are about the whole step; `running`, `tasks`,
   `counts`, `waiting`, `positions`, `places` about its end. `started` does not list jobs that were evicted or moved in the
   same step and started again. What `expect` does not mention is not compared.
5. Then come the `steps`, each `after` so many seconds: jobs end, nodes fail, jobs are submitted, and the scheduler decides
   again.

## Shorthands

* `pool: 4` is one node `n0` of four cards; `pool: 2x3` are nodes `n0` and `n1` of three. Cards are called `n0/0`, `n0/1`, ...
* A number instead of a job is its size in cards: `2` = two whole cards on one node, `0.5` = half of one card (its compute
  and its memory).
* `running` and `pending` are a list of jobs with `queue`, or a mapping `{queue: [jobs]}`. The last part of a queue's path
  will do where it is not ambiguous. Without `queues` there is one queue `q` without limits.
* A job without a name is called after its queue: `q0-r1`, `q0-r2` run, `q0-p1` waits. (In a path the slashes stay.)
* An amount of quota is a number of cards of the class `card`, or `{class: number}`. Shares of another class are asked for as
  `"queue:class"`.
* Resources other than cards that quota is to count (CPU, memory) are written as a model with a class of its own.
* `created` of a queue and the order of pending jobs follow the list.

Reasons are the codes of `vast/common/catalog/en.json`; a code matches the headline or any part of its evidence, and
`params` the parameters that it has at least (milli-cards for amounts).

## All fields
"""


SHARING_INTRO = """\
# How compute is shared

<!-- Made from the code by `vast manage reference`; do not edit. -->

`sharing` in a request (`docs/job-document.md`) says what happens when slices of one card want its compute at once:

| policy | meaning | needs `cores` |
|---|---|---|
| `best-effort` | nothing is promised; the slice gets what the others leave. The default without `cores` | none allowed |
| `fixed-ratio` | its share and never more, even when the rest is idle. The default with `cores` | yes |
| `guaranteed-minimum` | its share whenever it wants it, and more when the rest is idle | yes |
| `priority-preemption` | the job of higher priority first, the others get what is left | may |

On one card, promises come first (cut alike where more was promised than there is), then the slices with a priority, the
highest first; what is left goes in equal pieces to the guaranteed minimums that want more and to best effort. Simulated cards
do exactly this (`vast/agent/contention.py`). On real cards the vendor's own library or driver does what the table says, as far
as it enforces it; VAST sets the variables and cannot see whether they are obeyed. Where the table names no variable, the
agent sets no limit of compute on a real card: it is what the vendor's driver was told to cut.

A policy that a named vendor cannot keep is refused at submission; without a vendor in the request, only the cards of vendors
that keep it are considered. Whole cards and hard partitions share no compute.
"""


def pages() -> dict[str, str]:
    """File name in ``docs/`` to text."""
    return {
        "job-document.md": job_document(),
        "settings.md": settings(),
        "scheduling-cases.md": scheduling_cases(),
        "sharing.md": sharing(),
    }


def sharing() -> str:
    rows = [
        SHARING_INTRO,
        f"| vendor | {' | '.join(f'`{policy}`' for policy in POLICIES)} |",
        "|---" * 5 + "|",
    ]
    for vendor in vendors().values():
        cells = [_kept(vendor, policy) for policy in POLICIES]
        rows.append(f"| {vendor.name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _kept(vendor: Vendor, policy: str) -> str:
    how = means(vendor.sharing, policy)
    if how is None:
        return f"no: {say(f'sharing.{refusal(vendor.sharing, policy)}')}"
    told = [f"`{name}={value}`" for name, value in {**how.variables, **how.annotations}.items()]
    if how.priority_variable:
        told.append(f"`{how.priority_variable}={HIGH}` above priority 0, else `{LOW}`")
    return f"{how.how}; {', '.join(told)}" if told else how.how


def scheduling_cases() -> str:
    return f"{CASES_INTRO}\n{tables().rstrip()}\n"


def job_document() -> str:
    parse_example()
    schema = JobDocument.model_json_schema()
    parts = [INTRO, _table("The document", schema)]
    titles = {
        "Group": "`groups[]`",
        "Request": "`request`",
        "Selector": "`selector[]`",
        "StrategyPair": "`strategy`",
        "Simulation": "`simulate`",
    }
    parts += [_table(title, schema["$defs"][name]) for name, title in titles.items()]
    return "\n".join(parts)


def parse_example() -> None:
    """The example in the page has to be a valid document."""
    parse(yaml.safe_load(EXAMPLE))


def _table(title: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = [_row(name, field, name in required) for name, field in schema["properties"].items()]
    note = schema.get("description", "").strip()
    lines = [
        f"## {title}",
        "",
        *([note, ""] if note else []),
        "| field | type | default | meaning |",
        "|---|---|---|---|",
        *rows,
        "",
    ]
    return "\n".join(lines)


def _row(name: str, field: dict[str, Any], required: bool) -> str:
    star = " *" if required else ""
    return (
        f"| `{name}`{star} | {_kind(field)} | {_default(field, required)} | {field.get('description', '')} |"
    )


def _kind(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        kinds = [_kind(part) for part in field["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in field:
        return f"[{field['$ref'].rsplit('/', 1)[1]}]"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}"
    if field.get("type") == "object":
        return "mapping"
    low, high = field.get("minimum"), field.get("maximum")
    bounds = f" {low:,}..{high:,}" if low is not None and high is not None else ""
    return f"{field.get('type', 'any')}{bounds}"


def _default(field: dict[str, Any], required: bool) -> str:
    if required or field.get("default") is None:
        return "" if not required else "required"
    return f"`{json.dumps(field['default'])}`"


def settings() -> str:
    """Every environment variable."""
    lines = [
        "# Settings",
        "",
        "<!-- Made from the code by `vast manage reference`; do not edit. -->",
        "",
        "Read from the environment at start. `vast up` fills in what a single machine needs.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Environment.model_fields.items():
        variable = (
            field.validation_alias if isinstance(field.validation_alias, str) else f"VAST_{name.upper()}"
        )
        default = (
            "the repository's build"
            if name == "frontend"
            else f"`{field.default}`"
            if field.default != ""
            else ""
        )
        lines.append(f"| `{variable}` | {default} | {field.description} |")
    lines += [
        "",
        "`vast up` also reads `VAST_HOST` (address to listen on, default `127.0.0.1`) and `VAST_PORT` (default 8400, or the",
        "next free one; a port given here that is taken is an error). The command line reads `VAST_HOME`, `VAST_URL` and",
        "`VAST_TOKEN` ([its page](cli.md) says in which order).",
    ]
    return "\n".join(lines) + "\n"
