/** @file Tastes that a user reveals in passing: topics with options, and sentences that imply one option without stating it as a wish. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { list, object, readAs, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';

const optionShape = object({
  text: required(words),
  /** Sentences by which the user reveals this taste implicitly. */
  shown: required(list(words, { from: 1 })),
});

export const topicShape = object({
  id: required(words),
  ask: required(words, 'what the user asks at the end'),
  options: required(list(optionShape, { from: 2, to: 6 }), 'answers, each with sentences that show the taste'),
});

export type TasteTopic = ShapeValue<typeof topicShape>;

const tastesShape = object({
  topics: required(list(topicShape, { from: 1, to: 40 })),
  /** Similar sentences that reveal nothing about the user: about friends, plans, the weather. */
  chatter: withDefault(list(words), []),
});

export type Tastes = ShapeValue<typeof tastesShape>;

export interface TopicProblem {
  readonly index: number;
  readonly message: string;
}

/** Reports sentences that test nothing because they reveal two tastes or name the answer. */
export function problemsOfTopics(topics: readonly TasteTopic[], chatter: readonly string[]): readonly TopicProblem[] {
  const problems: TopicProblem[] = [];
  const owners = new Map<string, string>();
  for (const [index, { id, options }] of topics.entries()) {
    if (new Set(options.map(({ text }) => fold(text))).size < options.length)
      problems.push({ index, message: `"${id}" has two options with the same text` });
    for (const { text, shown } of options)
      for (const sentence of shown) {
        const earlier = owners.get(fold(sentence));
        if (earlier !== undefined) problems.push({ index, message: `"${sentence}" shows both ${earlier} and ${id}: ${text}` });
        owners.set(fold(sentence), `${id}: ${text}`);
        if (fold(sentence).includes(` ${fold(text).trim()} `))
          problems.push({ index, message: `"${sentence}" names the answer "${text}"; a taste must be shown, not stated` });
        if (chatter.some((item) => fold(item) === fold(sentence)))
          problems.push({ index, message: `"${sentence}" is among the chatter too` });
      }
  }
  return problems;
}

export const fold = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(linear(/[^\p{L}\p{N}]+/gu), ' ')
    .trim()} `;

export function readTastes(value: Json): Tastes {
  const read = readAs(tastesShape, value, { where: 'preferences', called: 'the tastes' });
  const [problem] = problemsOfTopics(read.topics, read.chatter);
  if (problem !== undefined) throw new Fault('input', `preferences: topics[${problem.index}]: ${problem.message}.`, { code: 'E_CONTENT' });
  return read;
}
