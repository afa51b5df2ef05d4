/** @file `ludus persona sample`: draws people from a population, with target and achieved shares. */

import { resolve } from 'node:path';
import type { PersonaSample, SampleReport } from '@ludus-agents/agents/internal/personas/index';
import { spokenStatements } from '@ludus-agents/agents/internal/personas/prose';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { csvText } from '@ludus-agents/kernel/internal/core/csv';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { writeParquet } from '@ludus-agents/store/internal/exports/parquet-table';
import { toDiskFault } from '@ludus-agents/store/internal/files/atomic-file';
import { sample as samplePersonas } from '../../../library/persona.ts';
import { type CommandRun, exits } from '../../command.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal, tableWidth } from '../../terminal.ts';

interface Options {
  readonly number?: number;
  readonly seed?: number;
  readonly output?: string;
  readonly exact?: boolean;
  readonly chance?: boolean;
  readonly model?: string;
  readonly json?: boolean;
}

export const sample: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { number = 10, seed = 0, output } = options;
    if (options.exact === true && options.chance === true)
      throw new Fault('input', '--exact and --chance cannot be combined: --exact matches every share, and --chance samples at random.', {
        code: 'E_CONFLICTING_OPTIONS',
      });
    if (output !== undefined && /\.jsonl?$/i.test(output))
      throw new Fault('input', `-o: expected FILE.csv, FILE.parquet, or a folder, got "${output}". For JSON, use --json.`);
    const { controller, release } = interruptible(terminal);
    const { chance, model } = options;
    const request = { population: args[0], number, seed, chance, model, signal: controller.signal };
    const { backgrounds, ...personaSample } = await samplePersonas(request, terminal).finally(release);
    const isTable = output !== undefined && /\.(csv|parquet)$/i.test(output);
    if (isTable) await writePeople(output, personaSample, terminal.cwd);
    else if (output !== undefined)
      for (const person of personaSample.personas) writeOut(`${output}/${person.id}.json`, pretty(person), terminal.cwd);
    if (options.json === true)
      printJson(terminal, {
        n: number,
        seed,
        ...personaSample,
        ...(backgrounds && { failed: backgrounds.failed, calls: backgrounds.calls.length }),
      });
    else {
      print(
        terminal,
        people(personaSample, terminal),
        '',
        distribution(personaSample.report, terminal),
        '',
        weightWords(personaSample),
        ...sparse(personaSample),
      );
      if (output !== undefined) terminal.stderr.write(`${isTable ? count(number, 'row') : count(number, 'file')} written to ${output}.\n`);
    }
    const { failed = [] } = backgrounds ?? {};
    const [first] = failed;
    if (first === undefined) return exits.fine;
    const few = `${count(failed.length, 'background')} of ${number} did not match, so these people have none; ${first.id}: ${first.problems[0]}.`;
    terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).yellow(printable(few))}\n`);
    return exits.found;
  }),
};

/** One row per person: name, attributes, and weight. */
async function writePeople(file: string, { personas, attributes, weighting }: PersonaSample, cwd: string): Promise<void> {
  const names = Object.keys(attributes[0] ?? {});
  const rows = personas.map((person, i) => [person.id, person.name, ...names.map((name) => attributes[i]?.[name]), weighting.weights[i]]);
  const columns = ['id', 'name', ...names, 'weight'];
  if (/\.csv$/i.test(file)) return writeOut(file, csvText(columns, rows), cwd);
  try {
    await writeParquet(resolve(cwd, file), columns, rows, { weight: 'number' });
  } catch (thrown) {
    throw toDiskFault(thrown, file);
  }
}

/** The cost of weighting the sample to the target shares. */
function weightWords({ personas, weighting: { designEffect, effective, error } }: PersonaSample): string {
  const off = error > 1e-6 ? ` One share is off by ${percent(error)}: no one in the sample has that value.` : '';
  return `Weighted to the target shares, ${count(personas.length, 'persona')} are worth ${effective.toFixed(1)} (design effect ${designEffect.toFixed(3)}).${off}`;
}

/** Suggestions to make people more than a list of attributes, if they are not. */
function sparse({ personas }: PersonaSample): readonly string[] {
  const isSparse = personas.every(
    ({ statements, identity: { personal } }) =>
      spokenStatements({ statements }).length === 0 && personal.bigFive === undefined && personal.summary === undefined,
  );
  return isSparse
    ? ['Prompts state these attributes only. For richer people, add "statements" or "traits" to the population, or use --model MODEL.']
    : [];
}

/** The first few people, as examples. */
const shownCount = 8;

function people({ personas, attributes }: PersonaSample, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const named = Object.keys(attributes[0] ?? {});
  const columns: readonly Column[] = [{ title: 'name' }, { title: named.join(' · '), flexible: 'wrap' }];
  const rows = personas
    .slice(0, shownCount)
    .map((person, i) => [colours.bold(printable(person.name)), printable(named.map((name) => attributes[i]?.[name] ?? '').join(' · '))]);
  const more = personas.length > shownCount ? `\n${colours.faint(`… and ${personas.length - shownCount} more`)}` : '';
  return `${table(columns, rows, { colours, columns: tableWidth(terminal) })}${more}`;
}

function distribution(reports: readonly SampleReport[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'attribute', flexible: 'cut' },
    { title: 'value', flexible: 'cut' },
    { title: 'wanted', align: 'right' },
    { title: 'came', align: 'right' },
    { title: 'people', align: 'right' },
    { title: 'fit' },
  ];
  const rows = reports.flatMap(({ of, cells, fit, quota, exact, difference }) =>
    cells.map((cell, i) => [
      i === 0 ? colours.cyan(printable(of.join(' × '))) : '',
      printable(cell.values.join(' · ')),
      percent(cell.target),
      percent(cell.share),
      String(cell.count),
      i === 0 ? fitWords({ fit, quota, exact, difference }, colours) : '',
    ]),
  );
  const few = reports.some(({ fit, quota, exact }) => fit.small && !quota && !exact);
  const note = few ? `\n\n${colours.faint('few: some value is expected less than five times, so p is a rough guide.')}` : '';
  return `${table(columns, rows, { colours, columns: tableWidth(terminal) })}${note}`;
}

/** A quota makes counts exact on purpose, so a test against chance does not apply. */
function fitWords(
  { fit, quota, exact, difference }: Pick<SampleReport, 'fit' | 'quota' | 'exact' | 'difference'>,
  colours: Colours,
): string {
  if (exact) return colours.faint('exact');
  if (quota) return colours.faint(`by quota, ${difference.toFixed(2)} SD off`);
  const testText = `χ² ${fit.statistic.toFixed(1)}, p ${fit.p.toFixed(2)}`;
  if (fit.p < 0.001) return colours.red(testText);
  return fit.small ? `${testText} ${colours.faint('(few)')}` : testText;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.01 ? 1 : 0)}%`;
}
