"""What writers do with former values: docs/format-v1.md, section 6.3, Former values.

`former` is the member of `$vault`: written paths to tokens, newest first; an empty dict stands for no member.
`same(one, other)` tells whether two tokens of the record hold the same text.
"""

from paths import parse_path, path_text, value_at
from vaultref import is_token, parse_compact_time

BYTE_LIMIT = 4 << 20
DEFAULT_COUNT = 5


def tokens_of(value, steps=()):
    """(written path, token) of each sealed value below `value`."""
    if is_token(value):
        yield path_text(steps), value
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from tokens_of(item, steps + (step,))


def following(former, old, new, same, limit=DEFAULT_COUNT):
    """The former values after the members `old` were replaced by `new`."""
    present = {token for _, token in tokens_of(new)}
    lists = {path: list(tokens) for path, tokens in former.items()}
    for path, token in tokens_of(old):
        if token not in present:
            lists.setdefault(path, []).insert(0, token)
    return pruned(lists, new, same, limit)


def pruned(former, new, same, limit=DEFAULT_COUNT, byte_limit=BYTE_LIMIT):
    """Without tokens that stand in the record, equal texts and all beyond the limits."""
    present, lists = {token for _, token in tokens_of(new)}, {}
    for path, tokens in former.items():
        here, kept = value_at(new, parse_path(path)), []
        for token in tokens:
            newer = ([here] if is_token(here) else []) + kept
            if len(kept) < limit and token not in present and not any(same(one, token) for one in newer):
                kept.append(token)
        if kept:
            lists[path] = kept
    while sum(len(token) for tokens in lists.values() for token in tokens) > byte_limit:
        longest = max(lists, key=lambda path: (len(lists[path]), path.encode()))
        lists[longest].pop()
        if not lists[longest]:
            del lists[longest]
    return lists


def joined(base, ours, theirs, sides, new, equal=(), original=None):
    """The former values of two versions whose members `sides` became `new`; to be pruned when the version is written.

    `base` is None if there is no common base, whose members are `original`; `equal` are tokens that lost to a token
    of the same text.
    """
    present, before = ({token for _, token in tokens_of(tree)} for tree in (new, original or {}))
    lost = [[(path, token) for path, token in tokens_of(side)
             if token not in present and token not in before and token not in equal] for side in sides]
    result = {}
    for path in {*ours, *theirs, *(path for side in lost for path, _ in side)}:
        before, one, other = ((version or {}).get(path, []) for version in (base, ours, theirs))
        stays = lambda token: token not in before or token in one and token in other
        lists = []
        for side, former in zip(lost, (one, other)):
            first = [token for place, token in side if place == path]
            lists.append(first + [token for token in former if stays(token) and token not in first])
        if tokens := [token for token in merged(*lists) if token not in present]:
            result[path] = tokens
    return result


def merged(one, other):
    """Both lists in one: each keeps its order. Of the two first tokens the one that was sealed later is next, but a
    token that the other list has further back waits until it is first there."""
    left, right, result = list(one), list(other), []
    while left or right:
        first = left[:1] + right[:1]
        waiting = [token for token, rest in zip(first, (right, left)) if token in rest] if left and right else []
        free = [token for token in first if token not in waiting] or first
        token = max(free, key=lambda token: (parse_compact_time(token.split(":")[2]), token))
        for side in (left, right):
            if token in side:
                side.remove(token)
        result.append(token)
    return result
