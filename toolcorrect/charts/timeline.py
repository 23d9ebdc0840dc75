"""The calls of one case in order, a lane a tool, expected ones beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import canvas, empty, fitting_rows, font, headline, left_out, names_on, room
from toolcorrect.charts._style import BLUE, GREY, INK, LIGHT, ORANGE, PALE, VERMILLION, on_fill, readable
from toolcorrect.charts._text import counted, plain, text_width
from toolcorrect.dataset import Dataset
from toolcorrect.explaining.one_case import SIGNS, explain

# Kind of `explain` -> (words, colour); the sign in the mark tells it without the colour.
_KINDS = {
    "matched": ("as expected", BLUE),
    "arguments": ("other arguments", ORANGE),
    "names": ("same after renaming", ORANGE),
    "moved": ("other order", ORANGE),
    "extra": ("not expected", VERMILLION),
    "repeated": ("repeated", VERMILLION),
    "missing": ("not called", GREY),
    "unknown": ("right or not: not known", GREY),
}


def timeline_data(data: Dataset, case: str) -> pd.DataFrame:
    """Return the calls of a case, called and missing, in reading order.

    Parameters
    ----------
    data : Dataset
        The runs.
    case : str
        Its id.

    Returns
    -------
    DataFrame
        One row a call; columns kind (as in `explain`), tool, called_position, expected_position, turn, step, error
        (the last three NA for calls that were not made).

    Raises
    ------
    UnknownNameError
        For a case that is not there.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a", "c"]}])
    >>> timeline_data(data, "x")[["kind", "tool"]].values.tolist()
    [['matched', 'a'], ['missing', 'c'], ['extra', 'b']]
    """
    lines = explain(data, case, variants="recall").alignment
    table = lines[["kind", "called_position", "expected_position"]].copy()
    table.insert(1, "tool", lines["tool_called"].fillna(lines["tool_expected"]))
    calls = data.calls[data.calls["case"] == case].set_index("position")[["turn", "step", "error"]]
    made = calls.reindex(table["called_position"].fillna(-1).astype("int64"))
    for name in ("turn", "step"):
        table[name] = made[name].astype("Int64").array
    table["error"] = made["error"].array
    return table


def timeline(
    data: Dataset,
    case: str,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw the calls of one case from left to right, a lane a tool.

    Parameters
    ----------
    data : Dataset
        The runs.
    case : str
        Its id.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One mark a call with the sign of `explain`; hollow marks were expected but not made, a ring means that
        the call failed. Parallel calls of one step stand on one band; dotted lines part the user's turns.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> timeline(data, "x").get_title(loc="left")
    'x: 1 as expected, 1 not expected'
    """
    table = timeline_data(data, case)
    known = data.cases.loc[case, ["called_known", "expected_known"]].astype(bool)
    made = int(table["called_position"].notna().sum())
    expected = int(table["expected_position"].notna().sum())
    said = [
        f"{counted(made, 'call')} made" if known["called_known"] else "calls made not known",
        f"{expected:,} expected" if known["expected_known"] else "expected calls not known",
    ]
    note = f"{', '.join(said)}; numbered in the order made"
    tools = list(dict.fromkeys(table["tool"]))
    size_of_figure = (
        float(np.clip(3.5 + 0.42 * len(table), 7.5, 15)),
        float(np.clip(1.9 + 0.36 * len(tools), 2.8, 16)),
    )
    with canvas(ax, title, context, size_of_figure) as ax:
        if table.empty:
            return empty(
                ax,
                "Nothing was called and nothing was expected."
                if known.all()
                else "Nothing was called; what was expected is not known."
                if known["called_known"]
                else "The calls of this case are not known.",
                title,
                note,
            )
        rows, size = fitting_rows(len(tools), room(ax)[1] * 0.66, font(0.62), font(0.9))
        lane = {tools[row]: y for y, row in enumerate(rows)}
        longest = max(12, int(room(ax)[0] * 0.62 / font(0.7)))
        shown = table.iloc[:longest]
        shown = shown[shown["tool"].isin(list(lane))].reset_index(drop=True)
        x, y = np.arange(len(shown)), shown["tool"].map(lane).to_numpy(dtype=float)
        _bands(ax, shown, len(lane))
        called = shown["called_position"].notna().to_numpy()
        ax.plot(x[called], y[called], color=LIGHT, lw=font(0.1), zorder=1)
        mark = float(min(room(ax)[0] * 0.62 / len(shown) * 0.9, size * 1.75, font(1.7)))
        for kind, (_, colour) in _KINDS.items():
            hit = (shown["kind"] == kind).to_numpy()
            fill = "white" if kind == "missing" else colour
            ax.plot(x[hit], y[hit], "o", ms=mark, mfc=fill, mec=colour, mew=font(0.1), zorder=2, gid=kind)
            if mark > font(0.8):
                for i in np.flatnonzero(hit):
                    ax.text(
                        x[i], y[i], SIGNS[kind], ha="center", va="center_baseline", fontsize=mark * 0.62, zorder=3,
                        color=colour if kind == "missing" else on_fill(colour),
                    )  # fmt: skip
        failed = shown["error"].fillna(False).to_numpy(dtype=bool)
        ax.plot(
            x[failed], y[failed], "o", ms=mark * 1.35, mfc="none", mec=INK, mew=font(0.14), zorder=2, gid="failed"
        )
        names_on(ax.yaxis, range(len(lane)), list(lane), room(ax)[0] * 0.28, size)
        ax.set(xlim=(-0.8, max(len(shown), 8) - 0.2), ylim=(len(lane) - 0.4, -0.6))
        step = max(1, int(np.ceil(font(1.4) / (room(ax)[0] * 0.62 / len(shown)))))
        at = x[called][::step]
        ax.set_xticks(at, labels=[str(int(position) + 1) for position in shown["called_position"][called][::step]])
        ax.tick_params(axis="x", length=0)
        ax.spines[:].set_visible(False)
        _key(ax, shown, failed.any())
        counts = table["kind"].value_counts()
        words = [f"{counts[kind]} {_KINDS[kind][0]}" for kind in _KINDS if counts.get(kind, 0)]
        note += left_out(len(table) - len(shown), "later call", "not drawn")
        headline(ax, title or f"{plain(case)}: {', '.join(words)}", note)
    return ax


