"""Hypothesis profiles of the engine's tests: 300 examples; VAST_HYPOTHESIS=deep for ten times as many."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "derandomize": False}

settings.register_profile("usual", max_examples=300, **_COMMON)
settings.register_profile("deep", max_examples=3000, **_COMMON)
settings.load_profile(os.environ.get("VAST_HYPOTHESIS", "usual"))
