"""Version 1 of the REST API."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.routers import DefaultRouter

from vast.api import exports
from vast.api.saved_views import SavedViewViewSet
from vast.api.what_if import WhatIfView
from vast.inventory.api import views as inventory
from vast.jobs.api import views as jobs
from vast.queues.api import views as queues
from vast.telemetry.api import views as telemetry
from vast.tenancy.api import views as tenancy

router = DefaultRouter()
router.include_root_view = False
router.register("clusters", inventory.ClusterViewSet)
router.register("pools", inventory.PoolViewSet)
router.register("device-classes", inventory.DeviceClassViewSet)
router.register("device-models", inventory.DeviceModelViewSet)
router.register("nodes", inventory.NodeViewSet)
router.register("devices", inventory.DeviceViewSet)
router.register("enrolment-tokens", inventory.EnrolmentTokenViewSet)
router.register("tenants", tenancy.TenantViewSet)
router.register("tokens", tenancy.TokenViewSet)
router.register("queues", queues.QueueViewSet)
router.register("jobs", jobs.JobViewSet)
router.register("views", SavedViewViewSet)

urlpatterns = [
    path("auth/csrf/", tenancy.CsrfView.as_view()),
    path("auth/login/", tenancy.LoginView.as_view()),
    path("auth/logout/", tenancy.LogoutView.as_view()),
    path("me/", tenancy.MeView.as_view()),
    path("overview/", telemetry.OverviewView.as_view()),
    path("what-if/", WhatIfView.as_view()),
    path("overview/history/", telemetry.OverviewHistoryView.as_view()),
    path("jobs/export/", exports.JobsExport.as_view({"get": "export"})),
    path("nodes/export/", exports.NodesExport.as_view({"get": "export"})),
    path("devices/export/", exports.DevicesExport.as_view({"get": "export"})),
    path("agents/enrol/", inventory.EnrolView.as_view()),
    path("tasks/<uuid:pk>/log/", jobs.TaskLogView.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("", include(router.urls)),
]
