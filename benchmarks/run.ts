/**
 * @file Runs one benchmark: `npm run bench -- NAME [--json] [flags]`. Runs all of them, as small as possible: `npm run bench -- smoke`.
 *
 * A benchmark is a file next to this one that exports `measure(flags)`. Its figures are printed as a table with machine and commit, saved to
 * benchmarks/results/, and, with --json, printed again as `[{"name","value","unit"}]` on the last line. With --only, which measures a part,
 * the saved figures of the other parts stay, each with the commit it was measured at. With --smoke it measures next to nothing and saves
 * nothing: that shows that the benchmark still runs.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';

export interface Figure {
  readonly name: string;
  /** Null where it could not be measured; the note says why. */
  readonly value: number | null;
  readonly unit: string;
  /** What we set out to reach, in words such as "≥ 600000". */
  readonly goal?: string;
  readonly note?: string;
  /** Where it was measured, if before the latest run. */
  readonly commit?: string;
}

export type Flags = Readonly<Record<string, string | true>>;

const here = import.meta.dirname;
const [name, ...rest] = process.argv.slice(2);
const flags: Record<string, string | true> = {};
for (const word of rest) {
  const [flag, value] = word.replace(/^--/, '').split('=', 2) as [string, string | undefined];
  flags[flag] = value ?? true;
}

const names = readdirSync(here)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && !file.startsWith('_'))
  .map((file) => file.slice(0, -3));
if (name === 'smoke') process.exit(smokeAll(names));
if (name === undefined || !names.includes(name)) {
  console.error(`Expected the name of a benchmark, one of ${names.join(', ')}, or "smoke" for all: npm run bench -- ${names[0]}`);
  process.exit(2);
}

const { measure } = (await import(join(here, `${name}.ts`))) as { measure: (flags: Flags) => Promise<readonly Figure[]> };
const machine = {
  cpu: cpus()[0]?.model.trim() || process.arch,
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
const commit = commitOf();
process.stdout.write(
  `${name} · ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node} · commit ${commit}\n\n`,
);
const figures = await measure(flags);

const widest = Math.max(...figures.map((figure) => figure.name.length));
for (const { name: figure, value, unit, goal, note } of figures) {
  const text = `${figure.padEnd(widest)}  ${(value === null ? '–' : round(value)).padStart(12)} ${unit.padEnd(14)} ${goal === undefined ? '' : `goal ${goal}`}`;
  process.stdout.write(`${text.trimEnd()}${note === undefined ? '' : `   ${note}`}\n`);
}
if (flags['smoke'] === true) checkFigures(figures);
else save(name);
if (flags['json'] === true)
  process.stdout.write(`${JSON.stringify(figures.map(({ name: figure, value, unit }) => ({ name: figure, value, unit })))}\n`);

function save(benchmark: string): void {
  mkdirSync(join(here, 'results'), { recursive: true });
  const file = join(here, 'results', `${benchmark}.json`);
  const saved = flags['only'] === undefined ? figures : [...earlierFigures(file, figures), ...figures];
  const today = new Date().toISOString().slice(0, 10);
  // A folder of this machine means nothing to a reader.
  const portableFlags = Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [flag, typeof value === 'string' && isAbsolute(value) ? basename(value) : value]),
  );
  writeFileSync(file, `${JSON.stringify({ benchmark, commit, date: today, machine, flags: portableFlags, figures: saved }, null, 2)}\n`);
}

/** Every benchmark in its own process, one after the other; gives the exit code. */
function smokeAll(benchmarks: readonly string[]): number {
  let failures = 0;
  for (const benchmark of benchmarks) {
    const began = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, benchmark, '--smoke'], { encoding: 'utf8' });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${status === 0 ? '✓' : '✗'} ${benchmark} ${seconds} s\n`);
    if (status === 0) continue;
    failures++;
    process.stderr.write(`${stdout}${stderr}\n`);
  }
  if (failures > 0) process.stderr.write(`${failures} of ${benchmarks.length} benchmarks failed.\n`);
  return failures === 0 ? 0 : 1;
}

/** A benchmark that measures nothing, or no number, is broken; one that lacks something on this machine says so in a note. */
function checkFigures(measured: readonly Figure[]): void {
  const broken = measured.filter(({ value, note }) => (value === null ? note === undefined : Number.isNaN(value)));
  if (measured.length > 0 && broken.length === 0) return;
  console.error(measured.length === 0 ? 'There are no figures.' : `Not a number: ${broken.map((figure) => figure.name).join(', ')}.`);
  process.exit(1);
}

/** Figures of earlier runs that this one has not measured. */
function earlierFigures(file: string, measured: readonly Figure[]): readonly Figure[] {
  if (!existsSync(file)) return [];
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as { readonly commit: string; readonly figures: readonly Figure[] };
  const now = new Set(measured.map((figure) => figure.name));
  return earlier.figures
    .filter((figure) => !now.has(figure.name))
    .map((figure) => ({ ...figure, commit: figure.commit ?? earlier.commit }));
}

function round(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(4)));
}

function commitOf(): string {
  try {
    const hash = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: here, encoding: 'utf8' }).trim();
    const changed = execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: here, encoding: 'utf8' }).trim() !== '';
    return changed ? `${hash} with changes` : hash;
  } catch {
    return 'unknown';
  }
}
