"""What the command prints: lines and tables of text, hostile characters made visible."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

import toolcorrect as tc
from toolcorrect.html import visible

# What to do about cases that have no score, by the reason.
_REMEDIES = {
    "called_unknown": "the runs do not say which calls were made",
    "expected_unknown": "--expected FILE adds the calls that should have been made",
    "effect_unknown": "a tools.json in the folder of the runs, or data.mark_effects in Python, says which tools "
    "change state",
    "arguments_unknown": "arguments that were not recorded, or are no JSON; see data.calls in Python",
    "undefined": "the definition says nothing of such cases",
    "rejected": "the library refuses such cases",
}


def reported(report: pd.DataFrame, limit: int = 6) -> Iterator[str]:
    """Say in lines what loading reported: where, what, and how often."""
    for row in report.head(limit).itertuples():
        place = ", ".join(str(part) for part in (row.file, row.record, row.case) if pd.notna(part))
        note = "" if pd.isna(row.note) else f" ({row.note})"
        yield visible(f"{place + ': ' if place else ''}{row.count} {str(row.code).replace('_', ' ')}{note}")
    if len(report) > limit:
        yield f"and {len(report) - limit} more lines in the report of tc.load"


def unscored(status: pd.DataFrame) -> Iterator[str]:
    """Say in lines why cases have no score, and what to do about it."""
    for reason in sorted({word for column in status for word in status[column].unique()} - {"ok"}):
        found = status.eq(reason)
        cases, under = int(found.any(axis=1).sum()), int(found.any().sum())
        remedy = f": {_REMEDIES[reason]}" if reason in _REMEDIES else ""
        yield (
            f"Without a score, {reason.replace('_', ' ')}: {cases} of {len(status)} cases under {under} of "
            f"{status.shape[1]} definitions{remedy}."
        )


def definitions(data: tc.Dataset, scores: pd.DataFrame) -> pd.DataFrame:
    """One row a definition: mean, how many are scored, and the best and worst model."""
    rows = []
    models = data.cases["model"]
    for name, column in scores.items():
        better = tc.variants(name).better
        means = column.groupby(models.fillna("(no model)")).mean().dropna().sort_values(ascending=better == "lower")
        several, equal = len(means) > 1, len(means) > 1 and means.iloc[0] == means.iloc[-1]
        rows.append(
            {
                "definition": name,
                "mean": f"{column.mean():.3f}" if column.notna().any() else "-",
                "scored": f"{column.notna().sum()} of {len(column)}",
                "best model": "all equal" if equal else f"{means.index[0]} {means.iloc[0]:.3f}" if several else "-",
                "worst model": f"{means.index[-1]} {means.iloc[-1]:.3f}" if several and not equal else "-",
            }
        )
    return pd.DataFrame(rows)


def differences(found: tc.RunComparison) -> pd.DataFrame:
    """One row a definition: both means, their difference with its interval, and what it says."""
    rows = []
    for name, row in found.table.iterrows():
        better = "B" if (row["difference"] > 0) == (tc.variants(name).better == "higher") else "A"
        said = f"{better} is better" if row["beyond_noise"] else "cannot tell" if row["changed"] else "the same"
        rows.append(
            {
                "definition": name,
                "A": f"{row['mean_a']:.3f}",
                "B": f"{row['mean_b']:.3f}",
                "B - A": f"{row['difference']:+.3f}",
                "95 % interval": f"{row['low']:+.3f} to {row['high']:+.3f}",
                "changed": f"{row['changed']} of {row['n_paired']} tasks",
                "beyond noise?": said if row["n_paired"] else "not compared",
            }
        )
    return pd.DataFrame(rows).replace({"nan": "-", "+nan": "-", "+nan to +nan": "-"})


def table(frame: pd.DataFrame) -> str:
    """Lay a frame out as text, columns to the left, hostile characters made visible."""
    cells = [[str(name) for name in frame.columns]] + [
        [visible(" ".join(str(value).split())) for value in row] for row in frame.itertuples(index=False)
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(frame.columns))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
