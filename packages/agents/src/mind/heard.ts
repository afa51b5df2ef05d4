/**
 * @file Extracts, by rule, facts that speakers stated about themselves, so that a character remembers a name or a dog from one conversation
 * to the next, whether or not its model writes notes.
 */

import type { Seat, Seen } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { sentences } from '../personas/prose.ts';

const request = linear(/^(?:please,? )?(?:remember|do not forget|don't forget)(?: that|,|:) /i);
const telling = linear(
  /^(?:(?:you can )?call me \p{L}|my (?:\p{L}+ ){1,3}(?:is|are|was|were|has|have|lives?|died|works?)\b|i(?:'m| am) (?:an?|from|called|allergic|afraid|married|in love|\d)\b|i (?:(?:really|still|also) )?(?:live|work|come from|grew up|was born|have (?:an?|no|two|three)|own|keep|like|love|hate|prefer|never|always|play|study|speak|collect|don't|do not|can't|cannot)\b)/iu,
);
/** What comes before the statement in "Hello Marek, my dog is called Pip." */
const address = linear(
  /^(?:(?:hello|hi|hey|good (?:morning|day|evening|night)|oh|well|yes|yeah|no|by the way|actually|so|and|but)\b[^,.!?;:]{0,40}|\p{Lu}\p{L}{1,20}), (?:and |but )?(?=\p{L})/iu,
);
const longest = 160;
const mostInMessage = 3;

/** Facts that remain true after the conversation, each under the words that state it, so a repeated fact is stored once. */
export function heardFacts(
  items: readonly { readonly index: number; readonly seen: Seen }[],
  { seat, nameOf }: { readonly seat: Seat; readonly nameOf: (from: Seat) => string },
): readonly { readonly key: string; readonly text: string; readonly event: number }[] {
  return items.flatMap(({ index, seen }) => {
    if (seen.kind !== 'message' || seen.from === undefined || seen.from === seat) return [];
    const name = nameOf(seen.from);
    return sentences(seen.text.replaceAll('’', "'"))
      .map((sentence) => sentence.replace(address, ''))
      .map((sentence) => ({ asked: request.test(sentence), text: sentence.replace(request, '') }))
      .filter(({ asked, text }) => (asked || telling.test(text)) && !text.endsWith('?') && text.length <= longest)
      .slice(0, mostInMessage)
      .map(({ text }) => ({ key: `${name}: ${text}`.toLowerCase(), text: `${name} said: ${text}`, event: index }));
  });
}
