"""What importing costs, and that imports go one way."""

import ast
import subprocess
import sys
from pathlib import Path

import toolcorrect
from tests.shared import ROOT

PACKAGE = ROOT / "toolcorrect"
HEAVY = ("matplotlib", "ipywidgets", "anywidget", "openai", "pooch", "scipy", "dask", "jupyterlab")


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_bare_import_pulls_in_nothing_heavy():
    loaded = python("import sys, toolcorrect; print(*sys.modules)").split()
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


def test_a_bare_import_is_quick():
    code = (
        "import time, pandas, pyarrow.json; t = time.process_time(); import toolcorrect; "
        "print(time.process_time() - t)"
    )
    assert min(float(python(code)) for _ in range(3)) < 0.5


def test_every_public_name_is_there():
    for name in toolcorrect.__all__:
        assert getattr(toolcorrect, name) is not None


def imports(path: Path, everywhere: bool = False):
    """Yield the modules of this package that a file imports (at its top level, unless everywhere)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if everywhere else tree.body
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "toolcorrect":
            parts = node.module.split(".")[1:]
            yield from [parts[0]] if parts else [alias.name for alias in node.names]


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def graph():
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        if path.parent == PACKAGE and path.name in ("__init__.py", "__main__.py", "cli.py"):
            continue
        found.setdefault(room(path), set()).update(set(imports(path)) - {room(path)})
    return found


def test_no_room_imports_itself_through_others():
    edges = graph()
    done, path = set(), []

    def visit(name):
        if name in path:
            raise AssertionError(f"imports go round: {' -> '.join([*path[path.index(name) :], name])}")
        if name in done:
            return
        path.append(name)
        for other in sorted(edges.get(name, ())):
            visit(other)
        path.pop()
        done.add(name)

    for name in sorted(edges):
        visit(name)


def reaches(edges, start):
    seen, todo = set(), [start]
    while todo:
        for other in edges.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def test_the_great_rooms_know_only_what_stands_below_them():
    edges = graph()
    below = {name: reaches(edges, name) for name in edges}
    assert not below["loaders"] & {"scoring", "variants", "encoding", "charts", "widgets", "dashboards"}
    assert not below["scoring"] & {"charts", "widgets", "dashboards", "explaining", "disagreeing"}
    assert not below["charts"] & {"widgets", "dashboards"}
    assert not below["widgets"] & {"dashboards"}
    assert not below["encoding"] & {"variants", "scoring"}
