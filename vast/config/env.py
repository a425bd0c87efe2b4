"""Every setting of VAST, read once from the environment. ``vast up`` fills in what a single machine needs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Environment(BaseSettings):
    """Settings by name: ``VAST_<FIELD>``, except for the two well-known URLs."""

    model_config = SettingsConfigDict(env_prefix="VAST_", extra="ignore")

    database_url: str = Field(
        default="postgresql://vast@127.0.0.1:5432/vast",
        validation_alias="DATABASE_URL",
        description="PostgreSQL (16 or newer).",
    )
    redis_url: str = Field(
        default="redis://127.0.0.1:6379/0", validation_alias="REDIS_URL", description="Redis (6.2 or newer)."
    )
    home: Path = Field(
        default=Path("~/.vast"), description="Folder of this instance: data, logs, connection file."
    )
    secret_key: str = Field(default="", description="Signs sessions. Required by every server process.")
    allowed_hosts: str = Field(
        default="127.0.0.1,localhost,[::1]",
        description="Host names that the web process answers to, by comma.",
    )
    trusted_origins: str = Field(
        default="", description="Origins (https://...) that may post forms when behind a proxy, by comma."
    )
    secure_cookies: bool = Field(default=False, description="Send cookies over HTTPS only. Set behind TLS.")
    debug: bool = Field(default=False, description="Django's debug pages. Never on a reachable server.")
    database_pool: int = Field(default=10, ge=1, description="Connections per process.")
    log_level: str = Field(default="INFO", description="DEBUG, INFO, WARNING or ERROR.")
    frontend: Path = Field(
        default=Path(__file__).resolve().parents[2] / "frontend" / "dist",
        description="Folder of the built console.",
    )
    unreachable_after_s: int = Field(
        default=15, ge=2, description="Seconds of silence after which a node counts as unreachable."
    )
    sample_every_s: int = Field(default=15, ge=1, description="Seconds between stored telemetry samples.")
    sample_keep_days: int = Field(default=14, ge=1, description="Days that telemetry samples are kept.")
    scheduler_budget: int = Field(
        default=5_000_000, ge=1, description="Search steps that the engine may take in one cycle."
    )
    scheduler_record: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Keep the last so many cycles of the scheduler in VAST_HOME/cycles, for `vast scheduler replay`.",
    )
    launch_timeout_s: int = Field(
        default=120, ge=5, description="Seconds a launch may take before the job is put back."
    )
    max_launch_failures: int = Field(
        default=3, ge=1, description="Failed launches in a row after which a job fails."
    )


@cache
def environment() -> Environment:
    return Environment()
