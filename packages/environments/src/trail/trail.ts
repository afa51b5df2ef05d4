/**
 * @file Trails: questions over many linked pages. A reader starts on one page, follows links, and answers from the page that contains the
 * fact.
 */

import type { Action, Ask, Environment, Json, Rng, Step, TaskDraft, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, Fault, forfeitText, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { clozeOf, handbookQuestion, madePages, pagesOf, type TrailPages } from './pages.ts';

const parameters = {
  documents: parameter.json({ default: null, description: 'your pages, Markdown or HTML by path; a made handbook where left out' }),
  handbook: parameter.integer({ min: 0, max: 1_000_000, default: 0, description: 'number of the generated pages' }),
  made: parameter.choice({
    options: ['handbook', 'notes'],
    default: 'handbook',
    description: 'which made pages, where "documents" is left out',
  }),
  question: parameter.string({ default: '', description: 'the question (default: one about the generated handbook)' }),
  answer: parameter.string({ default: '', description: 'the right answer' }),
  evidence: parameter.json({ default: [], description: 'paths of the pages that lead to the answer, the last one with the answer' }),
  start: parameter.string({ default: '', description: 'the page on which the reader starts (default: a random page)' }),
  turns: parameter.integer({ min: 1, max: 100, default: 8, description: 'maximum number of moves' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task; readonly at: string; readonly used: number; readonly misses: number };

const seat = 'reader';
const alone = [seat] as const;

export const trail: Environment<State, Task> = {
  id: 'trail@2',
  about: {
    summary:
      'A reader starts on a page, follows links with [open PATH], and ends with [answer WORDS], which pays 1 if it is right. The listed moves are the links of the page and the names and numbers on it. The pages are a generated handbook of 121 pages, 300 generated notes, or yours. In the notes, questions are about facts two or three links away, and most randomly drawn pages are too far. A testbed for agents that write questions.',
    tasks: [
      {},
      { turns: 3, handbook: 2 },
      { made: 'notes', turns: 4 },
      { documents: sample(), question: 'Who keeps the seeds?', answer: 'Mira Lund', start: 'a.md' },
    ],
    turns: 9 * 11,
  },
  parameters,
  task(input) {
    const task = readTask('trail', parameters, input);
    if (task.documents === null) return task.question === '' ? task : readPath(task, handbook(task));
    if (task.question === '') throw new Fault('input', 'trail: your documents need a "question" with its "answer".');
    return readPath(task, pagesOf(task.documents));
  },
  seats: () => alone,
  start(taskOf, rng) {
    const task = isDrawn(taskOf) ? { ...taskOf, ...drawQuestion(taskOf, rng) } : taskOf;
    const at = task.start === '' ? rng.pick([...pages(task).keys()]) : task.start;
    const state: State = { task, at, used: 0, misses: 0 };
    return { state, messages: [{ to: alone, text: pageText(state) }], asks: [askOf(state)] };
  },
  step(state, actions) {
    const { task } = state;
    const move = readMove(state, actions[seat]);
    if ('problem' in move) return askAgain(state, askOf(state), move.problem, task.retries) ?? end(state, forfeitText(seat), 0);
    if ('answer' in move) {
      const right = plain(move.answer) === plain(answerOf(task));
      return end(state, right ? 'That is right.' : 'That is wrong.', right ? 1 : 0);
    }
    const next: State = { ...state, at: move.open, used: state.used + 1, misses: 0 };
    if (next.used >= task.turns) return end(next, 'No move is left.', 0);
    return { state: next, messages: [{ to: alone, text: pageText(next) }], asks: [askOf(next)] };
  },
  knows: ({ task, at, used, misses }) => ({ question: questionOf(task), at, used, misses }),
  winnable: (task) => task.start === '' || isDrawn(task) || distanceTo(task) < task.turns,
  documents: (task) => Object.fromEntries([...pages(task).values()].map(({ id, text }) => [id, text])),
  draft,
  scripts: {
    /** Opens and answers at random. */
    wanderer: ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }),
  },
};

function readPath(task: Task, all: TrailPages): Task {
  const paths = [...(Array.isArray(task.evidence) ? task.evidence : [task.evidence]), ...(task.start === '' ? [] : [task.start])];
  const missing = paths.find((path) => typeof path !== 'string' || !all.has(path));
  if (missing !== undefined) throw new Fault('input', `trail: ${JSON.stringify(missing)} is not the path of a page.`);
  if (task.answer.trim() === '') throw new Fault('input', 'trail: a "question" needs its "answer".');
  return task;
}

const handbooks = new Map<string, TrailPages>();

function handbook({ handbook: number, made }: Pick<Task, 'handbook' | 'made'>): TrailPages {
  const key = `${made} ${number}`;
  const cached = handbooks.get(key) ?? pagesOf(madePages[made](number));
  handbooks.set(key, cached);
  return cached;
}

function pages(task: Task): TrailPages {
  return task.documents === null ? handbook(task) : pagesOf(task.documents);
}

/** Returns whether the seed determines the question. */
function isDrawn({ question, made, documents }: Task): boolean {
  return question === '' && made === 'notes' && documents === null;
}

/** Draws a realistic question about the notes: two or three links from the fact. */
function drawQuestion(task: Task, dice: Rng): Pick<Task, 'question' | 'answer' | 'start'> {
  const all = pages(task);
  const questions = targetsIn(all, task).map(({ id, fact, cloze }) => {
    const starts = [...pathsTo(all, id)].flatMap(([start, { length }]) => (length === 3 || length === 4 ? [start] : []));
    return { question: cloze, answer: fact, starts };
  });
  const { starts, ...question } = dice.pick(questions.filter(({ starts: pages }) => pages.length > 0));
  return { ...question, start: dice.pick(starts) };
}

function questionOf({ question }: Task): string {
  return question === '' ? handbookQuestion : question;
}

/** Returns the answer of a task. In the generated handbook it is on the charter page. */
function answerOf(task: Task): string {
  if (task.question !== '') return task.answer;
  return [...pages(task).values()].find(({ title }) => title === 'Charter')!.facts[0];
}

function askOf({ task, at }: State): Ask {
  const page = pages(task).get(at)!;
  return { seat, choices: [...page.links.map((link) => `[open ${link}]`), ...page.facts.map((fact) => `[answer ${fact}]`)], window: 1 };
}

function pageText({ task, at }: State): string {
  return `Question: ${questionOf(task)}\n${at}\n${pages(task).get(at)!.text}`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

function readMove(
  { task, at }: State,
  action: Action,
): { readonly problem: string } | { readonly answer: string } | { readonly open: string } {
  const read = parseBracketed(action);
  if (!read.ok) return { problem: read.problem };
  const [, verb, rest] = /^(open|answer) (.+)$/i.exec(read.move) ?? [];
  if (verb === undefined || rest === undefined) return { problem: 'A move is like [open PATH] or [answer WORDS].' };
  if (verb.toLowerCase() === 'answer') return { answer: rest };
  return pages(task).get(at)!.links.includes(rest) ? { open: rest } : { problem: `This page does not link to "${rest.slice(0, 60)}".` };
}

/** Returns the number of links on the shortest path from the start to a page that mentions the answer. */
function distanceTo(task: Task): number {
  const all = pages(task);
  const wanted = plain(answerOf(task));
  const visited = new Set([task.start]);
  let [near, far] = [[task.start], 0];
  for (; near.length > 0; far++) {
    if (near.some((id) => plain(all.get(id)!.text).includes(wanted))) return far;
    near = near.flatMap((id) => all.get(id)!.links).filter((id) => !visited.has(id) && visited.add(id).has(id));
  }
  return Number.POSITIVE_INFINITY;
}

const mostTargets = 24;

/** Drafts a question backward from its answer: first the fact to ask for, then the start page, nearest first. */
function draft(base: Json, moves: readonly string[]): TaskDraft {
  const task = { ...readTask('trail', parameters, base), question: '', answer: '', evidence: [], start: '' };
  const all = pages(task as Task);
  const targets = targetsIn(all, task as Task).filter(({ id }) => pathsTo(all, id).size > 1);
  if (targets.length === 0) throw new Fault('input', 'trail: none of the linked pages has a name or a number, so no question can be made.');
  // A single fact leaves no choice.
  const [fact, start] = targets.length === 1 ? ['[fact 1]', moves[0]] : moves;
  if (fact === undefined) return { text: 'Which fact is asked for?', choices: targets.map((_, i) => `[fact ${i + 1}]`) };
  const target = targets[Number(/\d+/.exec(fact)?.[0] ?? 1) - 1];
  const paths = pathsTo(all, target.id);
  if (start === undefined) return { text: 'On which page does the reader start?', choices: [...paths.keys()].map((id) => `[start ${id}]`) };
  const evidence = paths.get(start.slice('[start '.length, -1)) ?? [target.id];
  return { task: { ...(base as object), question: target.cloze, answer: target.fact, evidence, start: evidence[0] } };
}

const pathCache = new WeakMap<TrailPages, Map<string, ReadonlyMap<string, readonly string[]>>>();

/** Returns a shortest path to a page from each page that leads to it, nearest first. */
function pathsTo(all: TrailPages, target: string): ReadonlyMap<string, readonly string[]> {
  const cache = pathCache.get(all) ?? new Map<string, ReadonlyMap<string, readonly string[]>>();
  pathCache.set(all, cache);
  const cached = cache.get(target);
  if (cached !== undefined) return cached;
  const into = Map.groupBy(
    [...all.values()].flatMap(({ id, links }) => links.map((to) => ({ to, from: id }))),
    ({ to }) => to,
  );
  const paths = new Map([[target, [target]]]);
  for (const [id, path] of paths) for (const { from } of into.get(id) ?? []) if (!paths.has(from)) paths.set(from, [from, ...path]);
  cache.set(target, paths);
  return paths;
}

/** Returns facts that can be asked for: those on exactly one page. */
function targetsIn(
  all: TrailPages,
  { documents, made }: Pick<Task, 'documents' | 'made'>,
): readonly { readonly id: string; readonly fact: string; readonly cloze: string }[] {
  const list = [...all.values()];
  const charter = list.find(({ title }) => title === 'Charter');
  if (documents === null && made === 'handbook') return [{ id: charter!.id, fact: charter!.facts[0], cloze: handbookQuestion }];
  return list
    .flatMap((page) => page.facts.map((fact) => ({ id: page.id, fact, cloze: clozeOf(page, fact) })))
    .flatMap((item) => (item.cloze === null ? [] : [{ ...item, cloze: `What is missing in: "${item.cloze}"?` }]))
    .filter(({ fact }) => list.filter(({ facts }) => facts.includes(fact)).length === 1)
    .slice(0, mostTargets);
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}

function sample(): Json {
  return {
    'a.md': '# Garden\nOpen from 9 to 17. See [the shed](b.md) and [the pond](c.md).',
    'b.md': '# Shed\nTools only. The key is with [the keeper](d.md).',
    'c.md': '# Pond\nNo swimming; see [the garden](a.md).',
    'd.md': '# Keeper\nMira Lund keeps the seeds.',
  };
}
