"""Tables for people, tables for pages, and JSON for programs."""

import json
import os
import platform
from datetime import datetime, timezone

from .limits import MB, verdict
from .records import SEED


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.{digits(seconds / size)}f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def digits(value):
    """As many decimals as leave three figures, and no more than two."""
    return 2 if value < 10 else 1 if value < 100 else 0


def power(slope):
    """An exponent and its doubt."""
    if slope is None:
        return ""
    value, doubt = slope
    return f"{value:.2f}" if doubt is None else f"{value:.2f} ± {doubt:.2f}"


def megabytes(count):
    return f"{count / MB:.0f} MB"


def table(lines, is_markdown=False, left=1):
    """Lines of cells, the first of them the heads; so many columns stand to the left, the others to the right."""
    if is_markdown:
        rule = ["---" if i < left else "---:" for i in range(len(lines[0]))]
        return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i < left else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def ratio_lines(rows, is_markdown):
    """The table of the workloads beside their floors: ratios first."""
    heads = ["workload", "records", "ratio", "limit", "held", "vault", "floor", "peak", "peak limit", "pairs"]
    lines = [[*heads, "floor is"] if is_markdown else heads]
    for row in rows:
        limit = f"{row['limit']:.1f}" if row["limit"] else ""
        peak = megabytes(row["vault_peak_bytes"]) if "vault_peak_bytes" in row else ""
        most = megabytes(row["peak_limit_bytes"]) if row["peak_limit_bytes"] else ""
        line = [row["workload"], f"{row['records']:,}", f"{row['ratio']:.2f}", limit, verdict(row),
                duration(row["vault_seconds"]), duration(row["floor_seconds"]), peak, most, str(row["rounds"])]
        lines.append([*line, row["floor"]] if is_markdown else line)
    return lines


def write_results(folder, kind, results):
    """The results and where they were taken, as a file of their own."""
    now = datetime.now(timezone.utc)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%SZ}-{kind}.json"
    about = {"created_at": f"{now:%Y-%m-%dT%H:%M:%SZ}", "seed": SEED, **machine_description()}
    path.write_text(json.dumps({**about, "results": results}, indent=2) + "\n", encoding="utf-8")
    return path


def machine_description():
    return {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count()}


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
