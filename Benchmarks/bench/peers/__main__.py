"""Times the vault beside the tools a person would pick instead, as far as they are installed.

Scripts/bench-peers calls it. Each keeps the same customers in its own way. Every tool is run in turn, round after
round; medians, their ratio to the vault's of the same round, and the exponent by which the time grows with the number
of records.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from ..machine import Machine, note
from ..pairs import slope_of, spread
from ..report import duration, power, table, write_results
from .databases import KeePassXC, Sops
from .files import Age, AnsibleVault, Gopass, Gpg, Pass, SopsFiles
from .ours import Vault, VaultByID

TOOLS = [Vault, VaultByID, Gpg, Pass, Gopass, Age, SopsFiles, AnsibleVault, KeePassXC, Sops]
WORKLOADS = {
    "get": "one secret", "set": "one secret changed", "list": "all names", "all": "all secrets",
    "import": "all stored anew", "rotate": "all sealed anew",
}


def measure(tools, count, rounds):
    """Seconds of each tool at one size, a list by round: {(tool, workload): {round: seconds}}."""
    times = {}
    for number in range(-1, rounds):
        for tool in tools if number % 2 == 0 else reversed(tools):
            if number >= tool.most_rounds:
                continue
            for workload, command in tool.commands(count, number).items():
                run = tool.run(command)
                if number >= 0:
                    times.setdefault((tool.name, workload), {})[number] = run.seconds
        note(f"{count:,} records: round {number + 1} of {rounds}")
    return times


def told_of(times):
    """Median and ratio to the vault's of the same rounds."""
    told = {}
    for (tool, workload), by_round in times.items():
        vault = times["vault", workload]
        told[tool, workload] = {
            "seconds": statistics.median(by_round.values()), "rounds": len(by_round),
            "spread": spread(list(by_round.values())),
            "ratio": statistics.median(seconds / vault[number] for number, seconds in by_round.items()),
        }
    return told


def rows_of(by_count):
    """A row for each tool and workload: {count: figures}, and the exponent with its doubt."""
    rows = []
    for workload in WORKLOADS:
        for tool in (tool.name for tool in TOOLS):
            sizes = {count: told[tool, workload] for count, told in by_count.items() if (tool, workload) in told}
            if sizes:
                slope = slope_of([(count, one["seconds"], one["spread"]) for count, one in sizes.items()])
                rows.append({"workload": workload, "tool": tool, "sizes": sizes, "exponent": slope})
    return rows


def peers_table(rows, absent, counts, is_markdown):
    """Ratios first; those that are absent say so."""
    heads = [f"{count:,}" for count in counts]
    lines = [["work", "tool", *(f"ratio at {head}" for head in heads), *heads, "exponent"]]
    for row in rows:
        sizes = [row["sizes"].get(count) for count in counts]
        lines.append([WORKLOADS[row["workload"]], row["tool"], *(f"{one['ratio']:.2f}" if one else "" for one in sizes),
                      *(duration(one["seconds"]) if one else "" for one in sizes), power(row["exponent"])])
    text = table(lines, is_markdown, left=2)
    return "\n".join([text, "", *(f"{tool}: {reason}" for tool, reason in absent.items())]).rstrip()


def read_arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench-peers", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--records", default="100,1000,10000", metavar="N,N",
                        help="how many; slow tools have limits of their own")
    parser.add_argument("--rounds", type=int, default=7, help="at most 3 of them for the slowest tools (7)")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    parser.add_argument("--folder", help="where the stores are made, on the disk to measure (default: TMPDIR)")
    return parser.parse_args()


def measure_all(machine, counts, rounds):
    """Rows, and what was not measured and why."""
    tools = [tool(machine) for tool in TOOLS]
    absent = {tool.name: tool.missing() for tool in tools if tool.missing()}
    for name, reason in absent.items():
        note(f"{name}: {reason}")
    tools = [tool for tool in tools if tool.name not in absent]
    try:
        by_count = {}
        for count in counts:
            able = [tool for tool in tools if count <= tool.largest]
            for tool in able:
                tool.prepare(count)
            by_count[count] = told_of(measure(able, count, rounds))
    finally:
        for tool in tools:
            tool.clean_up()
    return rows_of(by_count), absent


def main():
    options = read_arguments()
    counts = sorted(int(count) for count in options.records.split(","))
    work = Path(tempfile.mkdtemp(prefix="vault-bench.", dir=options.folder))
    try:
        rows, absent = measure_all(Machine(options.programs, work), counts, options.rounds)
        path = write_results(options.results, "peers", {"rows": rows, "absent": absent})
        print("Medians by number of records; a ratio is how many times as long as `vault`.\n")
        print(f"{peers_table(rows, absent, counts, options.markdown)}\n\n{path}", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
