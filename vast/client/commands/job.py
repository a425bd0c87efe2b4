"""``vast job ...``"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vast.client.commands import follow
from vast.client.commands.document import override
from vast.client.commands.output import Column, Format, Output, age, cards, print_list, print_one
from vast.client.commands.server import connect, note
from vast.client.commands.what_if import what_if_lines
from vast.client.commands.why import why_lines
from vast.client.errors import VastError
from vast.client.models import Event, Job, Task, WhatIf

if TYPE_CHECKING:
    from vast.client.client import Client

app = typer.Typer(help="Jobs.", no_args_is_help=True)

JobName = Annotated[str, typer.Argument(metavar="JOB", help="Id, its first 8 or more characters, or name.")]
JobNames = Annotated[list[str], typer.Argument(metavar="JOB...", help="Ids, their beginnings, or names.")]
File = Annotated[str, typer.Option("--file", "-f", metavar="FILE", help="Job document; - for stdin.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a field: groups[0].replicas=4, labels.a=b."),
]
IntoQueue = Annotated[str | None, typer.Option("--queue", help="Into this queue instead of the document's.")]

LIST_COLUMNS: list[Column[Job]] = [
    Column("NAME", lambda job: job.name),
    Column("ID", lambda job: job.id),
    Column("STATE", lambda job: job.state),
    Column("QUEUE", lambda job: job.queue.path if job.queue else None),
    Column("PRIORITY", lambda job: job.priority),
    Column("RUNNING", lambda job: f"{job.tasks.get('running', 0)}/{job.tasks_total}"),
    Column("REQUESTED", lambda job: job.requested),
    Column("AGE", lambda job: age(job.submitted_at)),
    Column("POSITION", lambda job: job.position, wide=True),
    Column("OWNER", lambda job: job.owner.username if job.owner else None, wide=True),
    Column("ATTEMPT", lambda job: job.attempt, wide=True),
    Column("RAN", lambda job: age(job.started_at, job.ended_at), wide=True),
    Column("REASON", lambda job: job.reason if job.state != "succeeded" else None, wide=True),
]
DETAIL_COLUMNS: list[Column[Job]] = [
    *LIST_COLUMNS,
    Column("HELD CARDS", lambda job: cards(job.held)),
    Column("EXIT CODE", lambda job: job.exit_code),
    Column("LABELS", lambda job: ", ".join(f"{key}={value}" for key, value in job.labels.items())),
]
TASK_COLUMNS: list[Column[Task]] = [
    Column("TASK", lambda task: task.label),
    Column("RANK", lambda task: task.rank),
    Column("STATE", lambda task: task.state),
    Column("NODE", lambda task: task.node.name if task.node else None),
    Column("DEVICES", lambda task: ", ".join(f"{item.model}#{item.index}" for item in task.slices)),
    Column("RAN", lambda task: age(task.started_at, task.ended_at)),
    Column("ENDED BY", lambda task: follow.how_it_ended(task) if task.ended else None),
]
EVENT_COLUMNS: list[Column[Event]] = [
    Column("TIME", lambda event: event.at.astimezone().strftime("%H:%M:%S.%f")[:-3] if event.at else None),
    Column("KIND", lambda event: event.kind),
    Column("FROM", lambda event: event.from_state),
    Column("TO", lambda event: event.to_state),
    Column("MESSAGE", lambda event: event.message or event.reason),
    Column("TASK", lambda event: event.task, wide=True),
    Column("ACTOR", lambda event: event.actor, wide=True),
]


@app.command("submit")
def submit(
    ctx: typer.Context,
    file: File,
    wait: Annotated[bool, typer.Option("--wait", help="Stay until it has ended; exit as it did.")] = False,
    logs: Annotated[bool, typer.Option("--logs", help="Print the logs of its tasks (waits too).")] = False,
    sets: Sets = None,
    queue: IntoQueue = None,
    name: Annotated[str | None, typer.Option(help="Under this name instead of the document's.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the document.")] = False,
    output: Output = Format.TABLE,
) -> None:
    """Submit a job.

    Exit code with --wait: 0 succeeded, 1 failed, 3 cancelled; 2 when the document is refused. Ctrl-C while
    waiting leaves the job alone.
    """
    settings = [*(sets or ()), *([f"queue={queue}"] if queue else ()), *([f"name={name}"] if name else ())]
    text = _read(file)
    document = override(text, settings) if settings else text
    with connect(ctx) as client:
        if dry_run:
            client.jobs.check(document)
            typer.echo("the document is valid")
            return
        job = client.jobs.submit(document)
        if not (wait or logs):
            if output is Format.TABLE:
                typer.echo(_submitted(job))
            else:
                print_one(job, DETAIL_COLUMNS, output, lambda item: item.id)
            return
        note(_submitted(job))
        raise typer.Exit(follow.until_end(client, job, logs=logs))


@app.command("what-if")
def what_if(
    ctx: typer.Context,
    file: File,
    sets: Sets = None,
    queue: IntoQueue = None,
    output: Output = Format.TABLE,
) -> None:
    """Ask what the scheduler would do with a job now: where it starts, who leaves for it, or why it waits.

    Nothing is submitted. The exit code is 0 whatever the answer; 2 when the document is refused.
    """
    document = override(_read(file), [*(sets or ()), *([f"queue={queue}"] if queue else ())])
    with connect(ctx) as client:
        answer = client.jobs.what_if(document)
    if output in (Format.TABLE, Format.WIDE):
        for line in what_if_lines(answer):
            typer.echo(line)
    else:
        nothing: list[Column[WhatIf]] = []
        print_one(answer, nothing, output, lambda found: found.job.outcome if found.job else "")


@app.command("list")
def list_jobs(
    ctx: typer.Context,
    state: Annotated[str | None, typer.Option(help="Only in these states (comma-separated).")] = None,
    queue: Annotated[str | None, typer.Option(help="Only in this queue.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this user.")] = None,
    label: Annotated[str | None, typer.Option(help="Only with this label, as key:value.")] = None,
    search: Annotated[str | None, typer.Option(help="Only with this in the name.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, the newest.")] = 50,
    output: Output = Format.TABLE,
) -> None:
    """Jobs, newest first."""
    from itertools import islice

    with connect(ctx) as client:
        jobs = client.jobs.list(
            state=state, queue=queue, owner=owner, label=label, search=search, page_size=min(limit + 1, 500)
        )
        print_list(islice(jobs, limit), LIST_COLUMNS, output, lambda job: job.id)
        if next(jobs, None) is not None:
            note(f"note: these are the newest {limit}; there are more (--limit)")


@app.command("get")
def get(ctx: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    """One job and its tasks."""
    with connect(ctx) as client:
        found = newest(client, job)
        print_one(found, DETAIL_COLUMNS, output, lambda item: item.id)
        if output in (Format.TABLE, Format.WIDE):
            typer.echo("")
            print_list(client.jobs.tasks(found.id), TASK_COLUMNS, output, lambda task: task.id)


@app.command("cancel")
def cancel(ctx: typer.Context, jobs: JobNames) -> None:
    """Stop jobs at whatever stage, and free what they hold."""
    with connect(ctx) as client:
        for job in [only_one(client, name) for name in jobs]:
            state = client.jobs.cancel(job.id).state
            typer.echo(
                f"job {job.name} ({job.id}) " + ("is being stopped" if state == "stopping" else f"is {state}")
            )


@app.command("hold")
def hold(ctx: typer.Context, jobs: JobNames) -> None:
    """Keep waiting jobs from starting."""
    with connect(ctx) as client:
        for job in [only_one(client, name) for name in jobs]:
            typer.echo(f"job {job.name} ({job.id}) is {client.jobs.hold(job.id).state}")


@app.command("release")
def release(ctx: typer.Context, jobs: JobNames) -> None:
    """Let held jobs start."""
    with connect(ctx) as client:
        for job in [only_one(client, name) for name in jobs]:
            typer.echo(f"job {job.name} ({job.id}) is {client.jobs.release(job.id).state}")


@app.command("why")
def why(ctx: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    """Why a job does not run: every condition for its start, and which is not met."""
    with connect(ctx) as client:
        found = newest(client, job)
        answer = client.jobs.why(found.id)
    if output in (Format.JSON, Format.YAML):
        print_one(answer, [], output, lambda item: item.state)
        return
    for line in why_lines(found, answer):
        typer.echo(line)


@app.command("events")
def events(ctx: typer.Context, job: JobName, output: Output = Format.TABLE) -> None:
    """What happened to a job, newest last."""
    with connect(ctx) as client:
        found = client.jobs.events(newest(client, job).id)
        print_list(found, EVENT_COLUMNS, output, lambda event: str(event.id))


@app.command("logs")
def logs(
    ctx: typer.Context,
    job: JobName,
    task: Annotated[str | None, typer.Option(metavar="GROUP/INDEX", help="Only this task.")] = None,
    follow_on: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the tasks have ended.")
    ] = False,
    tail_bytes: Annotated[
        int | None, typer.Option("--tail-bytes", min=1, help="Only about the last bytes.")
    ] = None,
) -> None:
    """The logs of a job's tasks; of several tasks with the task in front of each line."""
    with connect(ctx) as client:
        tasks = _chosen(client.jobs.tasks(newest(client, job).id), task)
        if follow_on and len(tasks) > 1:
            stream = follow.LogStream(client)
            stream.follow(tasks)
            stream.join()
            return
        for one in tasks:
            front = f"{one.label} | " if len(tasks) > 1 else ""
            if tail_bytes:
                _echo(client.jobs.tail(one.id, tail_bytes), front)
            elif front:
                _echo("".join(chunk.data for chunk in client.jobs.logs(one.id, follow=False)), front)
            else:
                for chunk in client.jobs.logs(one.id, follow=follow_on):
                    typer.echo(chunk.data, nl=False)


