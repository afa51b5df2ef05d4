/** @file `ludus fork`: continues an episode from any event with other agents, other dice, or yourself on a seat. */

import { type AgentSpec, type EpisodeEvent, nameOf, type RunRecord, type Seat, type StartEvent } from '../../core/index.ts';
import { fork as forkLog } from '../../engine/play.ts';
import { checkSpec } from '../../workspace/consent.ts';
import { resolveEnvironment } from '../../workspace/environments.ts';
import { findEpisode, type StoreOptions, withExistingStore } from '../../workspace/stores.ts';
import { type CastOptions, isHuman, namedSeats } from '../cast.ts';
import { amount, type CommandFile, examples, whole, withJson, withStore } from '../command.ts';
import { playAtTerminal, reportStaged } from '../play-at-terminal.ts';
import { withinBudget, withSpending } from '../spending.ts';
import { collect } from './play.ts';

interface Options extends CastOptions, StoreOptions {
  readonly at: number;
  readonly seed?: number;
  readonly speed?: number;
  readonly environment?: string;
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

  run: withinBudget(async ({ args, options: given, terminal, known }) => {
    const options = given as unknown as Options;
    const typed = args[0]!;
    const source = await withExistingStore(terminal, options, async (store) => {
      const record = await findEpisode(store, typed);
      return { ...record, log: await store.events(record.id), plan: record.run === null ? null : await store.run(record.run) };
    });
    const environment = await resolveEnvironment(
      options.environment ?? source.environment,
      terminal.cwd,
      options.environment === undefined ? 'data' : 'user',
    );
    const now = namedSeats(options, { environment: nameOf(environment), seats: environment.seats(source.task), known });
    const cast = recast(source.log, source.plan, now);
    for (const [seat, spec] of Object.entries(cast)) if (now[seat] === undefined) checkSpec(spec, 'data', terminal);
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const people = Object.values(cast).some((agent) => typeof agent === 'string' && isHuman(agent));
    const played = await playAtTerminal({
      terminal,
      keep: options,
      environment,
      cast,
      stored: Object.keys(cast).filter((seat) => now[seat] === undefined),
      screen,
      quiet: options.json === true && !people,
      speed: options.speed,
      from: options.at,
      begin: (agents, signal) =>
        forkLog(environment, source.log, options.at, agents, {
          episode: source.id,
          signal,
          ...(options.seed === undefined ? {} : { seed: options.seed }),
        }),
    });
    return reportStaged(played, { terminal, screen });
  }),
};

/** Who plays the branch: those named now, else those who played the log, found by name in its run's plan. */
export function recast(
  log: readonly EpisodeEvent[],
  run: RunRecord | null,
  now: Readonly<Record<Seat, string>>,
): Record<Seat, AgentSpec | string> {
  const { seats, cast } = log[0] as StartEvent;
  const specs = (run?.plan.casts ?? []).flatMap((one) => Object.values(one)).filter((spec) => typeof spec !== 'string');
  const before = (seat: Seat) => specs.find((spec) => spec.name === cast[seat]) ?? cast[seat]!;
  return Object.fromEntries(seats.map((seat) => [seat, now[seat] ?? before(seat)]));
}
