"""Absolute dates and instants in the spellings people use, as one ISO form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan januar",
            "february feb februar",
            "march mar märz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sep sept",
            "october oct oktober",
            "november nov",
            "december dec dezember",
        ],
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?"
# Day and month in figures only are read where they cannot be exchanged by mistake: the year first, or dots
# between (day first); 4/9/2031 says different days in different places and is left alone.
_DATE = (
    r"(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2})",
    r"(?P<y2>\d{4})/(?P<m2>\d{1,2})/(?P<d2>\d{1,2})",
    r"(?P<y3>\d{4})\s?[年년]\s?(?P<m3>\d{1,2})\s?[月월]\s?(?P<d3>\d{1,2})\s?[日号일]",
    r"(?P<d4>\d{1,2})\.\s?(?P<m4>\d{1,2})\.\s?(?P<y4>\d{4})",
    rf"{_DAY}(?P<d5>\d{{1,2}})(?:st|nd|rd|th|\.)?(?:\s+of)?[\s-]+(?P<m5>{_MONTH})\.?,?[\s-]+(?P<y5>\d{{4}})",
    rf"{_DAY}(?P<m6>{_MONTH})\.?\s+(?P<d6>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y6>\d{{4}})",
)
_TIME = (
    r"(?:[Tt]|,?\s+(?:at\s+)?)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>\.\d{1,9})?)?"
    r"\s?(?P<half>[ap]m)?\s?(?P<zone>[zZ]|UTC|utc|GMT|gmt|[+-]\d{2}:?\d{2})?"
)
_ONE = re.compile(rf"(?<!\d)(?:{'|'.join(_DATE)})(?:{_TIME})?(?!\d)", re.IGNORECASE)


def canonical_date(text: str) -> str | None:
    """Return a date or instant in ISO form, or None where the text is something else.

    An instant with an offset is told in UTC; one without keeps its clock time. A date alone stays a date.

    Examples
    --------
    >>> canonical_date("9 April 2031"), canonical_date("April 9, 2031 at 3:30 pm"), canonical_date("next Friday")
    ('2031-04-09', '2031-04-09T15:30:00', None)
    >>> canonical_date("2031-04-09T12:00:00+02:00") == canonical_date("2031-04-09 10:00Z")
    True
    """
    match = _ONE.fullmatch(text.strip()) if len(text) <= 80 else None
    return _iso(match) if match else None


def dates_in(text: str) -> Iterator[str]:
    """Yield every date or instant a text holds, in ISO form.

    Examples
    --------
    >>> list(dates_in("from 2031-04-09 to May 2nd, 2031"))
    ['2031-04-09', '2031-05-02']
    """
    for match in _ONE.finditer(text):
        found = _iso(match)
        if found:
            yield found


def _iso(match: re.Match[str]) -> str | None:
    given = {key: value for key, value in match.groupdict().items() if value is not None}
    form = next(key[1] for key in given if key[0] == "y" and key[1:].isdigit())
    month = given[f"m{form}"].lower()
    try:
        day = date(int(given[f"y{form}"]), _MONTHS.get(month) or int(month), int(given[f"d{form}"]))
        return _instant(day, given) if "hour" in given else day.isoformat()
    except (ValueError, OverflowError):
        return None


def _instant(day: date, given: dict[str, str]) -> str:
    hour, half = int(given["hour"]), given.get("half", "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a half day")
        hour = hour % 12 + (12 if half == "pm" else 0)
    clock = f"{hour:02}:{given['minute']}:{given.get('second', '00')}"
    zone = given.get("zone", "")
    offset = "+00:00" if zone.lower() in ("z", "utc", "gmt") else zone
    moment = datetime.fromisoformat(f"{day.isoformat()}T{clock}{offset}")
    told = moment.astimezone(UTC) if offset else moment
    fraction = given.get("fraction", "").rstrip("0").rstrip(".")
    return told.strftime("%Y-%m-%dT%H:%M:%S") + fraction + ("Z" if offset else "")
