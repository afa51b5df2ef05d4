/**
 * @file A long search with tools in one turn: what the model sees at the end if old results leave the prompt, and if whole old turns
 * do.
 */

import { react } from '@ludus-agents/agents/internal/llm/architectures/react';
import { toolset } from '@ludus-agents/agents/internal/tools/tool';
import type { ChatMessage, Model, Rng } from '@ludus-agents/kernel/internal/core/index';
import type { ReadingItem, ReadingItems } from './_reading.ts';

const steps = 24;
const window = 4;

/** Arms: "results" (old results leave, what the model wrote stays), "turns" (whole turns leave, as many characters in view). */
export async function searchItems(
  random: Rng,
  { by, searches }: { readonly by: string; readonly searches: number },
): Promise<ReadingItems> {
  const items: ReadingItem[] = [];
  let acted = 0;
  for (let search = 0; search < searches; search++) {
    const values = Array.from({ length: steps }, () => String(random.int(1000)));
    const pages = values.map(() => Array.from({ length: 30 }, () => `filler${random.int(90)}`).join(' '));
    const whole = await messagesAtEnd(values, pages, undefined);
    const shortened = await messagesAtEnd(values, pages, window);
    acted += by === 'results' ? shortened.removed : 0;
    const [full, short] = [textOf(whole.messages), textOf(shortened.messages)];
    const notes = by === 'results' ? short : full.slice(-short.length);
    for (const place of random.shuffle(values.slice(1).map((_, i) => i)).slice(0, 2)) {
      const answer = values[place];
      items.push({ notes, question: `What is the code of page ${place}?`, answer, complete: notes.includes(`page ${place} = ${answer}.`) });
    }
  }
  return { items, acted };
}

function textOf(messages: readonly ChatMessage[]): string {
  return messages.map(({ content }) => content).join('\n');
}

/** The messages before the last answer of a model that looks at one page after another and notes the code of each. */
async function messagesAtEnd(
  values: readonly string[],
  pages: readonly string[],
  window: number | undefined,
): Promise<{ readonly messages: readonly ChatMessage[]; readonly removed: number }> {
  const prompt = { messages: [{ role: 'user', content: 'Look at all pages.' }] } as const;
  let last: readonly ChatMessage[] = [];
  let step = 0;
  const model: Model = {
    id: 'searcher',
    async complete(request) {
      last = request.messages;
      const note = step === 0 ? '' : `Code of page ${step - 1} = ${values[step - 1]}. `;
      const text = step < steps ? `${note}\nTool: look {"page":${step++}}` : note;
      return { model: 'searcher', prompt: request, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
  const spec = { name: 'look', description: 'Shows a page.', parameters: { type: 'object' } };
  const tools = toolset([{ spec, call: async (input) => ({ ok: true, text: pages[(input as { readonly page: number }).page] }) }]);
  const { removedResults = 0 } = await react.play({
    ...{ prompt, neutral: () => prompt, model, sampling: {}, form: 'plain', tools, toolState: undefined, encoder: undefined, steps },
    toolContext: { mode: 'all', cap: 8, window, digests: false, graph: undefined },
    code: { vars: {}, box: [], choices: [], seed: 0 },
    signal: new AbortController().signal,
  });
  return { messages: last, removed: removedResults };
}
