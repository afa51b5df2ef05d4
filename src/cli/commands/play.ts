/** @file `ludus play`: one episode, with you on a seat or watching. */

import { randomInt } from 'node:crypto';
import { type Json, nameOf } from '../../core/index.ts';
import { jsonFrom } from '../../core/outside.ts';
import { play as playEpisode } from '../../engine/play.ts';
import { keepCast } from '../../workspace/cast-run.ts';
import { resolveEnvironment } from '../../workspace/environments.ts';
import { isFileName } from '../../workspace/load.ts';
import type { StoreOptions } from '../../workspace/stores.ts';
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
  run: withinBudget(async ({ args, options: given, terminal, known }) => {
    const options = given as Options;
    modelOptions(given, terminal.env);
    const environment = await resolveEnvironment(args[0]!, terminal.cwd, terminal.trust);
    const task = environment.task(options.task === undefined ? {} : jsonFrom(options.task, '--task'));
    const cast = castOf(options, environment, { environment: nameOf(environment), seats: environment.seats(task), known });
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
        const word = isFileName(args[0]!) ? args[0]! : nameOf(environment);
        return keepCast(store, { kind: 'play', title: nameOf(environment), environment: word, task: task as Json, seed, cast }, terminal);
      },
      begin: (agents, signal) => playEpisode(environment, agents, { task, seed, signal }),
    });
    return reportStaged(played, { terminal, screen });
  }),
};
