"""Writers of tenants and tokens."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser

from vast.common import clock
from vast.tenancy.models import ApiToken

TOKEN_PREFIX = "vast_"
# Writing the time of last use on every request would make each read a write.
LAST_USED_EVERY = timedelta(minutes=1)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def create_token(
    *, user: AbstractBaseUser, name: str, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Make an API token. Returns it with the full secret, which is shown once and never kept."""
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user, name=name, prefix=prefix, digest=digest(secret), expires_at=expires_at
    )
    return token, f"{TOKEN_PREFIX}{prefix}_{secret}"


def authenticate_token(full: str) -> ApiToken | None:
    """The live token behind the secret, with its user, or None."""
    prefix, _, secret = full.removeprefix(TOKEN_PREFIX).partition("_")
    if not full.startswith(TOKEN_PREFIX) or not secret:
        return None
    token = ApiToken.objects.select_related("user").filter(prefix=prefix).first()
    if token is None or not secrets.compare_digest(token.digest, digest(secret)):
        return None
    now = clock.now()
    if not token.user.is_active or (token.expires_at and token.expires_at <= now):
        return None
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token
