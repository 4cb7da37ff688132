"""Runs the vault beside its floors and prints medians and ratios; --scaling as it grows, --counts its instructions.

Scripts/bench builds the programs and calls it.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from . import backups, bulk, counts, history, report, scaling, single
from .limits import verdict
from .machine import Machine

# In the order in which they run: what writes much comes last.
WORKLOADS = {
    "start": single.measure_start, "encode": single.measure_encode, "seal": single.measure_seal,
    "get": single.measure_get, "list": single.measure_list, "find": single.measure_find,
    "export": bulk.measure_export, "verify": bulk.measure_verify, "lint": bulk.measure_lint,
    "backup": backups.measure_backup, "backup-verify": backups.measure_backup_verify,
    "backup-deep": backups.measure_backup_deep, "add": single.measure_add, "import": bulk.measure_import,
    "reseal": bulk.measure_reseal, "git": history.measure_history,
}
COUNTS = Path(__file__).resolve().parent.parent / "counts.json"


def numbers(text):
    return [int(number) for number in text.split(",")]


def read_arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", help="comma-separated: " + ", ".join([*WORKLOADS, "counts"]))
    parser.add_argument("--get-records", type=numbers, default=[1_000], metavar="N,N",
                        help="sizes for get (1000), of several the largest beside the smallest; add is at the smallest")
    parser.add_argument("--find-records", type=int, default=100_000, metavar="N",
                        help="for find and list --limit 20 (100000)")
    parser.add_argument("--export-records", type=int, default=10_000, metavar="N",
                        help="for what works on all records (10000)")
    parser.add_argument("--merge-records", type=int, default=1_000, metavar="N",
                        help="for git: records that both branches have changed (1000)")
    parser.add_argument("--scaling", action="store_true",
                        help="every command at each size of --records, with exponents")
    parser.add_argument("--records", type=numbers, default=[1_000, 10_000, 100_000], metavar="N,N",
                        help="sizes for --scaling (1000,10000,100000)")
    parser.add_argument("--rounds", type=int, default=0,
                        help="pairs per workload (200 for get, 15 for export), rounds of --scaling (15)")
    parser.add_argument("--counts", action="store_true",
                        help="only instruction counts, beside those of Benchmarks/counts.json")
    parser.add_argument("--record", action="store_true", help="write the counts there")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 when a ratio or a peak is over its limit, or a count grew by more than 10 %%")
    parser.add_argument("--markdown", action="store_true", help="print the tables for a page")
    parser.add_argument("--folder", help="where the vaults are made, on the disk to measure (default: TMPDIR)")
    return parser.parse_args()


def chosen(options):
    """The names of what runs: all ratios, with --check the counts, too."""
    if options.counts or options.record:
        return ["counts"]
    if not options.only:
        return [*WORKLOADS, *(["counts"] if options.check else [])]
    names = options.only.split(",")
    if unknown := set(names) - {*WORKLOADS, "counts"}:
        sys.exit(f"bench: --only: no workload {', '.join(sorted(unknown))}")
    return names


def show_ratios(machine, options, names):
    """Runs workloads beside their floors; gives a complaint for each that is over a limit."""
    rows = [row for name, measure in WORKLOADS.items() if name in names for row in measure(machine, options)]
    path = report.write_results(options.results, "floors", rows)
    print("Medians of paired runs; the floor is the same work without a vault.\n")
    print(f"{report.table(report.ratio_lines(rows, options.markdown), options.markdown)}\n\n{path}", flush=True)
    return [f"{row['workload']} of {row['records']:,}: {verdict(row)}" for row in rows if "OVER" in verdict(row)]


def show_scaling(machine, options):
    """Every command at every size; gives a complaint for each peak that is over the limit."""
    rows = scaling.measure_scaling(machine, options.records, options.rounds or 15)
    path = report.write_results(options.results, "scaling", rows)
    print("Medians; the exponent is the power by which the time grows, with the spread of the runs.\n")
    print(f"{scaling.scaling_table(rows, options.records, options.markdown)}\n\n{path}", flush=True)
    return [f"{row['command']} of {count:,}: its peak is over the limit" for row in rows for count in scaling.over(row)]


def show_counts(machine, options):
    """Counts instructions, or says why not; gives a complaint for each count that grew."""
    if reason := counts.why_not(machine):
        print(f"Instruction counts were not taken: {reason}", flush=True)
        return []
    taken = counts.take_counts(machine)
    rows = counts.compared(taken, counts.read_recorded(COUNTS))
    path = report.write_results(options.results, "counts", taken)
    print("Instructions, beside those that are recorded.\n")
    print(f"{counts.counts_table(rows, options.markdown)}\n\n{path}", flush=True)
    if options.record:
        counts.record_counts(COUNTS, taken, os.environ.get("swift"))
        return []
    return [f"{name}: {count:,} instructions, {(factor - 1) * 100:+.1f} % of {before:,}"
            for name, count, before, factor in rows if counts.grew(factor)]


def measure(machine, options):
    """Everything that was asked for, and what is to be complained of."""
    if options.scaling:
        return show_scaling(machine, options)
    names = chosen(options)
    complaints = show_ratios(machine, options, names) if set(names) - {"counts"} else []
    return complaints + (show_counts(machine, options) if "counts" in names else [])


def main():
    options = read_arguments()
    work = Path(tempfile.mkdtemp(prefix="vault-bench.", dir=options.folder))
    try:
        complaints = measure(Machine(options.programs, work), options)
    finally:
        # Last, since deleting many files slows some file systems down for minutes.
        shutil.rmtree(work, ignore_errors=True)
    if not options.check:
        return 0
    for complaint in complaints:
        print(f"bench: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
