#!/usr/bin/env python3
"""Says which backups the rules of `vault backup prune` keep, and why: written from their description, not from the program.

    python3 retention.py < CASES.jsonl

A case is one line {"now": TIME, "rules": {"last": 3, "daily": -1, "within": "1y2m", …}, "times": [TIME, …]}, -1 being
unlimited; its answer one line, a list of reasons for each time in the same order.
"""

import json
import re
import sys
from datetime import datetime, timedelta

PERIODS = {
    "last": None,
    "hourly": lambda time: (time.date(), time.hour),
    "daily": lambda time: time.date(),
    "weekly": lambda time: time.isocalendar()[:2],
    "monthly": lambda time: (time.year, time.month),
    "yearly": lambda time: time.year,
}


def start_of(span, newest):
    """The moment from which on `--keep-within` keeps; None when that is before all dates."""
    years, months, days, hours = (int(n or 0) for n in re.fullmatch(r"(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)d)?(?:(\d+)h)?", span).groups())
    year, month = newest.year - years, newest.month - months
    while month < 1:
        year, month = year - 1, month + 12
    if year < 1:
        return None
    try:
        # The day counts from the first of the month, so that a 31st of February is a day in March.
        first = newest.replace(year=year, month=month, day=1)
        return first + timedelta(days=newest.day - 1) - timedelta(days=days) - timedelta(hours=hours)
    except OverflowError:
        return None


def kept_by(rule, count, ordered):
    """The places, in a list from the newest to the oldest, that a counting rule keeps, and whether as the oldest."""
    places = range(len(ordered))
    if rule == "last":
        return {place: False for place in places if count < 0 or place < count}
    newest = {}
    for place in places:
        newest.setdefault(PERIODS[rule](ordered[place]), place)
    chosen = sorted(newest.values())
    kept = {place: False for place in (chosen if count < 0 else chosen[:count])}
    if ordered and places[-1] not in kept and (count < 0 or len(chosen) < count):
        kept[places[-1]] = True
    return kept


def reasons(rules, times, now):
    answer = [["from the future"] if time > now else [] for time in times]
    past = sorted((index for index, time in enumerate(times) if time <= now), key=lambda index: -times[index].timestamp())
    ordered = [times[index] for index in past]
    for rule in PERIODS:
        if rules.get(rule):
            for place, is_oldest in kept_by(rule, rules[rule], ordered).items():
                answer[past[place]].append(("oldest " if is_oldest else "") + rule)
    span = rules.get("within")
    if span and ordered and any(int(n) for n in re.findall(r"\d+", span)):
        start = start_of(span, ordered[0])
        for index in past:
            if start is None or times[index] > start:
                answer[index].append("within")
    return answer


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(reasons(case["rules"], [moment(text) for text in case["times"]], moment(case["now"]))))
