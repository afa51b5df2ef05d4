/**
 * @file A lesson in words: a quiz, some turns of a tutor with a student who has misconceptions, and the same quiz again. Concepts,
 * questions, and students are content. The student is a seat, and its answers are checked against the key.
 *
 * After TreeInstruct (Kargupta et al., 2024) and Saha et al. (2023): questions before explanations, few explanations, and an estimate of
 * the student that the tutor builds from answers.
 */

import type { Action, Ask, Environment, Json, Message, Step, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, forfeitText, isObject, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { fractions } from './fractions.ts';
import type { Contact, Material, Student } from './material.ts';
import { conceptIn, drawStudent, isRight, isUnderstood, lacksAfter, readMaterial, reveals } from './material.ts';
import { scripts } from './scripts.ts';

const parameters = {
  material: parameter.json({ default: null, description: 'concepts, questions, and students (default: fractions)' }),
  turns: parameter.integer({ min: 1, max: 60, default: 10, description: 'number of turns by the tutor' }),
  explanations: parameter.integer({ min: 0, max: 60, default: 2, description: 'explanations that the tutor may give' }),
  needed: parameter.integer({
    min: 1,
    max: 6,
    default: 2,
    description: 'rule-based student: number of questions until a concept is understood',
  }),
  wrong: parameter.number({ min: 0.05, max: 1, default: 0.5, description: 'the probability of a misconception, if no students are given' }),
  guess: parameter.number({
    min: 0,
    max: 0.5,
    default: 0.05,
    description: 'rule-based student: probability of a right answer without understanding',
  }),
  slip: parameter.number({
    min: 0,
    max: 0.5,
    default: 0.05,
    description: 'rule-based student: probability of a wrong answer despite understanding',
  }),
  cost: parameter.number({ min: 0, max: 0.2, default: 0.01, description: 'cost of each turn for the tutor' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Phase = 'before' | 'tutor' | 'answer' | 'after' | 'over';

type State = {
  readonly task: Task;
  readonly student: Student;
  readonly phase: Phase;
  /** Correct answers in the quiz before the lesson. */
  readonly before: readonly boolean[];
  readonly contacts: readonly Contact[];
  /** The open practice question, or null after an explanation or a remark. */
  readonly open: string | null;
  /** The tutor's latest evidence on each concept: right, wrong, explained, or nothing. */
  readonly heard: readonly string[];
  readonly turn: number;
  readonly explained: number;
  /** Quiz questions whose answer the tutor has revealed. They do not count. */
  readonly revealed: readonly string[];
  readonly estimate: { readonly [concept: string]: number };
  readonly last: string;
  readonly misses: number;
};

/** The data for programs in the asks. */
export type TutorOutlook = {
  readonly concepts: readonly { readonly id: string; readonly needs: readonly string[] }[];
  readonly heard: readonly string[];
  readonly explanations: number;
};
export type StudentOutlook = {
  /** The two answers to each question, and whether a rule-based student understands it now. */
  readonly questions: readonly { readonly right: string; readonly wrong: string; readonly understood: boolean }[];
  readonly guess: number;
  readonly slip: number;
};

const seats = ['tutor', 'student'] as const;
const materials = new WeakMap<object, Material>();

/** Cached, because every task contains the material. */
function materialOf({ material }: Task): Material {
  if (typeof material !== 'object' || material === null) return fractions;
  let read = materials.get(material);
  if (read === undefined) {
    read = readMaterial(material);
    materials.set(material, read);
  }
  return read;
}

const quizOf = (task: Task) => materialOf(task).questions.filter(({ quiz }) => quiz);

export const lesson: Environment<State, Task> = {
  id: 'lesson@2',
  about: {
    summary:
      'A tutor teaches a student with misconceptions that the student does not reveal. The student takes a quiz that the tutor never sees, the tutor asks, explains, or speaks freely for a number of turns, and the student takes the quiz again. Concepts build on each other, and explanations are limited. The tutor earns the gain in the quiz, minus 0.01 per turn; quiz answers that it gives away do not count. It can add an estimate of each concept to every turn, which is compared with the second quiz. Content: concepts, questions with answer keys, and students.',
    tasks: [{}, { turns: 4, explanations: 1 }, { turns: 3, explanations: 0, guess: 0, slip: 0 }],
    turns: (10 * 2 + 2) * 4,
    words: ['ask', 'explain', 'done'],
  },
  parameters,
  task(input) {
    const task = readTask('lesson', parameters, input);
    materialOf(task);
    return task;
  },
  seats: () => seats,
  start(task, dice) {
    const student = drawStudent(materialOf(task), task.wrong, dice);
    const state: State = {
      ...{ task, student, phase: 'before', before: [], contacts: [], open: null, heard: materialOf(task).concepts.map(() => 'unknown') },
      ...{ turn: 0, explained: 0, revealed: [], estimate: {}, last: '', misses: 0 },
    };
    return { state, messages: [studentRules(state), quizMessage(task, 'Before the lesson')], asks: asksOf(state) };
  },
  step(state, actions) {
    if (state.phase === 'tutor') return tutorActs(state, actions['tutor']);
    if (state.phase === 'answer') return studentAnswers(state, actions['student']);
    return quizAnswered(state, actions['student']);
  },
  knows({ task, student, phase, contacts, open, heard, turn, explained, estimate, last, before, revealed }, seat) {
    if (seat === 'student') return { student, phase, contacts, open, last, before, revealed };
    return {
      task,
      heard,
      turn,
      explained,
      estimate,
      last,
      waiting: phase !== 'tutor',
      over: phase === 'over' ? { student, before } : null,
    };
  },
  scripts,
};

function asksOf(state: State): readonly Ask[] {
  const { task, phase, heard, explained, student, contacts, open } = state;
  const material = materialOf(task);
  const { concepts, questions } = material;
  if (phase === 'over') return [];
  if (phase === 'tutor') {
    const explanations = task.explanations - explained;
    const names = concepts.map(({ id }) => id);
    const choices = [...names.map((id) => `[ask ${id}]`), ...(explanations > 0 ? names.map((id) => `[explain ${id}]`) : []), '[done]'];
    const fields = {
      type: 'object',
      properties: {
        estimate: { type: 'object', description: 'the chance, by concept, that the student answers a new question rightly' },
      },
    };
    const data: TutorOutlook = { concepts: concepts.map(({ id, needs }) => ({ id, needs })), heard, explanations };
    return [{ seat: 'tutor', choices, fields, data: data }];
  }
  const current = phase === 'answer' ? questions.filter(({ id }) => id === open) : quizOf(task);
  const lacking = lacksAfter(material, student.lacks, contacts, task.needed);
  const data: StudentOutlook = {
    questions: current.map(({ concept, answers, wrong }) => ({
      right: answers[0],
      wrong,
      understood: isUnderstood(material, concept, lacking),
    })),
    guess: task.guess,
    slip: task.slip,
  };
  return [{ seat: 'student', data: data }];
}

function refuseMove(state: State, problem: string, seat: (typeof seats)[number]): Step<State> {
  const again = askAgain(state, asksOf(state)[0], problem, state.task.retries);
  if (again !== null) return again;
  return finish(state, [{ to: seats, text: `${forfeitText(seat)} The lesson ends.` }], state.before);
}

function quizAnswered(state: State, action: Action): Step<State> {
  const { task, phase } = state;
  const quiz = quizOf(task);
  const lines = new Map([...action.text.matchAll(linear(/^\s*(\d+)[.):]\s*(.+)$/gm))].map((match) => [Number(match[1]), match[2]]));
  // A single question may be answered without its number.
  if (quiz.length === 1 && lines.size === 0) lines.set(1, action.text);
  if (lines.size === 0) return refuseMove(state, `Answer each question on a line like "1. answer".`, 'student');
  const right = quiz.map(({ answers, wrong }, i) => isRight(answers, lines.get(i + 1) ?? '', wrong));
  if (phase === 'after') return finish(state, [], right);
  const next: State = { ...state, phase: 'tutor', before: right, misses: 0 };
  return { state: next, messages: [tutorRules(next), statusMessage(next)], asks: asksOf(next) };
}

function tutorActs(state: State, action: Action): Step<State> {
  const { task } = state;
  const { concepts, questions } = materialOf(task);
  const moves = [...action.text.matchAll(linear(/\[\s*(ask|explain|done)\b\s*([^\]]*)\]/gi))];
  const speech = talkOf(action.text.replace(linear(/\[[^\]]*\]/g), ' '));
  if (moves.length > 1) return refuseMove(state, 'Make at most one move in square brackets.', 'tutor');
  const [, verb = 'say', name = ''] = (moves[0] ?? []) as readonly (string | undefined)[];
  const kind = verb.toLowerCase() as Contact['kind'] | 'done';
  if (kind === 'say' && speech === '') return refuseMove(state, `Say something, or make a move like [ask ${concepts[0].id}].`, 'tutor');
  const estimate = readEstimate(state, action.data);
  if (kind === 'done') return startQuiz({ ...state, estimate, misses: 0 });
  const place =
    kind === 'say' ? conceptIn(speech, concepts) : concepts.findIndex(({ id }) => id.toLowerCase() === name.trim().toLowerCase());
  if (place === -1)
    return refuseMove(
      state,
      `"${name.trim().slice(0, 60)}" is not a concept; there are ${concepts.map(({ id }) => id).join(', ')}.`,
      'tutor',
    );
  if (kind === 'explain' && state.explained >= task.explanations) return refuseMove(state, 'No explanation is left.', 'tutor');
  const practice = place === null ? [] : questions.filter(({ concept, quiz }) => !quiz && concept === concepts[place].id);
  const times = state.contacts.filter((contact) => contact.kind === 'ask' && contact.concept === place).length;
  const question = kind === 'ask' ? practice[times % practice.length] : null;
  const visibleIdea = kind === 'ask' ? question!.ask : kind === 'explain' && speech === '' ? concepts[place!].idea : '';
  const text = [speech, visibleIdea].filter((part) => part !== '').join(' ');
  const inputs = quizOf(task)
    .filter(({ id, answers }) => !state.revealed.includes(id) && reveals(speech, answers))
    .map(({ id }) => id);
  const next: State = {
    ...state,
    ...{ phase: 'answer', open: question?.id ?? null, turn: state.turn + 1, estimate, misses: 0 },
    explained: state.explained + (kind === 'explain' ? 1 : 0),
    contacts: place === null ? state.contacts : [...state.contacts, { kind, concept: place }],
    heard: kind === 'explain' ? state.heard.map((item, i) => (i === place ? 'explained' : item)) : state.heard,
    revealed: [...state.revealed, ...inputs],
    last: text,
  };
  return { state: next, messages: [{ to: ['student'], from: 'tutor', text }], asks: asksOf(next), rewards: { tutor: -task.cost } };
}

/** Reads the tutor's estimates. Values that are not numbers from 0 to 1 are ignored. */
function readEstimate({ task, estimate }: State, data: Json | undefined): State['estimate'] {
  const stated = isObject(data) && isObject(data['estimate']) ? data['estimate'] : {};
  const ids = materialOf(task).concepts.map(({ id }) => id);
  const valid = Object.entries(stated).filter(
    ([id, chance]) => ids.includes(id) && typeof chance === 'number' && chance >= 0 && chance <= 1,
  );
  return { ...estimate, ...(Object.fromEntries(valid) as State['estimate']) };
}

function studentAnswers(state: State, action: Action): Step<State> {
  const { task, open } = state;
  const { concepts, questions } = materialOf(task);
  const text = talkOf(action.text).slice(0, 2000);
  if (text === '') return refuseMove(state, 'Say something to the tutor.', 'student');
  const question = questions.find(({ id }) => id === open);
  const verdict = question === undefined ? null : isRight(question.answers, text, question.wrong) ? 'right' : 'wrong';
  const place = concepts.findIndex(({ id }) => id === question?.concept);
  const next: State = {
    ...state,
    phase: 'tutor',
    open: null,
    heard: verdict === null ? state.heard : state.heard.map((item, i) => (i === place ? verdict : item)),
    last: text,
    misses: 0,
  };
  const message: Message = { to: ['tutor'], from: 'student', text: verdict === null ? text : `${text} (The key says: ${verdict}.)` };
  if (next.turn >= task.turns) return startQuiz(next, [message]);
  return { state: next, messages: [message, statusMessage(next)], asks: asksOf(next) };
}

function startQuiz(state: State, messages: readonly Message[] = []): Step<State> {
  const next: State = { ...state, phase: 'after', open: null };
  return { state: next, messages: [...messages, quizMessage(state.task, 'After the lesson')], asks: asksOf(next) };
}

function finish(state: State, messages: readonly Message[], after: readonly boolean[]): Step<State> {
  const { task, before, revealed, estimate, turn, explained, student } = state;
  const quiz = quizOf(task);
  const counted = quiz.map(({ id }, i) => ({ i, isCounted: !revealed.includes(id) })).filter(({ isCounted }) => isCounted);
  const share = (right: readonly boolean[]) => counted.filter(({ i }) => right[i]).length / quiz.length;
  const gain = before.length === 0 ? 0 : share(after) - share(before);
  const guesses = Object.entries(estimate).flatMap(([id, chance]) =>
    quiz.flatMap(({ concept }, i) => (concept === id ? [(chance - (after[i] === true ? 1 : 0)) ** 2] : [])),
  );
  const measures = {
    gain,
    before: share(before),
    after: share(after),
    turns: turn,
    explained,
    revealed: revealed.length,
    ...(guesses.length === 0 ? {} : { estimateError: guesses.reduce((sum, value) => sum + value, 0) / guesses.length }),
  };
  const over: State = { ...state, phase: 'over', open: null, misses: 0 };
  const end: Message = {
    to: seats,
    text: `The lesson is over. Right in the quiz: ${before.filter(Boolean).length} before, ${after.filter(Boolean).length} after, of ${quiz.length}.`,
  };
  const note: Message = { to: [], text: 'lesson', data: { measures, lacks: student.lacks } };
  return { state: over, messages: [...messages, end, note], asks: [], rewards: { tutor: gain } };
}

function quizMessage(task: Task, when: string): Message {
  const lines = quizOf(task).map(({ ask }, i) => `${i + 1}. ${ask}`);
  return {
    to: ['student'],
    text: `${when}, a quiz. Answer each question on a line with its number, like "1. answer".\n${lines.join('\n')}`,
  };
}

/** Returns the tutor's evidence in one line, which is enough for a learner that sees only its latest message. */
function statusMessage({ task, heard, turn, explained }: State): Message {
  const { concepts } = materialOf(task);
  const list = concepts.map(({ id }, i) => `${id} ${heard[i]}`).join(', ');
  const last = turn + 1 === task.turns ? ' This is the last turn.' : '';
  return { to: ['tutor'], text: `So far: ${list}. Explanations left: ${task.explanations - explained}.${last}` };
}

function tutorRules({ task }: State): Message {
  const { concepts, questions } = materialOf(task);
  const list = concepts.map(({ id, idea, needs }) => `- ${id}${needs.length === 0 ? '' : ` (rests on ${needs.join(', ')})`}: ${idea}`);
  const practice = questions.filter(({ quiz }) => !quiz).map(({ concept, ask, answers }) => `- ${concept}: ${ask} (${answers[0]})`);
  const text = `You are a tutor. Your student misunderstands some of these concepts and does not say which:\n${list.join('\n')}\nPractice questions with their answers:\n${practice.join('\n')}\nEach turn, speak to the student in your own words, with at most one move in square brackets: [ask CONCEPT] adds the next practice question, [explain CONCEPT] is an explanation in your words (${task.explanations} in all), [done] ends the lesson. What rests on something that is not understood cannot be understood yet. After the lesson the student takes a quiz that you do not see; you earn the gain in it, less ${task.cost} a turn. You have ${task.turns} turns.`;
  return { to: ['tutor'], text };
}

function studentRules({ student, task }: State): Message {
  const { questions } = materialOf(task);
  const beliefs = student.lacks.map((id) => {
    const example = questions.find(({ concept }) => concept === id)!;
    return `- ${id}: asked "${example.ask}", you would say "${example.wrong}"`;
  });
  const text = `You are a student${student.id === 'student' ? '' : `, ${student.id}`}. ${student.manner} You have these misconceptions, and take them for true until the tutor has led you to see through them:\n${beliefs.join('\n')}\nEverything else you understand. Answer as such a student would, in one or two sentences.`;
  return { to: ['student'], text };
}
