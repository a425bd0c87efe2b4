"""The job document: every rule, the field it names, and the sentence that a person reads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vast.common.errors import FieldError, Invalid
from vast.jobs.asked import as_text, asked_charge
from vast.jobs.document import MAX_TASKS, RESERVED_VARIABLES, JobDocument, parse
from vast.jobs.wording import FORMS
from vast.vendors.base import GrantedDevice
from vast.vendors.environment import no_device_environment, task_environment
from vast.vendors.registry import vendors


def document(**top: Any) -> dict[str, Any]:
    return {"name": "job", "queue": "demo", "groups": [{"command": ["true"]}], **top}


def with_group(**group: Any) -> dict[str, Any]:
    return document(groups=[{"command": ["true"], **group}])


def with_request(**request: Any) -> dict[str, Any]:
    return with_group(request=request)


def errors_of(data: Any) -> dict[str, FieldError]:
    with pytest.raises(Invalid) as caught:
        parse(data)
    assert caught.value.status == 422
    return {error.field: error for error in caught.value.errors}


def the_error(data: Any) -> FieldError:
    errors = list(errors_of(data).values())
    assert len(errors) == 1, errors
    return errors[0]


def test_the_smallest_document_asks_for_one_whole_device() -> None:
    asked = parse(document()).groups[0].request
    assert (asked.devices, asked.exclusive, asked.cores, asked.memory_mib) == (1, True, None, None)


def test_a_part_of_the_memory_or_compute_makes_a_slice() -> None:
    assert parse(with_request(memory_mib=512)).groups[0].request.exclusive is False
    assert parse(with_request(cores=1)).groups[0].request.exclusive is False
    assert parse(with_request(memory_percent=5)).groups[0].request.exclusive is False
    assert parse(with_request(selector=[{"memory_mib": 512}])).groups[0].request.exclusive is False


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (document(colour="red"), "colour"),
        (with_group(colour="red"), "groups[0].colour"),
        (with_request(colour="red"), "groups[0].request.colour"),
        (with_request(selector=[{}, {"colour": "red"}]), "groups[0].request.selector[1].colour"),
        (with_group(strategy={"colour": "red"}), "groups[0].strategy.colour"),
        (
            document(groups=[{"simulate": {"colour": "red"}}]),
            "groups[0].simulate.colour",
        ),
        (document(str="red"), "str"),
        (document(**{"[key]": "red"}), "[key]"),
    ],
)
def test_an_unknown_field_is_named_together_with_the_known_ones(data: Any, field: str) -> None:
    error = the_error(data)
    assert (error.field, error.code) == (field, "extra_forbidden")
    assert str(error.detail).startswith("unknown field; known: ")
    assert error.allowed


def test_an_unknown_field_that_is_nearly_right_brings_a_suggestion() -> None:
    assert str(the_error(with_request(core=10)).detail).endswith("did you mean cores?")


@pytest.mark.parametrize(
    ("data", "field", "detail"),
    [
        (with_request(cores=101), "groups[0].request.cores", "at most 100"),
        (with_request(cores=0), "groups[0].request.cores", "at least 1"),
        (with_request(cores=10**400), "groups[0].request.cores", "at most 100"),
        (with_request(memory_mib=0), "groups[0].request.memory_mib", "at least 1"),
        (with_request(memory_percent=101), "groups[0].request.memory_percent", "at most 100"),
        (with_request(devices=65), "groups[0].request.devices", "at most 64"),
        (with_request(devices=-1), "groups[0].request.devices", "at least 0"),
        (with_request(cpu_millis=-1), "groups[0].request.cpu_millis", "at least 0"),
        (with_request(host_memory_mib=10**30), "groups[0].request.host_memory_mib", "at most 67108864"),
        (with_request(cores="many"), "groups[0].request.cores", "a whole number is wanted here"),
        (with_request(cores=1.5), "groups[0].request.cores", "a whole number is wanted here"),
        (with_request(cores=True), "groups[0].request.cores", "a whole number is wanted here"),
        (with_request(exclusive="yes"), "groups[0].request.exclusive", "true or false is wanted here"),
        (with_request(selector={"vendor": "nvidia"}), "groups[0].request.selector", "a list is wanted here"),
        (with_group(request=[]), "groups[0].request", "a mapping is wanted here"),
        (with_group(replicas=-3), "groups[0].replicas", "at least 1"),
        (with_group(replicas=4097), "groups[0].replicas", "at most 4096"),
        (with_group(env=["A=B"]), "groups[0].env", "a mapping is wanted here"),
        (with_group(strategy={"node": "scatter"}), "groups[0].strategy.node", "one of 'pack' or 'spread'"),
        (document(groups=[]), "groups", "at least 1 entry is needed"),
        (document(groups="main"), "groups", "a list is wanted here"),
        (document(name=7), "name", "text is wanted here; put quotes around a number"),
        (document(name="my job"), "name", "a-z and 0-9, inside also . and -"),
        (document(name="x" * 64), "name", "at most 63 characters"),
        (document(queue=""), "queue", "must not be empty"),
        (document(array=0), "array", "at least 1"),
        (document(array=10_001), "array", "at most 10000"),
        (document(held="no"), "held", "true or false is wanted here"),
        (document(labels={"k": 3}), "labels.k", "text is wanted here; put quotes around a number"),
        (document(labels={"k": "v" * 64}), "labels.k", "at most 63 characters"),
    ],
)
def test_a_wrong_value_names_its_field_and_says_what_is_allowed(data: Any, field: str, detail: str) -> None:
    error = the_error(data)
    assert (error.field, str(error.detail)) == (field, detail)


def test_what_is_missing_is_named() -> None:
    errors = errors_of({})
    assert set(errors) == {"name", "queue", "groups"}
    assert {str(error.detail) for error in errors.values()} == {"this field is required"}


def test_all_wrong_fields_are_reported_at_once() -> None:
    errors = errors_of(document(name="A", priority=2000, groups=[{"command": ["x"], "replicas": 0}]))
    assert set(errors) == {"name", "priority", "groups[0].replicas"}


@pytest.mark.parametrize("data", [None, [], "name: x", 7, b"x"])
def test_a_document_that_is_no_mapping_is_refused_as_a_whole(data: Any) -> None:
    assert the_error(data).field == ""


def test_memory_is_given_one_way_only() -> None:
    error = the_error(with_request(memory_mib=512, memory_percent=5))
    assert error.field == "groups[0].request"
    assert str(error.detail) == "give memory_mib or memory_percent, not both"


@pytest.mark.parametrize("part", [{"cores": 10}, {"memory_mib": 512}, {"memory_percent": 1}])
def test_exclusive_and_a_part_of_the_device_contradict_each_other(part: dict[str, int]) -> None:
    error = the_error(with_request(exclusive=True, **part))
    assert error.field == "groups[0].request"
    assert "exclusive means whole devices" in str(error.detail)


def test_a_shared_slice_without_a_size_is_refused() -> None:
    assert (
        str(the_error(with_request(exclusive=False)).detail)
        == "a slice needs cores, memory_mib or memory_percent"
    )


@pytest.mark.parametrize("name", ["A", "-a", "a-", "a_b", "a b", "ä", "a\n", ""])
def test_a_name_is_made_of_lower_case_letters_digits_dots_and_hyphens(name: str) -> None:
    assert the_error(document(name=name)).field == "name"


def test_group_names_differ() -> None:
    two = [{"name": "w", "command": ["true"]}, {"name": "w", "command": ["true"]}]
    assert str(the_error(document(groups=two)).detail) == "group names must differ: w is there twice"


@pytest.mark.parametrize(
    ("written", "seconds"),
    [(90, 90), ("90", 90), ("90s", 90), ("30m", 1800), ("2 h", 7200), ("1d", 86_400), (None, None)],
)
def test_a_duration_is_read_in_seconds(written: Any, seconds: int | None) -> None:
    assert parse(document(max_runtime=written)).max_runtime == seconds


@pytest.mark.parametrize("written", ["2w", "h", "1.5h", "-1h", "", "٣s", "9" * 5000 + "s"])
def test_a_duration_that_cannot_be_read_says_how_to_write_one(written: str) -> None:
    error = the_error(document(max_runtime=written))
    assert error.field == "max_runtime"
    assert str(error.detail) == "a number of seconds, or a number with s, m, h or d such as 30m"


@pytest.mark.parametrize("written", [0, -5, "0s", "999999999d", True, 1.5, [60]])
def test_a_duration_out_of_bounds_or_of_another_type_is_refused(written: Any) -> None:
    assert the_error(document(max_runtime=written)).field == "max_runtime"


@pytest.mark.parametrize(
    ("written", "priority"), [("low", -100), ("normal", 0), ("high", 100), (7, 7), ("-7", -7), (1000, 1000)]
)
def test_a_priority_is_a_number_or_a_word(written: Any, priority: int) -> None:
    assert parse(document(priority=written)).priority == priority


@pytest.mark.parametrize("written", ["urgent", "--5", "", 1001, -1001, "99999", True, None])
def test_another_priority_is_refused(written: Any) -> None:
    assert the_error(document(priority=written)).field == "priority"


def test_one_submission_holds_a_bounded_number_of_tasks() -> None:
    at_most = document(array=MAX_TASKS // 100, groups=[{"command": ["x"], "replicas": 100}])
    assert parse(at_most).tasks_total * parse(at_most).array == MAX_TASKS
    assert "at most 10000 tasks" in str(the_error({**at_most, "array": MAX_TASKS // 100 + 1}).detail)


def test_a_command_is_a_list_or_one_string() -> None:
    assert parse(with_group(command=["a", "b"])).groups[0].command == ["a", "b"]
    assert parse(with_group(command="a | b")).groups[0].command == "a | b"


@pytest.mark.parametrize(
    ("command", "field"),
    [
        ([], "groups[0]"),
        ([""], "groups[0]"),
        ("", "groups[0]"),
        (None, "groups[0]"),
        (5, "groups[0].command"),
        (["a", 5], "groups[0].command[1]"),
        (["a\x00"], "groups[0].command[0]"),
        ("a\x00", "groups[0].command"),
        ("a" * 131_073, "groups[0].command"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused(command: Any, field: str) -> None:
    assert the_error(with_group(command=command)).field == field


def test_a_group_has_either_a_command_or_a_simulation() -> None:
    assert str(the_error(with_group(simulate={"seconds": 1})).detail) == "give either command or simulate"
    assert str(the_error(document(groups=[{}])).detail) == "give either command or simulate"


def names_that_vast_sets() -> set[str]:
    names = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "NNODES"}
    names |= {"MASTER_ADDR", "MASTER_PORT", "VAST_JOB_ID", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES"}
    for vendor in vendors().values():
        for exclusive in (True, False):
            devices = [
                GrantedDevice(uuid=f"u{i}", index=i, memory_mib=64, cores=5, exclusive=exclusive)
                for i in (0, 1)
            ]
            names |= set(task_environment(vendor, tuple(devices)))
    return names | set(no_device_environment(vendors().values()))


@pytest.mark.parametrize("name", sorted(names_that_vast_sets()))
def test_a_variable_that_vast_sets_cannot_be_given(name: str) -> None:
    error = the_error(with_group(env={"FINE": "1", name: "x"}))
    assert error.field == f"groups[0].env.{name}"
    assert str(error.detail) == f"env may not set {name}: VAST sets it"
    assert RESERVED_VARIABLES.match(name)


@pytest.mark.parametrize("name", ["PATH", "MASTER", "RANKS", "MY_RANK", "HF_TOKEN"])
def test_other_variables_are_the_users(name: str) -> None:
    assert parse(with_group(env={name: "x"})).groups[0].env == {name: "x"}


def test_numbers_are_taken_as_values_of_variables() -> None:
    assert parse(with_group(env={"A": 1, "B": 0.5})).groups[0].env == {"A": "1", "B": "0.5"}


@pytest.mark.parametrize(
    "env", [{"A": True}, {"A": None}, {"A": "x\x00"}, {"1A": "x"}, {"A-B": "x"}, {"": "x"}]
)
def test_a_variable_that_cannot_be_set_is_refused(env: dict[str, Any]) -> None:
    assert the_error(with_group(env=env)).field.startswith("groups[0].env")


@pytest.mark.parametrize("folder", ["relative", "", "/a\x00b", "/" + "a" * 4096])
def test_a_working_folder_is_an_absolute_path(folder: str) -> None:
    assert the_error(with_group(working_dir=folder)).field == "groups[0].working_dir"


def test_the_checked_document_checks_again_to_the_same() -> None:
    once = parse(document(priority="high", max_runtime="2h", groups=[{"command": "x", "env": {"A": 1}}]))
    assert parse(once.model_dump(mode="json")) == once


def test_every_pattern_of_the_document_is_said_in_words() -> None:
    def patterns(part: Any) -> set[str]:
        if isinstance(part, list):
            return set().union(*map(patterns, part))
        if not isinstance(part, dict):
            return set()
        own = {part["pattern"]} if isinstance(part.get("pattern"), str) else set()
        return own | set(part.get("patternProperties", ())) | patterns(list(part.values()))

    assert patterns(JobDocument.model_json_schema()) == set(FORMS)


def test_the_schema_names_every_field() -> None:
    schema = JobDocument.model_json_schema()
    assert set(schema["required"]) == {"name", "queue", "groups"}
    assert schema["additionalProperties"] is False


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.binary(max_size=4)
)
keys = st.text(max_size=8) | st.sampled_from(
    [
        *JobDocument.model_fields,
        "command",
        "request",
        "env",
        "replicas",
        "cores",
        "simulate",
        "selector",
        "str",
    ]
)
garbage = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.integers(), inner, max_size=4),
)
nearly = st.fixed_dictionaries(
    {"name": st.just("job") | garbage, "queue": st.just("demo") | garbage},
    optional={
        "groups": st.lists(
            st.fixed_dictionaries(
                {"command": st.just(["x"]) | garbage},
                optional={"request": garbage, "env": garbage, "replicas": garbage, "strategy": garbage},
            ),
            max_size=2,
        ),
        "max_runtime": garbage,
        "priority": garbage,
        "labels": garbage,
        "array": garbage,
    },
)


@settings(max_examples=300, deadline=None)
@given(garbage | nearly)
def test_garbage_is_never_anything_but_invalid(data: Any) -> None:
    errors: tuple[FieldError, ...] = ()
    try:
        read = parse(data)
    except Invalid as error:
        errors = error.errors
    else:
        assert as_text(read.model_dump(mode="json"))
        assert asked_charge(read) is not None
        return
    assert errors
    assert all(str(item.detail) for item in errors)


@pytest.mark.parametrize(
    ("request_", "policy"),
    [
        ({"cores": 20}, "fixed-ratio"),
        ({"memory_mib": 4096}, "best-effort"),
        ({"exclusive": True}, "fixed-ratio"),
        ({"devices": 0}, "fixed-ratio"),
        ({"cores": 20, "sharing": "guaranteed-minimum"}, "guaranteed-minimum"),
        ({"memory_mib": 4096, "sharing": "priority-preemption"}, "priority-preemption"),
    ],
)
def test_how_compute_is_shared_follows_from_the_cores_where_nothing_is_said(
    request_: dict[str, Any], policy: str
) -> None:
    assert parse(with_request(**request_)).groups[0].request.sharing == policy


@pytest.mark.parametrize(
    "request_",
    [
        {"cores": 20, "sharing": "best-effort"},
        {"memory_mib": 4096, "sharing": "fixed-ratio"},
        {"memory_mib": 4096, "sharing": "guaranteed-minimum"},
        {"exclusive": True, "sharing": "best-effort"},
        {"cores": 20, "isolation": "hard", "sharing": "priority-preemption"},
    ],
)
def test_a_policy_that_contradicts_the_cores_is_refused(request_: dict[str, Any]) -> None:
    assert the_error(with_request(**request_)).field == "groups[0].request"
