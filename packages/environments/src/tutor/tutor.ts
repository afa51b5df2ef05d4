/**
 * @file A tutor and a student, either with questions only or with a budget of explanations. The student is a seat whose answers are
 * checked.
 */

import type {
  Action,
  Ask,
  Message,
  MoveOutcome,
  ParsedMove,
  Rng,
  Script,
  TaskOf,
  TaskState,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { audit, choose, defineEnvironment, Fault, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { chooseExplained, drawItem, isWorth, rankings, readItems, round, type TutorItem } from './budget.ts';
import { drawStudent, isReady, restsOn, type StudentState, type TutorMove, teachStudent, topics } from './socratic.ts';

/** The data for programs in the tutor's ask, by mode. */
export type SocraticOutlook = { readonly right: readonly boolean[]; readonly names: readonly string[] };
export type BudgetOutlook = {
  readonly item: number;
  readonly count: number;
  /** All items if they are announced in advance, otherwise those seen so far. */
  readonly items: readonly TutorItem[];
  readonly explained: readonly number[];
  readonly left: number;
};
export type StudentOutlook = { readonly chance: number };

function socratic(move: (outlook: SocraticOutlook, rng: Rng) => string): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as SocraticOutlook | undefined;
    if (outlook?.right === undefined) throw elsewhere('asks questions', ask);
    return { text: `[${move(outlook, rng)}]` };
  };
}

