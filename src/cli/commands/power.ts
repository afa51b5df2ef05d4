/** @file `ludus power`: how many episodes it takes to see a difference. */

import { formatGrouped } from '../../core/format.ts';
import { Fault } from '../../core/index.ts';
import { episodesForMeans, episodesForRates } from '../../scoring/statistics/power.ts';
import { amount, type CommandFile, examples, exits, withJson } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { table } from '../render/table.ts';
import { columnsOf, print, printJson } from '../terminal.ts';

interface Options {
  readonly difference: number;
  readonly rate?: number;
  readonly deviation?: number;
  readonly correlation?: number;
  readonly power?: number;
  readonly alpha?: number;
  readonly json?: boolean;
}

export const power: CommandFile = {
  declare(command) {
    command
      .requiredOption('--difference <amount>', 'the difference to be seen: 0.05 is 5 points of 100', amount('--difference'))
      .option('--rate <share>', 'the success rate it starts from (default: 0.5, which needs most)', amount('--rate'))
      .option('--deviation <amount>', 'for mean scores instead of success rates: their standard deviation', amount('--deviation'))
      .option('--correlation <r>', 'how alike two agents do on the same task and seed (default: 0.5)', Number)
      .option('--power <share>', 'the chance to see it if it is there (default: 0.8)', amount('--power'))
      .option('--alpha <share>', 'the chance to see it if it is not (default: 0.05)', amount('--alpha'));
    withJson(command);
    examples(command, {
      'ludus power --difference 0.05': 'how many episodes to see 5 points?',
      'ludus power --difference 0.1 --rate 0.8 --correlation 0.7': 'from 80 % up, agents much alike',
      'ludus power --difference 0.5 --deviation 2': 'chips instead of points',
    });
  },

  async run({ options: given, terminal }) {
    const { difference, rate, deviation, correlation = 0.5, power: wanted = 0.8, alpha = 0.05, json } = given as unknown as Options;
    if (!(correlation >= -1 && correlation <= 1))
      throw new Fault('input', `--correlation takes a number from −1 to 1, but came as "${correlation}".`);
    const risks = { power: wanted, alpha };
    const episodesNeeded = (r: number) =>
      deviation === undefined
        ? episodesForRates({ difference, rate: rate ?? start(difference), correlation: r, ...risks })
        : episodesForMeans({ difference, deviation, correlation: r, ...risks });
    const found = { paired: episodesNeeded(correlation), unpaired: episodesNeeded(0) };
    const setting = deviation === undefined ? { rate: rate ?? start(difference) } : { deviation };
    if (json === true) {
      printJson(terminal, { difference, ...setting, correlation, power: wanted, alpha, episodes: found });
      return exits.fine;
    }
    const colours = coloursFor(terminal.stdout, terminal.env);
    const rows = [
      [colours.cyan('paired'), formatGrouped(found.paired), 'both agents on the same tasks and seeds'],
      [colours.cyan('unpaired'), formatGrouped(found.unpaired), 'each agent on seeds of its own'],
    ];
    const columns = [{ title: '' }, { title: 'episodes of each agent', align: 'right' as const }, { title: '', flexible: 'wrap' as const }];
    print(terminal, table(columns, rows, { colours, columns: columnsOf(terminal.stdout) }));
    return exits.fine;
  },
};

/** A half, unless the difference would not fit above it. */
function start(difference: number): number {
  return Math.max(0, Math.min(0.5, 1 - difference));
}
