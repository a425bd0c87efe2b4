"""Fleet files: what they describe, and how their mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from vast.inventory.fleet import Fleet, FleetError, FleetNode, load, parse

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleets"

LAB = """
name: lab
topology: [zone, rack]
nodes:
  - name: "n-{i:02d}"
    count: 2
    address: 10.0.0.1
    cpu_millis: 32000
    memory_mib: 65536
    task_slots: 50
    labels: {tier: gold}
    location: {zone: z1, rack: r1}
    devices:
      - {vendor: nvidia, model: A100-SXM4-80GB, count: 4, link_groups: 2, numa_nodes: 2}
"""


def one_node(devices: str) -> FleetNode:
    """The node of a fleet with one node and these device blocks (YAML flow)."""
    return parse(f"name: lab\nnodes: [{{name: a, devices: [{devices}]}}]").nodes[0]


def problems(text: str) -> list[str]:
    with pytest.raises(FleetError) as refused:
        parse(text, "x.yaml")
    return refused.value.errors


def node_problems(node: str, head: str = "") -> list[str]:
    return problems(f"name: lab\n{head}\nnodes:\n  - {node}\n")


def test_a_node_reports_exactly_the_agents_inventory() -> None:
    inventory = parse(LAB).nodes[1].inventory()
    devices, links = inventory.pop("devices"), inventory.pop("links")
    assert inventory == {
        "hostname": "n-01",
        "address": "10.0.0.1",
        "cpu_millis": 32000,
        "memory_mib": 65536,
        "task_slots": 50,
        "simulated": True,
        "labels": {"tier": "gold"},
        "location": {"zone": "z1", "rack": "r1"},
        "levels": ["zone", "rack"],
    }
    assert devices[3] == {
        "uuid": devices[3]["uuid"],
        "index": 3,
        "vendor": "nvidia",
        "model": "A100-SXM4-80GB",
        "memory_mib": 81920,
        "max_slices": 100,
        "numa": 1,
        "bus_id": "0000:19:00.0",
        "link_group": "nvlink-1",
        "health": "healthy",
    }
    assert devices[3]["uuid"].startswith("GPU-")
    uuids = [device["uuid"] for device in devices]
    assert links == [
        {"a": uuids[0], "b": uuids[1], "kind": "nvlink", "bandwidth_gbps": 2400},
        {"a": uuids[2], "b": uuids[3], "kind": "nvlink", "bandwidth_gbps": 2400},
    ]


def test_a_counted_entry_stands_for_many_nodes_with_devices_of_their_own() -> None:
    fleet = parse(LAB)
    assert [node.name for node in fleet.nodes] == ["n-00", "n-01"]
    assert len({device.uuid for node in fleet.nodes for device in node.devices}) == 8


def test_reading_a_file_twice_gives_the_same_devices() -> None:
    assert parse(LAB) == parse(LAB)


def test_the_same_node_of_another_fleet_has_other_devices() -> None:
    other = parse(LAB.replace("name: lab", "name: other"))
    assert other.nodes[0].devices[0].uuid != parse(LAB).nodes[0].devices[0].uuid


def test_what_is_left_out_has_defaults() -> None:
    fleet = parse("name: lab\nnodes: [{name: a}]")
    assert fleet == Fleet(
        "lab",
        "default",
        (),
        [FleetNode("a", "127.0.0.1", 64000, 524288, 1000, {}, {}, ())],
    )


def test_devices_of_a_linked_model_are_one_group_and_pcie_cards_none() -> None:
    node = one_node("{vendor: ascend, model: 910B3, count: 2}, {vendor: nvidia, model: L4, count: 2}")
    assert [device.link_group for device in node.devices] == ["hccs-0", "hccs-0", "", ""]
    assert [link.kind for link in node.links] == ["hccs"]


def test_pcie_cards_are_linked_when_the_file_says_so() -> None:
    node = one_node("{vendor: nvidia, model: L4, count: 4, link_groups: 2}")
    assert [device.link_group for device in node.devices] == ["pcie-0", "pcie-0", "pcie-1", "pcie-1"]


def test_devices_are_numbered_per_vendor_as_the_vendors_tools_count() -> None:
    node = one_node(
        "{vendor: nvidia, model: L4, count: 2}, {vendor: ascend, model: 910B3}, {vendor: nvidia, model: T4}"
    )
    assert [(device.vendor, device.index) for device in node.devices] == [
        ("nvidia", 0),
        ("nvidia", 1),
        ("ascend", 0),
        ("nvidia", 2),
    ]
    assert len({device.bus_id for device in node.devices}) == 4


def test_memory_and_slices_of_the_file_go_before_the_models() -> None:
    device = one_node("{vendor: hygon, model: Z100, memory_mib: 8192, max_slices: 4}").devices[0]
    assert (device.memory_mib, device.max_slices) == (8192, 4)


def test_a_model_that_cannot_be_shared_gets_one_slice() -> None:
    assert one_node("{vendor: ascend, model: '310'}").devices[0].max_slices == 1


def test_a_model_may_be_written_as_its_tool_prints_it() -> None:
    assert one_node("{vendor: metax, model: mxc500}").devices[0].model == "C500"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "file: must be a mapping, not None"),
        ("[]", "file: must be a mapping, not []"),
        ("nodes: [{name: a}]", "file: name is missing"),
        ("name: lab", "file: nodes is missing"),
        ("name: lab\nnodes: []", "nodes: needs at least 1 entry"),
        ("name: lab\npools: x\nnodes: [{name: a}]", "pools: unknown field; did you mean pool?"),
        (
            "name: Lab\nnodes: [{name: a}]",
            "name: 'Lab' is no name; allowed are a-z, 0-9, and inside also . _ -, up to 63 characters",
        ),
    ],
)
def test_a_wrong_file_is_told_by_field(text: str, wanted: str) -> None:
    assert problems(text) == [wanted]


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        ("{}", "nodes[0]: name is missing"),
        ("{name: a, cpu_milis: 1}", "nodes[0].cpu_milis: unknown field; did you mean cpu_millis?"),
        (
            "{name: a, cpu_millis: 0}",
            "nodes[0].cpu_millis: must be from 1 to 100000000, not 0",
        ),
        (
            "{name: a, task_slots: many}",
            "nodes[0].task_slots: must be a whole number, not 'many'",
        ),
        ("{name: a, labels: {x: 1}}", "nodes[0].labels.x: must be a text (put it in quotes), not 1"),
        (
            "{name: n, count: 2}",
            "nodes[0].name: 'n' stands for 2 nodes; write {i} or {i:04d} for the number",
        ),
        (
            "{name: a_b}",
            "nodes[0].name: 'a_b' is no node name; allowed are a-z, 0-9, and inside also . -, up to 63",
        ),
        (
            "{name: '{x}'}",
            "nodes[0].name: '{x}' is no node name; allowed are a-z, 0-9, and inside also . -, up to 63",
        ),
        (
            "{name: a, location: {rak: r1}}",
            "nodes[0].location.rak: not a level of this fleet; did you mean rack?",
        ),
        (
            "{name: a, devices: [{vendor: nvida, model: A30}]}",
            "nodes[0].devices[0].vendor: unknown vendor 'nvida'; did you mean nvidia?",
        ),
        (
            "{name: a, devices: [{vendor: metax, model: X}]}",
            "nodes[0].devices[0].model: MetaX has no model 'X'; known: C500, C550, C600-A, N260",
        ),
        (
            "{name: a, devices: [{vendor: nvidia, model: L4, count: 65}]}",
            "nodes[0].devices[0].count: must be from 1 to 64, not 65",
        ),
        (
            "{name: a, devices: [{vendor: amd, model: MI210, count: 64}, {vendor: nvidia, model: T4}]}",
            "nodes[0].devices: 65 devices; a node has at most 64",
        ),
        (
            "{name: a, devices: [{vendor: ascend, model: '310', max_slices: 2}]}",
            "nodes[0].devices[0].max_slices: 310 cannot be shared; only 1 is allowed",
        ),
        (
            "{name: a, devices: [{vendor: nvidia, model: L4, count: 2, link_groups: 3}]}",
            "nodes[0].devices[0].link_groups: 3 for 2 devices; at most 2 is allowed",
        ),
    ],
)
def test_a_wrong_node_is_told_by_field(node: str, wanted: str) -> None:
    assert node_problems(node, head="topology: [zone, rack]") == [wanted]


def test_a_location_without_a_topology_says_that_the_list_is_missing() -> None:
    assert node_problems("{name: a, location: {rack: r1}}") == [
        "nodes[0].location.rack: not a level of this fleet; the file has no topology list"
    ]


def test_two_nodes_of_one_name_are_refused() -> None:
    text = "name: lab\nnodes: [{name: 'n-{i}', count: 3}, {name: n-2}]"
    assert problems(text) == ["nodes[1].name: 'n-2' is already the name of a node of nodes[0]"]


def test_all_mistakes_are_told_at_once_with_the_files_name() -> None:
    text = "name: lab\nnodes: [{name: a, devices: [{vendor: x, model: y}]}, {name: a, location: {rack: r}}]"
    with pytest.raises(FleetError) as refused:
        parse(text, "x.yaml")
    lines = str(refused.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("x.yaml: nodes[") for line in lines)


def test_a_key_written_twice_is_refused() -> None:
    assert "'pool' is written twice" in problems("name: lab\npool: a\npool: b\nnodes: [{name: a}]")[0]


def test_broken_yaml_is_told_with_its_line() -> None:
    assert "line 2" in problems("name: lab\nnodes: ]")[0]


def test_yaml_cannot_make_python_objects() -> None:
    assert "not valid YAML" in problems("name: !!python/object/apply:os.getcwd []\nnodes: [{name: a}]")[0]


def test_a_fleet_that_is_too_large_is_refused_before_it_is_written_out() -> None:
    text = "name: lab\nnodes: [{name: 'a{i}', count: 100000}, {name: 'b{i}', count: 100000}]"
    assert problems(text) == ["nodes: 200000 nodes in all; at most 100000 are allowed"]


def test_a_file_that_is_not_there_is_a_fleet_error(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="file: cannot be read"):
        load(tmp_path / "none.yaml")


def test_the_lab_example_is_three_nodes_of_two_vendors() -> None:
    fleet = load(EXAMPLES / "lab.yaml")
    assert len(fleet.nodes) == 3
    assert {device.vendor for node in fleet.nodes for device in node.devices} == {"nvidia", "ascend"}


def test_the_eight_vendor_example_has_every_vendor_in_two_zones() -> None:
    fleet = load(EXAMPLES / "eight-vendors.yaml")
    assert len(fleet.nodes) == 24
    assert sum(len(node.devices) for node in fleet.nodes) == 174
    assert len({device.vendor for node in fleet.nodes for device in node.devices}) == 8
    assert {node.location["zone"] for node in fleet.nodes} == {"z1", "z2"}
