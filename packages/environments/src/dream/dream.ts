/**
 * @file A dream: a simulated environment for one seat, built from real steps of another environment. The outcome of a move is that of the
 * same real step, or of the most similar one. With `by` "model", an agent on the seat "dreamer" predicts it from the most similar real
 * steps. The dream's error is measured on held-out steps and is part of its name, so that it accompanies every result.
 */

import type { AnyEnvironment, Json, Message, MoveOutcome, Script, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, Fault, hash, isObject, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type DreamError, errorWords } from './error.ts';
import { type DreamOpening, type DreamStep, indexSteps, type StepIndex } from './steps.ts';

/** A dream as stored in a file. */
export type DreamDocument = {
  readonly kind: 'dream';
  readonly of: string;
  readonly seat: Seat;
  readonly openings: readonly DreamOpening[];
  readonly steps: readonly DreamStep[];
  readonly error: DreamError;
  /** The length of the longest real episode, in steps of the seat. */
  readonly longest: number;
};

const dreamer = 'dreamer';
const shownCount = 4;

const parameters = {
  by: parameter.choice({
    options: ['steps', 'model'],
    default: 'steps',
    description: 'who says what comes: real steps, or an agent on the seat "dreamer"',
  }),
  turns: parameter.integer({
    min: 0,
    max: 10_000,
    default: 0,
    description: 'maximum number of moves; 0 is twice the longest real episode',
  }),
  at: parameter.string({ default: '', description: 'the latest messages of the seat, to start there (default: a real beginning)' }),
  choices: parameter.json({ default: null, description: 'the legal moves there, if they are listed' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = TaskState<Dreaming, Task>;
type Dreaming = {
  readonly at: string;
  readonly choices: readonly string[] | null;
  readonly turns: number;
  /** The move whose outcome the dreamer is asked for. */
  readonly move: string | null;
};

/** Creates the dream that a document describes. Throws if the document is not a dream. */
export function readDream(value: unknown, where: string): AnyEnvironment | undefined {
  if (!isObject(value as Json) || (value as DreamDocument).kind !== 'dream') return undefined;
  const { of, seat, openings, steps, error } = value as Partial<DreamDocument>;
  const isStep = (dreamStep: DreamStep) =>
    typeof dreamStep?.at === 'string' && typeof dreamStep.move === 'string' && typeof dreamStep.told === 'string';
  const isWhole =
    typeof of === 'string' &&
    typeof seat === 'string' &&
    Array.isArray(openings) &&
    openings.length > 0 &&
    Array.isArray(steps) &&
    isObject(error as unknown as Json);
  if (!isWhole || !steps.every(isStep))
    throw new Fault(
      'input',
      `${where} is not a valid learned environment: it needs "of", "seat", "openings", "steps", and "error". Create one with "ludus env dream".`,
    );
  return createDream(value as DreamDocument);
}

export function createDream(document: DreamDocument): AnyEnvironment {
  const { of, seat, openings, steps, error, longest } = document;
  const index = indexSteps(steps);
  const name = `dream-of-${of.split('@', 1)[0]}-wrong-${Math.round(100 * error.told)}-in-100`;
  const note: Message = { to: [], text: 'Dream', data: { of, error: error } };

  return defineEnvironment({
    // Different steps mean different rules, so the version is derived from the steps.
    id: `${name}@${1 + Number.parseInt(hash([steps, openings]).slice(0, 7), 16)}`,
    about: {
      summary: `A dream of ${of} for the seat ${seat}, made from ${steps.length} real steps. ${errorWords(error)} Who plays it need not play the real one as well.`,
      tasks: [{}, { by: 'model', turns: 2 }],
      turns: Math.max(4, 2 * longest) * 24,
    },
    parameters,
    seats: ({ by }) => (by === 'model' ? [seat, dreamer] : [seat]),

    start(task, rng) {
      const choices = Array.isArray(task.choices) ? (task.choices as readonly string[]) : null;
      const opening = task.at === '' ? rng.pick(openings) : { told: task.at, choices };
      const state: Dreaming = { at: opening.told, choices: opening.choices, turns: 0, move: null };
      return { state, messages: [note, { to: [seat], text: opening.told }] };
    },

    turn({ move, choices }) {
      if (move !== null) return { seat: dreamer };
      return choices === null || choices.length === 0 ? { seat } : { seat, choices };
    },

    read: (action, { move, choices }) => (move !== null || choices === null ? { ok: true, move: action.text } : choose(action, choices)),

    play(state, text, { rng }) {
      if (state.move !== null) return onward(state, stepIn(text, state));
      const move = text.trim();
      if (state.task.by === 'steps') return onward(state, index.outcome(state.at, move, rng));
      const next = { ...state, move };
      return { state: next, messages: [{ to: [dreamer], text: questionOf(next, index) }] };
    },

    forfeit: (state, _, text) => endWith(state, text, 0),

    knows: ({ at, choices, turns, move }) => ({ at, choices, turns, move }),
    scripts: { [dreamer]: dreamerScript },
  });

  function onward(state: State, next: DreamStep | null): MoveOutcome<State> {
    if (next === null) return endWith(state, 'Nothing like this was ever seen.', 0);
    const turns = state.turns + 1;
    const most = state.task.turns === 0 ? Math.max(4, 2 * longest) : state.task.turns;
    if (next.over || turns >= most) return endWith(state, next.told, next.reward);
    const after: State = { ...state, at: next.told === '' ? state.at : next.told, choices: next.choices, turns, move: null };
    const messages = next.told === '' ? [] : [{ to: [seat], text: next.told }];
    return { state: after, messages, ...(next.reward === 0 ? {} : { rewards: { [seat]: next.reward } }) };
  }

  function endWith(state: State, text: string, reward: number): MoveOutcome<State> {
    const messages = text === '' ? [] : [{ to: [seat], text }];
    return { state: { ...state, at: text, choices: null, move: null }, messages, over: true, rewards: { [seat]: reward } };
  }
}

/** Returns the question to a dreamer, with the most similar real steps. */
export function questionOf({ at, move }: { readonly at: string; readonly move: string | null }, index: StepIndex): string {
  const examples = index
    .nearest(at, move ?? '', shownCount)
    .map((step) => `Somebody was told:\n${step.at}\nand did: ${step.move}\n${answerLines(step)}`);
  return [
    'You are the world. These things really happened:',
    ...examples,
    `Now somebody was told:\n${at}\nand does: ${move}`,
    'What comes of it? Answer in these lines: "Told: …" (as JSON text), "Moves: …" (as a JSON list, or null), "Reward: …", "Over: yes" or "Over: no".',
  ].join('\n\n');
}

function answerLines({ told, choices, reward, over }: DreamStep): string {
  return `Told: ${JSON.stringify(told)}\nMoves: ${JSON.stringify(choices)}\nReward: ${reward}\nOver: ${over ? 'yes' : 'no'}`;
}

/** Parses a dreamer's answer as a step. Omitted fields stay unchanged, and an omitted reward is 0. */
export function stepIn(
  text: string,
  { at, choices, move }: { readonly at: string; readonly choices: readonly string[] | null; readonly move: string | null },
): DreamStep {
  const line = (label: string) =>
    linear(new RegExp(`^[\\s*_#>-]*${label}:\\**\\s*(.*)$`, 'im'))
      .exec(text)?.[1]
      ?.trim();
  const jsonLine = readJsonLine(line('told'));
  const moves = readJsonLine(line('moves'));
  const reward = Number(line('reward') ?? 0);
  const isList = Array.isArray(moves) && moves.every((move) => typeof move === 'string');
  return {
    at,
    move: move ?? '',
    told: typeof jsonLine === 'string' ? jsonLine : (line('told') ?? ''),
    choices: isList ? (moves as readonly string[]) : moves === null ? null : choices,
    reward: Number.isFinite(reward) ? reward : 0,
    over: /^["'\s]*(?:yes|true)/i.test(line('over') ?? ''),
  };
}

function readJsonLine(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** Repeats the outcome of the most similar real step, which is the first one shown. */
const dreamerScript: Script = ({ view, ask, rng }) => {
  if (ask.choices !== undefined && ask.choices.length > 0) return { text: rng.pick(ask.choices) };
  const last = view.seen.findLast((item) => item.kind === 'message');
  const text = last?.kind === 'message' ? last.text : '';
  return { text: linear(/^Told: [\s\S]*?^Over: \w+/m).exec(text)?.[0] ?? 'Told: ""\nMoves: null\nReward: 0\nOver: yes' };
};
