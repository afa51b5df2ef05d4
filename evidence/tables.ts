/**
 * @file Tables in the pages of docs/evidence that are written from result files. A page marks the place of a table with `<!-- table: NAME -->` and
 * `<!-- end -->`; `npm run evidence -- --page` fills it in.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, root } from './ledger.ts';

interface BenchFigure {
  readonly name: string;
  readonly value: number | null;
  readonly note?: string;
}

export const pagesWithTables = ['search', 'memory'].map((name) => `docs/evidence/${name}.md`);

export function writeTables(ledger: readonly Entry[]): void {
  for (const page of pagesWithTables) {
    const file = join(root, page);
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), ledger));
  }
}

/** The page with its tables as the result files have them now. */
export function withTables(page: string, ledger: readonly Entry[]): string {
  return page.replace(/(<!-- table: (.+?) -->\n)[\s\S]*?(\n<!-- end -->)/g, (_, start: string, name: string, end: string) => {
    const rows = /^rows (.+)$/.exec(name)?.[1]?.split(',').map(Number);
    if (rows !== undefined) return `${start}\n${familyTable(ledger, rows).join('\n')}\n${end}`;
    const lines = name === 'search' ? searchTable() : memoryTable(name === 'memory' ? '' : name.replace('memory ', ', '));
    return `${start}\n${lines.join('\n')}\n${end}`;
  });
}

/** Systems of one family: with the mechanism, without it, and the command that repeats the comparison. */
function familyTable(ledger: readonly Entry[], rows: readonly number[]): readonly string[] {
  const lines = rows.flatMap((row) => {
    const entry = ledger.find((item) => item.row === row);
    if (entry?.result === undefined) return [];
    const { verdict, arms, effect } = entry.result;
    const { mean: on, acted } = arms['on']!;
    const size = `${figure(effect.value)} (${figure(effect.low)} to ${figure(effect.high)})`;
    const counts = acted === undefined ? 'in every step' : String(Math.round(acted));
    const cells = [`${row}. ${entry.system}`, figure(on), figure(arms['off']!.mean), size, effect.seeds, counts, verdict];
    return [`| ${cells.join(' | ')} | \`npm run evidence -- --rows ${row}\` |`];
  });
  return ['| system | with | without | difference | seeds | acted per seed | verdict | command |', `|${'--|'.repeat(8)}`, ...lines];
}

function searchTable(): readonly string[] {
  const lines = figuresOf('search').map(({ name, value, note = '' }) => {
    const [, low, high] = /95% (-?[\d.]+) to (-?[\d.]+)/.exec(note)!;
    const [, on, off] = /right moves ([\d.]+) and ([\d.]+)/.exec(note)!;
    const [, calls, callsOff] = /calls a move ([\d.]+) and ([\d.]+)/.exec(note)!;
    const size = `${figure(value!)} (${figure(Number(low))} to ${figure(Number(high))})`;
    const label = name.replace(/^([\w-]+):/, '`$1`:');
    return `| ${label} | ${figure(Number(on))} | ${figure(Number(off))} | ${size} | ${Number(calls).toFixed(1)}, ${Number(callsOff).toFixed(1)} |`;
  });
  return ['| mechanism, task | with | without | difference | calls per action, with and without |', `|${'--|'.repeat(5)}`, ...lines];
}

/** Right answers and tokens per answer, for each structure and length; `reader` ends the names of the figures. */
function memoryTable(reader: string): readonly string[] {
  const cells = new Map<string, string[]>();
  for (const { name, value, note = '' } of figuresOf('memory')) {
    const structure = name.endsWith(`messages${reader}`) ? /^(.+), \d+ messages/.exec(name)?.[1] : undefined;
    const [, low, high, tokens] = /95% ([\d.]+) to ([\d.]+).*; (\d+) tokens an answer/.exec(note) ?? [];
    if (structure === undefined || value === null) continue;
    const cell = `${figure(value)} (${figure(Number(low))} to ${figure(Number(high))}), ${tokens}`;
    cells.set(structure, [...(cells.get(structure) ?? []), cell]);
  }
  const lines = [...cells].map(([structure, row]) => `| ${structure} | ${row.join(' | ')} |`);
  return ['| structure | 10 messages | 100 messages | 1,000 messages |', `|${'--|'.repeat(4)}`, ...lines];
}

function figuresOf(benchmark: string): readonly BenchFigure[] {
  const file = join(root, 'benchmarks', 'results', `${benchmark}.json`);
  const saved = JSON.parse(readFileSync(file, 'utf8')) as { readonly figures: readonly BenchFigure[] };
  return saved.figures;
}

/** Two decimals, as in the text around the tables: .05, −.06, 1.00. */
function figure(value: number): string {
  return value
    .toFixed(2)
    .replace(/^(-?)0(?=\.)/, '$1')
    .replace('-', '−')
    .replace(/^−(?=\.00$)/, '');
}
