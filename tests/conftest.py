"""Real PostgreSQL and Redis for every test that asks for them, and the words in which tests are written."""

from __future__ import annotations

import atexit
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

import django
from django.conf import settings

from vast.runtime.testing import ensure_servers

# pytest-django reads the settings before any fixture runs, so the servers are started here, once for the run.
_stack = ExitStack()
atexit.register(_stack.close)
_folder = Path(_stack.enter_context(tempfile.TemporaryDirectory(prefix="vast-tests-")))
os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = _stack.enter_context(ensure_servers(_folder))
os.environ.setdefault("VAST_HOME", str(_folder / "home"))
os.environ.setdefault("VAST_SECRET_KEY", "only-for-tests")
os.environ["DJANGO_SETTINGS_MODULE"] = "vast.config.settings"

django.setup()
# A slow hash protects stored passwords; here it would only make every fixture slow.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

pytest_plugins = ["tests.domain"]
