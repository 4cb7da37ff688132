"""Pairs of runs, and what is told of them.

A pair is one run of the vault and one of the floor, directly after each other; which goes first alternates. The ratio
is the median over the pairs, so that a slow moment of the machine falls on both.
"""

import math
import statistics

WARM_UP = 3


def paired(machine, ours, floor, rounds):
    """Pairs of two commands."""
    return in_turns(lambda: machine.run(ours), lambda: machine.run(floor), rounds)


def in_turns(ours, floor, rounds, warm_up=WARM_UP, before=None):
    """Pairs of two functions that give a `Run`; `before` readies what a pair needs, and is not measured."""
    pairs = []
    for number in range(-warm_up, rounds):
        if before:
            before(number)
        if number % 2 == 0:
            early = ours()
            pair = early, floor()
        else:
            early = floor()
            pair = ours(), early
        if number >= 0:
            pairs.append(pair)
    return {
        **of_pairs([(a.seconds, b.seconds) for a, b in pairs]),
        "vault_peak_bytes": max(a.peak for a, _ in pairs), "floor_peak_bytes": max(b.peak for _, b in pairs),
    }


def of_pairs(pairs):
    """Medians of pairs of seconds."""
    return {
        "rounds": len(pairs), "vault_seconds": statistics.median(a for a, _ in pairs),
        "floor_seconds": statistics.median(b for _, b in pairs), "ratio": statistics.median(a / b for a, b in pairs),
    }


def spread(values):
    """Half of the range that the middle half of the values has, as a part of their median; None of a single one."""
    if len(values) < 2:
        return None
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle


def slope_of(points):
    """By which power the time grows with the number of records, and how far the spread of the runs puts it in doubt.

    The points are (number of records, median seconds, spread); the slope is that of the logarithms, by least squares.
    None for a single size. What ran only once is taken to spread like what spreads most; where all did, there is no
    doubt to tell.
    """
    if len(points) < 2:
        return None
    known = [spread for _, _, spread in points if spread is not None]
    widest = max(known, default=0)
    logs = [(math.log(count), math.log(seconds), widest if spread is None else spread)
            for count, seconds, spread in points]
    x, y = (statistics.mean(axis) for axis in list(zip(*logs))[:2])
    square = sum((a - x) ** 2 for a, _, _ in logs)
    doubt = math.hypot(*((a - x) * spread for a, _, spread in logs)) / square if known else None
    return sum((a - x) * (b - y) for a, b, _ in logs) / square, doubt
