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


def exponent(first, second):
    """By which power the time grows from one size to the next, and how far the spread of the runs puts that in doubt.

    Each is (number of records, median seconds, spread). One that was run only once is taken to spread like the other.
    """
    (few, early, one), (many, late, other) = first, second
    widest = [max(x for x in (own, one, other, 0) if x is not None) if own is None else own for own in (one, other)]
    step = math.log(many / few)
    return math.log(late / early) / step, math.hypot(*widest) / step
