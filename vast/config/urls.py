"""Addresses: API, admin, health, and the console for everything else."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path

from vast.api import problems
from vast.config.console import console
from vast.config.health import healthz, readyz

admin.site.site_header = admin.site.site_title = "VAST"
admin.site.index_title = "Records"

urlpatterns = [
    path("api/v1/", include("vast.api.urls")),
    re_path(r"^api/.*$", problems.not_found),
    path("admin/", admin.site.urls),
    path("healthz", healthz),
    path("readyz", readyz),
    re_path(r"^(?!static/|assets/|ws/|agent/).*$", console),
]
handler500 = problems.server_error
