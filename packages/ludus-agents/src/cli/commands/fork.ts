/** @file `ludus fork`: continues an episode from any event with other agents, another seed, or yourself on a seat. */

import { keepCast } from '@ludus-agents/agents/internal/workspace/cast-run';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, nameOf, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { fork as forkLog } from '@ludus-agents/kernel/internal/engine/play';
import { isHuman } from '../cast.ts';
import type { CommandRun } from '../command.ts';
import { type KeptOptions, openKeptEpisode } from '../kept-episode.ts';
import { playAtTerminal, reportStaged } from '../play-at-terminal.ts';
import { withinBudget } from '../spending.ts';

interface Options extends KeptOptions {
  readonly at: number;
  readonly seed?: number;
  readonly speed?: number;
  readonly json?: boolean;
}

export const fork: CommandRun<Options> = {
  run: withinBudget(async (call) => {
    const { options, terminal } = call;
    const { record, log, cast: before, rules, admit, environment, now } = await openKeptEpisode(call, options);
    const cast: Record<Seat, AgentSpec | string> = { ...before, ...now };
    const stored = Object.keys(cast).filter((seat) => now[seat] === undefined && admit(seat) === Trust.storedData);
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
        const word = options.environment ?? (rules.trust === Trust.storedData ? nameOf(environment) : rules.name);
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
