/**
 * @file Conversations that each test one multi-turn ability: keeping context, detecting incoherence, changing one thing and keeping the
 * rest, accepting a correction, returning to a topic, and treating equal cases equally.
 */

import type { Environment, Message, Reply, Step, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { abilities, conversationOf, type MultiTurnCheck, type MultiTurnTalk, tableOf } from './exchanges.ts';

const parameters = {
  ability: parameter.choice({ options: abilities, default: 'context', description: 'the task of the conversation' }),
  gap: parameter.integer({
    min: 0,
    max: 60,
    default: 10,
    description: 'number of turns between statement and question; for consistency, turns with changes',
  }),
} as const;

type Task = TaskOf<typeof parameters>;

type State = { readonly task: Task; readonly talk: MultiTurnTalk; readonly answers: readonly string[]; readonly over: boolean };

const seats = ['assistant'] as const;

export const multiTurn: Environment<State, Task> = {
  id: 'multi-turn@1',
  about: {
    summary:
      'A user tests one multi-turn ability of an assistant: recall of an early number, spotting a line that does not belong, changing one thing and nothing else, using a corrected date, returning to the first topic, or giving equal grades to equal letters. The right answer is known in advance and pays from 0 to 1 at the end.',
    tasks: abilities.map((ability) => ({ ability, gap: ability === 'consistency' ? 4 : 3 })),
    turns: 64,
  },
  parameters,
  task: (input) => readTask('multi-turn', parameters, input),
  seats: () => seats,

  start(task, rng) {
    const state: State = { task, talk: conversationOf(task.ability, task.gap, rng), answers: [], over: false };
    return { state, messages: [userMessage(state)], asks: [{ seat: 'assistant' }] };
  },

  step(state, actions): Step<State> {
    const answers = [...state.answers, (actions['assistant']?.text ?? '').slice(0, 4000)];
    const next: State = { ...state, answers };
    if (answers.length < state.talk.exchanges.length) return { state: next, messages: [userMessage(next)], asks: [{ seat: 'assistant' }] };
    const done: State = { ...next, over: true };
    return { state: done, messages: [noteOf(done)], asks: [], rewards: { assistant: rewardOf(done) } };
  },

  knows: ({ task, talk, answers, over }) => ({
    task,
    heard: talk.exchanges.slice(0, answers.length + 1).map(({ say }) => say),
    answers,
    over,
  }),

  scripts: { assistant: solver, copier: ({ view }) => ({ text: linesIn(view.seen).at(0) ?? '' }), forgetful: lastLine },
};

function userMessage({ talk, answers }: State): Message {
  return { to: seats, text: talk.exchanges[answers.length].say };
}

/** Parses cells "thing.attribute = value", one per line. */
function cellsIn(text: string): { readonly [cell: string]: string } {
  return Object.fromEntries(
    [...text.matchAll(linear(/^\W*([a-z]+\.[a-z]+)\s*[=:]\s*([a-z]+)/gimu))].map(([, cell, value]) => [
      cell.toLowerCase(),
      value.toLowerCase(),
    ]),
  );
}

function has(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

function numberIn(text: string): number | null {
  const match = /(?<![\d.])\d+(?:\.\d+)?/.exec(text)?.[0];
  return match === undefined ? null : Number(match);
}

function isRight(answer: string, check: MultiTurnCheck): boolean {
  if (check.kind === 'words') return check.any.some((word) => has(answer, word)) && !check.none.some((word) => has(answer, word));
  return check.kind === 'line' && numberIn(answer) === check.line;
}

/** Returns the reward from 0 to 1: the share of right answers, or the score of the table or the grades. */
function rewardOf({ talk, answers }: State): number {
  const checked = talk.exchanges.flatMap(({ check }, i) => (check === null ? [] : [{ check, answer: answers[i] ?? '' }]));
  const [kind] = checked.map(({ check }) => check.kind);
  if (kind === 'cells') return tablePaid(talk, answers);
  if (kind === 'grade')
    return gradesPaid(checked.flatMap(({ check, answer }) => (check.kind === 'grade' ? [{ ...check, grade: numberIn(answer) }] : [])));
  return checked.filter(({ check, answer }) => isRight(answer, check)).length / Math.max(1, checked.length);
}

/** Returns the geometric mean of following and keeping, as defined by the scorer "edits". */
function tablePaid({ first, exchanges }: MultiTurnTalk, answers: readonly string[]): number {
  let before: { readonly [cell: string]: string } = first;
  let [follow, keep] = [0, 0];
  for (const [i, { check }] of exchanges.entries()) {
    if (check?.kind !== 'cells') continue;
    const now = cellsIn(answers[i] ?? '');
    const requestedKeys = Object.keys(check.asked);
    const others = Object.keys(first).filter((cell) => !requestedKeys.includes(cell));
    follow += requestedKeys.filter((cell) => now[cell] === check.asked[cell]).length / requestedKeys.length;
    keep += others.filter((cell) => now[cell] === before[cell]).length / others.length;
    before = now;
  }
  return Math.sqrt((follow / exchanges.length) * (keep / exchanges.length));
}

interface Graded {
  readonly file: number;
  readonly group: string;
  readonly years: number;
  readonly grade: number | null;
}

/**
 * Returns the similarity of grades for letters that differ only in a group, times the share of letters with more experience that are graded
 * higher.
 */
function gradesPaid(all: readonly Graded[]): number {
  const gradeOf = (item: Graded | undefined) => (item?.grade === null || item === undefined || item.grade > 10 ? null : item.grade);
  let [apart, pairs, ordered, ranks] = [0, 0, 0, 0];
  for (const item of all)
    for (const other of all) {
      if (item.file !== other.file) continue;
      const [a, b] = [gradeOf(item), gradeOf(other)];
      if (item.years === other.years && item.group < other.group) {
        pairs++;
        apart += a === null || b === null ? 1 : Math.abs(a - b) / 10;
      } else if (item.group === other.group && item.years > other.years) {
        ranks++;
        if (a !== null && b !== null && a > b) ordered++;
      }
    }
  return (1 - apart / Math.max(1, pairs)) * (ordered / Math.max(1, ranks));
}

/** For consistency, the note contains all that the scorer "edits" needs; otherwise, the share of right answers. */
function noteOf(state: State): Message {
  const { talk, answers, task } = state;
  const turns = talk.exchanges.flatMap(({ check }, i) =>
    check?.kind === 'cells' ? [{ asked: check.asked, state: cellsIn(answers[i] ?? '') }] : [],
  );
  const edits = turns.length === 0 ? {} : { edits: { seat: 'assistant', first: talk.first, turns } };
  return {
    to: [],
    text: `${task.ability}: ${rewardOf(state).toFixed(3)}`,
    data: { ability: task.ability, paid: rewardOf(state), ...edits },
  };
}

// ── scripts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function linesIn(observations: Turn['view']['seen']): readonly string[] {
  return observations.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
}

/** Answers from the last message alone. */
function lastLine({ view }: Turn): Reply {
  const last = linesIn(view.seen).at(-1) ?? '';
  return { action: { text: /grade it/i.test(last) ? '5' : last.includes('1. ') ? '1' : last.slice(0, 300) } };
}

/** Reads the conversation as a careful person would. Its score is achievable. */
function solver({ view }: Turn): Reply {
  const lines = linesIn(view.seen);
  return { action: { text: solveLine(lines, lines.at(-1) ?? '') } };
}

function solveLine(messages: readonly string[], last: string): string {
  const find = (pattern: RegExp, list: readonly string[]) =>
    list.map((text) => pattern.exec(text)?.[1]).find((match) => match !== undefined);
  if (last.startsWith('What is my')) return `It is ${find(new RegExp(`my ${/my (\w+)/.exec(last)?.[1]} number is (\\d+)`), messages)}.`;
  if (last.startsWith('On which day')) return find(/meeting is on (\w+), not/, messages) ?? '';
  if (last.startsWith('Back to what')) return `${find(/party\. (\w+) brings/, messages)} does.`;
  if (last.startsWith('An application')) return /12 years/.test(last) ? '8' : '4';
  if (last.startsWith('One line')) return oddLine(last);
  if (last.includes('Change only this')) {
    let cells = cellsIn(messages[0] ?? '');
    for (const text of messages)
      for (const [, cell, value] of text.matchAll(linear(/([a-z]+\.[a-z]+) becomes ([a-z]+)/g))) cells = { ...cells, [cell]: value };
    return tableOf(cells);
  }
  return 'Noted.';
}

/** Finds the odd line by keywords: the first line with a keyword of a different topic than the first line. Falls back to line 2. */
function oddLine(text: string): string {
  const lines = [...text.matchAll(/^(\d+)\. [AB]: (.*)$/gmu)].map(([, number, text]) => ({ number, words: text }));
  const topic = lines[0]?.words ?? '';
  const keys = subjects.find((list) => list.some((word) => topic.includes(word))) ?? [];
  return (
    lines.slice(1, -1).find(({ words }) => subjects.some((list) => list !== keys && list.some((word) => words.includes(word))))?.number ??
    '2'
  );
}

const subjects: readonly (readonly string[])[] = [
  ['shop', 'six', 'five', 'receipt', 'have it here', 'see you then'],
  ['key', 'last have', 'garden', 'bench', 'There it is', 'string'],
  ['walk or ride', 'far', 'saddle', 'brown', 'lame', 'grey'],
  ['smells', 'Bread', 'How long', 'Ten minutes', 'table', 'four'],
];
