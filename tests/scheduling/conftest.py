"""Hypothesis profiles of the engine's tests: the same 300 examples each time, so that a run means the same everywhere;
VAST_HYPOTHESIS=deep for ten times as many, and others each time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("usual", max_examples=300, derandomize=True, **_COMMON)
settings.register_profile("deep", max_examples=3000, **_COMMON)
settings.load_profile(os.environ.get("VAST_HYPOTHESIS", "usual"))
