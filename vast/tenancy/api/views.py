"""Signing in and out, who am I, own API tokens, own tenants."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import authenticate, login, logout
from django.db.models import QuerySet
from django.middleware.csrf import get_token
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, viewsets
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from vast.common.errors import VastError
from vast.common.sentences import say
from vast.tenancy import services
from vast.tenancy.api.serializers import (
    LoginSerializer,
    MeSerializer,
    NewTokenSerializer,
    TenantSerializer,
    TokenSerializer,
)
from vast.tenancy.models import ApiToken, Tenant
from vast.tenancy.policies import is_admin, tenant_roles


class BadCredentials(VastError):
    code = "bad_credentials"
    status = 401
    title = say("title.bad_credentials")


class LoginThrottle(SimpleRateThrottle):
    """Slows down guessing, per user name and address."""

    rate = "20/min"
    scope = "login"

    def get_cache_key(self, request: Request, view: Any) -> str:
        data = request.data if isinstance(request.data, dict) else {}
        who = str(data.get("username", ""))[:150].lower()
        return f"login:{self.get_ident(request)}:{who}"


@method_decorator(csrf_protect, name="dispatch")
class LoginView(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    throttle_classes = [LoginThrottle]

    @extend_schema(request=LoginSerializer, responses=MeSerializer, operation_id="auth_login")
    def post(self, request: Request) -> Response:
        form = LoginSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        user = authenticate(request, **form.validated_data)
        if user is None:
            raise BadCredentials
        login(request, user)
        return Response(MeSerializer(user).data)


class LogoutView(APIView):
    @extend_schema(request=None, responses={204: None}, operation_id="auth_logout")
    def post(self, request: Request) -> Response:
        logout(request)
        return Response(status=204)


class CsrfView(APIView):
    """Sets the ``csrftoken`` cookie, which has to come back as the header ``X-CSRFToken`` on every write."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    @extend_schema(responses={204: None}, operation_id="auth_csrf")
    def get(self, request: Request) -> Response:
        get_token(request)
        return Response(status=204)


class MeView(APIView):
    @extend_schema(responses=MeSerializer, operation_id="me_retrieve")
    def get(self, request: Request) -> Response:
        return Response(MeSerializer(request.user).data)

    @extend_schema(request=MeSerializer, responses=MeSerializer, operation_id="me_update")
    def patch(self, request: Request) -> Response:
        form = MeSerializer(request.user, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        form.save()
        return Response(form.data)


class TokenViewSet(
    mixins.ListModelMixin, mixins.CreateModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet
):
    """Own API tokens. The secret is shown once, when the token is made."""

    queryset = ApiToken.objects.none()
    serializer_class = TokenSerializer

    def get_queryset(self) -> QuerySet[ApiToken]:
        if getattr(self, "swagger_fake_view", False):
            return self.queryset
        return ApiToken.objects.filter(user=self.request.user)

    @extend_schema(request=TokenSerializer, responses={201: NewTokenSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        form = TokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        token, secret = services.create_token(user=request.user, **form.validated_data)
        token.token = secret  # type: ignore[attr-defined]
        return Response(NewTokenSerializer(token).data, status=201)


class TenantViewSet(viewsets.ReadOnlyModelViewSet):
    """The tenants one belongs to; all of them for platform admins."""

    queryset = Tenant.objects.all()
    serializer_class = TenantSerializer

    def get_queryset(self) -> QuerySet[Tenant]:
        if getattr(self, "swagger_fake_view", False) or is_admin(self.request.user):
            return self.queryset
        return self.queryset.filter(pk__in=tenant_roles(self.request.user))
