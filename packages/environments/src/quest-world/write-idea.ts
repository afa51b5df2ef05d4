/**
 * @file Asks a model to write an idea in the sentences of idea-quest. If the idea cannot be parsed or won, the reason is sent back for a
 * repair.
 */

import { type ChatMessage, Fault, type Model, type ModelCall, type Sampling, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { ideaForms } from './idea.ts';
import { ideas, proveIdea } from './idea-quest.ts';

export interface IdeaOptions {
  /** Maximum number of repairs. Defaults to 3. */
  readonly repairs?: number;
  readonly sampling?: Sampling;
  readonly signal?: AbortSignal;
}

export interface WrittenIdea {
  readonly text: string;
  /** The commands of a shortest winning plan. */
  readonly commands: readonly string[];
  readonly calls: readonly ModelCall[];
}

const task = [
  'You turn an idea into a small text adventure, in short sentences of these forms alone and nothing else:',
  ...ideaForms.map((form) => `- ${form}`),
  'Names are lower-case words without "from", "with" and "to". Everything that is needed must be somewhere, and it must be possible to win.',
  'An example:',
  ideas[0].text,
].join('\n');

/** Returns a quest that a model writes from an idea, proved winnable. Throws a fault if no attempt succeeds. */
export async function writeIdea(model: Model, idea: string, options: IdeaOptions = {}): Promise<WrittenIdea> {
  const { repairs = 3, signal = new AbortController().signal } = options;
  const calls: ModelCall[] = [];
  const messages: ChatMessage[] = [
    { role: 'system', content: task },
    { role: 'user', content: idea },
  ];
  let problem = '';
  for (let tries = 0; tries <= repairs; tries++) {
    const call = await model.complete({ messages }, options.sampling ?? {}, signal);
    calls.push(call);
    try {
      const text = call.text.replaceAll(/^```.*$/gm, '').trim();
      return { text, commands: proveIdea(text).way.commands, calls };
    } catch (thrown) {
      problem = sentenceOf(thrown);
    }
    messages.push(
      { role: 'assistant', content: call.text },
      { role: 'user', content: `${problem}\nAnswer with all sentences, corrected.` },
    );
  }
  throw new Fault('model', `${model.id} wrote no quest that can be won in ${repairs + 1} tries. The last problem: ${problem}`);
}
