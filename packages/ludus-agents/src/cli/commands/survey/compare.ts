/** @file `ludus survey compare`: compares synthetic answers with those of people, and leads with the limits of the population. */

import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { percent } from '@ludus-agents/societies/internal/surveys/check-sentences';
import type { SurveyComparison } from '@ludus-agents/societies/internal/surveys/compare';
import { claimLevel } from '@ludus-agents/societies/internal/surveys/findings';
import { compare as compareAnswers } from '../../../library/surveys.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal, tableWidth } from '../../terminal.ts';

interface Options {
  readonly human?: string;
  readonly seed?: number;
  readonly json?: boolean;
}

export const compare: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    if (options.human === undefined)
      throw new Fault('input', 'A comparison needs answers of people. Pass their file with --human, such as people.csv.');
    const surveyComparison = await compareAnswers({ answers: args[0], human: options.human, seed: options.seed }, terminal);
    if (options.json === true) printJson(terminal, surveyComparison);
    else print(terminal, comparisonText(surveyComparison, terminal));
    return exits.fine;
  },
};

const pairings: Readonly<Record<SurveyComparison['pairing'], string>> = {
  person: 'Each person is compared with their own twin.',
  attributes: 'People are compared with synthetic people who have the same attributes.',
  none: 'People and synthetic people have no attributes in common, so their answers can’t be combined. Give both files attributes with the same names.',
};

function comparisonText({ cannot, pairing, people, synthetic, items, composition }: SurveyComparison, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const lines = cannot.flatMap((line) => wrap(printable(`- ${line}`), width));
  const columns: readonly Column[] = [
    { title: 'item', flexible: 'cut' },
    { title: 'difference', align: 'right' },
    { title: 'chance 95%', align: 'right' },
    { title: 'W1', align: 'right' },
    { title: 'always middle', align: 'right' },
    { title: 'SD ratio', align: 'right' },
    { title: 'people', align: 'right' },
  ];
  const rows = items.map((itemComparison) => [
    printable(itemComparison.item),
    itemComparison.adjusted < claimLevel ? colours.red(percent(itemComparison.totalVariation)) : percent(itemComparison.totalVariation),
    percent(itemComparison.noise.totalVariation),
    itemComparison.wasserstein.toFixed(3),
    itemComparison.floors.middle.toFixed(3),
    itemComparison.deviationRatio === null ? '' : itemComparison.deviationRatio.toFixed(2),
    String(itemComparison.people),
  ]);
  const rectified: readonly Column[] = [
    { title: 'answer', flexible: 'cut' },
    { title: 'synthetic', align: 'right' },
    { title: 'people', align: 'right' },
    { title: 'both', align: 'right' },
    { title: '95% interval' },
    { title: 'weight', align: 'right' },
    { title: 'people needed' },
  ];
  const shares = items.flatMap(({ item, rectified: all }) =>
    all.map((rectifiedShare) => [
      printable(`${item} · ${rectifiedShare.of}`),
      rectifiedShare.synthetic === null ? '' : rectifiedShare.synthetic.value.toFixed(3),
      rectifiedShare.people.value.toFixed(3),
      rectifiedShare.rectified.value.toFixed(3),
      `${rectifiedShare.rectified.interval[0].toFixed(3)} to ${rectifiedShare.rectified.interval[1].toFixed(3)}`,
      rectifiedShare.lambda.toFixed(2),
      `${rectifiedShare.needed.withSynthetic} (${rectifiedShare.needed.peopleAlone} alone)`,
    ]),
  );
  const screen = tableWidth(terminal);
  return [
    colours.bold('Limits of this population'),
    ...lines,
    '',
    ...wrap(`${synthetic} synthetic and ${people} real people. ${pairings[pairing]}`, width),
    '',
    ...(items.length === 0
      ? [compositionTable(composition, colours, screen)]
      : [table(columns, rows, { colours, columns: screen }), '', table(rectified, shares, { colours, columns: screen })]),
  ].join('\n');
}

/** Without answers, only their attributes are available. */
function compositionTable(
  composition: SurveyComparison['composition'],
  colours: ReturnType<typeof coloursFor>,
  screen: number | undefined,
): string {
  const columns: readonly Column[] = [
    { title: 'attribute', flexible: 'cut' },
    { title: 'value', flexible: 'cut' },
    { title: 'synthetic', align: 'right' },
    { title: 'people', align: 'right' },
  ];
  const rows = composition.flatMap(({ attribute, values }) =>
    values.map(({ value, synthetic, people }, i) => [
      i === 0 ? printable(attribute) : '',
      printable(value),
      percent(synthetic),
      percent(people),
    ]),
  );
  return table(columns, rows, { colours, columns: screen });
}
