/**
 * @file Questions from eight crafts, each with its own method. The pipeline "self-prompt-tuning" generates conversations in which an
 * expert role precedes the answer, and a language model learns to write both.
 *
 * Options: role ("own": the role that the pipeline keeps; "neutral": a sentence of the same length that fits all questions; "shuffled":
 * the role of another question), server, seed. Prints the share of right answers to fresh questions.
 */

import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { findLabelled, type KnownQuestion, type MadeItem } from '@ludus-agents/learning/internal/pipelines/pipeline';
import { selfPromptTuning } from '@ludus-agents/learning/internal/pipelines/self-prompt-tuning';
import type { ProgramOptions } from '../arms.ts';
import { type Lesson, taught } from './_taught.ts';

const items = 'pear plum rope nail soap lamp coal yarn brush kettle basket ladder candle hammer saddle mirror button blanket'.split(' ');

/** Crafts: who is asked, in several wordings, and what such a person does with words. */
const crafts: readonly { readonly topic: string; readonly asks: readonly string[]; readonly does: (list: readonly string[]) => string }[] =
  [
    { topic: 'packing', asks: ['for a parcel', 'to be sent by post', 'for the carrier'], does: (list) => list.toReversed().join(' ') },
    { topic: 'filing', asks: ['for the archive', 'to be shelved', 'for the records'], does: (list) => list.toSorted().join(' ') },
    { topic: 'weighing', asks: ['for the scales', 'to be priced', 'for the customs'], does: (list) => longest(list) },
    { topic: 'counting', asks: ['for the inventory', 'to be tallied', 'for the stock book'], does: (list) => String(list.length) },
    { topic: 'labeling', asks: ['for the stamps', 'to be marked', 'for the tags'], does: (list) => list.map((word) => word[0]).join(' ') },
    { topic: 'picking', asks: ['for the window', 'to be shown', 'for the display'], does: (list) => list[0] },
    { topic: 'mending', asks: ['for the workshop', 'to be repaired', 'for the bench'], does: (list) => list.at(-1) as string },
    { topic: 'pairing', asks: ['for the twins', 'to be doubled', 'for two houses'], does: (list) => [...list, ...list].join(' ') },
  ];
const neutral = 'You are a helpful person who has answered many questions like this one for years.';

export default async function run({ role = 'own', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'questions');
  const questions = Array.from({ length: 400 }, () => questionOf(random));
  const allLessons = (await Promise.all(questions.map((_, item) => makeOne(questions, item, Number(seed))))).flatMap((item) => item ?? []);
  const order = random.shuffle(allLessons);
  const lessons = () =>
    allLessons.map(
      (item, i): Lesson =>
        lessonOf(item, role === 'own' ? String(item.facts['role']) : role === 'neutral' ? neutral : String(order[i].facts['role'])),
    );
  const student = await taught({ server: String(server), seed: Number(seed), key: `roles ${role}`, steps: 80, answer: 80, lessons });
  const fresh = rng(Number(seed), 'fresh questions');
  const testQuestions = Array.from({ length: 240 }, () => questionOf(fresh));
  const answers = await student.answers(testQuestions.map(({ question }) => question));
  const right =
    answers.filter((text, i) => findLabelled(text, 'answer', ['answer'])?.trim() === testQuestions[i].answer).length / testQuestions.length;
  const fitting = answers.filter((text, i) => text.includes(roleOf(testQuestions[i].topic ?? ''))).length;
  return { right, fitting: role === 'own' ? fitting : 0, kept: allLessons.length };
}

function longest(list: readonly string[]): string {
  return list.reduce((best, word) => (word.length > best.length ? word : best));
}

function questionOf(random: Rng): KnownQuestion {
  const { topic, asks, does } = random.pick(crafts);
  const list = random.shuffle(items).slice(0, 3 + random.int(3));
  return { question: `Here are ${list.join(', ')}, ${random.pick(asks)}. What do you write down?`, answer: does(list), topic };
}

function roleOf(topic: string): string {
  return `an expert in ${topic} who has`;
}

/** An item of the pipeline, with the product's own stand-in for the writer. */
async function makeOne(questions: readonly KnownQuestion[], item: number, seed: number): Promise<MadeItem | null> {
  const dice = rng(seed, 'item', item);
  const ask = async (step: string, _: unknown, options: { readonly facts?: Json } = {}) =>
    selfPromptTuning.standIn!({ step: step === 'judge' ? 'judge' : step, facts: (options.facts ?? {}) as never, dice });
  const outcome = await selfPromptTuning.make({
    ...{ item, dice, ask, judges: 0, source: { kind: 'questions', questions } },
    run: async () => ({ ok: false, text: '' }),
    poll: async (step, _, options) => [await ask(step, '', options as never)],
    agree: async (step, _, options) => /^\W*yes\b/i.test(await ask(step, '', options as never)),
    reads: () => 'answer',
  });
  return 'kept' in outcome ? outcome.kept : null;
}

/** What is learned: a sentence, then the answer. */
function lessonOf({ messages: [question], facts }: MadeItem, sentence: string): Lesson {
  return { prompt: question.content, answer: `${sentence}\n\nAnswer: ${facts['answer']}` };
}
