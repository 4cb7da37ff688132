"""Member paths as they are written in a record: docs/format-v1.md, section 6.3, Former values.

A path is a tuple of steps: a text is the name of a member, an int the index of an element, from 0.
"""

import re

from forms import Refused

# Names with one of these stand in brackets, as a string.
SPECIAL = r'.\[\]"\\\x00-\x1f\x7f-\x9f'
ESCAPED = r'["\\\x00-\x1f\x7f-\x9f]'
STEP = re.compile(rf'''
    (?P<dot>\.?) (?P<plain>[^{SPECIAL}]+)
    | \[ " (?P<quoted> (?: [^"\\\x00-\x1f\x7f-\x9f] | \\["\\] | \\u00[0-9a-f]{{2}} )* ) " \]
    | \[ (?P<index> 0 | [1-9][0-9]{{0,8}} ) \]''', re.VERBOSE)


def path_text(steps):
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step and not re.search(f"[{SPECIAL}]", step):
            text += step if not text else "." + step
        else:
            text += '["' + re.sub(ESCAPED, lambda m: escape(m[0]), step) + '"]'
    return text or "."


def escape(character):
    return "\\" + character if character in '"\\' else f"\\u00{ord(character):02x}"


def parse_path(text):
    """The steps of a text that is written as `path_text` writes it; any other text is refused."""
    steps, position = [], 0
    while position < len(text):
        match = STEP.match(text, position)
        if not match:
            break
        if match["plain"] is not None:
            steps.append(match["plain"])
        elif match["index"] is not None:
            steps.append(int(match["index"]))
        else:
            steps.append(re.sub(r'\\u00(..)|\\(.)', lambda m: m[2] or chr(int(m[1], 16)), match["quoted"]))
        position = match.end()
    # This also finds a dot too few or too many, and brackets or escapes without need.
    if position < len(text) or not steps or path_text(steps) != text:
        raise Refused("encoding", "malformed", "not a path in its written form")
    return tuple(steps)


def value_at(value, steps):
    """None if nothing stands there."""
    for step in steps:
        try:
            value = value[step] if isinstance(value, (dict, list)) and isinstance(step, int) == isinstance(
                value, list) else None
        except (KeyError, IndexError):
            return None
    return value
