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
import { amount, type CommandFile, examples, whole, withJson, withStore } from '../command.ts';
import { modelOptions, withModelOptions } from '../model-options.ts';
import { playAtTerminal, reportStaged } from '../play-at-terminal.ts';
import { withinBudget, withSpending } from '../spending.ts';

interface Options extends CastOptions, StoreOptions {
  readonly task?: string;
  readonly seed?: number;
  readonly speed?: number;
  readonly json?: boolean;
}

export const play: CommandFile = {
  seats: true,

  declare(command) {
    command
      .argument('<environment>', 'a built-in world, or a file that exports one')
      .option('--me <seat>', 'the seat you take (default: the first that nobody is named for)')
      .option('--watch', 'take no seat, watch the agents play')
      .option('--agents <names>', 'agents for all seats in order, separated by commas; one name stands for every seat')
      .option('--seat <seat=agent>', 'an agent for one seat; --SEAT AGENT is short for it', collect)
      .option('--task <json>', "the world's parameters")
      .option('--seed <n>', 'dice of the episode (default: new ones)', whole('--seed', 0))
      .option('--speed <n>', 'events a second when watching', amount('--speed'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus play kuhn-poker': 'play on the first seat',
      'ludus play tic-tac-toe --me O': 'play on the second',
      'ludus play kuhn-poker --second random': 'choose your opponent',
      'ludus play connect-four --watch --speed 4': 'watch at four events a second',
      [`ludus play kuhn-poker --task '{"rounds":5}'`]: 'play five hands',
    });
  },

  run: withinBudget(async ({ args, options: given, terminal, known }) => {
    const options = given as Options;
    modelOptions(given, terminal.env);
    const environment = await resolveEnvironment(args[0]!, terminal.cwd);
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

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
