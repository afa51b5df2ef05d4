/** @file `ludus eval power`: computes the number of episodes needed to detect a difference. */

import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type PowerRequest, power as planEpisodes } from '../../../library/scores.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson } from '../../terminal.ts';

interface Options extends PowerRequest {
  readonly json?: boolean;
}

export const power: CommandRun<Options> = {
  async run({ options: input, terminal }) {
    const { json, ...request } = input;
    const plan = await planEpisodes(request);
    if (json === true) {
      printJson(terminal, plan);
      return exits.fine;
    }
    const match = plan.episodes;
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
