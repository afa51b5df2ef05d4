/**
 * @file What people with a trait say, as patterns of speech: a reader of dialogues that knows neither the card nor who speaks. Trait words
 * ("outgoing", "shy") are none of them, because a card's own words are hidden from readers.
 *
 * The cues follow what studies of language and personality agree on: company, feelings, plans, worry, curiosity, courtesy and quarrel. Plain
 * counting understands nothing; a model reads better (`--judge`), and this is the floor to hold it against.
 */

import type { Trait } from '@ludus-agents/agents/internal/personas/index';

/** Cues of the high pole and of the low one. */
const cues: Readonly<Record<Trait, readonly [high: string, low: string]>> = {
  O: [
    "what if|i wonder|imagine|i dreamt|a new way|never tried|poem|painting|music|idea[s]?|strange and|let us try|discover\\w*|i'd love to see|beautiful",
    'as it has always been|the old way|no need for|why change|stick to|what we know|nonsense about|i leave that to|good enough for|never saw the use',
  ],
  C: [
    'i made a list|on time|step by step|i checked|twice|i keep my word|first things first|plan(?:ned)? it|every morning at|finish what|in order|ready by|wrote it down',
    "i forgot|some other day|later, maybe|who cares when|i lost|never finish|we'll see|whenever|left it lying|i was late|put it off|no plan",
  ],
  E: [
    "let's|come along|all of us|everybody|party|the more the merrier|tell me everything|join us|i talked to|what fun|friends? of mine|loud|can't wait|shall we go",
    "alone|by myself|i'd rather stay|quiet(?:ly)?|few words|nothing to add|need some air|leave me|too many people|prefer to listen|keep to myself|hm\\b",
  ],
  A: [
    "thank you|please|i'm sorry for|you were right|can i help|let me help|i understand|poor (?:thing|man|woman|fellow)|we could share|take mine|no harm done|bless",
    "fool(?:s|ish)?|your own fault|i don't trust|get out|idiot|serves? (?:you|him|her|them) right|what's in it for me|pathetic|liars?|i win|shut up|your problem",
  ],
  N: [
    "i'm afraid|i worry|what if it goes wrong|i couldn't sleep|can't bear|my hands shake|it's all too much|i dread|terrible|i keep thinking|my heart|don't leave",
    "no matter|it will pass|i slept well|nothing to fear|we'll manage|take it as it comes|doesn't trouble me|all in good time|worse things|steady",
  ],
};

const patternOf = (cues: string) => new RegExp(`(?<![\\p{L}])(?:${cues})`, 'giu');
const patterns = new Map((Object.keys(cues) as Trait[]).map((trait) => [trait, cues[trait].map(patternOf)] as const));

/** How a speaker comes across in each trait, from −1 to 1; 0 where nothing shows. */
export type TraitReading = Readonly<Record<Trait, number>>;

/** The traits that a dialogue shows, by cue words only. */
export function readTraitCues(lines: readonly string[]): TraitReading {
  const text = lines.join('\n').replaceAll('’', "'");
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return Object.fromEntries(
    [...patterns].map(([trait, both]) => {
      const [high, low] = both.map(count) as [number, number];
      return [trait, high + low === 0 ? 0 : (high - low) / (high + low)];
    }),
  ) as Record<Trait, number>;
}
