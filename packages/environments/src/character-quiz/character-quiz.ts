/**
 * @file A character is asked one question and answers with one of several lines, each with a value for that character. Used to train
 * characters.
 */

import type { Json, Script, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';

/** A question with possible lines, each with its value from 0 to 1. */
export type QuizQuestion = { readonly ask: string; readonly answers: readonly { readonly text: string; readonly worth: number }[] };

const sample: readonly QuizQuestion[] = [
  {
    ask: 'Do you keep bees?',
    answers: [
      { text: 'So it is.', worth: 1 },
      { text: 'No, that is not so.', worth: 0 },
    ],
  },
  {
    ask: 'You never keep bees?',
    answers: [
      { text: 'So it is.', worth: 0 },
      { text: 'No, that is not so.', worth: 1 },
    ],
  },
];

const parameters = {
  questions: parameter.json({
    default: sample,
    description: 'a list of {"ask", "answers": [{"text", "worth"}]}; "ludus persona teach" writes it from a persona',
  }),
  retries,
} as const;

type Task = Omit<TaskOf<typeof parameters>, 'questions'> & { readonly questions: readonly QuizQuestion[] };

export const characterQuiz = defineEnvironment({
  id: 'character-quiz@1',
  about: {
    summary:
      'A character answers one multiple-choice question. The seed picks the question. Each option is worth 0 to 1, depending on how well it fits the character: it is true, keeps a secret, or reveals it.',
    tasks: [{}],
    turns: 1 + 10,
    complete: true,
  },
  parameters,
  task: (task): Task => ({ ...task, questions: readQuestions(task.questions) }),
  seats: ['character'],
  start(task, rng) {
    const at = rng.int(task.questions.length);
    const { ask, answers } = task.questions[at];
    // The values of the lines are for scripts; a model sees only the text.
    const state: { readonly at: number; readonly over: boolean } = { at, over: false };
    return { state, messages: [{ to: ['character'], text: ask, data: { answers } }] };
  },
  turn: ({ task, at }) => ({ seat: 'character', choices: task.questions[at].answers.map(({ text }) => lineOf(text)) }),
  play(state, move) {
    const { worth } = state.task.questions[state.at].answers.find(({ text }) => lineOf(text) === move)!;
    return { state: { ...state, over: true }, messages: 'That is the answer.', rewards: { character: worth }, over: true };
  },
  knows: ({ task, at, over }) => ({ question: task.questions[at], over }),
  scripts: { best: picking((worth) => worth), worst: picking((worth) => -worth), first: ({ ask }) => ({ text: ask.choices?.[0] ?? '' }) },
});

const lineOf = (text: string) => `[${text}]`;

function picking(rank: (worth: number) => number): Script {
  return ({ view, ask }) => {
    const messageEvent = view.seen.find((item) => item.kind === 'message');
    const { answers = [] } = ((messageEvent?.kind === 'message' ? messageEvent.data : undefined) ?? {}) as Partial<QuizQuestion>;
    const best = [...answers].sort((a, b) => rank(b.worth) - rank(a.worth))[0];
    return { text: best === undefined ? (ask.choices?.[0] ?? '') : lineOf(best.text) };
  };
}

function readQuestions(input: Json): readonly QuizQuestion[] {
  const sound = (item: Json) => {
    const { ask, answers } = (typeof item === 'object' && item !== null ? item : {}) as Partial<QuizQuestion>;
    const lines = Array.isArray(answers) ? answers : [];
    const fits = lines.every(
      (line) =>
        typeof line?.text === 'string' &&
        !/[[\]\n]/.test(line.text) &&
        typeof line.worth === 'number' &&
        line.worth >= 0 &&
        line.worth <= 1,
    );
    return (
      typeof ask === 'string' &&
      ask.trim() !== '' &&
      lines.length >= 2 &&
      fits &&
      new Set(lines.map(({ text }) => text)).size === lines.length
    );
  };
  if (!Array.isArray(input) || input.length === 0 || !input.every(sound))
    throw new Fault(
      'input',
      `character-quiz: "questions" must be a list of {"ask": "…", "answers": [{"text": "…", "worth": 0 to 1}, …]} with at least two different answers, without brackets, but got ${JSON.stringify(input).slice(0, 80)}.`,
    );
  return input;
}
