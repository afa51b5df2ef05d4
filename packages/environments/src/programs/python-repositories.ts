/** @file Small Python programs with tests, each with single-place changes that a test detects. */

import type { Files } from './judging.ts';

export interface PythonRepository {
  readonly files: Files;
  readonly tests: Files;
  /** Code that occurs once in the program, and its buggy replacement. A test with a real interpreter proves that each one fails. */
  readonly bugs: readonly (readonly [from: string, to: string])[];
}

const intervals: PythonRepository = {
  files: {
    'intervals.py': `def merge(intervals):
    out = []
    for start, end in sorted(intervals):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def covered(intervals):
    return sum(end - start for start, end in merge(intervals))


def gaps(intervals):
    merged = merge(intervals)
    return [(a[1], b[0]) for a, b in zip(merged, merged[1:])]
`,
  },
  tests: {
    'test_intervals.py': `import unittest
from intervals import covered, gaps, merge


class Intervals(unittest.TestCase):
    def test_merges(self):
        self.assertEqual(merge([(5, 8), (1, 3), (2, 4)]), [(1, 4), (5, 8)])

    def test_touching(self):
        self.assertEqual(merge([(1, 2), (2, 3)]), [(1, 3)])

    def test_inside(self):
        self.assertEqual(merge([(1, 9), (2, 3)]), [(1, 9)])

    def test_covered(self):
        self.assertEqual(covered([(1, 3), (2, 5), (8, 9)]), 5)

    def test_gaps(self):
        self.assertEqual(gaps([(1, 2), (4, 6), (9, 10)]), [(2, 4), (6, 9)])
`,
  },
  bugs: [
    ['start <= out', 'start < out'],
    ['max(out', 'min(out'],
    ['end - start', 'end + start'],
    ['merged[1:]', 'merged[2:]'],
    ['sorted(intervals)', 'list(intervals)'],
    ['(a[1], b[0])', '(a[0], b[0])'],
  ],
};

const roman: PythonRepository = {
  files: {
    'roman.py': `VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
          (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(number):
    if not 1 <= number <= 3999:
        raise ValueError("out of range")
    out = ""
    for value, letters in VALUES:
        while number >= value:
            out += letters
            number -= value
    return out


def from_roman(text):
    single = {letters: value for value, letters in VALUES if len(letters) == 1}
    total = 0
    for at, letter in enumerate(text):
        value = single[letter]
        if at + 1 < len(text) and single[text[at + 1]] > value:
            total -= value
        else:
            total += value
    return total
`,
  },
  tests: {
    'test_roman.py': `from roman import from_roman, to_roman


def test_writes():
    assert [to_roman(n) for n in (1, 4, 9, 14, 40, 1994)] == ["I", "IV", "IX", "XIV", "XL", "MCMXCIV"]


def test_reads():
    assert [from_roman(text) for text in ("III", "IX", "XLII", "MMXXVI")] == [3, 9, 42, 2026]


def test_there_and_back():
    assert all(from_roman(to_roman(n)) == n for n in range(1, 400))


def test_range():
    assert to_roman(3999) == "MMMCMXCIX"
    for wrong in (0, 4000):
        try:
            to_roman(wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
`,
  },
  bugs: [
    ['number >= value', 'number > value'],
    ['number <= 3999', 'number <= 4999'],
    ['not 1 <= number', 'not 0 <= number'],
    ['> value:', '>= value:'],
    ['total -= value', 'total += value - 1'],
    ['len(letters) == 1', 'len(letters) <= 2 and value > 1'],
  ],
};

const ledger: PythonRepository = {
  files: {
    'ledger.py': `from money import cents


class Ledger:
    def __init__(self):
        self.entries = []

    def add(self, account, amount):
        if not account:
            raise ValueError("an entry needs an account")
        self.entries.append((account, cents(amount)))

    def balance(self, account):
        return sum(amount for name, amount in self.entries if name == account)

    def overdrawn(self):
        names = sorted({name for name, _ in self.entries})
        return [name for name in names if self.balance(name) < 0]
`,
    'money.py': `def cents(amount):
    sign = -1 if amount.startswith("-") else 1
    whole, _, part = amount.lstrip("-").partition(".")
    return sign * (int(whole) * 100 + int((part + "00")[:2]))
`,
  },
  tests: {
    'test_ledger.py': `import unittest
from ledger import Ledger
from money import cents


class Ledgers(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()
        for account, amount in [("ann", "12.50"), ("bo", "-3"), ("ann", "-2.5"), ("cy", "0.00")]:
            self.ledger.add(account, amount)

    def test_cents(self):
        self.assertEqual([cents(one) for one in ("1", "1.5", "0.07", "-2.25")], [100, 150, 7, -225])

    def test_balance(self):
        self.assertEqual(self.ledger.balance("ann"), 1000)

    def test_overdrawn(self):
        self.assertEqual(self.ledger.overdrawn(), ["bo"])

    def test_needs_an_account(self):
        with self.assertRaises(ValueError):
            self.ledger.add("", "1")
`,
  },
  bugs: [
    ['name == account', 'name != account'],
    ['< 0]', '<= 0]'],
    ['if not account', 'if account is None'],
    ['int(whole) * 100', 'int(whole) * 10'],
    ['part + "00"', '"00" + part'],
    ['-1 if amount', '1 if amount'],
  ],
};

export const pythonRepositories: readonly PythonRepository[] = [intervals, roman, ledger];
