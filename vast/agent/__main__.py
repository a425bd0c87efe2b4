"""``vast-agent``: run the agent of this machine, or of simulated nodes."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from vast.agent import VERSION, nodes
from vast.agent.host import Host, Settings, StateInUse

log = logging.getLogger("vast.agent")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 after a clean stop, 2 for wrong use."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        level=options.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    for noisy in ("httpx", "httpcore", "websockets", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        specs = _specs(options)
        asyncio.run(_run(Host(_settings(options), specs)))
    except (nodes.UnusableFleet, StateInUse, OSError) as error:
        log.error("%s", error)
        return 2
    return 0


async def _run(host: Host) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, host.stop)
    await host.run()


def _specs(options: argparse.Namespace) -> list[nodes.NodeSpec]:
    if options.simulate is not None:
        return nodes.from_fleet(options.simulate, options.node, options.cluster, options.pool)
    name = options.node[0] if options.node else None
    return [nodes.this_machine(name, options.cluster, options.pool, options.server)]


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(
        server=options.server,
        state=options.state.absolute(),
        token_file=options.token_file,
        keep_tasks=options.keep_tasks_on_exit,
        rediscover=None if options.simulate else partial(nodes.local_inventory, options.server),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vast-agent", description="Speaks for a node: reports its devices, runs its tasks."
    )
    parser.add_argument(
        "--server", required=True, type=_server, metavar="URL", help="http(s)://HOST[:PORT] of VAST"
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="enrolment token; needed until the node has its own key, and when that is refused",
    )
    parser.add_argument(
        "--state", required=True, type=_state, metavar="DIR", help="keys, journals and tasks are kept here"
    )
    parser.add_argument(
        "--simulate", type=Path, metavar="FLEET", help="speak for the nodes of this fleet file"
    )
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME",
        help="with --simulate: only this node (may be repeated); else: this machine's name",
    )
    parser.add_argument(
        "--cluster", metavar="NAME", help="site of the nodes (default: the fleet's name, or local)"
    )
    parser.add_argument("--pool", metavar="NAME", help="pool they join (default: the fleet's, or default)")
    parser.add_argument("--keep-tasks-on-exit", action="store_true", help="leave tasks running when stopped")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    parser.add_argument("--version", action="version", version=f"vast-agent {VERSION}")
    return parser


def _server(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError("must begin with http:// or https://")
    return text.rstrip("/")


def _state(text: str) -> Path:
    if "\n" in text or not text:
        raise argparse.ArgumentTypeError("must be a folder's name, without line breaks")
    return Path(os.fspath(text))


if __name__ == "__main__":
    sys.exit(main())
