"""``vast scheduler``: the process itself, and what can be done with the engine apart from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vast.runtime.local import use_local_instance

app = typer.Typer(help="The scheduler process, and its engine apart from it.", invoke_without_command=True)


@app.callback()
def scheduler(context: typer.Context) -> None:
    """Without a command: run the scheduler, which decides where pending jobs go. `vast up` starts one."""
    if context.invoked_subcommand is not None:
        return
    use_local_instance()
    import django

    django.setup()
    from vast.allocation.loop import run

    run()


@app.command()
def cases(
    paths: Annotated[
        list[Path], typer.Argument(help="Case files, or folders of them (docs/scheduling-cases.md).")
    ],
) -> None:
    """Run scheduling cases. The last line is `N passed, N failed`; the exit code is 1 when one failed."""
    from vast.simulator.cases.files import run_files

    raise typer.Exit(run_files(paths, typer.echo))


@app.command()
def record(
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("cycle.json.gz"),
) -> None:
    """Decide on the local instance as it is now, commit nothing, and write what was seen and decided to a file."""
    use_local_instance()
    import django

    django.setup()
    from vast.allocation.world import World
    from vast.common import clock
    from vast.config.env import environment
    from vast.scheduling.engine import decide
    from vast.simulator.recording import Recording

    snapshot, now, budget = World().snapshot(), int(clock.now().timestamp()), environment().scheduler_budget
    decisions = list(decide(snapshot, now, budget))
    Recording.of(snapshot, now, budget, decisions).write(out)
    typer.echo(f"{out}: {len(snapshot.pending)} pending jobs, {len(decisions)} decisions")


@app.command()
def replay(files: Annotated[list[Path], typer.Argument(help="Recordings.")]) -> None:
    """Decide recorded cycles again and compare, reasons included. The exit code is 1 when one differs."""
    from vast.simulator.recording import Recording, RecordingError, differences

    differ = False
    for file in files:
        try:
            found = list(differences(Recording.read(file)))
        except RecordingError as error:
            found = [str(error)]
        differ = differ or bool(found)
        typer.echo(f"{file}: {'identical' if not found else found[0]}")
        for line in found[1:10]:
            typer.echo(f"  {line}")
    raise typer.Exit(1 if differ else 0)


@app.command()
def place(
    nodes: Annotated[Path, typer.Option(help="CSV: sn,cpu_milli,memory_mib,gpu,model.")],
    tasks: Annotated[
        Path, typer.Option(help="CSV: seq,name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec.")
    ],
    out: Annotated[Path, typer.Option(help="CSV to write: seq,node,gpus.")],
) -> None:
    """Place a sequence of tasks one at a time as they come, and write where each went (docs/placement-quality.md)."""
    from vast.simulator.place import PlaceError, place_file

    try:
        placed, total = place_file(nodes, tasks, out)
    except PlaceError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{placed} of {total} tasks placed")
