"""The built console: one page, whose script reads the address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie

from vast.config.env import environment

# Everything comes from this origin; Mantine puts styles into the page.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
)


@ensure_csrf_cookie
def console(request: HttpRequest) -> HttpResponse:
    page = environment().frontend / "index.html"
    if not page.is_file():
        return HttpResponse(
            "The console is not built. Run `make up`, or `npm ci && npm run build` in frontend/.",
            status=503,
            content_type="text/plain",
        )
    answer = HttpResponse(page.read_bytes(), content_type="text/html; charset=utf-8")
    answer["Cache-Control"] = "no-cache"
    answer["Content-Security-Policy"] = POLICY
    return answer
