"""Which definition implies which: the lattice of strictness, strictest at the left."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from toolcorrect.charts._drawing import canvas, empty, font, headline, left_out, need, own, room
from toolcorrect.charts._style import LIGHT, VERMILLION, look, readable
from toolcorrect.charts._text import counted, plain, short_names, text_width

Edge = tuple[str, str]


def strictness_data(strictness: pd.DataFrame) -> pd.DataFrame:
    """Return the lattice: variants that say the same as one node, and only the edges that follow from no others.

    Parameters
    ----------
    strictness : DataFrame
        Of `strictness`: index (variant, other), column implies (True, False or NA), and, where it was given scores,
        passed, exceptions and n.

    Returns
    -------
    DataFrame
        One row an edge, from the stricter ``variant`` to ``other`` (index); a node without an edge downwards has a
        row with ``other`` NA. Columns members (names that ``variant`` stands for), level (longest way down to it
        from the strictest, from 0), alone (True where a node has no edge at all), pass_share (of its scored cases)
        and exceptions (cases that pass ``variant`` but not ``other``, against the logic; 0 unless data says so).

    Examples
    --------
    >>> import toolcorrect as tc
    >>> strictness_data(tc.strictness(["recall", "exact", "exact.args"])).index.dropna().to_list()
    [('exact', 'recall'), ('exact.args', 'exact')]
    """
    need(strictness, ["implies"], "strictness")
    names = list(strictness.index.get_level_values(0).unique())
    place = {name: i for i, name in enumerate(names)}
    below = np.zeros((len(names), len(names)), dtype=bool)
    for a, b in strictness.index[strictness["implies"].astype("boolean").fillna(False).to_numpy(dtype=bool)]:
        below[place[a], place[b]] = True
    first = [int(np.flatnonzero(np.append(below[i, :i] & below[:i, i], True))[0]) for i in range(len(names))]
    nodes = [i for i in range(len(names)) if first[i] == i]
    over = below[np.ix_(nodes, nodes)] & ~np.eye(len(nodes), dtype=bool)
    # An edge that a way over a third node also gives is left out.
    edges = over & ~((over.astype(np.int64) @ over.astype(np.int64)) > 0)
    level = np.zeros(len(nodes), dtype=np.int64)
    for _ in nodes:
        deeper = np.where(edges, level[:, None] + 1, 0).max(axis=0, initial=0)
        if (deeper <= level).all():
            break
        level = np.maximum(level, deeper)
    passed = _pass_shares(strictness)
    rows = []
    for i, node in enumerate(nodes):
        members = tuple(name for name, f in zip(names, first, strict=True) if f == node)
        alone = not (edges[i].any() or edges[:, i].any())
        for j in [*np.flatnonzero(edges[i])] or [None]:
            other = None if j is None else names[nodes[j]]
            against = int(strictness.loc[(names[node], other), "exceptions"]) if other is not None and passed else 0
            rows.append((names[node], other, members, level[i], alone, passed.get(names[node], np.nan), against))
    columns = ["variant", "other", "members", "level", "alone", "pass_share", "exceptions"]
    return pd.DataFrame(rows, columns=columns).astype({"other": object}).set_index(["variant", "other"])


def _pass_shares(strictness: pd.DataFrame) -> Mapping[str, float]:
    if not {"passed", "n", "exceptions"} <= set(strictness.columns):
        return {}
    widest = strictness.sort_values("n", ascending=False, kind="stable").groupby(level=0, sort=False).first()
    shares: dict[str, float] = (widest["passed"] / widest["n"].where(widest["n"] > 0)).to_dict()
    return shares


def strictness(
    strictness: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw which definitions imply which.

    Parameters
    ----------
    strictness : DataFrame
        Of `strictness`; with scores, each name is followed by the share of cases with a full score.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        Names from the strictest at the left to the most lenient; a line says that a full score under its left end
        is one under its right end. Variants that imply nothing and are implied by nothing are counted, not drawn.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> strictness(tc.strictness(["exact", "recall"])).get_title(loc="left")
    'exact is the strictest of 2 variants'
    """
    table = strictness_data(strictness)
    nodes = table.reset_index().drop_duplicates("variant").set_index("variant")
    alone = nodes[nodes["alone"].astype(bool)]
    drawn = nodes[~nodes["alone"].astype(bool)]
    variants = int(nodes["members"].map(len).sum())
    cases = int(strictness["n"].max()) if "n" in strictness.columns and len(strictness) else 0
    note = f"{counted(variants, 'variant')}; a line: full score at its left end, full score at its right end"
    note += (
        f"; share of up to {counted(cases, 'case')} with a full score" if cases else "; from the axes alone, no data"
    )
    note += left_out(int(alone["members"].map(len).sum()), "variant", "without any implication not drawn")
    edges = [(a, b) for a, b in table.index if isinstance(b, str)]
    deepest = int(drawn["level"].value_counts().max()) if len(drawn) else 0
    wide = 2.1 * (int(drawn["level"].max()) + 1) if len(drawn) else 0.0
    size_of_figure = (float(np.clip(wide, 7.5, 20)), float(np.clip(1.7 + 0.36 * deepest, 3, 24)))
    with canvas(ax, title, context, size_of_figure) as ax:
        if drawn.empty:
            return empty(ax, "No variant here implies another, as far as their axes say.", title, note)
        columns, links = _routed(drawn["level"], edges)
        deepest = max(len(column) for column in columns)
        width, height = room(ax)[0] * 0.97, room(ax)[1] * (0.78 if own(ax) else 1.0)
        labels = {name: _label(nodes.loc[name]) for name in drawn.index}
        wide = sum(max((text_width(labels[n], 1) for n in column if n in labels), default=0) for column in columns)
        size = float(np.clip(min(height / deepest / 1.5, width * 0.75 / wide), font(0.5), font(0.9)))
        points = width * 0.75 / len(columns) if wide * size > width * 0.8 else np.inf
        texts = {name: short_names([label], points, size)[0] for name, label in labels.items()}
        x, ends = 0.0, {}
        for column in columns:
            across = max((text_width(texts[name], size) for name in column if name in texts), default=0.0)
            for i, name in enumerate(column):
                y = (i + 0.5) / len(column) * height
                right = x + (text_width(texts[name], size) if name in texts else across)
                ends[name] = (x, right, y)
                if name in texts:
                    ax.text(x, y, texts[name], va="center", fontsize=size, color=readable(look(name).colour))
                else:
                    ax.plot([x - size * 0.3, right + size * 0.3], [y, y], color=LIGHT, lw=font(0.09), zorder=0)
            x += across + width * 0.25 / len(columns)
        against = set(table.index[table["exceptions"] > 0])
        for a, b, edge in links:
            colour = VERMILLION if edge in against else LIGHT
            _curve(ax, (ends[a][1] + size * 0.3, ends[a][2]), (ends[b][0] - size * 0.3, ends[b][2]), colour)
        ax.set(xlim=(-size, max(x, width) + size), ylim=(height, 0))
        ax.set_axis_off()
        strictest = drawn.index[drawn["level"] == 0]
        finding = f"{plain(strictest[0])} is the strictest of {variants} variants"
        if len(strictest) > 1:
            finding = f"{len(strictest)} of {variants} variants are strictest, each in its own way: "
            finding += ", ".join(map(plain, strictest[:3]))
        note += f"; {counted(len(against), 'line')} that data contradicts in red" if against else ""
        headline(ax, title or finding, note)
    return ax


