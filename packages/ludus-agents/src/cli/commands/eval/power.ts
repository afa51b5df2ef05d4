/** @file `ludus eval power`: how many episodes it takes to see a difference. */

import { episodesForMeans, episodesForRates } from '@ludus-agents/evaluation/internal/scoring/statistics/power';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson } from '../../terminal.ts';

interface Options {
  readonly difference: number;
  readonly rate?: number;
  readonly deviation?: number;
  readonly correlation?: number;
  readonly power?: number;
  readonly alpha?: number;
  readonly json?: boolean;
}

export const power: CommandRun<Options> = {
  async run({ options: input, terminal }) {
    const { difference, rate, deviation, correlation = 0.5, power: wanted = 0.8, alpha = 0.05, json } = input;
    if (!(correlation >= -1 && correlation <= 1))
      throw new Fault('input', `--correlation: expected a number from −1 to 1, got "${correlation}".`);
    if (deviation === undefined && Math.abs(difference) > 1)
      throw new Fault(
        'input',
        `--difference ${difference}: rates are from 0 to 1, so they cannot differ by ${difference}. Five percentage points are 0.05. For a score on another scale, set --deviation.`,
      );
    const risks = { power: wanted, alpha };
    const episodesNeeded = (r: number) =>
      deviation === undefined
        ? episodesForRates({ difference, rate: rate ?? start(difference), correlation: r, ...risks })
        : episodesForMeans({ difference, deviation, correlation: r, ...risks });
    const match = { paired: episodesNeeded(correlation), unpaired: episodesNeeded(0) };
    const setting = deviation === undefined ? { rate: rate ?? start(difference) } : { deviation };
    if (json === true) {
      printJson(terminal, { difference, ...setting, correlation, power: wanted, alpha, episodes: match });
      return exits.fine;
    }
    const colours = coloursFor(terminal.stdout, terminal.env);
    const rows = [
      [colours.cyan('paired'), formatGrouped(match.paired), 'both agents on the same tasks and seeds'],
      [colours.cyan('unpaired'), formatGrouped(match.unpaired), 'each agent on different seeds'],
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
