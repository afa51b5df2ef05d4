/**
 * @file A language model that is trained on written examples and then frozen: an adapter on a training server
 * ("http://127.0.0.1:8000#tinyllama"), or a small transformer in this process ("transformer").
 */

import { type Learner, type Prompt, rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { openTinker } from '@ludus-agents/learning/internal/learners/tinker/index';

/** A prompt and the answer that is taught. */
export interface Lesson {
  readonly prompt: string;
  readonly answer: string;
}

export interface Teaching {
  /** Where the model is: "URL#MODEL", or "transformer". */
  readonly server: string;
  readonly seed: number;
  /** The same key and seed name the same frozen model, which is taught once in a process. */
  readonly key: string;
  readonly lessons: () => readonly Lesson[] | Promise<readonly Lesson[]>;
  readonly steps?: number;
  /** Lessons per step. */
  readonly rows?: number;
  readonly rate?: number;
  /** The longest answer, in tokens. */
  readonly answer?: number;
}

/** A frozen model. */
export interface TaughtModel {
  answers(prompts: readonly string[]): Promise<readonly string[]>;
}

const taughtModels = new Map<string, Promise<TaughtModel>>();

/** The frozen model of a key and a seed. */
export function taught(teaching: Teaching): Promise<TaughtModel> {
  const key = `${teaching.server} ${teaching.key} ${teaching.seed}`;
  const model = taughtModels.get(key) ?? teach(teaching);
  taughtModels.set(key, model);
  return model;
}

async function teach({ server, seed, lessons: make, steps = 160, rows = 32, rate, answer = 24 }: Teaching): Promise<TaughtModel> {
  const lessons = await make();
  const learner = await learnerAt(server, { seed, answer, lessons });
  const peak = rate ?? (server === 'transformer' ? 2e-3 : 3e-4);
  const dice = rng(seed, 'lessons');
  let shelf: Lesson[] = [];
  for (let step = 0; step < steps; step++) {
    if (shelf.length < rows) shelf = dice.shuffle(lessons);
    const batch = shelf.splice(0, rows).map(({ prompt, answer: text }) => weighRow(learner.rowFor!(userPrompt(prompt), text), rows));
    await learner.forwardBackward(batch, 'cross_entropy');
    const warm = Math.min(1, (step + 1) / 5);
    await learner.optimStep({ rate: peak * warm * (1 - (0.9 * step) / steps), clip: 1 });
  }
  return { answers: (prompts) => answersOf(learner, prompts, answer) };
}

async function learnerAt(
  server: string,
  { seed, answer, lessons }: { readonly seed: number; readonly answer: number; readonly lessons: readonly Lesson[] },
): Promise<Learner> {
  if (server !== 'transformer') {
    const [url = '', baseModel = 'tinyllama'] = server.split('#');
    return openTinker({ url, baseModel, seed, rank: 16, maxTokens: answer, checkpointEvery: 1000 });
  }
  const { chatText, learnVocabulary, Transformer } = await import('@ludus-agents/learning/internal/learners/transformer/index');
  const texts = lessons.flatMap((lesson) => [chatText(userPrompt(lesson.prompt)), lesson.answer]);
  const vocabulary = learnVocabulary(texts, 1024);
  return Transformer.create({ id: 'taught', vocabulary, seed, maxTokens: answer, width: 64, layers: 2, heads: 4, context: 512 });
}

/** Answers without dice, all asked together. */
async function answersOf(learner: Learner, prompts: readonly string[], maxTokens: number): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const sampling = { temperature: 0, maxTokens, seed: 0 };
  const calls = prompts.map((prompt) => ({ prompt: userPrompt(prompt), sampling }));
  const replies = await (learner.completeAll?.(calls, signal) ??
    Promise.all(calls.map(({ prompt }) => learner.complete(prompt, sampling, signal))));
  return replies.map(({ text }) => text.trim());
}

function userPrompt(content: string): Prompt {
  return { messages: [{ role: 'user', content }] };
}

/** The sum of a loss over rows becomes its mean. */
function weighRow(row: TokenRow, count: number): TokenRow {
  return { ...row, mask: Array.from(row.mask, (bit) => bit / count) };
}
