/**
 * @file The agent on the seat "finder" of library, which finds documents for a reader: by meaning if a sentence encoder is installed, else
 * by shared words. Its action names the documents, so episodes replay on machines without the encoder.
 */

import { type Agent, Fault, isObject, type Json, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { fittingTexts, type RecallEncoder } from './mind/relevance.ts';
import { passagesOf } from './tools/digests.ts';

interface Passage {
  readonly id: string;
  readonly text: string;
}

/** Finds documents by their best passage, because an encoder reads only the first sentences of a text. */
export function finderAgent(name: string, encoder?: RecallEncoder): Agent {
  return {
    name,
    async act({ view, ask }) {
      const { query, results } = (ask.data ?? {}) as { readonly query?: string; readonly results?: number };
      const passages = passagesIn(view);
      if (query === undefined || results === undefined || passages.length === 0)
        throw new Fault('agent', `${name} finds documents of library, which is not what the seat "${ask.seat}" does.`);
      const texts = passages.map(({ text }) => text);
      const ranked = await fittingTexts(query, texts, { encoder, most: texts.length });
      const ids = [...new Set(ranked.flatMap((i) => passages[i]?.id ?? []))].slice(0, results);
      return { action: { text: ids.join(' ') || 'none', data: { by: encoder?.name ?? 'words' } } };
    },
  };
}

/** The passages of the documents shown to the seat, each under the title of its document. */
function passagesIn({ seen }: Turn['view']): readonly Passage[] {
  const message = seen.find((item) => item.kind === 'message' && Array.isArray(item.data));
  const documents = message?.kind === 'message' ? (message.data as readonly Json[]) : [];
  return documents.flatMap((document) => {
    if (!isObject(document)) return [];
    const { id, title, text } = document as unknown as Passage & { readonly title: string };
    return passagesOf(text).map((passage) => ({ id, text: passage.includes(title) ? passage : `${title}. ${passage}` }));
  });
}
