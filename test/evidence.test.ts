/** @file The ledger of evidence is well-formed, its pages are up to date, and verdicts follow from values by the registered rules. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { canRun, numberAt, runCommand, serverVariable, splitCommand } from '../evidence/arms.ts';
import { flawsOf } from '../evidence/check.ts';
import { fileOf, fingerprintOf, isStale, readLedger } from '../evidence/ledger.ts';
import { meaningOf } from '../evidence/meaning.ts';
import { judge, type SeedOutcome } from '../evidence/measure.ts';
import { evidenceText, withEffects } from '../evidence/page.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const ledger = readLedger();

describe('the ledger', () => {
  it('has one entry for each of 215 systems', () => {
    expect(ledger.map(({ row }) => row)).toEqual(Array.from({ length: 215 }, (_, i) => i + 1));
  });

  it('is without flaws: experiments name their seed and counter, results have their experiment', () => {
    expect(ledger.flatMap(flawsOf)).toEqual([]);
  });

  it('holds results on seeds that no setting was chosen on, and verdicts that follow from their values', () => {
    for (const entry of ledger) {
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

  it('is what docs/evidence.md and the effect column of docs/systems.md show (npm run evidence -- --page rewrites them)', () => {
    expect(read('docs/evidence.md')).toBe(evidenceText(ledger));
    const systems = read('docs/systems.md');
    expect(withEffects(systems, ledger)).toBe(systems);
  });

  it('calls a result stale when a setting or a file that it depends on has changed', () => {
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

  it('is the same after a change of formatting, comments, types and local names', () => {
    const rewritten = `// Adds up.\n${source.replaceAll('item', 'entry').replace('readonly ', '').replaceAll(';', ';\n')}`;
    expect(meaningOf('a.ts', rewritten)).toBe(meaning);
  });

  it.each([
    ['a number', source.replace('= 0', '= 1')],
    ['an operator', source.replace('+=', '-=')],
    ['an exported name', source.replace('total', 'sumOf')],
    ['an import', `import './other.ts';\n${source}`],
    ['a text', `${source} export const label = 'sum';`],
  ])('is another one after a change of %s', (_, changed) => {
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

  it('is an effect above the smallest size with an interval above 0, and valid for an instrument', () => {
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3])).toBe('effect');
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [1, 0], 'validity')).toBe('valid');
  });

  it('is no effect where the interval ends below the smallest size, and unclear in between', () => {
    expect(verdict([0.31, 0.36, 0.3], [0.3, 0.35, 0.3])).toBe('no effect');
    expect(verdict([0.1, 0.9, 0.5], [0.3, 0.35, 0.3])).toBe('unclear');
  });

  it('is void where the mechanism never acted, or acted in the control', () => {
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [0, 0])).toBe('void');
    expect(verdict([0.6, 0.7, 0.65], [0.3, 0.35, 0.3], [1, 2])).toBe('void');
  });

  it('turns round where lower is better', () => {
    const lower = { ...plan, measure: { ...plan.measure, better: 'lower' as const } };
    expect(judge({ kind: 'effect' }, lower, { on: values([0.1, 0.12, 0.1], 1), off: values([0.5, 0.55, 0.5], 0) }).verdict).toBe('effect');
  });
});

describe('an arm', () => {
  it('is split into words with quotes kept together, and read at a path', () => {
    expect(splitCommand(`ludus train x --set 'a={"b":1}' --json`)).toEqual(['ludus', 'train', 'x', '--set', 'a={"b":1}', '--json']);
    expect(numberAt({ a: { b: 2 } }, 'a.b')).toBe(2);
    expect(numberAt({ a: null }, 'a.b')).toBeNull();
  });

  it('with a model on a training server is refused where none is named', async () => {
    vi.stubEnv(serverVariable, undefined);
    const on = 'program reader --server {server} --seed {seed}';
    expect([canRun({ on }), canRun({ on: 'program moods --seed {seed}' })]).toEqual([false, true]);
    await expect(runCommand(on, 1)).rejects.toThrow('--server URL#MODEL');
    vi.unstubAllEnvs();
  });
});
