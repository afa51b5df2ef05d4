/** @file `ludus demo`: a model teaches itself poker before your eyes, plays a match that replays to the letter, and has a chair for you. */

import { randomInt } from 'node:crypto';
import { castable } from '../../agents/index.ts';
import { count, grouped } from '../../company/amounts.ts';
import { brief, reading, type StoreOptions } from '../../company/stores.ts';
import { firstLesson, type Taught } from '../../company/teaching.ts';
import type { Progress } from '../../company/training.ts';
import type { AnyEnvironment, Seat } from '../../core/index.ts';
import { type Difference, play as playEpisode } from '../../engine/play.ts';
import { replay as replayLog } from '../../engine/replay.ts';
import { environment } from '../../environments/index.ts';
import { amount, type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { type Ink, inkFor } from '../ink.ts';
import { confirm } from '../question.ts';
import { sparkline } from '../sparkline.ts';
import { exitFor, type Staged, stage, staged } from '../stage.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';
import { clip } from '../width.ts';

interface Options extends StoreOptions {
  readonly seed?: number;
  readonly speed?: number;
  readonly games?: number;
  readonly json?: boolean;
}

export const demo: CommandFile = {
  declare(command) {
    command
      .option('--seed <n>', 'dice of lesson and match (default: 3)', whole('--seed', 0))
      .option('--games <n>', 'games to learn from, half a minute’s worth unless told', whole('--games', 1))
      .option('--speed <n>', 'events a second (default: 6 on a terminal, else at once)', amount('--speed'));
    withJson(withStore(command));
    examples(command, { 'ludus demo': 'watch it learn, watch it play, sit down', 'ludus demo --seed 11': 'another lesson, another match' });
  },

  async run({ options: given, terminal }) {
    const options = given as Options;
    const kuhn = await environment('kuhn-poker');
    const ink = inkFor(terminal.stdout, terminal.env);
    const taught = await teach(terminal, options);
    if (taught === null) return exits.interrupted;
    if (options.json !== true)
      print(terminal, '', ink.faint('A hand of what it has learned, against a script. Dotted lines are secrets.'), '');
    const match = await watch(kuhn, taught, { terminal, options });
    if (match.end.reason === 'abort') return exits.interrupted;
    const difference = replayLog(kuhn, await reading(terminal, options, (store) => store.events(match.id)));
    const { exploitability = null, games = 0, seconds = 0 } = taught.progress ?? {};
    if (options.json === true)
      printJson(terminal, { ...staged(match), identical: difference === null, lesson: { exploitability, games, seconds } });
    else print(terminal, verdict(match, difference, ink), '', whatNext(match, taught, terminal));
    if (difference !== null) return exits.found;
    return options.json === true ? exits.fine : sitDown(kuhn, taught, { terminal, options });
  },
};

/** The lesson, its curve drawn as it falls; null when it was called off. */
async function teach(terminal: Terminal, { seed = 3, games, json = false }: Options): Promise<Taught | null> {
  const { controller, release } = interruptible(terminal);
  const [screen, ink] = [terminal.stderr, inkFor(terminal.stderr, terminal.env)];
  const live = screen.isTTY === true && !json;
  if (!json)
    print(
      terminal,
      `${ink.bold('A language model that has never seen a card')} reads the rules of Kuhn poker as text, answers in text, and plays itself.`,
      ink.faint('Exploitability is what a perfect opponent would win from it each hand: 0.46 for chance, 0 for perfect play.'),
      '',
    );
  const curve: number[] = [];
  try {
    const lesson = firstLesson({
      cwd: terminal.cwd,
      seed,
      stopped: () => controller.signal.aborted,
      ...(games !== undefined && { games }),
    });
    for (;;) {
      const next = await lesson.next();
      if (next.done === true) {
        if (live) screen.write('\r\u001b[2K');
        if (controller.signal.aborted) return null;
        if (!json) print(terminal, learned(curve, next.value, ink));
        return next.value;
      }
      curve.push(next.value.exploitability ?? 0);
      if (live) screen.write(`\r\u001b[2K${ink.cyan(sparkline(curve, 50))} ${clip(words(next.value), columnsOf(screen) - 52)}`);
    }
  } finally {
    release();
  }
}

function words({ exploitability, games, tokensPerSecond }: Progress): string {
  const speed = tokensPerSecond > 0 ? ` · ${grouped(Math.round(tokensPerSecond))} tokens/s` : '';
  return `${(exploitability ?? 0).toFixed(3)} · ${grouped(games)} games${speed}`;
}

function learned(curve: readonly number[], { learner, progress }: Taught, ink: Ink): string {
  if (progress === null) return ink.faint('It has not learned anything yet.');
  const { exploitability, games, seconds } = progress;
  const who = learner === 'table' ? 'A table has learned instead, since onnxruntime-node is not installed: ' : '';
  return `${ink.cyan(sparkline(curve, 50))}\n${ink.green('✓')} ${who}${grouped(games)} games in ${seconds.toFixed(0)} s, exploitability ${(curve[0] ?? 0).toFixed(3)} → ${ink.bold((exploitability ?? 0).toFixed(3))}.`;
}

interface Scene {
  readonly terminal: Terminal;
  readonly options: Options;
}

function watch(kuhn: AnyEnvironment, { agent }: Taught, { terminal, options }: Scene): Promise<Staged> {
  const { seed = 3, speed, json = false } = options;
  const [first, ...others] = kuhn.seats(kuhn.task({})) as readonly [Seat, ...Seat[]];
  const script = castable(kuhn).find((name) => name.startsWith('scripted:')) ?? 'random';
  return stage({
    terminal,
    keep: options,
    environment: kuhn,
    cast: { [first]: agent, ...Object.fromEntries(others.map((seat) => [seat, script])) },
    screen: terminal.stdout,
    quiet: json,
    speed: speed ?? (terminal.stdout.isTTY === true ? 6 : undefined),
    begin: (agents, signal) => playEpisode(kuhn, agents, { seed, signal }),
  });
}

function verdict({ id, events }: Staged, difference: Difference | null, ink: Ink): string {
  return difference === null
    ? `${ink.green('✓')} Kept as ${brief(id)} and replayed from its log: all ${count(events.length, 'event')} are identical.`
    : `${ink.red('✗')} Kept as ${brief(id)}, but event ${difference.index} replays differently.`;
}

function whatNext({ id }: Staged, { agent }: Taught, terminal: Terminal): string {
  const ink = inkFor(terminal.stdout, terminal.env);
  // In a checkout, npm started us, and the command is not on the path.
  const self = terminal.env['npm_command'] === undefined ? 'ludus' : 'npx ludus';
  const lines: Readonly<Record<string, string>> = {
    [`${self} play kuhn-poker --me first --second ${agent}`]: 'play on against it',
    [`${self} show ${brief(id)}`]: 'read the match with its event numbers',
    [`${self} fork ${brief(id)} --at 6 --me second`]: 'take over a seat in the middle of it',
    [`${self} train kuhn-lm --seed 1`]: 'let one learn to the end',
    [`${self} list environments`]: 'see what else there is',
    [`${self} new environment my-game`]: 'make a world of your own',
  };
  const longest = Math.max(...Object.keys(lines).map((line) => line.length));
  const rows = Object.entries(lines).map(([line, what]) => `  ${ink.cyan(line.padEnd(longest))}  ${what}`);
  return ['What to try next:', ...rows].join('\n');
}

/** Offered to a person only: where input or output is no terminal, the demonstration ends by itself. */
async function sitDown(kuhn: AnyEnvironment, { agent }: Taught, { terminal, options }: Scene): Promise<number> {
  if (terminal.stdin.isTTY !== true || terminal.stdout.isTTY !== true) return exits.fine;
  print(terminal, '');
  if (!(await confirm(terminal, 'Sit down for a hand against it?'))) return exits.fine;
  print(terminal, '');
  const [mine, ...others] = kuhn.seats(kuhn.task({})) as readonly [Seat, ...Seat[]];
  const played = await stage({
    terminal,
    keep: options,
    environment: kuhn,
    cast: { [mine]: 'human', ...Object.fromEntries(others.map((seat) => [seat, agent])) },
    screen: terminal.stdout,
    begin: (agents, signal) => playEpisode(kuhn, agents, { seed: randomInt(2 ** 31), signal }),
  });
  return exitFor(played.end);
}