@app.command("wait")
def wait(
    ctx: typer.Context,
    job: JobName,
    timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Exit 124 after that.")
    ] = None,
    with_logs: Annotated[bool, typer.Option("--logs", help="Print the logs of its tasks.")] = False,
) -> None:
    """Stay until a job has ended, and exit as it did (0, 1 failed, 3 cancelled)."""
    with connect(ctx) as client:
        raise typer.Exit(follow.until_end(client, newest(client, job), logs=with_logs, timeout_s=timeout))


def newest(client: Client, reference: str) -> Job:
    """The job meant, for a look: the newest of several with one name."""
    found = client.jobs.find(reference)
    if len(found) > 1:
        _refuse_ambiguous_prefix(reference, found)
        note(f"note: {len(found)} jobs are called {reference}; this is the newest, {found[0].id}")
    return found[0]


def only_one(client: Client, reference: str) -> Job:
    """The job meant, for a change: of several with one name the only one that has not ended."""
    found = client.jobs.find(reference)
    _refuse_ambiguous_prefix(reference, found)
    going = [job for job in found if not job.ended] or found[:1]
    if len(going) > 1:
        raise _ambiguous(reference, going)
    return going[0]


def _refuse_ambiguous_prefix(reference: str, found: Sequence[Job]) -> None:
    if len({job.name for job in found}) > 1 or (len(found) > 1 and found[0].name != reference):
        raise _ambiguous(reference, found)


def _ambiguous(reference: str, found: Sequence[Job]) -> VastError:
    ids = "".join(f"\n  {job.id}  {job.name}  {job.state}" for job in found[:10])
    return VastError(f"{reference} is {len(found)} jobs; say which by id:{ids}", status=400, code="ambiguous")


def _chosen(tasks: Sequence[Task], label: str | None) -> Sequence[Task]:
    found = [task for task in tasks if label in (None, task.label, str(task.rank), task.id)]
    if not found:
        known = ", ".join(task.label for task in tasks[:20]) or "none yet"
        raise VastError(f"no task {label} in this job; it has: {known}", status=404, code="not_found")
    return found


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file} is not UTF-8 text") from error


def _submitted(job: Job) -> str:
    many = f" ({job.array.size} jobs)" if job.array and job.array.size > 1 else ""
    return f"job {job.name} submitted: {job.id}{many}"


def _echo(text: str, front: str) -> None:
    for line in text.splitlines():
        typer.echo(front + line)
