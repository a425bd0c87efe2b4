"""What there is: sites, pools, nodes, devices, the links between devices and the levels of the network."""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from vast.common import clock
from vast.common.ids import new_id
from vast.common.models import Entity
from vast.inventory.choices import ClusterKind, DeviceHealth, NodeState


class Cluster(Entity):
    """A Kubernetes cluster, or a site of nodes with agents."""

    name = models.CharField(max_length=63, unique=True)
    kind = models.CharField(max_length=16, choices=ClusterKind.choices, default=ClusterKind.SITE)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class TopologyLevel(models.Model):
    """One level of a cluster's network, widest first by ``rank`` (0 = zone, 1 = rack, ...)."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="levels")
    name = models.CharField(max_length=32)
    rank = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["cluster", "rank"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="level_once")]

    def __str__(self) -> str:
        return f"{self.cluster}/{self.name}"


AT_LEAST_ONE = [MinValueValidator(1000), MaxValueValidator(100_000)]


class Pool(Entity):
    """Nodes that share policy. Quota is counted per pool and device class."""

    name = models.SlugField(max_length=63, unique=True)
    description = models.TextField(blank=True)
    cores_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE,
        default=1000,
        help_text="Over-subscription of compute, thousandths; 1000 = off.",
    )
    memory_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE,
        default=1000,
        help_text="Over-subscription of memory, thousandths; 1000 = off.",
    )
    min_slice_charge = models.PositiveSmallIntegerField(
        default=1, help_text="What a slice without compute of its own costs at least, milli-cards."
    )
    oversell = models.PositiveIntegerField(
        validators=AT_LEAST_ONE,
        default=1000,
        help_text="How much may be guaranteed in all, thousandths of what there is.",
    )
    decay = models.PositiveSmallIntegerField(
        default=0, help_text="How much past use lowers a queue's weight, thousandths; 0 = not at all."
    )
    usage_half_life_s = models.PositiveIntegerField(
        default=604_800,
        validators=[MinValueValidator(60), MaxValueValidator(31_536_000)],
        help_text="After this time past use counts half.",
    )
    hold_timeout_s = models.PositiveIntegerField(default=600)
    reserve_after_s = models.PositiveIntegerField(
        default=600, help_text="A job that waited this long gets a reservation."
    )
    max_reservations = models.PositiveSmallIntegerField(default=4)
    grow_after_s = models.PositiveIntegerField(default=60)
    moves_per_hour = models.PositiveIntegerField(default=100)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class DeviceClass(models.Model):
    """Models that count as the same thing for quota."""

    name = models.SlugField(max_length=63, primary_key=True)
    description = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "device classes"

    def __str__(self) -> str:
        return self.name


class DeviceModel(models.Model):
    """A product, as ``vast/vendors`` describes it; a model belongs to exactly one device class."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    vendor = models.CharField(max_length=32)
    name = models.CharField(max_length=80)
    memory_mib = models.PositiveIntegerField()
    device_class = models.ForeignKey(DeviceClass, on_delete=models.PROTECT, related_name="models")
    cores_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE, null=True, blank=True, help_text="Instead of the pool's, thousandths."
    )
    memory_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE, null=True, blank=True, help_text="Instead of the pool's, thousandths."
    )

    class Meta:
        ordering = ["vendor", "name"]
        constraints = [models.UniqueConstraint(fields=["vendor", "name"], name="device_model_once")]

    def __str__(self) -> str:
        return f"{self.vendor} {self.name}"


class Node(Entity):
    """One machine. ``key_digest`` is the SHA-256 of the key its agent signs in with."""

    name = models.CharField(max_length=120)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="nodes")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="nodes")
    state = models.CharField(max_length=16, choices=NodeState.choices, default=NodeState.UNREACHABLE)
    cordoned = models.BooleanField(default=False)
    simulated = models.BooleanField(default=False)
    address = models.CharField(max_length=255, blank=True)
    cpu_millis = models.PositiveIntegerField(default=0)
    memory_mib = models.PositiveIntegerField(default=0)
    task_slots = models.PositiveIntegerField(default=1000)
    labels = models.JSONField(default=dict, blank=True, help_text="In force: reported, overruled by given.")
    reported_labels = models.JSONField(default=dict, blank=True, help_text="What the agent reports.")
    given_labels = models.JSONField(default=dict, blank=True, help_text="What an admin set here.")
    location = models.JSONField(default=dict, blank=True, help_text="Domain by topology level.")
    agent_version = models.CharField(max_length=32, blank=True)
    cores_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE,
        null=True,
        blank=True,
        help_text="Instead of the pool's and the model's, thousandths.",
    )
    memory_ratio = models.PositiveIntegerField(
        validators=AT_LEAST_ONE,
        null=True,
        blank=True,
        help_text="Instead of the pool's and the model's, thousandths.",
    )
    inventory_digest = models.CharField(max_length=64, blank=True, editable=False)
    key_digest = models.CharField(max_length=64, blank=True, editable=False)
    last_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="node_once")]
        indexes = [models.Index(fields=["state"], name="node_state")]

    def __str__(self) -> str:
        return self.name


class Device(Entity):
    """One physical accelerator. Which part of it is given out is in ``allocation.Slice``."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="devices")
    model = models.ForeignKey(DeviceModel, on_delete=models.PROTECT, related_name="devices")
    uuid = models.CharField(max_length=120, help_text="The vendor's own identifier.")
    index = models.PositiveSmallIntegerField(help_text="The vendor's index on the node.")
    memory_mib = models.PositiveIntegerField()
    max_slices = models.PositiveSmallIntegerField(default=100)
    numa = models.SmallIntegerField(default=0)
    bus_id = models.CharField(max_length=32, blank=True)
    link_group = models.CharField(max_length=64, blank=True)
    health = models.CharField(max_length=16, choices=DeviceHealth.choices, default=DeviceHealth.HEALTHY)
    cordoned = models.BooleanField(default=False)
    present = models.BooleanField(default=True, help_text="False once the node no longer reports it.")

    class Meta:
        ordering = ["node__name", "node_id", "index", "id"]
        constraints = [models.UniqueConstraint(fields=["node", "uuid"], name="device_once")]

    def __str__(self) -> str:
        return self.uuid


class DeviceLink(models.Model):
    """A direct connection between two devices of a node."""

    a = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="links_out")
    b = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="links_in")
    kind = models.CharField(max_length=24)
    bandwidth_gbps = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["a", "b"], name="link_once")]

    def __str__(self) -> str:
        return f"{self.a}–{self.b} {self.kind}"


class EnrolmentToken(models.Model):
    """Lets agents add nodes. Only its SHA-256 is kept."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    pool = models.ForeignKey(Pool, null=True, blank=True, on_delete=models.CASCADE)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
