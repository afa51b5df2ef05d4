/** @file `ludus show explain`: explains an agent's action at one turn by asking it again with changed input. */

import type { Explanation } from '@ludus-agents/evaluation/internal/explain';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { explain as explainTurn } from '../../../library/episodes.ts';
import { type CommandRun, exits } from '../../command.ts';
import { agentsIn, type KeptOptions } from '../../kept-episode.ts';
import { modelOptions } from '../../model-options.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends KeptOptions {
  readonly at: number;
  readonly samples: number;
  readonly games: number;
  readonly moves: number;
  readonly json?: boolean;
}

export const explain: CommandRun<Options> = {
  run: withinBudget(async (call) => {
    const { options, terminal } = call;
    modelOptions(options, terminal.env);
    const { controller, release } = interruptible(terminal);
    try {
      const { at, samples, games, moves, environment, store } = options;
      const agents = agentsIn(call, options);
      const request = { episode: call.args[0], environment, agents, at, samples, games, moves, store, signal: controller.signal };
      const explanation = await explainTurn(request, terminal);
      if (options.json === true) printJson(terminal, explanation);
      else print(terminal, ...linesOf(explanation));
      return exits.fine;
    } finally {
      release();
    }
  }),
};

const standInWords = (standIns: Readonly<Record<Seat, string>>) =>
  `When moves are played out, people are replaced: ${Object.entries(standIns)
    .map(([seat, name]) => `${seat} by ${name}`)
    .join(', ')}.`;

const rewardWords = (rewards: Explanation['rewards']) =>
  rewards.length === 0
    ? ''
    : ` (${rewards.map(({ event, reward, penalty }) => `event ${event}: ${share(reward)}${penalty === 0 ? '' : `, fined ${share(penalty)}`}`).join('; ')})`;

const share = (value: number) => `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
const spanOf = (interval: readonly [number, number] | null, show: (value: number) => string) =>
  interval === null ? ' (no interval)' : ` (95% ${show(interval[0])} to ${show(interval[1])})`;
const brief = (text: string) => printable(text.replace(/\s+/g, ' ')).slice(0, 90);

function linesOf({
  at,
  seat,
  did,
  again,
  againInterval,
  samples,
  parts,
  moves,
  members,
  memories,
  paid,
  rewards,
  standIns,
}: Explanation): readonly string[] {
  return [
    `${seat} did ${brief(did)} at event ${at}, and does it again ${Math.round(again * 100)} times of 100${spanOf(againInterval, (value) => String(Math.round(value * 100)))}, from ${count(samples, 'answer')}. It was paid ${share(paid)} after that${rewardWords(rewards)}.`,
    ...(parts.length === 0
      ? []
      : [
          '',
          'Observations: their share in this choice, and the change without them or with another deal.',
          `Each from ${count(samples, 'answer')}; a share and a change have no interval.`,
        ]),
    ...parts.map(({ part, share: partShare, without, swapped }) => {
      const changes = `${share(without.difference)}  ${swapped === undefined ? '    ' : share(swapped.difference)}`;
      return `  ${share(partShare).padStart(5)}  ${changes}  ${brief(part)}`;
    }),
    ...(moves.length === 0 ? [] : ['', 'Results of the moves, played out from here:']),
    ...moves.map(
      ({ move, made, mean, interval, games }) =>
        `  ${brief(move)}${made ? ' (chosen)' : ''}  ${share(mean)}${spanOf(interval, share)} in ${count(games, 'game')}`,
    ),
    ...(members.length === 0 ? [] : ['', 'Members: the change without each.']),
    ...members.map(({ member, difference, importance }) => {
      const rated = importance === undefined ? '' : `, rated ${share(importance)} by the others`;
      return `  ${brief(member)}  ${difference === undefined ? 'unknown: name the team of this seat' : share(difference)}${rated}`;
    }),
    ...(memories.length === 0 ? [] : ['', 'Memories: the change without each.']),
    ...memories.map(({ id, text, difference }) => `  ${share(difference)}  ${id}  ${brief(text)}`),
    ...(standIns === undefined ? [] : ['', standInWords(standIns)]),
  ];
}
