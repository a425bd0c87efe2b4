"""Which instance a command on this machine means."""

from __future__ import annotations

import os


def use_local_instance() -> None:
    """Point Django at the instance that runs in VAST_HOME, unless the environment names the servers."""
    from vast.runtime.home import Home

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vast.config.settings")
    home = Home.from_environment()
    connection = home.read_connection()
    for variable, field in (("DATABASE_URL", "database_url"), ("REDIS_URL", "redis_url")):
        if connection.get(field):
            os.environ.setdefault(variable, str(connection[field]))
    if "VAST_SECRET_KEY" not in os.environ and (home.path / "secret-key").is_file():
        os.environ["VAST_SECRET_KEY"] = home.secret_key()