def _label(node: pd.Series) -> str:
    others = len(node["members"]) - 1
    share = "" if np.isnan(node["pass_share"]) else f"  {node['pass_share']:.0%}"
    return plain(node["members"][0]) + (f" +{others}" if others else "") + share


def _routed(levels: pd.Series, edges: Sequence[Edge]) -> tuple[list[list[Any]], list[tuple[Any, Any, Edge]]]:
    """Put nodes and, where an edge passes a column, a place for it into columns, with few crossings.

    Returns
    -------
    (list of list, list of (node, node, edge))
        Columns from the strictest, and the links between neighbouring columns.
    """
    columns: list[list[Any]] = [levels.index[levels == level].tolist() for level in range(int(levels.max()) + 1)]
    links: list[tuple[Any, Any, Edge]] = []
    for edge in edges:
        start, stop = int(levels[edge[0]]), int(levels[edge[1]])
        way: list[Any] = [edge[0], *((edge, level) for level in range(start + 1, stop)), edge[1]]
        for level in range(start + 1, stop):
            columns[level].append((edge, level))
        links += [(a, b, edge) for a, b in itertools.pairwise(way)]
    near: dict[Any, list[Any]] = {}
    for a, b, _ in links:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    height = {name: (i + 0.5) / len(column) for column in columns for i, name in enumerate(column)}
    # Each column by the mean height of its neighbours, a few times over.
    for _ in range(8):
        for column in columns:
            column.sort(key=lambda name: float(np.mean([height[other] for other in near[name]])))
            height.update({name: (i + 0.5) / len(column) for i, name in enumerate(column)})
    return columns, links


def _curve(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    # A smooth step from left to right, level at both ends.
    t: NDArray[np.float64] = np.linspace(0, 1, 30)
    x = start[0] + (end[0] - start[0]) * t
    y = start[1] + (end[1] - start[1]) * (3 * t**2 - 2 * t**3)
    ax.plot(x, y, color=colour, lw=font(0.09), zorder=0)