function helper(explains: (outlook: BudgetOutlook, rng: Rng) => boolean): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as BudgetOutlook | undefined;
    if (outlook?.items === undefined) throw elsewhere('helps on a budget', ask);
    return { text: outlook.left > 0 && explains(outlook, rng) ? '[explain]' : '[skip]' };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script, or change "mode".`);
}

/** Explains the items that a rule ranks highest: among all items, or among those seen so far if items come one by one. */
function rankedScript(rank: (item: TutorItem) => number): Script {
  return helper(({ item, items, explained, left }) => chooseExplained(rank, items, explained.length + left).has(item));
}

const first = ({ right, names }: SocraticOutlook) => names[Math.max(0, right.indexOf(false))];

export const scripts: Readonly<Record<string, Script>> = {
  /** Asks the first concept that was not answered right yet. */
  tree: socratic((outlook) => `ask ${first(outlook)}`),
  hinter: socratic((outlook) => `hint ${first(outlook)}`),
  teller: socratic((outlook) => `tell ${first(outlook)}`),
  /** Asks random concepts. */
  rambler: socratic(({ names }, rng) => `ask ${rng.pick(names)}`),
  utility: rankedScript(rankings.utility),
  weakest: rankedScript(rankings.weakest),
  surest: rankedScript(rankings.surest),
  /** Explains random items; each set is equally likely. */
  any: helper(({ item, count, left }, rng) => rng.next() * (count - item) < left),
  always: helper(() => true),
  never: helper(() => false),
  /** Makes the optimal decisions when random items come one by one. */
  online: helper(({ item, items, count, left }) => isWorth(items[item], count - item - 1, left)),
  /** Answers according to the table. */
  student: ({ ask, rng }: Turn) => {
    const { chance } = ask.data as StudentOutlook;
    return { text: chance > 0 && (chance === 1 || rng.next() < chance) ? '[right]' : '[wrong]' };
  },
};

const parameters = {
  mode: parameter.choice({
    options: ['socratic', 'budget'],
    default: 'socratic',
    description: 'lead by questions, or decide which items to explain',
  }),
  concepts: parameter.integer({ min: 1, max: 8, default: 4, description: 'socratic: number of concepts to understand' }),
  shape: parameter.choice({
    options: ['chain', 'tree'],
    default: 'chain',
    description: 'socratic: each concept builds on the one before, or two build on one',
  }),
  wrong: parameter.number({ min: 0.05, max: 1, default: 0.5, description: 'socratic: probability that a concept is misunderstood' }),
  questions: parameter.integer({ min: 1, max: 6, default: 2, description: 'socratic: number of questions until a concept is understood' }),
  hint: parameter.number({ min: 0, max: 1, default: 0.6, description: 'socratic: probability that a hint is enough' }),
  turns: parameter.integer({ min: 1, max: 60, default: 20, description: 'socratic: number of moves by the tutor' }),
  cost: parameter.number({ min: 0, max: 1, default: 0.02, description: 'socratic: cost of a question; a hint costs five times as much' }),
  count: parameter.integer({ min: 1, max: 20, default: 6, description: 'budget: number of items to answer' }),
  budget: parameter.integer({ min: 0, max: 20, default: 2, description: 'budget: number of explanations' }),
  ahead: parameter.boolean({ default: true, description: 'budget: show the tutor all items before the first one' }),
  doubt: parameter.number({ min: 0, max: 0.5, default: 0, description: 'budget: maximum error of the probabilities shown to the tutor' }),
  items: parameter.json({
    default: [],
    description: 'budget: custom items, as pairs of probabilities without and with help, like [[0.2, 0.9]]',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Lesson, Task>;
type Lesson = {
  /** Socratic: the student's state for each concept, and the concepts that the student has answered right. */
  readonly student: StudentState;
  readonly right: readonly boolean[];
  /** The number of misconceptions at the start, and how many of them were resolved by telling the answer. */
  readonly begun: number;
  readonly told: readonly number[];
  /** Budget: the true items, and the estimates that the tutor receives. */
  readonly items: readonly TutorItem[];
  readonly shown: readonly TutorItem[];
  readonly explained: readonly number[];
  readonly answers: readonly boolean[];
  /** The question to the student: the concept or item, and the probability of a right answer. */
  readonly open: { readonly on: number; readonly chance: number; readonly words: string; readonly kind: string } | null;
  readonly turn: number;
  readonly last: string;
  readonly over: boolean;
};

const seats = ['tutor', 'student'] as const;
const verdicts = ['[right]', '[wrong]'] as const;
const helps = ['[explain]', '[skip]'] as const;
const onlySkip = ['[skip]'] as const;

export const tutor = defineEnvironment({
  id: 'tutor@1',
  about: {
    summary:
      'A tutor helps a student whose misconceptions it cannot see. With questions: concepts build on each other, a question helps only if the concepts below are understood, and hints cost and plain answers count for nothing. The return is the share of misconceptions resolved, minus 0.02 per question. On a budget: the tutor knows the probability of a right answer with and without an explanation, and has a limited number of explanations; the return is the share of right answers. The student is a separate seat, and its answers are checked.',
    tasks: [
      {},
      { mode: 'budget' },
      { shape: 'tree', concepts: 5, turns: 8 },
      { mode: 'budget', ahead: false, doubt: 0.1 },
      {
        mode: 'budget',
        items: [
          [0.9, 0.95],
          [0.2, 0.3],
          [0.6, 0.95],
          [0.4, 0.9],
        ],
      },
    ],
    turns: 20 * 6,
    words: ['ask', 'hint', 'tell', 'explain', 'skip'],
  },
  parameters,
  task(task) {
    const items = readItems(task.items);
    if (items.length > 20) throw new Fault('input', `tutor: "items" can have at most 20 pairs, but has ${items.length}.`);
    return task;
  },
  seats: seats,

  start(task, rng) {
    const socratic = task.mode === 'socratic';
    const student = socratic ? drawStudent(rng, task) : [];
    const tutorItems = readItems(task.items);
    const items = socratic ? [] : tutorItems.length > 0 ? tutorItems : Array.from({ length: task.count }, () => drawItem(rng));
    const off = (p: number) => (task.doubt === 0 ? p : round(Math.min(1, Math.max(0, p + task.doubt * (2 * rng.next() - 1)))));
    const state: Lesson = {
      ...{ student, right: student.map(() => false), begun: student.filter((needed) => needed > 0).length, told: [] },
      ...{ items, shown: items.map(([p0, p1]) => [off(p0), off(p1)] as const), explained: [], answers: [] },
      ...{ open: null, turn: 0, last: '', over: false },
    };
    return { state, messages: [tutorRules(task, state), studentRules(task), ...nextItem(task, state)] };
  },

  turn: askOf,
  read: (action, { task, open }, ask): ParsedMove<string | TutorMove> =>
    open === null && task.mode === 'socratic' ? readMove(task, action) : choose(action, ask.choices ?? []),

  play(state, move, { action, rng }) {
    const speech = talkOf(action.text.replace(linear(/\[[^\]]*\]/g), ' '));
    if (typeof move !== 'string') return teach(state, move, speech, rng);
    return state.open === null ? help(state, move === '[explain]', speech) : takeAnswer(state, move === '[right]', speech);
  },

  forfeit: (state, _, text) => finish(state, [{ to: seats, text: `${text} The lesson ends.` }]),

  knows({ student, right, told, shown, task, explained, answers, open, turn, last, over }, seat) {
    if (seat === 'student') return { open, turn, over };
    const tutorItems = task.ahead ? shown : shown.slice(0, answers.length + 1);
    return { right, told, seen: tutorItems, explained, answers, turn, last, waiting: open?.kind ?? null, ...(over ? { student } : {}) };
  },

  scripts,
});

const namesOf = (task: Task) => topics.slice(0, task.concepts);
const menus = new Map<number, readonly string[]>();

function menuOf(task: Task): readonly string[] {
  let menu = menus.get(task.concepts);
  if (menu === undefined) {
    menu = (['ask', 'hint', 'tell'] as const).flatMap((kind) => namesOf(task).map((name) => `[${kind} ${name}]`));
    menus.set(task.concepts, menu);
  }
  return menu;
}

function askOf(state: State): Ask {
  const { task, open, right, answers, explained, shown } = state;
  if (open !== null) {
    const data: StudentOutlook = { chance: open.chance };
    return { seat: 'student', choices: verdicts, data };
  }
  if (task.mode === 'socratic') {
    const data: SocraticOutlook = { right, names: namesOf(task) };
    return { seat: 'tutor', choices: menuOf(task), data };
  }
  const left = task.budget - explained.length;
  const items = task.ahead ? shown : shown.slice(0, answers.length + 1);
  const data: BudgetOutlook = { item: answers.length, count: shown.length, items, explained, left };
  return { seat: 'tutor', choices: left > 0 ? helps : onlySkip, data };
}

function readMove(task: Task, action: Action): ParsedMove<TutorMove> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const [, kind, name] = /^(ask|hint|tell) (\w+)$/.exec(read.move.toLowerCase()) ?? [];
  const concept = (namesOf(task) as readonly string[]).indexOf(name ?? '');
  if (concept < 0) return { ok: false, problem: `[${read.move.slice(0, 60)}] is no move; like [ask ${topics[0]}].` };
  return { ok: true, move: { kind: kind as TutorMove['kind'], concept } };
}

function teach(state: State, move: TutorMove, speech: string, rng: Rng): MoveOutcome<State> {
  const { task, student } = state;
  const { kind, concept } = move;
  const after = teachStudent(student, move, { shape: task.shape, works: kind === 'hint' && rng.next() < task.hint });
  const observations = kind === 'tell' && student[concept] > 0 && after[concept] === 0 ? [...state.told, concept] : state.told;
  const knows = after[concept] === 0 && isReady(after, concept, task.shape);
  const open = { on: concept, chance: knows ? 1 : 0, words: speech, kind };
  const next: State = { ...state, student: after, told: observations, open, turn: state.turn + 1 };
  const verb = { ask: 'asks about', hint: 'gives a hint about', tell: 'tells you about' }[kind];
  const text = `${speech === '' ? `The tutor ${verb} ${topics[concept]}.` : speech} (You ${knows ? 'understand it now: answer rightly' : 'still have it wrong'}.)`;
  const cost = { ask: task.cost, hint: 5 * task.cost, tell: task.cost }[kind];
  return { state: next, messages: [{ to: ['student'], from: 'tutor', text }], rewards: { tutor: -cost } };
}

function help(state: State, helped: boolean, speech: string): MoveOutcome<State> {
  const { answers, explained, items } = state;
  const on = answers.length;
  const chance = items[on][helped ? 1 : 0];
  const kind = helped ? 'explain' : 'skip';
  const next: State = {
    ...state,
    explained: helped ? [...explained, on] : explained,
    open: { on, chance, words: speech, kind },
    turn: state.turn + 1,
  };
  const text = `Item ${on + 1}${helped ? `, explained${speech === '' ? '' : `: ${speech}`}` : ''}. Your answer is right with a chance of ${chance}.`;
  return { state: next, messages: [{ to: ['student'], text }] };
}

function takeAnswer(state: State, isRight: boolean, talk: string): MoveOutcome<State> {
  const { task, open } = state;
  const { on, chance } = open!;
  const prefix = talk === '' ? '' : `${talk} `;
  if (task.mode === 'budget') {
    const answers = [...state.answers, isRight];
    const next: State = { ...state, answers, open: null };
    const rewards = { tutor: (isRight ? 1 : 0) / state.items.length };
    const message: Message = { to: ['tutor'], from: 'student', text: `${prefix}Item ${on + 1}: ${isRight ? 'right' : 'wrong'}.` };
    if (answers.length === state.items.length) return { ...finish(next, [message]), rewards };
    return { state: next, messages: [message, ...nextItem(task, next)], rewards };
  }
  const right = state.right.map((item, i) => (i === on ? isRight : item));
  const last = `${prefix}${topics[on]}: ${isRight ? 'right' : 'wrong'}.`;
  const next: State = { ...state, right, last, open: null };
  const done = namesOf(task).filter((_, i) => right[i]);
  const text = `${last} Right so far: ${done.join(', ') || 'nothing'}.${next.turn < task.turns ? '' : ' That was the last move.'}`;
  const messages = [
    audit('student', isRight === (chance === 1), `${topics[on]} ${isRight ? '[right]' : '[wrong]'}`),
    { to: ['tutor'], from: 'student', text },
  ];
  if (next.student.every((needed) => needed === 0) || next.turn >= task.turns) return finish(next, messages);
  return { state: next, messages };
}

function finish(state: State, messages: readonly Message[]): MoveOutcome<State> {
  const { task, student, begun, told, answers, items, explained, turn } = state;
  const over: State = { ...state, open: null, over: true };
  if (task.mode === 'budget') {
    const right = answers.filter(Boolean).length;
    const note = { to: [], text: 'lesson', data: { lesson: { right, items: items.length, explained: explained.length } } };
    return { state: over, messages: [...messages, note], over: true };
  }
  const open = student.filter((needed) => needed > 0).length;
  const resolved = begun - open - told.length;
  const note = { to: [], text: 'lesson', data: { lesson: { misconceptions: begun, resolved, told: told.length, moves: turn } } };
  const end: Message = { to: seats, text: open === 0 ? 'The student understands everything now.' : 'The lesson is over.' };
  return { state: over, messages: [...messages, end, note], over: true, rewards: { tutor: resolved / begun } };
}

function nextItem(task: Task, { shown, answers, explained }: Lesson): readonly Message[] {
  if (task.mode === 'socratic') return [];
  const [p0, p1] = shown[answers.length];
  const left = task.budget - explained.length;
  const text = `Item ${answers.length + 1} of ${shown.length}: right with a chance of ${p0} alone and ${p1} with an explanation. Explanations left: ${left}.`;
  return [{ to: ['tutor'], text }];
}

function tutorRules(task: Task, { shown }: Lesson): Message {
  if (task.mode === 'budget') {
    const list = task.ahead ? ` All items: ${shown.map(([p0, p1], i) => `${i + 1}. ${p0} → ${p1}`).join('; ')}.` : '';
    const text = `A student answers ${shown.length} items one by one. You may explain ${task.budget} of them beforehand. You know how likely a right answer is without and with it.${list} Before each item answer [explain] or [skip]. You are paid the share of right answers.`;
    return { to: ['tutor'], text };
  }
  const names = namesOf(task);
  const rests = names.map((name, i) => (restsOn(i, task.shape) < 0 ? name : `${name} (rests on ${names[restsOn(i, task.shape)]})`));
  const text = `A student misunderstands some of these, you do not know which: ${rests.join(', ')}. What rests on something that is not understood cannot be understood yet. Lead by questions: say what you want to say, with exactly one move in square brackets: [ask ${names[0]}], [hint ${names[0]}] or [tell ${names[0]}]. Something is understood after ${task.questions} questions about it, or by a hint with a chance of ${task.hint}. A question costs ${task.cost}, a hint five times that; what you simply tell counts for nothing. You have ${task.turns} moves and are paid the share of misconceptions resolved.`;
  return { to: ['tutor'], text };
}

function studentRules(task: Task): Message {
  const text =
    task.mode === 'budget'
      ? 'You answer items one by one. Each time you are told how likely you are to be right; answer [right] or [wrong].'
      : 'You are a student. Each time you are told whether you understand what the tutor asks about; answer in your own words and with [right] or [wrong].';
  return { to: ['student'], text };
}
