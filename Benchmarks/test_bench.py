"""What the benchmarks calculate, without running anything."""

import argparse
import tempfile
import unittest
from pathlib import Path

from bench import counts, limits, pairs, records, report, scaling, vaults
from bench.__main__ import WORKLOADS, chosen
from bench.machine import Run
from bench.peers.__main__ import told_of


class Pairs(unittest.TestCase):
    def test_a_ratio_is_the_median_over_pairs_and_not_a_ratio_of_medians(self):
        told = pairs.of_pairs([(1, 1), (4, 2), (30, 10)])
        self.assertEqual((told["ratio"], told["vault_seconds"], told["floor_seconds"]), (2, 4, 2))

    def test_who_goes_first_alternates_and_the_first_pairs_only_warm_up(self):
        order = []
        ours, floor = lambda: order.append("vault") or Run(1, 5), lambda: order.append("floor") or Run(1, 7)
        told = pairs.in_turns(ours, floor, 2, warm_up=1)
        self.assertEqual(order, ["floor", "vault", "vault", "floor", "floor", "vault"])
        self.assertEqual((told["rounds"], told["vault_peak_bytes"], told["floor_peak_bytes"]), (2, 5, 7))

    def test_ten_times_the_time_for_ten_times_the_records_is_an_exponent_of_one(self):
        value, doubt = pairs.slope_of([(1_000, 2.0, 0.0), (10_000, 20.0, 0.0)])
        self.assertAlmostEqual(value, 1)
        self.assertEqual(doubt, 0)

    def test_what_ran_once_is_taken_to_spread_like_the_other(self):
        _, doubt = pairs.slope_of([(10, 1.0, 0.3), (100, 1.0, None)])
        self.assertAlmostEqual(doubt, 0.3 * 2**0.5 / 2.302585, places=5)

    def test_a_single_size_has_no_exponent(self):
        self.assertIsNone(pairs.slope_of([(10, 1.0, 0.1)]))
        self.assertEqual(report.power(None), "")

    def test_an_exponent_of_single_runs_has_no_doubt_to_tell(self):
        self.assertEqual(report.power(pairs.slope_of([(10, 1.0, None), (100, 10.0, None)])), "1.00")
        self.assertEqual(report.power(pairs.slope_of([(10, 1.0, 0.0), (100, 10.0, None)])), "1.00 ± 0.00")

    def test_a_single_run_has_no_spread(self):
        self.assertIsNone(pairs.spread([1.0]))
        self.assertAlmostEqual(pairs.spread([1.0, 2.0, 3.0]), 0.25)


class Limits(unittest.TestCase):
    def test_a_ratio_and_a_peak_over_their_limits_are_both_named(self):
        row = limits.row("get by id", 1, "", {"ratio": 2.1, "vault_peak_bytes": 25_000_000})
        self.assertEqual(limits.verdict(row), "OVER: ratio, peak")
        self.assertEqual(limits.verdict(row | {"ratio": 2.0, "vault_peak_bytes": 24_000_000}), "ok")

    def test_what_has_no_limit_has_no_verdict(self):
        row = limits.row("start-up, beside /bin/true", 0, "", {"ratio": 100.0, "vault_peak_bytes": 1})
        self.assertEqual(limits.verdict(row), "")

    def test_a_count_that_grew_by_more_than_a_tenth_is_found(self):
        rows = counts.compared({"a": 111, "b": 110, "c": 5}, {"a": 100, "b": 100})
        self.assertEqual([name for name, _, _, factor in rows if counts.grew(factor)], ["a"])

    def test_a_peak_over_the_limit_at_one_size_is_told(self):
        row = {"sizes": {1_000: {"peak_bytes": 20_000_000}, 10_000: {"peak_bytes": 100_000_001}}}
        self.assertEqual(scaling.over(row), [10_000])


class Choice(unittest.TestCase):
    def test_a_check_takes_the_counts_besides_all_ratios(self):
        self.assertEqual(self.chosen(), [*WORKLOADS])
        self.assertEqual(self.chosen(check=True), [*WORKLOADS, "counts"])

    def test_counts_alone_may_be_asked_for_in_two_ways(self):
        self.assertEqual(self.chosen(counts=True), ["counts"])
        self.assertEqual(self.chosen(only="counts", check=True), ["counts"])

    def test_a_workload_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no workload nothing"):
            self.chosen(only="get,nothing")

    @staticmethod
    def chosen(only=None, counts=False, record=False, check=False):
        return chosen(argparse.Namespace(only=only, counts=counts, record=record, check=check))


class Records(unittest.TestCase):
    def test_fewer_records_are_the_first_of_more(self):
        self.assertEqual(list(records.customers(3)), list(records.customers(5))[:3])

    def test_pieces_of_a_file_hold_each_line_once(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "lines.jsonl"
            lines = [f"{number}\n" for number in range(2 * vaults.PIECE + 1)]
            source.write_text("".join(lines), encoding="utf-8")
            found = [piece.read_text(encoding="utf-8") for piece in vaults.pieces(source)]
            self.assertEqual([text.count("\n") for text in found], [vaults.PIECE, vaults.PIECE, 1])
            self.assertEqual("".join(found), "".join(lines))
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["lines.jsonl"])


class Reports(unittest.TestCase):
    def test_a_tool_is_held_against_the_vault_of_the_same_round(self):
        told = told_of({("vault", "get"): {0: 1.0, 1: 4.0, 2: 2.0}, ("pass", "get"): {0: 3.0, 1: 4.0}})
        self.assertEqual((told["pass", "get"]["ratio"], told["pass", "get"]["rounds"]), (2.0, 2))

    def test_columns_stand_under_each_other(self):
        self.assertEqual(report.table([["a", "b"], ["long", "1"]]), "a     b\nlong  1")

    def test_a_page_gets_a_rule_under_the_heads(self):
        self.assertEqual(report.table([["a", "b"], ["c", "1"]], True), "| a | b |\n| --- | ---: |\n| c | 1 |")

    def test_durations_have_three_figures(self):
        self.assertEqual([report.duration(x) for x in (0.00000042, 0.00123, 0.0123, 0.123, 12.3)],
                         ["420 ns", "1.23 ms", "12.3 ms", "123 ms", "12.3 s"])

    def test_the_slope_of_three_sizes_is_that_of_the_line_through_them(self):
        self.assertAlmostEqual(pairs.slope_of([(10, 1.0, 0), (100, 10.0, 0), (1_000, 100.0, 0)])[0], 1)


if __name__ == "__main__":
    unittest.main()
