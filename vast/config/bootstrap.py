"""What an instance needs before its first use: an admin, the catalogue of devices, a pool; with ``demo`` sample tenants.

Everything may be repeated: what is there already is left as it is.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from vast.inventory.fleet import load
from vast.inventory.models import DeviceClass, Pool
from vast.inventory.services import create_enrolment_token, install_catalogue
from vast.jobs.document import parse
from vast.jobs.models import Job
from vast.jobs.services import submit
from vast.queues.models import Queue
from vast.queues.services import create_queue
from vast.tenancy.choices import Role
from vast.tenancy.models import ApiToken, Membership, Tenant, User
from vast.tenancy.services import create_token
from vast.vendors.registry import model_or_default

LOCAL_TOKEN = "vast command line on this machine"
AGENT_TOKEN = "agents on this machine"
DEMO_PASSWORD = "demo"
DEMO_FLEET = Path(__file__).resolve().parents[2] / "examples" / "fleets" / "eight-vendors.yaml"


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """``admin_password`` is None when the admin was there already."""

    admin_username: str
    admin_password: str | None
    token: str
    enrolment_token: str


@transaction.atomic
def bootstrap(*, demo: bool) -> Bootstrapped:
    """Bring the database to where the product can be used. The local token and enrolment token are made anew."""
    install_catalogue()
    pool, _ = Pool.objects.get_or_create(name="default", defaults={"description": "The first pool."})
    admin, password = _admin(demo)
    ApiToken.objects.filter(user=admin, name=LOCAL_TOKEN).delete()
    _, token = create_token(user=admin, name=LOCAL_TOKEN)
    pool_tokens = pool.enrolmenttoken_set.filter(name=AGENT_TOKEN)
    pool_tokens.delete()
    _, enrolment = create_enrolment_token(name=AGENT_TOKEN, pool=pool)
    if demo:
        _sample_tenants(pool)
    elif not Queue.objects.exists():
        tenant, _ = Tenant.objects.get_or_create(name="default")
        create_queue(pool=pool, name="default", tenant=tenant)
    return Bootstrapped(admin.username, password, token, enrolment)


def _admin(demo: bool) -> tuple[User, str | None]:
    known = User.objects.filter(is_superuser=True, is_active=True).order_by("date_joined").first()
    if known is not None:
        return known, DEMO_PASSWORD if demo and known.check_password(DEMO_PASSWORD) else None
    password = DEMO_PASSWORD if demo else secrets.token_urlsafe(12)
    user = User.objects.create_superuser("admin", password=password, display_name="Administrator")
    return user, password


def _sample_tenants(pool: Pool) -> None:
    classes = _demo_classes()
    for name, title, people, leaves in (
        ("demo", "Demo Labs", [("dana", Role.OWNER), ("devon", Role.MEMBER)], ["research", "serving"]),
        ("acme", "Acme Robotics", [("amina", Role.OWNER), ("alex", Role.MEMBER)], ["training"]),
    ):
        tenant, _ = Tenant.objects.get_or_create(name=name, defaults={"display_name": title})
        for username, role in people:
            user, new = User.objects.get_or_create(
                username=username, defaults={"display_name": username.title()}
            )
            if new:
                user.set_password(DEMO_PASSWORD)
                user.save()
            Membership.objects.get_or_create(user=user, tenant=tenant, defaults={"role": role})
        root = Queue.objects.filter(path=name).first() or create_queue(
            pool=pool,
            name=name,
            tenant=tenant,
            quotas=[{"device_class": c, "guaranteed": 8000, "limit": None} for c in classes],
        )
        for leaf in leaves:
            if not Queue.objects.filter(path=f"{name}/{leaf}").exists():
                share = 8000 // len(leaves)
                create_queue(
                    pool=pool,
                    name=leaf,
                    parent=root,
                    tenant=tenant,
                    quotas=[{"device_class": c, "guaranteed": share, "limit": 32_000} for c in classes],
                )


def _demo_classes() -> list[str]:
    """Device classes of the demo's site: quotas for what it does not have would only be in the way."""
    if not DEMO_FLEET.is_file():
        return list(DeviceClass.objects.values_list("name", flat=True))
    devices = [device for node in load(DEMO_FLEET).nodes for device in node.inventory()["devices"]]
    found = {(d["vendor"], d["model"]): d["memory_mib"] for d in devices}
    return sorted(
        {model_or_default(vendor, model, memory).device_class for (vendor, model), memory in found.items()}
    )


SAMPLE_JOBS = (
    {
        "name": "chat-7b",
        "queue": "demo/serving",
        "array": 3,
        "groups": [
            {
                "simulate": {"seconds": 86_400, "load_percent": 65},
                "request": {"cores": 33, "memory_mib": 20_480, "selector": [{"model": "A100-SXM4-80GB"}]},
            }
        ],
    },
    {
        "name": "embeddings",
        "queue": "demo/serving",
        "array": 4,
        "groups": [
            {
                "simulate": {"seconds": 86_400, "load_percent": 40},
                # Leaves 40 % of its card: room for four of examples/jobs/inference.yaml.
                "request": {"cores": 15, "memory_mib": 8192, "selector": [{"model": "A100-SXM4-80GB"}]},
            }
        ],
    },
    {
        "name": "vision-pretrain",
        "queue": "demo/research",
        "groups": [
            {
                "name": "worker",
                "replicas": 8,
                "simulate": {"seconds": 86_400, "load_percent": 92},
                "request": {"devices": 1, "selector": [{"vendor": "ascend"}]},
            }
        ],
    },
    {
        "name": "arm-policy",
        "queue": "acme/training",
        "groups": [
            {
                "name": "worker",
                "replicas": 4,
                "simulate": {"seconds": 86_400, "load_percent": 85},
                "request": {"cores": 50, "memory_percent": 50, "selector": [{"vendor": "hygon"}]},
            }
        ],
    },
    {
        "name": "sim-rollouts",
        "queue": "acme/training",
        "array": 6,
        "groups": [
            {
                "simulate": {"seconds": 86_400, "load_percent": 55},
                "request": {
                    "cores": 20,
                    "memory_mib": 6144,
                    "selector": [{"vendor": "metax"}, {"vendor": "iluvatar"}],
                },
            }
        ],
    },
    {
        "name": "finetune-13b",
        "queue": "acme/training",
        "groups": [
            {
                "simulate": {"seconds": 86_400, "load_percent": 88},
                "request": {"devices": 2, "selector": [{"vendor": "amd"}]},
            }
        ],
    },
    # Waits for the whole machine that finetune-13b keeps: something to read in the panel *Why*.
    {
        "name": "foundation-model",
        "queue": "demo/research",
        "groups": [
            {
                "name": "worker",
                "replicas": 2,
                "simulate": {"seconds": 3600, "load_percent": 95},
                "request": {"devices": 8, "selector": [{"vendor": "amd"}]},
            }
        ],
    },
)


@transaction.atomic
def sample_jobs() -> int:
    """Submit the demo's jobs once. Returns how many submissions were new."""
    if Job.objects.exists():
        return 0
    owners = {"demo": User.objects.get(username="devon"), "acme": User.objects.get(username="alex")}
    for document in SAMPLE_JOBS:
        queue = Queue.objects.get(path=document["queue"])
        submit(document=parse(document), queue=queue, owner=owners[queue.path.split("/")[0]])
    return len(SAMPLE_JOBS)
