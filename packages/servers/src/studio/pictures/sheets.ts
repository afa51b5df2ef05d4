/** @file Conversations as drawn: tables of facts and of offered actions. A seat's table contains only facts that it may know. */

import { genres } from '@ludus-agents/environments/internal/recommender/feed';
import { dishes } from '@ludus-agents/environments/internal/shift/shift';
import { stageNames } from '@ludus-agents/environments/internal/support/detect';
import { topics } from '@ludus-agents/environments/internal/tutor/socratic';
import type { SheetPicture } from '../api.ts';
import type { Eyes } from './index.ts';

type Table = SheetPicture['tables'][number];
type Row = Table['rows'][number];

const sheet = (note: string, ...tables: readonly Table[]): SheetPicture => ({
  kind: 'sheet',
  note,
  tables: tables.filter(({ rows }) => rows.length > 0),
});

const rowOf = (name: string, ...texts: readonly (string | number)[]): Row => ({ name, cells: texts.map((text) => ({ text: `${text}` })) });

/** Actions as tables, with endings as columns and beginnings as rows. Actions with other endings are listed next to each other. */
function movesTables(choices: readonly string[], ends: readonly string[]): readonly Table[] {
  const rows = new Map<string, Map<string, string>>();
  const others: { readonly text: string; readonly move: string }[] = [];
  for (const move of choices) {
    const command = move.slice(1, -1);
    const end = ends.find((end) => command.endsWith(` ${end}`));
    if (end === undefined) {
      others.push({ text: command, move });
      continue;
    }
    const name = command.slice(0, -end.length - 1).replace(/,$/, '');
    rows.set(name, (rows.get(name) ?? new Map()).set(end, move));
  }
  const head = ends.filter((end) => [...rows.values()].some((moves) => moves.has(end)));
  const crossed = [...rows].map(([name, moves]) => ({
    name,
    cells: head.map((end) => (moves.has(end) ? { text: end, move: moves.get(end)! } : { text: '' })),
  }));
  return [
    { title: 'Your moves', head, rows: crossed },
    { title: crossed.length === 0 ? 'Your moves' : 'And', head: [], rows: others.length === 0 ? [] : [{ name: '', cells: others }] },
  ];
}

interface Lesson {
  readonly task: { readonly mode: string; readonly concepts: number };
  readonly right: readonly boolean[];
  readonly told: readonly number[];
  readonly shown: readonly (readonly number[])[];
  readonly explained: readonly number[];
  readonly answers: readonly boolean[];
}

/** The tutor's findings, or the items with their probabilities; the student sees no picture. */
export function drawLesson(state: Lesson, { seat, knows, choices }: Eyes): SheetPicture | null {
  if (seat === 'student') return null;
  const { right, told, explained, answers } = state;
  if (state.task.mode === 'budget') {
    const observations = seat === null ? state.shown : (knows as { readonly seen: Lesson['shown'] }).seen;
    const items = observations.map((item, i) =>
      rowOf(`item ${i + 1}`, ...item, explained.includes(i) ? 'yes' : '', answers[i] === undefined ? '' : answers[i] ? 'right' : 'wrong'),
    );
    return sheet('Chances of a right answer.', { title: 'Items', head: ['alone', 'helped', 'explained', 'answer'], rows: items });
  }
  const names = topics.slice(0, state.task.concepts);
  const rows = names.map((name, i) => rowOf(name, right[i] ? 'right answer' : told.includes(i) ? 'answer was given' : 'open'));
  return sheet('', { title: 'Concepts', head: ['so far'], rows }, ...movesTables(choices, names));
}

interface Talk {
  readonly setting: string;
  readonly task: { readonly stages: keyof typeof stageNames };
  readonly turns: readonly (readonly (number | null)[])[];
}

/** The strategies used so far, by the stage they belong to, and the moves; every picture says that this is a simulation. */
export function drawTalk(state: Talk, { seat, choices }: Eyes): SheetPicture {
  const note = 'A simulation with invented people. A product for real people must show a crisis line.';
  const ends = [...new Set(choices.flatMap((move) => (move.includes(' ') ? [move.slice(1, -1).split(' ').slice(1).join(' ')] : [])))];
  const moves = movesTables(choices, ends.length > 8 ? [] : ends);
  if (state.setting !== 'support') return sheet(note, ...moves);
  const names = stageNames[state.task.stages];
  const rows = state.turns.map(([strategy, truth], i) =>
    rowOf(`answer ${i + 1}`, names[strategy!] ?? 'any', seat === null ? (names[truth!] ?? 'over') : ''),
  );
  const head = ['strategy for', ...(seat === null ? ['the talk was in'] : [])];
  return sheet(
    note,
    { title: 'Stages', head, rows: rows.map(({ name, cells }) => ({ name, cells: cells.slice(0, head.length) })) },
    ...moves,
  );
}

interface Speeches {
  readonly [side: string]: readonly { readonly argument: string | null; readonly strength: number | null; readonly bet: number | null }[];
}

