/** @file Memory: facts are told over many sessions, part by part, and asked about afterwards. */

import { choose, Fault, knob, readTask, retries, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { type Advance, exercise, taskSplit } from '../exercise.ts';
import { scripts } from './scripts.ts';
import { type Competency, competencies, type MemorySessions, makeSessions, partText } from './sessions.ts';

const knobs = {
  competency: knob.one({
    of: ['all', ...competencies],
    otherwise: 'all',
    about:
      'what is asked for: single facts, a rule learned from examples, counts and order over everything, facts that changed, facts to forget',
  }),
  tokens: knob.whole({ from: 100, to: 1_000_000, otherwise: 1000, about: 'length of all sessions together, at four characters a token' }),
  chunk: knob.whole({ from: 50, to: 8192, otherwise: 250, about: 'tokens that are read in one turn' }),
  sessions: knob.whole({ from: 1, to: 100, otherwise: 4, about: 'sessions; a session has one part or more' }),
  facts: knob.whole({ from: 1, to: 16, otherwise: 4, about: 'facts of each competency' }),
  questions: knob.whole({ from: 1, to: 8, otherwise: 2, about: 'questions of each competency, as far as its facts reach' }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
/** `read` parts were told; `answers` holds what was answered so far. */
type Progress = { readonly read: number; readonly answers: readonly string[] };

const seat = 'reader';
const alone = [seat] as const;
const next = '[next]';
const nextOnly = [next] as const;

export const memory = exercise<Task, MemorySessions, Progress>({
  id: 'memory@1',
  about: {
    summary:
      'One reader is told facts over several sessions, a part a turn, among much that does not matter, and is asked about them afterwards: single facts, a rule that examples show, counts and order over all sessions, facts that changed, and facts it was told to forget. The return is the share of right answers, so the best is 1, which the script that takes notes reaches. With the switch `window` the reader must keep what it needs in its own mind.',
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
  knobs,
  task(input) {
    const task = readTask('memory', knobs, input);
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

/** Parts in all: those of each session, rounded up. */
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
