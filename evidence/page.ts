/** @file The pages that are generated from the ledger: docs/evidence.md, and the effect column of docs/systems.md. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, readsText, root, textEntry, tiers, type Verdict, verdictOf, verdicts } from './ledger.ts';
import { writeTables } from './tables.ts';

const evidencePage = join(root, 'docs', 'evidence.md');
const systemsPage = join(root, 'docs', 'systems.md');

export function writePages(ledger: readonly Entry[]): void {
  writeFileSync(evidencePage, evidenceText(ledger));
  writeFileSync(systemsPage, withEffects(readFileSync(systemsPage, 'utf8'), ledger));
  writeTables(ledger);
}

/** The evidence page in full. */
export function evidenceText(ledger: readonly Entry[]): string {
  const tested = ledger.filter(({ result }) => result !== undefined);
  const waiting = ledger.filter(({ result }) => result === undefined);
  return [
    '# Evidence: each mechanism against its control',
    '',
    'This page is generated from `evidence/entries` by `npm run evidence -- --page`. Each entry contains the registered claim, the commands of all arms, the values per seed, and earlier failed attempts.',
    '',
    'An effect is the paired difference between the run with the mechanism and the run without it, with a 95% interval over seeds. Positive is better.',
    '',
    '- **effect** (for instruments **valid**): the interval is above 0, and the mean reaches the smallest interesting size.',
    '- **no effect**: the interval is below that size.',
    '- **unclear**: anything else.',
    '- **void**: the mechanism did not act, or acted in the control.',
    '',
    'Settings were chosen on seeds below 1,000; results use seeds from 7,001 on. `npm run evidence -- --check` runs every arm once and lists results whose code has changed since.',
    '',
    'The tier says what plays:',
    '',
    '- *exact* computes values.',
    '- *script* uses scripted agents. It shows the arithmetic of a mechanism, not that a language model has it.',
    '- *table* trains a tabular policy.',
    '- *transformer* trains a small transformer.',
    '- *model-1.1B* trains adapters on a language model with 1.1 billion weights, which reads and writes text. These rows need a [training server](reference/gpu.md): `npm run evidence -- --rows 197 --server http://127.0.0.1:8000#tinyllama`.',
    '',
    ...countTable(ledger),
    '',
    ...textSection(ledger),
    '',
    '## Results',
    '',
    '| n | system | verdict | effect (95% interval) | smallest | seeds | tier |',
    '|--|--|--|--|--|--|--|',
    ...tested.flatMap(resultRow),
    '',
    '## Measures and grounds',
    '',
    ...tested.flatMap(({ row, system, experiment: plan, result }) =>
      plan === undefined
        ? []
        : [`- **${row}. ${system}**: ${sentences(plan.measure.about, plan.ground, ...(result?.note === undefined ? [] : [result.note]))}`],
    ),
    '',
    '## Not run',
    '',
    ...waiting.map(({ row, system, missing }) => `- **${row}. ${system}**: ${missing ?? 'An experiment is written but has not run.'}`),
    '',
  ].join('\n');
}

function countTable(ledger: readonly Entry[]): readonly string[] {
  const count = (verdict: Verdict, tier?: string) =>
    ledger.filter((entry) => verdictOf(entry) === verdict && (tier === undefined || entry.experiment?.tier === tier)).length;
  return [
    `| verdict | ${tiers.join(' | ')} | total |`,
    `|--|${tiers.map(() => '--').join('|')}|--|`,
    ...verdicts.map((verdict) => `| ${verdict} | ${tiers.map((tier) => count(verdict, tier)).join(' | ')} | ${count(verdict)} |`),
  ];
}

/** Experiments whose player is a language model: main ones, and those beside a main one with a table or scripts. */
function textSection(ledger: readonly Entry[]): readonly string[] {
  const trials = ledger.flatMap((main) =>
    [main, textEntry(main)].flatMap((trial) =>
      trial?.experiment !== undefined && trial.result !== undefined && readsText(trial.experiment) ? [{ main, trial }] : [],
    ),
  );
  const positive = trials.filter(({ trial }) => ['effect', 'valid'].includes(verdictOf(trial)));
  const large = positive.filter(({ trial }) => trial.experiment?.tier === 'model-1.1B').length;
  return [
    '## With a language model that reads and writes text',
    '',
    `${trials.length} systems were tested with such a model, and ${positive.length} have an effect or are valid: ${large} with 1.1 billion weights, ${positive.length - large} with a small transformer. The last column has the verdict of the main experiment where that uses a table or scripts. \`npm run evidence -- --rows 57 --text\` runs the experiment with the model.`,
    '',
    '| n | system | verdict | effect (95% interval) | smallest | seeds | model | main |',
    '|--|--|--|--|--|--|--|--|',
    ...trials.flatMap(({ main, trial }) =>
      resultRow(trial).map((line) => `${line} ${trial === main ? '' : `${verdictOf(main)} (${main.experiment?.tier})`} |`),
    ),
  ];
}

/** A row for an entry that has run; nothing for another. */
function resultRow(entry: Entry): readonly string[] {
  const { row, experiment: plan, result } = entry;
  if (plan === undefined || result === undefined) return [];
  const { value, low, high, seeds } = result.effect;
  const size = `${figure(value)} (${figure(low)} to ${figure(high)})`;
  return [`| ${row} | ${entry.system} | ${result.verdict} | ${size} | ${plan.smallest} | ${seeds} | ${plan.tier} |`];
}

/** Texts of an entry as sentences. */
function sentences(...texts: readonly string[]): string {
  return texts.map((text) => `${text[0]?.toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`).join(' ');
}

/** The tables of the systems page with a fourth column: verdict and effect. */
export function withEffects(page: string, ledger: readonly Entry[]): string {
  const byRow = new Map(ledger.map((entry) => [entry.row, entry]));
  return page
    .replace(/^\| n \| system \| command \|(?: effect \|)?$/gm, '| n | system | command | effect |')
    .replace(/^\| n \| system \| command \| effect \|\n\|--\|--\|--\|(?:--\|)?$/gm, '| n | system | command | effect |\n|--|--|--|--|')
    .replace(/^(\| (\d+) \| [^|]+ \| `ludus .+?` \|)(?: [^|`]* \|)?$/gm, (_, start: string, row: string) => {
      const entry = byRow.get(Number(row));
      return `${start} ${entry === undefined ? 'not run' : effectCell(entry)} |`;
    });
}

function effectCell(entry: Entry): string {
  const { result } = entry;
  if (result === undefined) return 'not run';
  const size =
    result.verdict === 'void' ? '' : ` ${figure(result.effect.value)} (${figure(result.effect.low)} to ${figure(result.effect.high)})`;
  return `${result.verdict}${size}`;
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) < 0.01 ? 4 : Math.abs(value) < 0.1 ? 3 : 2;
  return value.toFixed(digits).replace('-', '−');
}