interface Debate {
  readonly motion: string;
  readonly hands: Readonly<Record<string, readonly (readonly [string, number])[]>>;
  readonly speeches: Readonly<Record<string, readonly { readonly argument: number | null; readonly bet: number | null }[]>>;
}

/** Speeches with their visible bets; a private bet is shown as –. */
export function drawDebate({ motion, hands, speeches }: Debate, { seat, knows, choices }: Eyes): SheetPicture {
  const open = (side: string) =>
    speeches[side]!.map(({ argument, bet }) => ({
      argument: argument === null ? null : hands[side]![argument]![0],
      strength: argument === null ? null : hands[side]![argument]![1],
      bet,
    }));
  const rows = ['proposition', 'opposition'].flatMap((side) =>
    (seat === null ? open(side) : (knows as Speeches)[side]!).map(({ argument, strength, bet }, i) =>
      rowOf(`${side}, ${i + 1}`, argument ?? 'silent', strength ?? '–', bet ?? '–'),
    ),
  );
  const bets = Array.from({ length: 11 }, (_, i) => `bet ${10 * i}`);
  return sheet(motion, { title: 'Speeches', head: ['argument', 'strength', 'bet'], rows }, ...movesTables(choices, bets));
}

interface Nations {
  readonly day: number;
  readonly world: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly deeds: readonly { readonly by: string; readonly act: string; readonly target?: string | null }[];
}

/** The resources of each nation, the actions of the day before, and all actions by target. All of it is public. */
export function drawNations({ day, world, deeds }: Nations, { choices }: Eyes): SheetPicture {
  const names = Object.keys(world);
  const factors = Object.keys(world[names[0]!]!);
  const levels = names.map((name) => rowOf(name, ...factors.map((factor) => Math.round(world[name]![factor]! * 10) / 10)));
  const done = deeds.map(({ by, act, target }) => rowOf(by, act, target ?? ''));
  return sheet(
    `Day ${day}. A simulation of invented nations.`,
    { title: 'Standing', head: factors, rows: levels },
    { title: 'The day before', head: ['act', 'on'], rows: done },
    ...movesTables(choices, names),
  );
}

interface Lists {
  readonly past: readonly (readonly [readonly number[], readonly boolean[]])[];
  readonly shown: readonly number[];
  readonly answers: readonly number[];
}

/** Lists with clicked items, or items with their results; the latest twelve. */
export function drawLists({ past, shown, answers }: Lists, { seat, choices }: Eyes): SheetPicture {
  const lists = past.map(([list, clicks], i) =>
    rowOf(`list ${i + 1}`, ...list.map((genre, k) => `${genres[genre]}${clicks[k] ? ' ✓ clicked' : ''}`)),
  );
  const items = seat === 'user' ? [] : shown.map((item, i) => rowOf(`item ${i + 1}`, item, Math.round((answers[i] ?? 0) * 1000) / 1000));
  const head = items.length > 0 ? ['clickbait', 'engagement'] : (past[0]?.[0] ?? []).map((_, i) => `place ${i + 1}`);
  return sheet('', { title: 'So far', head, rows: [...lists, ...items].slice(-12) }, ...movesTables(choices, genres));
}

type Asked = { readonly question: string; readonly answer: string } | { readonly guess: string };

/** Questions with their answers, and the available questions and guesses. */
export function drawQuestions({ past }: { readonly past: readonly Asked[] }, { choices }: Eyes): SheetPicture {
  const rows = past.map((item, i) =>
    'guess' in item ? rowOf(`${i + 1}`, item.guess, 'no') : rowOf(`${i + 1}`, item.question, item.answer),
  );
  const verbs = [...new Set(choices.map((move) => move.slice(1, -1).split(' ', 1)[0]!))];
  const moves = verbs.map((verb) => ({
    name: verb,
    cells: choices
      .filter((move) => move.startsWith(`[${verb}`))
      .map((move) => ({ text: move.slice(1, -1).slice(verb.length).trim() || verb, move })),
  }));
  return sheet('', { title: 'Asked', head: ['question or guess', 'answer'], rows }, { title: 'Your moves', head: [], rows: moves });
}

interface Service {
  readonly task: { readonly options: number; readonly steps: number };
  readonly paid: readonly number[];
  readonly ordered: readonly number[];
}

/** The last profit of each dish, and how often it was served; guests' opinions of other dishes are hidden. */
export function drawService({ task: { options, steps }, paid, ordered }: Service, { choices }: Eyes): SheetPicture {
  const rows = dishes.slice(0, options).map((dish, i) => {
    const last = ordered.lastIndexOf(i);
    return rowOf(dish, last < 0 ? '–' : Math.round(paid[last]! * 1000) / 1000, ordered.filter((value) => value === i).length);
  });
  return sheet(
    `${paid.length} of ${steps} served.`,
    { title: 'Dishes', head: ['worth, last', 'times'], rows },
    ...movesTables(choices, []),
  );
}
