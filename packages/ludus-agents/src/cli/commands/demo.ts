/** @file `ludus demo`: a model teaches itself poker, plays an episode that replays exactly, and offers you a seat. */

import { randomInt } from 'node:crypto';
import { castable } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import type { AnyEnvironment, Seat } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import { type LogDifference, play as playEpisode } from '@ludus-agents/kernel/internal/engine/play';
import { replay as replayLog } from '@ludus-agents/kernel/internal/engine/replay';
import { firstLesson, type Taught } from '@ludus-agents/learning/internal/training/demo-training';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import { brief, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { exitFor, playAtTerminal, type TerminalEpisode, toJsonResult } from '../play-at-terminal.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { sparkline } from '../render/sparkline.ts';
import { clip } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly seed?: number;
  readonly speed?: number;
  readonly games?: number;
  readonly json?: boolean;
}

export const demo: CommandRun = {
  async run({ options: given, terminal }) {
    const options = given as Options;
    const kuhn = await builtInEnvironment('kuhn-poker');
    const colours = coloursFor(terminal.stdout, terminal.env);
    const taught = await teach(terminal, options);
    if (taught === null) return exits.interrupted;
    if (options.json !== true)
      print(terminal, '', colours.faint('A hand of what it has learned, against a script. Dotted lines are secrets.'), '');
    const match = await watch(kuhn, taught, { terminal, options });
    if (match.end.reason === 'abort') return exits.interrupted;
    const difference = replayLog(kuhn, await withExistingStore(terminal, options, (store) => store.events(match.id)));
    const { exploitability = null, legal = null, games = 0, seconds = 0 } = taught.progress ?? {};
    if (options.json === true)
      printJson(terminal, { ...toJsonResult(match), identical: difference === null, lesson: { exploitability, legal, games, seconds } });
    else print(terminal, verdict(match, difference, colours), '', whatNext(match, taught, terminal));
    if (difference !== null) return exits.found;
    return options.json === true ? exits.fine : sitDown(kuhn, taught, { terminal, options });
  },
};

/** The lesson, its curve drawn as it falls; null when it was called off. */
async function teach(terminal: Terminal, { seed = 3, games, json = false }: Options): Promise<Taught | null> {
  const { controller, release } = interruptible(terminal);
  const [screen, colours] = [terminal.stderr, coloursFor(terminal.stderr, terminal.env)];
  const live = screen.isTTY === true && !json;
  if (!json)
    print(
      terminal,
      `${colours.bold('A language model that has never seen a card')} reads the rules of Kuhn poker as text, answers in text, and plays itself.`,
      colours.faint('Exploitability is what a perfect opponent would win from it each hand: 0.46 for chance, 0 for perfect play.'),
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
        if (!json) print(terminal, learnedLine(curve, next.value, colours));
        return next.value;
      }
      if (next.value.exploitability !== null) curve.push(next.value.exploitability);
      if (live) screen.write(`\r\u001b[2K${colours.cyan(sparkline(curve, 50))} ${clip(words(next.value), columnsOf(screen) - 52)}`);
    }
  } finally {
    release();
  }
}

function words({ games, tokensPerSecond, ...figures }: TrainingProgress): string {
  const speed = tokensPerSecond > 0 ? ` · ${formatGrouped(Math.round(tokensPerSecond))} tokens/s` : '';
  return `${exploitabilityText(figures, 3) ?? ''} · ${formatGrouped(games)} games${speed}`;
}

function learnedLine(curve: readonly number[], { learner, progress }: Taught, colours: Colours): string {
  if (progress === null) return colours.faint('It has not learned anything yet.');
  const { games, seconds } = progress;
  const who =
    learner === 'table'
      ? 'A table learned instead of a language model ("ludus models setup onnx" installs what a language model needs): '
      : '';
  return `${colours.cyan(sparkline(curve, 50))}\n${colours.green('✓')} ${who}${formatGrouped(games)} games in ${seconds.toFixed(0)} s, exploitability ${curve[0]?.toFixed(3) ?? 'no figure'} → ${colours.bold(exploitabilityText(progress, 3) ?? '')}.`;
}

interface Scene {
  readonly terminal: Terminal;
  readonly options: Options;
}

function watch(kuhn: AnyEnvironment, { agent }: Taught, { terminal, options }: Scene): Promise<TerminalEpisode> {
  const { seed = 3, speed, json = false } = options;
  const [first, ...others] = kuhn.seats(kuhn.task({})) as readonly [Seat, ...Seat[]];
  const script = castable(kuhn).find((name) => name.startsWith('scripted:')) ?? 'random';
  return playAtTerminal({
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

function verdict({ id, events }: TerminalEpisode, difference: LogDifference | null, colours: Colours): string {
  return difference === null
    ? `${colours.green('✓')} Kept as ${brief(id)} and replayed from its log: all ${count(events.length, 'event')} are identical.`
    : `${colours.red('✗')} Kept as ${brief(id)}, but event ${difference.index} replays differently.`;
}

function whatNext({ id }: TerminalEpisode, { agent }: Taught, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
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
  const rows = Object.entries(lines).map(([line, what]) => `  ${colours.cyan(line.padEnd(longest))}  ${what}`);
  return ['What to try next:', ...rows].join('\n');
}

/** Offered to a person only: where input or output is no terminal, the demonstration ends by itself. */
async function sitDown(kuhn: AnyEnvironment, { agent }: Taught, { terminal, options }: Scene): Promise<number> {
  if (terminal.stdin.isTTY !== true || terminal.stdout.isTTY !== true) return exits.fine;
  print(terminal, '');
  if (!(await confirm(terminal, 'Sit down for a hand against it?'))) return exits.fine;
  print(terminal, '');
  const [mine, ...others] = kuhn.seats(kuhn.task({})) as readonly [Seat, ...Seat[]];
  const played = await playAtTerminal({
    terminal,
    keep: options,
    environment: kuhn,
    cast: { [mine]: 'human', ...Object.fromEntries(others.map((seat) => [seat, agent])) },
    screen: terminal.stdout,
    begin: (agents, signal) => playEpisode(kuhn, agents, { seed: randomInt(2 ** 31), signal }),
  });
  return exitFor(played.end);
}
