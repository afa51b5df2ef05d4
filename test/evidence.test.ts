/** @file The ledger of evidence is well-formed, its pages are up to date, and verdicts follow from values by the registered rules. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { canRun, numberAt, runCommand, serverVariable, splitCommand } from '../evidence/arms.ts';
import { countActs, flawsOf } from '../evidence/check.ts';
import { type Entry, fileOf, fingerprintOf, isStale, readLedger, readsText, textEntry } from '../evidence/ledger.ts';
import { meaningOf } from '../evidence/meaning.ts';
import { judge, type SeedOutcome } from '../evidence/measure.ts';
import { evidenceText, withEffects } from '../evidence/page.ts';
import { pagesWithTables, withTables } from '../evidence/tables.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const ledger = readLedger();
const trials = ledger.flatMap((entry): readonly Entry[] => [entry, ...[textEntry(entry)].filter((trial) => trial !== null)]);

describe('the evidence ledger', () => {
  it('has one entry for each of 215 systems', () => {
    expect(ledger.map(({ row }) => row)).toEqual(Array.from({ length: 215 }, (_, i) => i + 1));
  });

  it('has no flaws: experiments name a seed and a counter, and results have an experiment', () => {
    expect(trials.flatMap(flawsOf)).toEqual([]);
  });

  it('uses test seeds that tuned no setting, and has verdicts that match its values', () => {
    for (const entry of trials) {
      const { experiment, result } = entry;
      if (experiment === undefined || result === undefined) continue;
      expect(experiment.seeds.from, fileOf(entry)).toBeGreaterThan(7000);
      const outcomes = Object.fromEntries(
        Object.entries(result.arms).map(([name, { values, acted }]) => [
          name,
          values.map((value): SeedOutcome => ({ value, acted: acted ?? null })),
        ]),
      );
      const again = judge(entry, experiment, outcomes);
      expect(again.verdict, fileOf(entry)).toBe(result.verdict);
      expect(Math.abs(again.effect.value - result.effect.value), fileOf(entry)).toBeLessThan(1e-4 * (1 + Math.abs(result.effect.value)));
    }
  });

  it('has a second experiment only where the first uses a table or scripts, and with a model that reads text', () => {
    const pairs = ledger.flatMap(({ experiment, text }) =>
      text === undefined || experiment === undefined ? [] : [[experiment, text.experiment] as const],
    );
    expect(pairs.length).toBeGreaterThan(30);
    expect(pairs.filter(([main, text]) => readsText(main) || !readsText(text))).toEqual([]);
    expect(ledger.filter(({ experiment, text }) => text !== undefined && experiment === undefined)).toEqual([]);
  });

  it('matches docs/evidence.md and the effect column of docs/systems.md (npm run evidence -- --page)', () => {
    expect(read('docs/evidence.md')).toBe(evidenceText(ledger));
    const systems = read('docs/systems.md');
    expect(withEffects(systems, ledger)).toBe(systems);
    for (const page of pagesWithTables) expect(withTables(read(page), ledger), page).toBe(read(page));
  });

  it('marks a result as stale when one of its settings or source files changes', () => {
    const entry = ledger.find(({ result }) => result !== undefined)!;
    const changed = { ...entry.experiment!, smallest: entry.experiment!.smallest + 1 };
    const fresh = { ...entry, result: { ...entry.result!, fingerprint: fingerprintOf(entry.experiment!) } };
    expect(isStale(fresh)).toBe(false);
    expect(isStale({ ...fresh, experiment: changed })).toBe(true);
    expect(isStale({ ...fresh, experiment: { ...entry.experiment!, code: ['packages/gone.ts'] } })).toBe(true);
  });
});

describe('the meaning of a source file', () => {
  const source = 'export function total(list: readonly number[]) { let sum = 0; for (const item of list) sum += item; return sum; }';
  const meaning = meaningOf('a.ts', source);

  it('stays the same when formatting, comments, types, or local names change', () => {
    const rewritten = `// Adds up.\n${source.replaceAll('item', 'entry').replace('readonly ', '').replaceAll(';', ';\n')}`;
    expect(meaningOf('a.ts', rewritten)).toBe(meaning);
  });

  it('stays the same when the summary of an environment is reworded', () => {
    const environment = "export const game = { about: { summary: 'Two players.', tasks: [{}] }, rules: 'Play.' };";
    expect(meaningOf('a.ts', environment.replace('Two', 'Three'))).toBe(meaningOf('a.ts', environment));
    expect(meaningOf('a.ts', environment.replace('Play', 'Pass'))).not.toBe(meaningOf('a.ts', environment));
  });

  it.each([
    ['a number', source.replace('= 0', '= 1')],
    ['an operator', source.replace('+=', '-=')],
    ['an exported name', source.replace('total', 'sumOf')],
    ['an import', `import './other.ts';\n${source}`],
    ['a text', `${source} export const label = 'sum';`],
  ])('changes with %s', (_, changed) => {
    expect(meaningOf('a.ts', changed)).not.toBe(meaning);
  });
});

describe('a verdict', () => {
  const plan = { measure: { about: 'x', path: 'x', better: 'higher' as const }, smallest: 0.1, counter: { about: 'acts', path: 'acts' } };
  const values = (list: readonly number[], acted: number): readonly SeedOutcome[] => list.map((value) => ({ value, acted }));
  const verdict = (
    on: readonly number[],
    off: readonly number[],
    acts: readonly [number, number] = [1, 0],
    kind: 'effect' | 'validity' = 'effect',
  ) => judge({ kind }, plan, { on: values(on, acts[0]), off: values(off, acts[1]) }).verdict;

  it('is "effect" above the smallest size with an interval above 0, and "valid" for an instrument', () => {
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3])).toBe('effect');
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [1, 0], 'validity')).toBe('valid');
  });

  it('is "no effect" if the interval ends below the smallest size, and "unclear" in between', () => {
    expect(verdict([0.31, 0.36, 0.3], [0.3, 0.35, 0.3])).toBe('no effect');
    expect(verdict([0.1, 0.9, 0.5], [0.3, 0.35, 0.3])).toBe('unclear');
  });

  it('is "void" if the mechanism never acted or acted in the control', () => {
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [0, 0])).toBe('void');
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [1, 2])).toBe('void');
  });

  it('is inverted for measures where lower is better', () => {
    const lower = { ...plan, measure: { ...plan.measure, better: 'lower' as const } };
    expect(judge({ kind: 'effect' }, lower, { on: values([0.1, 0.12, 0.1], 1), off: values([0.5, 0.55, 0.5], 0) }).verdict).toBe('effect');
  });
});

describe('the check of a counter', () => {
  const command = 'ludus train rpd --games 2560 --seed {seed} --json';
  /** The commands that run, where the mechanism acts as often as each run in turn says. */
  const runs = async (acts: readonly (number | null)[], usual: number, on = command) => {
    const ran: [string, number][] = [];
    const acted = await countActs(async (words, seed) => acts[ran.push([words, seed]) - 1] ?? 0, on, usual);
    return { acted, ran: ran.map(([words, seed]) => `${/--games (\d+)/.exec(words)?.[1]} ${seed}`) };
  };

  it('runs a training on a few games, and all of it on up to three seeds if the mechanism is idle there', async () => {
    expect(await runs([5], 30)).toEqual({ acted: 5, ran: ['192 1'] });
    expect(await runs([0, 0, 7], 30)).toEqual({ acted: 7, ran: ['192 1', '2560 1', '2560 2'] });
    expect(await runs([], 30)).toEqual({ acted: 0, ran: ['192 1', '2560 1', '2560 2', '2560 3'] });
  });

  it('runs once without a counter, and where the stored result does not act in every run either', async () => {
    expect((await runs([null], 0)).ran).toEqual(['192 1']);
    expect((await runs([0], 0.2)).ran).toEqual(['192 1']);
  });

  it('does not repeat a seed of a command that has no games to leave out', async () => {
    expect((await runs([], 30, 'program x --seed {seed}')).ran).toEqual(['undefined 1', 'undefined 2', 'undefined 3']);
  });
});

describe('an arm of an experiment', () => {
  it('splits its command into words, respecting quotes, and reads a number at a path', () => {
    expect(splitCommand(`ludus train x --set 'a={"b":1}' --json`)).toEqual(['ludus', 'train', 'x', '--set', 'a={"b":1}', '--json']);
    expect(numberAt({ a: { b: 2 } }, 'a.b')).toBe(2);
    expect(numberAt({ a: null }, 'a.b')).toBeNull();
  });

  it('is refused if its model needs a training server and none is given', async () => {
    vi.stubEnv(serverVariable, undefined);
    const on = 'program reader --server {server} --seed {seed}';
    expect([canRun({ on }), canRun({ on: 'program moods --seed {seed}' })]).toEqual([false, true]);
    await expect(runCommand(on, 1)).rejects.toThrow('--server URL#MODEL');
    vi.unstubAllEnvs();
  });
});
