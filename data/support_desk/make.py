"""Write the support-desk set: six simulated agents, each with its own habits, serve 40 tasks three times.

An agent starts from the reference calls of a task and spoils them in the way that is its own. What remains is
really run in the shop, so tool outputs, errors and the outcome are computed, not invented. Every draw comes
from a generator seeded with agent, task and trial: `python make.py [folder]` writes the same bytes each time.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shop import PRODUCTS, TOOLS, Shop
from tasks import Call, Task, tasks

TRIALS = (1, 2, 3)
SYSTEM = "You serve the customers of the shop Fern & Kettle. Use the tools and keep to the rules of the house."
CHANCES = {"easy": 1, "medium": 2, "hard": 3}  # how often a habit may show in one run
NOISE = {"look": 0.08, "swap": 0.03, "slip": 0.06, "skip": 0.05, "repeat": 0.03, "tempt": 0.15}


@dataclass(frozen=True)
class Agent:
    """A simulated agent: how likely each habit shows at each chance, and how it works otherwise."""

    name: str
    habits: dict[str, float]
    recovers: float  # chance to try again after an error
    together: float  # chance that neighbouring reads share one message
    prefixes: tuple[str, ...] = ("",)  # what it writes before tool names, drawn once a run


AGENTS = (
    Agent("scout", {"look": 0.80, "slip": 0.03, "skip": 0.02}, 0.9, 0.7),
    Agent("echo", {"repeat": 0.45}, 0.7, 0.3),
    Agent("tumble", {"swap": 0.40}, 0.5, 0.4),
    Agent("smudge", {"slip": 0.45}, 0.3, 0.2),
    Agent("hasty", {"skip": 0.35, "look": 0.0, "repeat": 0.0, "tempt": 0.05}, 0.2, 0.6),
    Agent("courier", {"slip": 0.03, "skip": 0.03, "tempt": 0.10}, 0.8, 0.5, ("", "functions.", "mcp__shop__")),
)


@dataclass(frozen=True)
class Step:
    """A planned call: what it should be, and the argument text that is going to be written."""

    tool: str
    meant: dict[str, Any]
    written: str

    @property
    def effect(self) -> bool:
        """Whether the call changes the state."""
        return bool(TOOLS[self.tool]["effect"])


Plan = list[Step]


def step(call: Call) -> Step:
    tool, arguments = call
    return Step(tool, arguments, json.dumps(arguments))


# The habits: each takes a plan and returns another one.


def look(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Look up one more thing, needed or not."""
    sku = rng.choice(list(PRODUCTS))
    topics = TOOLS["get_policy"]["function"]["parameters"]["properties"]["topic"]["enum"]
    extra: list[Call] = [
        ("get_policy", {"topic": rng.choice(topics)}),
        ("check_stock", {"sku": sku}),
        ("search_catalog", {"query": PRODUCTS[sku][0].lower()}),
    ]
    extra += [("get_order", {"order_id": one.meant["order_id"]}) for one in plan if "order_id" in one.meant]
    at = rng.randint(0, len(plan))
    return [*plan[:at], step(rng.choice(extra)), *plan[at:]]


