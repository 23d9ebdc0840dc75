"""Result files of tau-bench and tau2-bench."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT, to_json
from toolcorrect.loaders.chat import add_messages
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import mostly

# How a simulation may end so that its reward was worked out from what it did.
_EVALUATED = frozenset({"user_stop", "agent_stop"})


def read_tau_bench(record: Any, rows: Rows) -> None:
    """Read one run of tau-bench: a trajectory of chat messages, the task's actions, the reward."""
    task, trial = record["task_id"], record.get("trial", 0)
    tags = {key: value for key, value in record.items() if key not in ("task_id", "trial", "reward", "traj", "info")}
    case = rows.case(
        f"{task}/{trial}",
        ids_within="step",
        tags=tags,
        task=str(task),
        trial=trial,
        model=tags.pop("model", None) or rows.source.stem,
        outcome=record.get("reward"),
    )
    add_messages(case, record["traj"])
    actions = record["info"].get("task", {}).get("actions")
    case.columns["expected_known"] = actions is not None
    for action in actions or []:
        case.expect(action["name"], action.get("kwargs", ABSENT))


def read_tau2(source: Source, rows: Rows) -> None:
    """Read the simulations of tau2-bench, each with the actions that its own checks name."""
    document = source.document
    info = document.get("info") or {}
    tasks = {str(task["id"]): task for task in document.get("tasks") or []}
    simulations = document["simulations"]
    trusted = _belong_together(tasks, simulations, rows)
    for i, simulation in enumerate(simulations):
        with rows.record(f"simulation {i}"):
            _read_simulation(simulation, info, tasks if trusted else {}, rows)


def _read_simulation(simulation: dict[str, Any], info: dict[str, Any], tasks: dict[str, Any], rows: Rows) -> None:
    reward = simulation.get("reward_info") or {}
    task, trial = str(simulation["task_id"]), simulation.get("trial", 0)
    case = rows.case(
        f"{task}/{trial}",
        ids_within="step",
        task=task,
        trial=trial,
        model=(info.get("agent_info") or {}).get("llm") or rows.source.stem,
        outcome=reward.get("reward"),
        domain=(info.get("environment_info") or {}).get("domain_name"),
        termination_reason=simulation.get("termination_reason"),
    )
    add_messages(case, simulation["messages"])
    for call in case.calls:
        if call.actor != "user":
            call.actor = "assistant"
    _add_actions(case, simulation, reward, tasks)


def _add_actions(case: Case, simulation: dict[str, Any], reward: dict[str, Any], tasks: dict[str, Any]) -> None:
    checks = reward.get("action_checks")
    task = tasks.get(str(simulation["task_id"]))
    if checks is not None:
        actions = [check["action"] for check in checks]
    elif task is not None:
        actions = _actions(task)
    elif simulation.get("termination_reason") in _EVALUATED:
        # A run that was evaluated without checks had no actions to check.
        actions = []
    else:
        case.report("expected_unknown", "not evaluated, and the file's tasks are not those of its runs")
        return
    case.columns["expected_known"] = True
    for action in actions:
        case.expect(
            action["name"],
            action.get("arguments", ABSENT),
            compare=action.get("compare_args"),
        )


def _belong_together(tasks: dict[str, Any], simulations: list[Any], rows: Rows) -> bool:
    """Tell whether the file's tasks are those of its runs; where not, the report says so."""
    differing = compared = 0
    for simulation in simulations:
        checks = (simulation.get("reward_info") or {}).get("action_checks")
        task = tasks.get(str(simulation.get("task_id")))
        if checks is None or task is None:
            continue
        compared += 1
        differing += _names([check["action"] for check in checks]) != _names(_actions(task))
    if differing:
        rows.report(
            "tasks_do_not_match",
            f"{differing} of {compared} runs were checked against other actions than the file's tasks state: "
            "the runs' own checks are used",
            count=differing,
        )
    return not differing


def _actions(task: dict[str, Any]) -> list[Any]:
    return (task.get("evaluation_criteria") or {}).get("actions") or []


def _names(actions: list[Any]) -> list[str]:
    return [f"{action['name']} {to_json(action.get('arguments'))}" for action in actions]


def detect_tau_bench(source: Source) -> tuple[float, str] | None:
    """Recognise runs by their trajectory and info."""
    records = [record for record in source.head if isinstance(record, dict)]
    if mostly("traj" in record and isinstance(record.get("info"), dict) for record in records):
        return 0.97, "records with traj and info"
    return None


def detect_tau2(source: Source) -> tuple[float, str] | None:
    """Recognise the one object that holds simulations and tasks."""
    document = source.document
    if source.shape == "object" and isinstance(document.get("simulations"), list) and "tasks" in document:
        return 0.97, "an object with simulations and tasks"
    return None


TAU_BENCH = Format("tau_bench_results", "results of tau-bench", detect_tau_bench, each_record(read_tau_bench))
TAU2 = Format("tau2_results", "simulations of tau2-bench", detect_tau2, read_tau2)
