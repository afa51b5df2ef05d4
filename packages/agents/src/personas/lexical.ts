/**
 * @file Big Five from text by counting words: a rough, instant, repeatable estimate.
 *
 * Each trait has adjectives for its two poles, following the lexical tradition in personality research. A negated word ("not shy") counts
 * for the other pole. With little evidence, a score stays close to the middle.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { traits } from './form.ts';
import type { Trait } from './persona.ts';

/** Words for the high and the low pole; a star matches any ending. */
const lexicon: Readonly<Record<Trait, readonly [string, string]>> = {
  O: [
    'curious imaginativ* creativ* artistic inventive original philosophical intellectual* open-minded adventurous insightful poetic experimental visionary unconventional cultured inquisitive dreamer dreamy innovative explor* wonder',
    'conventional unimaginative uncreative narrow-minded traditional* conservative practical down-to-earth literal-minded close-minded old-fashioned predictable simple-minded incurious',
  ],
  C: [
    'organi[sz]ed disciplined careful diligent punctual reliable dependable thorough meticulous efficient systematic hard-working hardworking responsible orderly tidy neat precise dutiful conscientious methodical persistent focused prepared',
    'careless disorgani[sz]ed lazy sloppy messy unreliable impulsive forgetful negligent irresponsible late scatterbrained aimless haphazard undisciplined procrastinat* reckless chaotic inefficient',
  ],
  E: [
    'outgoing talkative sociable energetic lively assertive enthusiastic bold extravert* extrovert* gregarious cheerful loud chatty charismatic expressive party parties adventurous friendly dominant vivacious',
    'shy quiet reserved withdrawn introvert* timid silent solitary bashful aloof reclusive loner private taciturn soft-spoken unsociable',
  ],
  A: [
    'kind warm compassionate sympathetic generous cooperative helpful trusting gentle considerate polite forgiving caring empathetic empathic tender loving patient supportive modest humble honest unselfish charitable',
    'cold rude selfish cruel harsh hostile critical argumentative stubborn manipulative ruthless arrogant suspicious vengeful jealous quarrelsome unkind deceitful spiteful cynical scheming merciless envious',
  ],
  N: [
    'anxious nervous moody worried tense irritable insecure unstable temperamental fretful touchy emotional depressed sad fearful stressed panicky self-conscious volatile restless jealous envious worrier brooding',
    'calm relaxed stable unflappable composed even-tempered confident secure serene steady placid resilient unworried cool-headed easygoing easy-going content imperturbable',
  ],
};

const negations = linear(/\b(?:not|never|no|hardly|rarely|seldom|isn't|wasn't|aren't|doesn't|without|anything but)\s+(?:\w+\s+){0,2}$/i);

export interface LexicalTrait {
  /** 0 to 100; 50 if the text contains no word of the lexicon. */
  readonly score: number;
  /** Words that count for the high pole and for the low one, as they occur in the text. */
  readonly high: readonly string[];
  readonly low: readonly string[];
}

export interface LexicalBigFive {
  readonly method: 'lexical';
  readonly traits: Readonly<Record<Trait, LexicalTrait>>;
  /** The number of counted words over all traits: below about ten, the scores are meaningless. */
  readonly evidence: number;
}

/** The number of words on one side that moves a score halfway from the middle to the end. */
const half = 3;

/** Estimates Big Five scores of a text by counting words that indicate traits. */
export function lexicalBigFive(text: string): LexicalBigFive {
  const match = Object.fromEntries(traits.map((trait) => [trait, measureTrait(text, trait)])) as Record<Trait, LexicalTrait>;
  const evidence = traits.reduce((sum, trait) => sum + match[trait].high.length + match[trait].low.length, 0);
  return { method: 'lexical', traits: match, evidence };
}

const matchers = new Map(traits.map((trait) => [trait, lexicon[trait].map((cues) => matcher(cues))] as const));

function measureTrait(text: string, trait: Trait): LexicalTrait {
  const poles: [string[], string[]] = [[], []];
  (matchers.get(trait) as RegExp[]).forEach((pattern, pole) => {
    for (const match of text.matchAll(pattern)) {
      const negated = negations.test(text.slice(Math.max(0, match.index - 40), match.index));
      poles[negated ? 1 - pole : pole]!.push(match[0].toLowerCase());
    }
  });
  const [high, low] = poles;
  const balance = (high.length - low.length) / (high.length + low.length + half);
  return { score: Math.round(50 + 50 * balance), high, low };
}

function matcher(cues: string): RegExp {
  return linear(new RegExp(`\\b(?:${cues.replaceAll('*', '\\w*').split(' ').join('|')})\\b`, 'gi'));
}
