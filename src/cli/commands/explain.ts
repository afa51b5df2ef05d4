/** @file `ludus explain`: why an agent did what it did at one turn, found by asking it again with something changed. */

import { type AgentOf, createAgentLoader } from '../../agents/kinds.ts';
import { type AgentSpec, printable, type Seat } from '../../core/index.ts';
import { type Explanation, explainTurn } from '../../evaluation/explain.ts';
import { createAgentServices } from '../../workspace/agent-services.ts';
import { readSpec } from '../../workspace/agents.ts';
import { type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { type KeptOptions, openKeptEpisode } from '../kept-episode.ts';
import { modelOptions, withModelOptions } from '../model-options.ts';
import { withinBudget, withSpending } from '../spending.ts';
import { interruptible, print, printJson } from '../terminal.ts';
import { collect } from './play.ts';

interface Options extends KeptOptions {
  readonly at: number;
  readonly samples: number;
  readonly games: number;
  readonly moves: number;
  readonly json?: boolean;
}

export const explain: CommandFile = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, or the first letters of its id')
      .requiredOption('--at <n>', 'the action to explain, or the next one after this event; "ludus show ID" numbers them', whole('--at', 0))
      .option('--samples <n>', 'how often the agent is asked with each change', whole('--samples', 1, 1000), 8)
      .option('--games <n>', 'games that are played on after each move; 0 for none', whole('--games', 0, 10_000), 20)
      .option('--moves <n>', 'other moves that are played on', whole('--moves', 0, 100), 3)
      .option('--agents <names>', 'agents for all seats in order, separated by commas; those of the log without it')
      .option('--seat <seat=agent>', 'the agent of one seat; --SEAT AGENT is short for it', collect)
      .option('--environment <file>', 'the rules, when they are not built in');
    withJson(withStore(withSpending(withModelOptions(command))));
    examples(command, {
      'ludus explain 3f2a --at 7': 'which parts of its view decided, and what other moves would have come to',
      'ludus explain 3f2a --at 7 --X ./team.json': 'another agent in its place, or its file as it is now',
      'ludus explain 3f2a --at 7 --samples 30 --games 100 --json': 'with more certainty, for machines',
    });
    command.addHelpText(
      'after',
      '\nUp to six parts of the view are tried in all combinations: a language agent is called up to 64 times as\noften as --samples says. The shares of the parts add up; what an agent says of itself is no evidence.',
    );
  },

  run: withinBudget(async (call) => {
    const { options: given, terminal } = call;
    const options = given as unknown as Options;
    modelOptions(given, terminal.env);
    const { record, log, cast: before, admit, environment, now } = await openKeptEpisode(call, options);
    const cast: Record<Seat, AgentSpec | string> = { ...before };
    const loaders: Record<Seat, AgentOf> = {};
    for (const seat of Object.keys(before)) {
      const again = now[seat];
      if (again !== undefined) cast[seat] = await readSpec(again, terminal.cwd);
      const source = again === undefined ? admit(seat) : 'user';
      loaders[seat] = createAgentLoader(createAgentServices(terminal.cwd, source, options));
    }
    const { controller, release } = interruptible(terminal);
    try {
      const explanation = await explainTurn({
        environment,
        events: log,
        at: options.at,
        cast,
        load: (spec, seat, played) => loaders[seat]!(spec, seat, played),
        samples: options.samples,
        games: options.games,
        moves: options.moves,
        signal: controller.signal,
      });
      if (options.json === true) printJson(terminal, { episode: record.id, ...explanation });
      else print(terminal, ...linesOf(explanation));
      return exits.fine;
    } finally {
      release();
    }
  }),
};

const standInWords = (standIns: Readonly<Record<Seat, string>>) =>
  `Where moves are played on, people are stood in for: ${Object.entries(standIns)
    .map(([seat, name]) => `${seat} by ${name}`)
    .join(', ')}.`;

const rewardWords = (rewards: Explanation['rewards']) =>
  rewards.length === 0
    ? ''
    : ` (${rewards.map(({ event, reward, penalty }) => `event ${event}: ${share(reward)}${penalty === 0 ? '' : `, fined ${share(penalty)}`}`).join('; ')})`;

const share = (value: number) => `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
const brief = (text: string) => printable(text.replace(/\s+/g, ' ')).slice(0, 90);

function linesOf({ at, seat, did, again, parts, moves, members, memories, paid, rewards, standIns }: Explanation): readonly string[] {
  return [
    `${seat} did ${brief(did)} at event ${at}, and does it again ${Math.round(again * 100)} times of 100. It was paid ${share(paid)} after that${rewardWords(rewards)}.`,
    ...(parts.length === 0
      ? []
      : ['', 'What it saw: the share in this choice; how much changes without it, and with that of another deal.']),
    ...parts.map(({ part, share: own, without, swapped }) => {
      const changes = `${share(without.difference)}  ${swapped === undefined ? '    ' : share(swapped.difference)}`;
      return `  ${share(own).padStart(5)}  ${changes}  ${brief(part)}`;
    }),
    ...(moves.length === 0 ? [] : ['', 'What moves came to, played on from here:']),
    ...moves.map(
      ({ move, made, mean, low, high, games }) =>
        `  ${brief(move)}${made ? ' (made)' : ''}  ${share(mean)}, from ${share(low)} to ${share(high)} in ${games} games`,
    ),
    ...(members.length === 0 ? [] : ['', 'Members: how much changes without each.']),
    ...members.map(({ member, difference, importance }) => {
      const rated = importance === undefined ? '' : `, rated ${share(importance)} by the others`;
      return `  ${brief(member)}  ${difference === undefined ? 'unknown: name the team of this seat' : share(difference)}${rated}`;
    }),
    ...(memories.length === 0 ? [] : ['', 'Memories: how much changes without each.']),
    ...memories.map(({ id, text, difference }) => `  ${share(difference)}  ${id}  ${brief(text)}`),
    ...(standIns === undefined ? [] : ['', standInWords(standIns)]),
  ];
}
