/** @file Episodes that say the same as an earlier one, message by message: in the same words, or with a sentence encoder in other words. */

import { repeatedText } from '@ludus-agents/agents/internal/encoders/repeats';
import type { RecallEncoder } from '@ludus-agents/agents/internal/mind/relevance';
import { choose, plays } from '@ludus-agents/store/internal/exports/index';
import type { DatasetRequest } from './request.ts';

/** The request without repeated episodes, whose number is reported as omitted. Takes time that grows with the square of the episodes of one length. */
export async function withoutRepeatedEpisodes(order: DatasetRequest, encoder: RecallEncoder | undefined): Promise<DatasetRequest> {
  const conversations = new Map<number, (readonly string[])[]>();
  const without = new Set<string>();
  for await (const { record, events } of plays(order.store, await choose(order.store, order.filter), order, () => {})) {
    const texts = events.flatMap((event) => (event.kind === 'action' ? [event.action.text] : event.kind === 'message' ? [event.text] : []));
    const earlier = conversations.get(texts.length) ?? [];
    conversations.set(texts.length, earlier);
    if (await isRepeated(texts, earlier, encoder)) without.add(record.id);
    else earlier.push(texts);
  }
  const why = `repeats an earlier episode (${encoder?.name ?? 'by its words'})`;
  const omitted = without.size === 0 ? {} : { [why]: without.size };
  return { ...order, filter: { ...order.filter, without }, omitted: { ...order.omitted, ...omitted } };
}

/** Whether each text repeats the text at the same place in one of the earlier conversations. */
async function isRepeated(
  texts: readonly string[],
  earlier: readonly (readonly string[])[],
  encoder: RecallEncoder | undefined,
): Promise<boolean> {
  for (const others of earlier) {
    let at = 0;
    while (at < texts.length && (await repeatedText(texts[at] ?? '', [others[at] ?? ''], encoder)) >= 0) at++;
    if (at === texts.length) return true;
  }
  return false;
}
