/** @file `ludus fork`: continues an episode from any event with other agents, other dice, or yourself on a seat. */

import { type AgentSpec, nameOf, type Seat } from '../../core/index.ts';
import { fork as forkLog } from '../../engine/play.ts';
import { keepCast } from '../../workspace/cast-run.ts';
import { isHuman } from '../cast.ts';
import { amount, type CommandFile, examples, whole, withJson, withStore } from '../command.ts';
import { type KeptOptions, openKeptEpisode } from '../kept-episode.ts';
import { playAtTerminal, reportStaged } from '../play-at-terminal.ts';
import { withinBudget, withSpending } from '../spending.ts';
import { collect } from './play.ts';

interface Options extends KeptOptions {
  readonly at: number;
  readonly seed?: number;
  readonly speed?: number;
  readonly json?: boolean;
}

export const fork: CommandFile = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, or the first letters of its id')
      .requiredOption('--at <n>', 'branch off before this event; "ludus show ID" numbers them', whole('--at', 1))
      .option('--me <seat>', 'the seat you take')
      .option('--agents <names>', 'agents for all seats in order, separated by commas; one name stands for every seat')
      .option('--seat <seat=agent>', 'an agent for one seat; --SEAT AGENT is short for it', collect)
      .option('--seed <n>', 'other dice from there on', whole('--seed', 0))
      .option('--speed <n>', 'events a second when watching', amount('--speed'))
      .option('--environment <file>', 'the rules, when they are not built in');
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus fork 3f2a --at 7': 'play on from event 7 with the same agents',
      'ludus fork 3f2a --at 7 --second random': 'with another agent on the second seat',
      'ludus fork 3f2a --at 7 --seed 5': 'with other dice',
      'ludus fork 3f2a --at 7 --me first': 'with yourself on the first seat',
    });
  },

  run: withinBudget(async (call) => {
    const { options: given, terminal } = call;
    const options = given as unknown as Options;
    const { record, log, cast: before, rules, admit, environment, now } = await openKeptEpisode(call, options);
    const cast: Record<Seat, AgentSpec | string> = { ...before, ...now };
    const stored = Object.keys(cast).filter((seat) => now[seat] === undefined && admit(seat) === 'data');
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const people = Object.values(cast).some((agent) => typeof agent === 'string' && isHuman(agent));
    const played = await playAtTerminal({
      terminal,
      keep: options,
      environment,
      cast,
      stored,
      screen,
      quiet: options.json === true && !people,
      speed: options.speed,
      from: options.at,
      run: (store) => {
        const { task, seed } = record;
        const word = options.environment ?? (rules.source === 'data' ? nameOf(environment) : rules.name);
        return keepCast(store, { kind: 'play', title: nameOf(environment), environment: word, task, seed, cast, stored }, terminal);
      },
      begin: (agents, signal) =>
        forkLog(environment, log, options.at, agents, {
          episode: record.id,
          signal,
          ...(options.seed === undefined ? {} : { seed: options.seed }),
        }),
    });
    return reportStaged(played, { terminal, screen });
  }),
};