def _bands(ax: Axes, shown: pd.DataFrame, lanes: int) -> None:
    """Shade calls made at once, part the turns."""
    turn, step = shown["turn"], shown["step"]
    keys = pd.Series(list(zip(turn.fillna(-1), step.fillna(-1), strict=True)))
    run = keys.ne(keys.shift()).cumsum()[step.notna()]
    for places in run.groupby(run).groups.values():
        if len(places) > 1:
            ax.axvspan(places[0] - 0.48, places[-1] + 0.48, color="#f3f3f3", zorder=0, gid="parallel")
    turns = turn.dropna()
    for before, after in zip(turns.index[:-1], turns.index[1:], strict=True):
        if turns[after] != turns[before]:
            ax.axvline((before + after) / 2, color=LIGHT, ls=(0, (1, 2)), lw=font(0.12), zorder=0)
    for y in range(lanes):
        ax.axhline(y, color=PALE, lw=font(0.06), zorder=0)


def _key(ax: Axes, shown: pd.DataFrame, failed: bool) -> None:
    """Say beneath the lanes what the marks mean."""
    size = font(0.8)
    words = [
        (f"{SIGNS[kind]} {text}", colour) for kind, (text, colour) in _KINDS.items() if (shown["kind"] == kind).any()
    ]
    words += [("◎ failed", INK)] if failed else []
    words += [("■ made at once", LIGHT)] if ax.findobj(lambda artist: artist.get_gid() == "parallel") else []
    x = 0.0
    for text, colour in words:
        ax.annotate(
            text, (0, 0), xycoords="axes fraction", xytext=(x, -font(2.3)), textcoords="offset points", va="top",
            fontsize=size, color=readable(colour), annotation_clip=False,
        )  # fmt: skip
        x += text_width(text, size) + size * 1.4
