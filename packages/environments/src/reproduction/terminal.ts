/**
 * @file A terminal with files next to any environment, as in one sandbox (UI-TARS-2, arXiv 2509.02544). The first seat may run a command
 * before it moves: the seat "shell" runs it, and the files that it leaves stay. The latest message of the environment is the file page.txt,
 * the latest output is output.txt, and a move may quote a file as $(cat FILE).
 */

import {
  type Action,
  type AnyEnvironment,
  type Ask,
  type Environment,
  isObject,
  type Json,
  type JsonObject,
  nameOf,
  parameter,
  type Seat,
  type Step,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type ContentEnvironment, isContentEnvironment } from '../content/content.ts';
import { scripts } from './scripts.ts';

type Files = Readonly<Record<string, string>>;

type State = {
  readonly base: Json;
  /** The seats that the environment waits for. */
  readonly asks: readonly (Ask & JsonObject)[];
  readonly user: Seat;
  readonly files: Files;
  /** The command that runs; null if none does. */
  readonly command: string | null;
  /** The number of commands that may still be run. */
  readonly left: number;
  /** Moves of other seats that wait until the user of the terminal moves. */
  readonly waiting: Readonly<Record<Seat, Action & JsonObject>>;
};

const shell: Seat = 'shell';
const longestOutput = 2000;
const usualCommands = 6;

export function createTerminal(base: AnyEnvironment): Environment<State, Json> {
  const initialFiles = isContentEnvironment(base) ? (base.files ?? {}) : {};
  /** Passes a step of the environment on, and keeps its latest message to the user as a file. */
  const forward = ({ state, messages, asks, ...step }: Step<Json>, before: Omit<State, 'base' | 'asks'>): Step<State> => {
    const page = messages.filter(({ to }) => to.includes(before.user)).map(({ text }) => text);
    const files = page.length === 0 ? before.files : { ...before.files, 'page.txt': page.join('\n') };
    const next: State = { ...before, base: state, asks: asks as State['asks'], files, command: null, waiting: {} };
    return { ...step, state: next, messages, asks: offer(next) };
  };
  return {
    id: `terminal:${base.id}`,
    about: {
      summary: `${nameOf(base)}, next to a terminal with files: the first seat may run commands before it moves.`,
      tasks: base.about.tasks,
      turns: base.about.turns + 2 * usualCommands,
    },
    parameters: {
      ...base.parameters,
      files: parameter.json({ default: initialFiles, description: 'texts of files, by their paths' }),
      commands: parameter.integer({ min: 0, max: 100, default: usualCommands, description: 'maximum number of commands' }),
    },
    task(input) {
      const { files = initialFiles, commands = usualCommands, ...rest } = isObject(input) ? input : {};
      return { ...(base.task(rest) as JsonObject), files, commands };
    },
    seats: (task) => [...base.seats(withoutFiles(task)), shell],
    start(task, dice) {
      const { files, commands } = task as JsonObject as { files: Files; commands: number };
      const [user] = base.seats(withoutFiles(task));
      const step = forward(base.start(withoutFiles(task), dice), { user, files, command: null, left: commands, waiting: {} });
      const text = `You also have a terminal. [run COMMAND] runs a command, ${commands} times at most. Files: ${[...Object.keys(files), 'page.txt'].join(', ')}. $(cat FILE) in an action stands for the text of a file; output.txt is the latest output.`;
      return { ...step, messages: [{ to: [user], text }, ...step.messages] };
    },
    step(state, actions, dice) {
      const { user, left, command } = state;
      const again = (next: State, text: string) => ({ state: next, messages: [{ to: [user], text }], asks: offer(next) });
      if (command !== null) {
        const { out, files } = resultOf(actions[shell], state.files);
        const cut = out.length > longestOutput ? `${out.slice(0, longestOutput)}\n…` : out;
        return again({ ...state, command: null, files: { ...files, 'output.txt': out } }, cut.trimEnd() || 'No output.');
      }
      const text = actions[user]?.text ?? '';
      const [, wanted] = linear(/\[run ([\s\S]+)\]\s*$/).exec(text) ?? [];
      const waiting = { ...state.waiting, ...(actions as State['waiting']) };
      if (wanted === undefined) {
        const moves: Record<Seat, Action> = { ...waiting };
        if (user in moves) moves[user] = { ...moves[user], text: withFiles(text, state.files) };
        return forward(base.step(state.base, moves, dice), state);
      }
      const { [user]: _, ...others } = waiting;
      if (left === 0) return again({ ...state, waiting: others }, 'No command is left.');
      const running: State = { ...state, command: wanted, left: left - 1, waiting: others };
      return { state: running, messages: [], asks: [{ seat: shell, data: { files: state.files, commands: [wanted] } }] };
    },
    scripts: { ...base.scripts, shell: scripts.shell },
    ...(isContentEnvironment(base) && contentOf(base)),
  };
}

/** What makes a folder of content trainable: its cases, and who is tested. */
function contentOf({ cases, heldOut, testedSeats, others, proofs, reader }: ContentEnvironment) {
  return { cases, heldOut, testedSeats, others, proofs, reader };
}

function withoutFiles(task: Json): Json {
  const { files: _, commands: __, ...rest } = task as JsonObject;
  return rest;
}

/** The asks of the environment that are still open; the user's choices include commands, and texts with the latest output. */
function offer({ asks, user, files, left, waiting }: State): readonly Ask[] {
  return asks
    .filter(({ seat }) => !Object.hasOwn(waiting, seat))
    .map((ask) => {
      if (ask.seat !== user || ask.choices === undefined) return ask;
      const programs = Object.keys(files).flatMap((path) => (/\.js$/.test(path) ? [`[run node ${path}]`] : []));
      const reads = Object.keys(files).flatMap((path) => (/\.(js|txt)$/.test(path) ? [] : [`[run cat ${path}]`]));
      const fields = 'output.txt' in files ? ask.choices.flatMap((choice) => /^\[type (\S+) /.exec(choice)?.[1] ?? []) : [];
      const typed = [...new Set(fields)].map((field) => `[type ${field} $(cat output.txt)]`);
      return { ...ask, choices: [...ask.choices, ...typed, ...(left > 0 ? [...programs, ...reads] : [])] };
    });
}

/** A move with files in place of their quotes, on one line each. */
function withFiles(text: string, files: Files): string {
  return text.replaceAll(linear(/\$\(cat ([^)\s]+)\)/g), (quote, path: string) =>
    Object.hasOwn(files, path) ? files[path].trim().replaceAll(/\s+/g, ' ') : quote,
  );
}

/** The output and files of a command; a person or a model on the seat may answer with output alone. */
function resultOf(action: Action | undefined, files: Files): { readonly out: string; readonly files: Files } {
  const runs = isObject(action?.data) ? action.data['runs'] : undefined;
  const run = Array.isArray(runs) ? runs[0] : undefined;
  if (!isObject(run) || typeof run['out'] !== 'string' || !isObject(run['files'])) return { out: action?.text ?? '', files };
  const code = run['code'] === 0 ? '' : `\nExit code ${run['code']}.`;
  return { out: `${run['out']}${code}`, files: run['files'] as Files };
}
