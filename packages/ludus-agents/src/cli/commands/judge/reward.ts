/** @file `ludus judge reward`: a reward model learned from the episodes of a run, with its trust card; a scorer in a file. */

import { basename, resolve } from 'node:path';
import type { RewardModelFile } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { Bound } from '@ludus-agents/store/internal/exports/bounds';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { reward as learnReward } from '../../../library/judge.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly where: Bound;
  readonly seat?: string;
  readonly output: string;
  readonly seed: number;
  readonly json?: boolean;
}

export const reward: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const name = basename(options.output).replace(/\.json$/, '');
    if (!options.output.endsWith('.json') || !/^[\w.-]{1,60}$/.test(name))
      throw new Fault(
        'input',
        `Invalid file name "${options.output}" for a reward model. Use letters, digits, dots, and hyphens, such as mine.json.`,
      );
    const { where, seat, seed, store, readOnly } = options;
    const file = await learnReward({ run: args[0], where, seat, name, seed, store, readOnly }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(file)}\n`);
    const { weights: _, ...rest } = file;
    if (options.json === true) printJson(terminal, { file: options.output, ...rest });
    else print(terminal, ...formatModel(file, options.output, terminal));
    return exits.fine;
  },
};

function formatModel({ card, rule, seat }: RewardModelFile, output: string, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { A: colours.green, B: colours.yellow, C: colours.red }[card.grade];
  return [
    `${paint(colours.bold(card.grade))}  ${printable(output)} ${colours.faint(`learned ${printable(rule)} of ${printable(seat)}`)}`,
    ...card.reasons.map((reason) => `• ${reason}`),
    colours.faint(
      `Hard negatives mined: ${card.mined.join(', ')}. "ludus score RUN --scorers ./${printable(output.replace(/^\.\//, ''))}" rates episodes by it.`,
    ),
  ];
}
