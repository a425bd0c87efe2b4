"""The simulator's property tests run under the engine's profiles."""

from __future__ import annotations

import tests.scheduling.conftest  # noqa: F401
