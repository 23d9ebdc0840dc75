from __future__ import annotations

import gzip
import json

import pytest

import toolcorrect as tc
from tests.shared import shared


@pytest.fixture(scope="module")
def recorded():
    """Runs as an independent reader took them from the same files."""
    with gzip.open(shared("oracles/tau_runs.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("pattern", "domain", "runs"),
    [("*airline*", "airline", 520), ("*retail*", "retail", 309), ("*telecom*", "telecom", 40)],
)
def test_every_public_run_loads(recorded, pattern, domain, runs):
    files = sorted(path for folder in ("tau_bench", "tau2_bench") for path in shared(f"data/{folder}").glob(pattern))
    data = tc.load(files)
    assert len(data) == runs
    assert data.cases[["task", "trial", "model", "outcome"]].notna().all(axis=None)
    wanted = [run for run in recorded if run["domain"] == domain]
    assert sorted(data.cases.outcome.round(6)) == sorted(round(run["reward_raw"], 6) for run in wanted)
    assert len(data.calls) == sum(len(run["called"]) for run in wanted)
    by_user = data.calls.actor.eq("user").sum()
    assert by_user == sum(call.get("requestor") == "user" for run in wanted for call in run["called"])
    assert data.calls.arguments_status.eq("ok").mean() > 0.99
    # Two runs of the file whose tasks are not its own were evaluated without any action.
    stated = sum(len(run["expected"]) for run in wanted)
    assert stated - len(data.expected) == (11 if domain == "retail" else 0)


def test_wrong_tasks_are_noticed():
    data = tc.load(shared("data/tau2_bench/toolorchestra_retail.json.gz"))
    report = data.report[data.report.code == "tasks_do_not_match"]
    assert report["count"].to_list() == [111]
    assert "the runs' own checks are used" in report.note.iloc[0]
    assert "tasks_do_not_match" not in tc.load(shared("data/tau2_bench/gpt-4.1_retail.json.gz")).report.code.to_list()


ACTION = {"name": "book", "arguments": {"id": 1}, "compare_args": ["id"], "requestor": "assistant"}
OTHER = {**ACTION, "name": "cancel"}


def made(call_id, name, arguments, requestor):
    return {"id": call_id, "name": name, "arguments": arguments, "requestor": requestor}


def simulation(checks, reason="user_stop"):
    messages = [
        {"role": "assistant", "content": "Hi", "tool_calls": None},
        {"role": "user", "content": "Book.", "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": [made("1", "book", {"id": 1}, "assistant")]},
        {"role": "tool", "id": "1", "content": "full", "error": True, "requestor": "assistant"},
        {"role": "user", "content": None, "tool_calls": [made("2", "look", {}, "user")]},
        {"role": "tool", "id": "2", "content": "ok", "error": False, "requestor": "user"},
    ]  # fmt: skip
    info = {"reward": 1.0, "action_checks": checks}
    return {"task_id": "7", "trial": 0, "messages": messages, "reward_info": info, "termination_reason": reason}


def results(*simulations, actions=(ACTION,)):
    tasks = [{"id": "7", "evaluation_criteria": {"actions": list(actions)}}]
    info = {"agent_info": {"llm": "some-model"}, "environment_info": {"domain_name": "air"}}
    return {"info": info, "tasks": tasks, "simulations": list(simulations)}


def load(tmp_path, value):
    path = tmp_path / "made.json"
    path.write_text(json.dumps(value))
    return tc.load(path)


def test_a_simulation_call_by_call(tmp_path):
    data = load(tmp_path, results(simulation([{"action": ACTION, "action_match": True}])))
    assert data.calls[["tool", "actor", "turn", "step", "error", "output"]].values.tolist() == [
        ["book", "assistant", 0, 0, True, '"full"'],
        ["look", "user", 0, 1, False, '"ok"'],
    ]
    assert data.expected[["tool", "arguments", "compare"]].values.tolist() == [["book", '{"id":1}', '["id"]']]
    assert data.cases.iloc[0][["task", "trial", "model", "outcome", "domain", "turns"]].to_list() == [
        "7", 0, "some-model", 1.0, "air", 1,
    ]  # fmt: skip


def test_runs_without_checks_take_the_task_only_if_it_is_theirs(tmp_path):
    checked = simulation([{"action": ACTION}])
    cut = {**simulation(None, "max_steps"), "trial": 1}
    assert load(tmp_path, results(checked, cut)).expected.tool.to_list() == ["book", "book"]
    data = load(tmp_path, results(checked, cut, {**simulation(None), "trial": 2}, actions=(OTHER,)))
    assert data.cases.expected_known.to_list() == [True, False, True]
    assert data.expected.tool.to_list() == ["book"]
    assert data.report.code.to_list() == ["expected_unknown", "tasks_do_not_match"]
