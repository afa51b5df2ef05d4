/** @file `ludus demo`: a short match, its replay, and a chair for whoever wants to sit down. */

import { randomInt } from 'node:crypto';
import { castable, standIn } from '../../agents/index.ts';
import { count } from '../../company/amounts.ts';
import { brief, reading, type StoreOptions } from '../../company/stores.ts';
import type { AnyEnvironment, Seat } from '../../core/index.ts';
import { type Difference, play as playEpisode } from '../../engine/play.ts';
import { replay as replayLog } from '../../engine/replay.ts';
import { environment } from '../../environments/index.ts';
import { amount, type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { type Ink, inkFor } from '../ink.ts';
import { confirm } from '../question.ts';
import { exitFor, type Staged, stage, staged } from '../stage.ts';
import { print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly seed?: number;
  readonly speed?: number;
  readonly json?: boolean;
}

export const demo: CommandFile = {
  declare(command) {
    command
      .option('--seed <n>', 'dice of the match (default: 3)', whole('--seed', 0))
      .option('--speed <n>', 'events a second (default: 6 on a terminal, else at once)', amount('--speed'));
    withJson(withStore(command));
    examples(command, { 'ludus demo': 'watch, replay, sit down', 'ludus demo --seed 11': 'another match' });
  },

  async run({ options: given, terminal }) {
    const options = given as Options;
    const kuhn = await environment('kuhn-poker');
    const ink = inkFor(terminal.stdout, terminal.env);
    if (options.json !== true) print(terminal, ink.faint('Three hands of poker between two scripts. Dotted lines are secrets.'), '');
    const match = await watch(kuhn, terminal, options);
    if (match.end.reason === 'abort') return exits.interrupted;
    const difference = replayLog(kuhn, await reading(terminal, options, (store) => store.events(match.id)));
    if (options.json === true) printJson(terminal, { ...staged(match), identical: difference === null });
    else print(terminal, verdict(match, difference, ink), '', whatNext(match, terminal));
    if (difference !== null) return exits.found;
    return options.json === true ? exits.fine : sitDown(kuhn, terminal, options);
  },
};

function watch(kuhn: AnyEnvironment, terminal: Terminal, options: Options): Promise<Staged> {
  const { seed = 3, speed, json = false } = options;
  const seats: readonly Seat[] = kuhn.seats(kuhn.task({}));
  const scripts = scriptsOf(kuhn);
  return stage({
    terminal,
    keep: options,
    environment: kuhn,
    cast: Object.fromEntries(seats.map((seat, i) => [seat, scripts[i] ?? standIn(kuhn, seat)])),
    screen: terminal.stdout,
    quiet: json,
    speed: speed ?? (terminal.stdout.isTTY === true ? 6 : undefined),
    begin: (agents, signal) => playEpisode(kuhn, agents, { seed, task: { rounds: 3 }, signal }),
  });
}

function scriptsOf(environment: AnyEnvironment): string[] {
  return castable(environment).filter((name) => name.startsWith('scripted:'));
}

function verdict({ id, events }: Staged, difference: Difference | null, ink: Ink): string {
  return difference === null
    ? `${ink.green('✓')} Kept as ${brief(id)} and replayed from its log: all ${count(events.length, 'event')} are identical.`
    : `${ink.red('✗')} Kept as ${brief(id)}, but event ${difference.index} replays differently.`;
}

function whatNext({ id }: Staged, terminal: Terminal): string {
  const ink = inkFor(terminal.stdout, terminal.env);
  // In a checkout, npm started us, and the command is not on the path.
  const self = terminal.env['npm_command'] === undefined ? 'ludus' : 'npx ludus';
  const lines: Readonly<Record<string, string>> = {
    [`${self} show ${brief(id)}`]: 'read it with its event numbers',
    [`${self} fork ${brief(id)} --at 6 --me first`]: 'take over a seat in the middle of it',
    [`${self} play tic-tac-toe`]: 'sit down somewhere else',
    [`${self} list environments`]: 'see what else there is',
    [`${self} new environment my-game`]: 'make a world of your own',
  };
  const longest = Math.max(...Object.keys(lines).map((line) => line.length));
  const rows = Object.entries(lines).map(([line, what]) => `  ${ink.cyan(line.padEnd(longest))}  ${what}`);
  return ['What to try next:', ...rows].join('\n');
}

/** Offered to a person only: where input or output is no terminal, the demonstration ends by itself. */
async function sitDown(kuhn: AnyEnvironment, terminal: Terminal, options: Options): Promise<number> {
  if (terminal.stdin.isTTY !== true || terminal.stdout.isTTY !== true) return exits.fine;
  print(terminal, '');
  if (!(await confirm(terminal, 'Sit down for a hand yourself?'))) return exits.fine;
  print(terminal, '');
  const [mine, ...others] = kuhn.seats(kuhn.task({})) as readonly [Seat, ...Seat[]];
  const played = await stage({
    terminal,
    keep: options,
    environment: kuhn,
    cast: { [mine]: 'human', ...Object.fromEntries(others.map((seat) => [seat, scriptsOf(kuhn)[0] ?? standIn(kuhn, seat)])) },
    screen: terminal.stdout,
    begin: (agents, signal) => playEpisode(kuhn, agents, { seed: randomInt(2 ** 31), signal }),
  });
  return exitFor(played.end);
}
