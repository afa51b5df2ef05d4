/** @file Memory: facts are told over many sessions, part by part, followed by questions about them. */

import type { Reply, Script, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { choose, Fault, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Advance, exercise, taskSplit, textsOf } from '../exercise.ts';
import { type Competency, colours, competencies, type MemorySessions, makeSessions, partText, unknown } from './sessions.ts';

/** What was told, by subject; visits and tokens in order. */
type Notes = { readonly facts: Readonly<Record<string, string>>; readonly visits: readonly string[]; readonly tokens: readonly string[] };

const empty: Notes = { facts: {}, visits: [], tokens: [] };

function addNotes(notes: Notes, text: string): Notes {
  const facts: Record<string, string> = { ...notes.facts };
  const visits = [...notes.visits];
  const tokens = [...notes.tokens];
  for (const sentence of text.split(/(?<=\.)\s+|\n/)) {
    const fact =
      /^The (keeper) of the (.+) is (\w+)\.$/.exec(sentence) ??
      /^(?:The|From now on the) (sign) at the (.+) shows a (\w+)\.$/.exec(sentence) ??
      /^The (code) of the (.+) is (\w+)\.$/.exec(sentence);
    if (fact !== null) facts[`${fact[1]} ${fact[2]}`] = fact[3];
    const forget = /^Forget the code of the (.+)\.$/.exec(sentence);
    if (forget !== null) delete facts[`code ${forget[1]}`];
    const visit = /^(\w+) comes to the (.+)\.$/.exec(sentence);
    if (visit !== null) visits.push(`${visit[1]} ${visit[2]}`);
    const token = /^A token that is (\w+) and (\w+) goes (\w+)\.$/.exec(sentence);
    if (token !== null) tokens.push(`${token[1]} ${token[2]} ${token[3]}`);
  }
  return { facts, visits, tokens };
}

function answerFrom({ facts, visits, tokens }: Notes, question: string): string {
  const match = linear(/keeper of the (.+)\?/).exec(question);
  if (match !== null) return facts[`keeper ${match[1]}`] ?? unknown;
  const sign = linear(/sign at the (.+) show now/).exec(question);
  if (sign !== null) return facts[`sign ${sign[1]}`] ?? unknown;
  const code = linear(/code of the (.+)\?/).exec(question);
  if (code !== null) return facts[`code ${code[1]}`] ?? unknown;
  const count = linear(/How often did (\w+) come to the (.+) in all/).exec(question);
  if (count !== null) return String(visits.filter((visit) => visit === `${count[1]} ${count[2]}`).length);
  const first = linear(/Who came to the (.+) before/).exec(question);
  if (first !== null) return visits.find((visit) => visit.endsWith(` ${first[1]}`))?.split(' ')[0] ?? unknown;
  const token = linear(/token go that is (\w+) and (\w+)/).exec(question)!;
  return groupOf(tokens, token[1], token[2]);
}

/** The deciding feature is the one whose values each belong to a single group. */
function groupOf(tokens: readonly string[], colour: string, shape: string): string {
  const examples = tokens.map((token) => token.split(' ') as [string, string, string]);
  const byColour = colours.every((colour) => new Set(examples.flatMap(([c, , group]) => (c === colour ? [group] : []))).size <= 1);
  return examples.find(([c, s]) => (byColour ? c === colour : s === shape))?.[2] ?? unknown;
}

/** Answers with the given text if it is allowed, otherwise with a random choice. */
function reply({ ask, rng }: Turn, answer: string): { readonly text: string } {
  const wanted = `[answer ${answer}]`;
  return { text: ask.choices?.includes(wanted) === true ? wanted : rng.pick(ask.choices as readonly string[]) };
}

/** Returns the texts read, without the lists of legal moves that a task may request. */
const textsRead = ({ view }: Turn) => textsOf(view).filter((text) => !text.startsWith('Legal moves: '));

const isQuestion = (text: string) => /^Question \d+ of \d+: /.test(text);

/** Reads every part once and stores what it may need in its mind, so a window of one message is enough. */
const notes: Script = (turn): Reply => {
  const text = textsRead(turn).at(-1) ?? '';
  const before = (turn.mind ?? empty) as Notes;
  if (isQuestion(text)) return { action: reply(turn, answerFrom(before, text)), mind: before };
  return { action: { text: '[next]' }, mind: addNotes(before, text) };
};

/**
 * Finds the last sentence in its view that shares the most words with the question. Right for single facts, but not for counts and order.
 */
const search: Script = (turn) => {
  const texts = textsRead(turn);
  const question = texts.at(-1) ?? '';
  if (!isQuestion(question)) return { text: '[next]' };
  const wanted = new Set(question.toLowerCase().match(/\w+/g));
  const sentences = texts.filter((text) => !isQuestion(text)).flatMap((text) => text.split(/(?<=\.)\s+|\n/));
  let [best, most] = ['', 0];
  for (const sentence of sentences) {
    const shared = (sentence.toLowerCase().match(/\w+/g) ?? []).filter((word) => wanted.has(word)).length;
    if (shared >= most) [best, most] = [sentence, shared];
  }
  const choice = turn.ask.choices?.find((choice) => best.match(/\w+/g)?.includes(choice.slice('[answer '.length, -1)));
  return reply(turn, choice?.slice('[answer '.length, -1) ?? unknown);
};

/** Knows only the last part that it read. */
const lastPart: Script = (turn): Reply => {
  const text = textsRead(turn).at(-1) ?? '';
  const before = (turn.mind ?? empty) as Notes;
  if (isQuestion(text)) return { action: reply(turn, answerFrom(before, text)), mind: before };
  return { action: { text: '[next]' }, mind: addNotes(empty, text) };
};

export const scripts: Readonly<Record<string, Script>> = { notes, search, 'last-part': lastPart };

const parameters = {
  competency: parameter.choice({
    options: ['all', ...competencies],
    default: 'all',
    description:
      'what is asked for: single facts, a rule learned from examples, counts and order over everything, facts that changed, facts to forget',
  }),
  tokens: parameter.integer({
    min: 100,
    max: 1_000_000,
    default: 1000,
    description: 'total length of all sessions in tokens of four characters',
  }),
  chunk: parameter.integer({ min: 50, max: 8192, default: 250, description: 'number of tokens read per turn' }),
  sessions: parameter.integer({ min: 1, max: 100, default: 4, description: 'number of sessions; a session has one or more parts' }),
  facts: parameter.integer({ min: 1, max: 16, default: 4, description: 'number of facts for each competency' }),
  questions: parameter.integer({
    min: 1,
    max: 8,
    default: 2,
    description: 'number of questions for each competency, limited by its facts',
  }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
/** The number of parts `read`, and the `answers` so far. */
type Progress = { readonly read: number; readonly answers: readonly string[] };

const seat = 'reader';
const alone = [seat] as const;
const next = '[next]';
const nextOnly = [next] as const;

export const memory = exercise<Task, MemorySessions, Progress>({
  id: 'memory@1',
  about: {
    summary:
      'A reader is told facts over several sessions, among much that does not matter, and is asked about them afterwards: single facts, a rule that examples show, counts and order over all sessions, facts that changed, and facts that it was told to forget. The return is the share of right answers. The maximum is 1, which the script that takes notes reaches. With the setting `window`, the reader must remember what it needs.',
    tasks: [
      {},
      { competency: 'retrieval', tokens: 400, questions: 4 },
      { competency: 'learning', tokens: 400 },
      { competency: 'range', tokens: 400, questions: 4 },
      { competency: 'conflict', tokens: 400, sessions: 2 },
      { competency: 'forgetting', tokens: 400, questions: 4 },
      { tokens: 6000, chunk: 1000, sessions: 3 },
    ],
    turns: (10 + 10) * 11,
    complete: true,
  },
  parameters,
  task(input) {
    const task = readTask('memory', parameters, input);
    if (partsOf(task) > 4000)
      throw new Fault(
        'input',
        `memory: "tokens" over "chunk" makes ${partsOf(task)} turns of reading, but the limit is 4,000. Use larger chunks.`,
      );
    return task;
  },
  seats: () => alone,
  make(task, rng) {
    const { competency, facts, questions } = task;
    const wanted: readonly Competency[] = competency === 'all' ? competencies : [competency as Competency];
    return makeSessions({ parts: partsOf(task), facts, questions, competencies: wanted }, rng);
  },
  key: ({ said }) => said.flat().join(' '),
  begin: (task, memorySessions) => ({
    progress: { read: 1, answers: [] },
    messages: [{ to: alone, text: `${rules}\n\n${sessionText(task, memorySessions, 0)}` }],
  }),
  ask(task, { questions }, { read, answers }) {
    if (answers.length === questions.length) return null;
    if (read <= partsOf(task)) return { seat, choices: nextOnly };
    return { seat, choices: questions[read - partsOf(task) - 1].choices.map(answerOf) };
  },
  act(task, memorySessions, { read, answers }, action) {
    const parts = partsOf(task);
    const asking = read - parts - 1;
    const choices = asking < 0 ? nextOnly : memorySessions.questions[asking].choices.map(answerOf);
    const parsedMove = choose(action, choices);
    if (!parsedMove.ok) return parsedMove;
    const inputs = asking < 0 ? answers : [...answers, parsedMove.move.slice('[answer '.length, -1)];
    return { ok: true, move: advance(task, memorySessions, { read: read + 1, answers: inputs }) };
  },
  knows: (task, memorySessions, { read, answers }) => ({
    told: read <= partsOf(task) ? memorySessions.said.slice(0, read).flat() : null,
    text:
      read <= partsOf(task)
        ? sessionText(task, memorySessions, read - 1)
        : (memorySessions.questions[read - partsOf(task) - 1]?.ask ?? null),
    answers,
  }),
  scripts,
});

function advance(task: Task, memorySessions: MemorySessions, progress: Progress): Advance<Progress> {
  const { read, answers } = progress;
  const parts = partsOf(task);
  if (read <= parts) return { progress, messages: [{ to: alone, text: sessionText(task, memorySessions, read - 1) }] };
  const question = memorySessions.questions[read - parts - 1];
  if (question !== undefined)
    return {
      progress,
      messages: [{ to: alone, text: `Question ${read - parts} of ${memorySessions.questions.length}: ${question.ask}` }],
    };
  const right = memorySessions.questions.map(({ answer }, i) => answer === answers[i]);
  const share = right.filter(Boolean).length / right.length;
  const verdict = memorySessions.questions.map(({ competency, answer }, i) => ({
    competency,
    answer,
    given: answers[i],
    right: right[i],
  }));
  return {
    progress,
    messages: [
      { to: alone, text: `You answered ${right.filter(Boolean).length} of ${right.length} questions rightly.` },
      { to: [], text: 'verdict', data: verdict },
    ],
    rewards: { [seat]: share },
  };
}

const answerOf = (answer: string) => `[answer ${answer}]`;

/** Returns the total number of parts: those of each session, rounded up. */
function partsOf({ tokens, chunk, sessions }: Task): number {
  return sessions * Math.ceil(tokens / sessions / chunk);
}

function sessionText(task: Task, memorySessions: MemorySessions, part: number): string {
  const each = partsOf(task) / task.sessions;
  const characters = (4 * task.tokens) / partsOf(task);
  const session = Math.floor(part / each) + 1;
  const head = each === 1 ? `Session ${session}` : `Session ${session}, part ${(part % each) + 1} of ${each}`;
  return `${head}:\n${partText(memorySessions, part, characters)}`;
}

const rules =
  'You are told things over several sessions and asked about them afterwards. What is said later replaces what was said before. What you are told to forget, you no longer know: to a question about it the right answer is unknown. While you read, answer [next]; to a question, answer with exactly one of its answers in square brackets, like [answer unknown].';
