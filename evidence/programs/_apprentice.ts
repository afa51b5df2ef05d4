/**
 * @file A rule-based expert works inside a mechanism of the product. The mechanism's questions and the expert's answers become the
 * lessons of a language model, which then replaces the expert on other tasks.
 */

import type { Model, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { ConcurrencyLimit } from '@ludus-agents/learning/internal/prompts/concurrency-limit';
import type { Lesson, TaughtModel } from './_taught.ts';

/** A model that answers by rule; every call becomes a lesson, of which the model sees what is `readable`. */
export function expertModel(reply: () => string, lessons: Lesson[], readable = whole): Model {
  return modelOf(async (prompt) => {
    const answer = reply();
    lessons.push({ prompt: textOf(readable(prompt)), answer });
    return answer;
  });
}

/** A taught model in the place of the expert. */
export function apprenticeModel(taught: TaughtModel, readable = whole): Model {
  return modelOf(async (prompt) => (await taught.answers([textOf(readable(prompt))]))[0]);
}

function whole(prompt: Prompt): Prompt {
  return prompt;
}

function modelOf(answerTo: (prompt: Prompt) => Promise<string>): Model {
  return {
    id: 'apprentice',
    price: null,
    async complete(prompt) {
      const text = await answerTo(prompt);
      return { model: 'apprentice', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
}

/** All messages as one text: the taught model reads a single turn. */
function textOf({ messages }: Prompt): string {
  return messages.map(({ content }) => content).join('\n');
}

/** Does something for every item, a few at a time: a sandbox is a process. */
export function forEachOf<T, U>(items: readonly T[], work: (item: T, i: number) => Promise<U>): Promise<U[]> {
  const limit = new ConcurrencyLimit(16);
  return Promise.all(items.map((item, i) => limit.run(() => work(item, i))));
}