def swap(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Do two neighbouring things the wrong way round, effects first of all."""
    pairs = [at for at in range(len(plan) - 1) if plan[at].effect] or list(range(len(plan) - 1))
    if not pairs:
        return plan
    at = rng.choice(pairs)
    return [*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]]


def slip(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Get one argument of one call wrong, or merely write it another way."""
    if not plan:
        return plan
    at = rng.randrange(len(plan))
    wrong = json.dumps(misread(plan[at].meant, TOOLS[plan[at].tool]["function"]["parameters"], rng))
    spoilt = replace(plan[at], written=wrong[:-1] if rng.random() < 0.05 else wrong)
    return [*plan[:at], spoilt, *plan[at + 1 :]]


def skip(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Leave one call out, most often the last; the only one stays."""
    if len(plan) < 2:
        return plan
    at = len(plan) - 1 if rng.random() < 0.5 else rng.randrange(len(plan))
    return [*plan[:at], *plan[at + 1 :]]


def repeat(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Make one call twice, most often a read."""
    reads = [one for one in plan if not one.effect]
    if not plan:
        return plan
    again = rng.choice(reads if reads and rng.random() < 0.7 else plan)
    at = rng.randint(plan.index(again) + 1, len(plan))
    return [*plan[:at], again, *plan[at:]]


def tempt(plan: Plan, task: Task, rng: random.Random) -> Plan:
    """Make the call that seems to help and should not be made."""
    return [*plan, step(task.tempting)] if task.tempting else plan


HABITS: dict[str, Callable[[Plan, Task, random.Random], Plan]] = {
    "look": look,
    "swap": swap,
    "slip": slip,
    "skip": skip,
    "repeat": repeat,
    "tempt": tempt,
}


def misread(value: Any, schema: dict[str, Any], rng: random.Random) -> Any:
    """Return a value with one believable slip in it."""
    if "enum" in schema:
        return rng.choice([other for other in schema["enum"] if other != value])
    if isinstance(value, dict):
        key = rng.choice(list(value))
        return {**value, key: misread(value[key], schema["properties"][key], rng)}
    if isinstance(value, list):
        if len(value) > 1 and rng.random() < 0.5:
            return value[:-1]
        return [misread(value[0], schema["items"], rng), *value[1:]]
    if isinstance(value, str) and value.startswith("SO-"):
        return rng.choice([value.lower(), f"{value[:-1]}{rng.randrange(10)}", value[3:]])
    if isinstance(value, str):
        return rng.choice([value.lower(), value[1:], value.split()[0]])
    return rng.choice([value + 1, int(value), str(value)])


# A run: the plan is worked off in the shop, call by call.


@dataclass
class Run:
    """The conversation of one agent with one customer, and the shop it happens in."""

    task: Task
    shop: Shop = field(default_factory=Shop)
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    done: list[str] = field(default_factory=list)
    failed: bool = False

    def say(self, role: str, content: str) -> None:
        """Add a message of plain text."""
        self.messages.append({"role": role, "content": content})

    def make(self, steps: Plan, prefix: str) -> list[Step]:
        """Make the calls of one assistant message; return those that failed."""
        numbers = [f"call_{self.calls + offset}" for offset in range(1, len(steps) + 1)]
        self.calls += len(steps)
        functions = [{"name": prefix + one.tool, "arguments": one.written} for one in steps]
        calls = [{"id": number, "type": "function", "function": made} for number, made in zip(numbers, functions)]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        failed = []
        for number, one, made in zip(numbers, steps, functions):
            output = self.shop.call(made["name"], made["arguments"])
            self.messages.append({"role": "tool", "tool_call_id": number, "content": output})
            if output.startswith("Error"):
                failed.append(one)
            elif one.effect and one.tool not in self.done:
                self.done.append(one.tool)
        return failed

    def answer(self) -> str:
        """Tell the customer what was done."""
        words = {
            "cancel_order": "cancelled the order",
            "refund_order": "paid the money back",
            "change_address": "changed the address",
            "replace_items": "changed the items",
            "apply_discount": "taken off the discount",
            "release_order": "sent the order on",
            "send_mail": "sent you a mail",
            "open_ticket": "told a colleague",
        }
        if not self.calls:
            return "With pleasure. Write to us any time."
        text = f"I have {' and '.join(words[tool] for tool in self.done) or 'looked it up'}."
        return f"{text} Not all of it worked, sorry." if self.failed else text


def perform(agent: Agent, task: Task, trial: int) -> dict[str, Any]:
    """Let an agent serve a task and return the run as one record."""
    rng = random.Random(f"{agent.name}/{task.name}/{trial}")
    plan = [step(call) for call in task.calls]
    for name, habit in HABITS.items():
        for _ in range(CHANCES[task.difficulty]):
            if rng.random() < agent.habits.get(name, NOISE[name]):
                plan = habit(plan, task, rng)

    run, prefix, retried = Run(task), rng.choice(agent.prefixes), False
    run.say("system", SYSTEM)
    run.say("user", task.input)
    while plan:
        size = 1
        while size < len(plan) and not (plan[size - 1].effect or plan[size].effect) and rng.random() < agent.together:
            size += 1
        steps, plan = plan[:size], plan[size:]
        for one in run.make(steps, prefix):
            if retried or rng.random() >= agent.recovers:
                run.failed = True
                continue
            # A slip is put right at once; what came too early is tried again at the end.
            retried, again = True, step((one.tool, one.meant))
            plan = [*plan, again] if one.written == again.written else [again, *plan]
    run.say("assistant", run.answer())
    outcome = float(run.shop.state == reference_state(task))
    return {
        "case": f"{agent.name}/{task.name}/{trial}",
        "model": agent.name,
        "task": task.name,
        "trial": trial,
        "outcome": outcome,
        "messages": run.messages,
    }


def reference_state(task: Task) -> dict[str, Any]:
    """Return the state the shop is in after the reference calls."""
    shop = Shop()
    for tool, arguments in task.calls:
        output = shop.call(tool, json.dumps(arguments))
        if output.startswith("Error"):
            raise ValueError(f"task {task.name}: the reference call {tool} fails: {output}")
    return shop.state


def write(folder: Path) -> None:
    """Write the runs of every agent, the tasks with their reference calls, and the tools."""
    for agent in AGENTS:
        runs = [perform(agent, task, trial) for task in tasks() for trial in TRIALS]
        text = "".join(json.dumps(run, ensure_ascii=False) + "\n" for run in runs)
        (folder / f"{agent.name}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    with (folder / "cases.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["task", "kind", "difficulty", "input", "expected"])
        for task in tasks():
            expected = [{"name": tool, "arguments": arguments} for tool, arguments in task.calls]
            rows.writerow([task.name, task.kind, task.difficulty, task.input, json.dumps(expected)])
    tools = json.dumps(list(TOOLS.values()), indent=1) + "\n"
    (folder / "tools.json").write_text(tools, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
