/** @file `ludus env solve`: computes the value of a small environment under optimal play, and the loss of random play. */

import type { Solution } from '@ludus-agents/environments/internal/solve/index';
import { count, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { solve as solveEnvironment } from '../../../library/env.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson } from '../../terminal.ts';

interface Options {
  readonly task?: string;
  readonly within?: number;
  readonly iterations?: number;
  readonly json?: boolean;
}

export const solve: CommandRun = {
  async run({ args, options: input, terminal }) {
    const { task, json, within, iterations } = input as Options;
    const request = { environment: args[0], task: task === undefined ? undefined : jsonFrom(task, '--task'), within, iterations };
    const solution = await solveEnvironment(request, terminal);
    if (json === true) {
      printJson(terminal, solution);
      return exits.fine;
    }
    const colours = coloursFor(terminal.stdout, terminal.env);
    const rows = rowsOf(solution).map(([what, match]) => [colours.cyan(what), match]);
    print(
      terminal,
      table([{ title: solution.environment }, { title: JSON.stringify(solution.task), flexible: 'wrap' }], rows, {
        colours,
        columns: columnsOf(terminal.stdout),
      }),
    );
    return exits.fine;
  },
};

const methods: Readonly<Record<Solution['method'], string>> = {
  minimax: 'minimax: no hidden information, each position evaluated once',
  cfr: 'CFR+: an equilibrium by self-play, with bounds from exact best responses',
  team: 'the best joint strategy of partners, by exhaustive search',
  none: 'not solved: more than two seats, or payoffs that are neither zero-sum nor shared',
};

/** Bounds are close together, so the digits that distinguish them are shown. */
function precise(amount: number): string {
  return formatSigned(amount, 8);
}

function rowsOf({
  method,
  seats,
  value,
  bounds,
  within,
  informationSets,
  nodes,
  terminals,
  uniform,
}: Solution): readonly (readonly [string, string])[] {
  const to = method === 'team' ? 'everyone' : seats[0]!;
  const exact = bounds !== null && bounds[0] === bounds[1];
  const span = bounds === null || exact ? '' : `, between ${precise(bounds[0])} and ${precise(bounds[1])}`;
  const answers = Object.entries(uniform.bestResponses).map(([seat, best]) => `${seat} ${formatSigned(best)}`);
  return [
    ['value', value === null ? 'undefined' : `${precise(value)} to ${to}${span}`],
    ['by', methods[method]],
    ...(within === null || within.reached <= within.wanted
      ? []
      : [
          [
            'precision',
            `the bounds are ${within.reached.toExponential(1)} apart; ${within.wanted} was not reached. Raise --iterations to get closer.`,
          ] as const,
        ]),
    ['size', `${count(informationSets, 'information set')}, ${count(nodes, 'node')}, ${count(terminals, 'end')}`],
    [
      'chance play',
      `${formatSigned(uniform.value)} to ${seats[0]}; best responses to it: ${answers.join(', ')}; NashConv ${formatSigned(uniform.nashConv)}`,
    ],
  ];
}
