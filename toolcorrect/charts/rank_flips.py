"""Does the choice of definition change who wins: ranks of groups across variants."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import canvas, empty, font, headline, left_out, names_below, need, room
from toolcorrect.charts._lines import end_labels, unnamed_in_grey
from toolcorrect.charts._style import group_looks
from toolcorrect.charts._text import counted, plain


def rank_flips_data(rankings: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of every group under every variant.

    Parameters
    ----------
    rankings : DataFrame
        Of `rankings`: index (variant, group), columns rank, rank_low, rank_high, n_scored, n.

    Returns
    -------
    DataFrame
        Index group, columns (measure, variant) with the measures rank, rank_low and rank_high; groups by their
        rank under the first variant.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> means = tc.rankings(pd.DataFrame({"recall": [1.0, 0.0], "exact": [0.0, 1.0]}), by=["a", "b"])
    >>> rank_flips_data(means)["rank"].to_dict("index")
    {'a': {'recall': 1.0, 'exact': 2.0}, 'b': {'recall': 2.0, 'exact': 1.0}}
    """
    need(rankings, ["rank", "rank_low", "rank_high", "n_scored", "n"], "rank_flips")
    if rankings.empty:
        return pd.DataFrame(index=pd.Index([], name="group"), columns=pd.MultiIndex.from_product([["rank"], []]))
    variants = rankings.index.get_level_values(0).unique()
    wide = rankings[["rank", "rank_low", "rank_high"]].unstack(0)
    wide = wide.reindex(columns=pd.MultiIndex.from_product([["rank", "rank_low", "rank_high"], variants]))
    return wide.sort_values(("rank", variants[0]), kind="stable")


def rank_flips(
    rankings: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw the rank of every group under every variant, with the interval of each rank.

    Parameters
    ----------
    rankings : DataFrame
        Of `rankings`: index (variant, group).
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One line a group, named at its right end; rank 1 is on top. Crossing lines are flips; where the pale
        bars overlap, the order is within noise.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> means = tc.rankings(pd.DataFrame({"recall": [1.0, 0.0], "exact": [0.0, 1.0]}), by=["a", "b"])
    >>> rank_flips(means).get_title(loc="left")
    '2 groups come first, depending on the variant: a, b'
    """
    table = rank_flips_data(rankings)
    groups, variants = list(table.index), list(rankings.index.get_level_values(0).unique())
    cases = int(rankings["n"].sum() / max(len(variants), 1))
    missing = int((rankings["n"] - rankings["n_scored"]).sum())
    size = (float(np.clip(3 + 0.6 * len(variants), 7, 14)), float(np.clip(2.8 + 0.3 * len(groups), 4, 11)))
    with canvas(ax, title, context, size) as ax:
        note = f"{counted(len(groups), 'group')}, {counted(len(variants), 'variant')}, {counted(cases, 'case')}, "
        note += f"{counted(missing, 'score')} missing" if missing else "none unscored"
        if not len(groups) or table["rank"].isna().all(axis=None):
            return empty(ax, "No group was scored under any variant, so there is no rank.", title, note)
        winners = [group for group in groups if (table.loc[[group], "rank"] == 1).any(axis=None)]
        fit = max(2, int(room(ax)[0] * 0.7 / font(2.2)))
        if len(variants) > fit:
            # The orders that most variants share come first; one variant stands for each.
            alike = table["rank"].T.groupby(groups, sort=False).indices
            orders = sorted(alike.values(), key=lambda places: (-len(places), places[0]))
            left = sum(len(places) for places in orders[fit:])
            kept = [variants[places[0]] for places in orders[:fit]]
            names = [f"{v} +{len(p) - 1}" if len(p) > 1 else str(v) for v, p in zip(kept, orders, strict=False)]
            note += "; +n: as many more variants with the same order" + left_out(
                left, "variant", "with rarer orders left out"
            )
        else:
            kept, names = variants, variants
        table = table.reindex(columns=pd.MultiIndex.from_product([["rank", "rank_low", "rank_high"], kept]))
        x = np.arange(len(kept))
        dodge = (np.arange(len(groups)) - (len(groups) - 1) / 2) * min(0.09, 0.7 / len(groups))
        lines, looks = [], group_looks(groups)
        for shift, (group, row) in zip(dodge, table.iterrows(), strict=True):
            way = looks[group]
            bars = ax.vlines(
                x + shift, row["rank_low"], row["rank_high"], color=way.colour, alpha=0.28, lw=font(0.35)
            )
            (line,) = ax.plot(
                x + shift,
                row["rank"],
                color=way.colour,
                marker=way.marker,
                linestyle=way.line,
                label=plain(group),
                ms=font(0.7),
            )
            lines.append((line, bars))
        worst = max(float(np.nanmax(table["rank_high"].fillna(table["rank"]).to_numpy())), 2.0)
        ax.set_ylim(worst + 0.5, 0.5)
        ax.set_xlim(-0.5, len(kept) - 0.5)
        paths, ways = table["rank"].to_numpy(), [looks[group] for group in groups]
        named = end_labels(ax, paths, groups, ways, len(kept) - 1 + float(dodge[-1]))
        note += unnamed_in_grey([line for line, _ in lines], named)
        for i, (_, bars) in enumerate(lines):
            bars.set_visible(i in named)
        pitch = room(ax)[0] * 0.72 / len(kept)
        names_below(ax, x, names, pitch, font(0.8))
        ax.set_yticks(np.unique(np.linspace(1, worst, min(int(worst), 12)).round()))
        ax.set_ylabel("rank (1 is best)")
        ax.spines["bottom"].set_visible(False)
        finding = f"{plain(winners[0])} comes first under every variant that ranks it"
        if len(winners) > 1:
            finding = (
                f"{len(winners)} groups come first, depending on the variant: {', '.join(map(plain, winners[:4]))}"
            )
            finding += " and more" if len(winners) > 4 else ""
        headline(ax, title or finding, f"{note}; bars: 95 % interval of the rank")
    return ax
