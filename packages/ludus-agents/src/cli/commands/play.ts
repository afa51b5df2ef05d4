/** @file `ludus play`: one episode, with you on a seat or watching. */

import { randomInt } from 'node:crypto';
import { keepCast } from '@ludus-agents/agents/internal/workspace/cast-run';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import { isContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import { type Json, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { play as playEpisode } from '@ludus-agents/kernel/internal/engine/play';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CastOptions, castOf } from '../cast.ts';
import type { CommandRun } from '../command.ts';
import { modelOptions } from '../model-options.ts';
import { playAtTerminal, reportStaged } from '../play-at-terminal.ts';
import { withinBudget } from '../spending.ts';

interface Options extends CastOptions, StoreOptions {
  readonly task?: string;
  readonly seed?: number;
  readonly speed?: number;
  readonly json?: boolean;
}

export const play: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal, known }) => {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const environment = await resolveEnvironment(args[0], terminal.cwd, terminal.trust);
    const task = environment.task(options.task === undefined ? {} : jsonFrom(options.task, '--task'));
    const standIns = isContentEnvironment(environment) ? Object.keys(environment.others) : [];
    const cast = castOf(options, environment, { environment: nameOf(environment), seats: environment.seats(task), known, standIns });
    const seed = options.seed ?? randomInt(2 ** 31);
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const quiet = options.json === true && !Object.values(cast).includes('human');
    const played = await playAtTerminal({
      terminal,
      keep: options,
      environment,
      cast,
      screen,
      quiet,
      speed: options.speed,
      transcript: true,
      run: (store) => {
        const word = isFileName(args[0]) ? args[0] : nameOf(environment);
        return keepCast(store, { kind: 'play', title: nameOf(environment), environment: word, task: task as Json, seed, cast }, terminal);
      },
      begin: (agents, signal) => playEpisode(environment, agents, { task, seed, signal }),
    });
    return reportStaged(played, { terminal, screen });
  }),
};
