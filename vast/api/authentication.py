"""Who calls: an API token in the Authorization header, or the console's session."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from vast.common.sentences import say, speak
from vast.tenancy.models import ApiToken, User
from vast.tenancy.services import authenticate_token


class TokenAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer":
            return None
        token = authenticate_token(secret.strip())
        if token is None:
            raise exceptions.AuthenticationFailed(say("token.bad"))
        speak(token.user.language)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SessionAuthentication(authentication.SessionAuthentication):
    """As DRF's, but a missing session answers 401 (not 403), so that the console can offer to sign in."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        found: tuple[User, None] | None = super().authenticate(request)
        if found is not None:
            speak(found[0].language)
        return found

    def authenticate_header(self, request: Request) -> str:
        return "Session"


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "vast.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "vast_<prefix>_<secret>"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "vast.api.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "vast_session"}
