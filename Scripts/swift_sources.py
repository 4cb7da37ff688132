"""Swift sources as the scripts beside this file read them: the code of a file, and the target that a file belongs to."""

import functools
import re

# The folders between Sources and a target.
AREAS = {"Core": 1, "CommandLine": 1, "Packs": 2, "Program": 1}


def target_of(path):
    """The target that a file below Sources belongs to; that of a file of an earlier commit, too."""
    parts = str(path).split("/")
    return parts[1 + AREAS.get(parts[1], 0)]


# The characters that a comment or a literal begins with, and the literals.
BEGINNING = re.compile(r'[/"#]')
OPENING = re.compile(r'(#*)("""|")|(#+)/')


@functools.cache
def code_only(text):
    """The text with comments and literals blanked out, every line and column where it was."""
    return "".join(piece if kind == "code" else blank(piece) for kind, _, piece in pieces(text))


def blank(piece):
    """As many lines and columns, without words."""
    return re.sub(r"[^\n]", " ", piece)


def pieces(text):
    """Each comment, each literal and the code between them: its kind, where it begins, and its text."""
    begin = i = 0
    while beginning := BEGINNING.search(text, i):
        i = beginning.start()
        kind, end = "comment", skip_comment(text, i)
        if end is None:
            kind, end = "literal", skip_string(text, i)
        if end is None:
            i += 1
            continue
        if begin < i:
            yield "code", begin, text[begin:i]
        yield kind, i, text[i:end]
        begin = i = end
    yield "code", begin, text[begin:]


def skip_comment(text, i):
    if text.startswith("//", i):
        end = text.find("\n", i)
        return len(text) if end < 0 else end
    if not text.startswith("/*", i):
        return None
    depth, i = 1, i + 2
    while i < len(text) and depth:
        if text.startswith("/*", i):
            depth, i = depth + 1, i + 2
        elif text.startswith("*/", i):
            depth, i = depth - 1, i + 2
        else:
            i += 1
    return i


def skip_string(text, i):
    """The end of the string or extended regex literal that begins at i, with what it interpolates; None if none does."""
    opening = OPENING.match(text, i)
    if not opening:
        return None
    hashes = opening.group(1) or opening.group(3) or ""
    quote = opening.group(2) or "/"
    closing, escape = quote + hashes, "\\" + hashes
    i = opening.end()
    while i < len(text):
        if text.startswith(closing, i):
            return i + len(closing)
        if quote == '"' and text[i] == "\n":
            return i
        if quote != "/" and text.startswith(escape + "(", i):
            i = skip_interpolation(text, i + len(escape) + 1)
        elif text.startswith(escape, i):
            i += len(escape) + 1
        else:
            i += 1
    return i


def skip_interpolation(text, i):
    depth = 1
    while i < len(text) and depth:
        end = skip_comment(text, i) or skip_string(text, i)
        if end is not None:
            i = end
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return i
