"""Route-level permissions; row-level scoping is in the selectors."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from vast.common.sentences import say
from vast.tenancy.policies import is_admin


class AdminWrites(BasePermission):
    """Everyone signed in reads; platform admins write."""

    message = say("admins.change")

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user.is_authenticated:
            return False
        return request.method in SAFE_METHODS or is_admin(request.user)


class AdminOnly(BasePermission):
    message = say("admins.do")

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.is_authenticated and is_admin(request.user))
