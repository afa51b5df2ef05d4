/**
 * @file A blind reader of traits by meaning: what a speaker says is compared with what people high and low in a trait would say. Nothing in it
 * was trained. Agreement with people is measured by `npm run bench -- traits` (docs/evidence/characters.md).
 */

import { calibrationPairs } from '@ludus-agents/agents/internal/encoders/pairs';
import { type Trait, traits } from '@ludus-agents/agents/internal/personas/index';
import { type Embedder, labelOf, likeness } from '../scoring/small/small.ts';
import type { TraitReader } from './portrayal.ts';

/** Lines of the high pole and of the low one. */
const spoken: Readonly<Record<Trait, readonly [high: readonly string[], low: readonly string[]]>> = {
  O: [
    [
      'I wonder what it would be like to live in another century.',
      'I love trying things nobody has tried before.',
      'That painting moved me for days.',
      'I had a wild idea last night and I can’t stop thinking about it.',
      'Let’s take a road we have never taken.',
      'I like thinking about difficult questions.',
      'What if everything we believe about this is wrong?',
      'I’ve been reading poetry and philosophy.',
    ],
    [
      'I like things the way they have always been.',
      'I don’t see the point of art.',
      'I’d rather stick to what I know.',
      'Don’t bother me with abstract ideas.',
      'Change makes me uncomfortable; keep it simple.',
      'I always order the same dish.',
      'That sounds weird, I wouldn’t try it.',
      'I have no interest in theories.',
    ],
  ],
  C: [
    [
      'I made a list and checked everything twice.',
      'I always finish my work before I rest.',
      'I keep my promises and arrive on time.',
      'Everything has its place and my desk is tidy.',
      'We need a plan before we start.',
      'I prepared this carefully.',
      'It is my duty, so I will do it properly.',
      'I paid the bills the day they came.',
    ],
    [
      'I forgot all about it, sorry.',
      'I’ll do it some other time.',
      'I left my things lying around again.',
      'I never finish what I start.',
      'I was late again and I don’t care.',
      'Let’s just wing it and see what happens.',
      'I bought it on a whim and wasted my money.',
      'I skipped work today because I didn’t feel like it.',
    ],
  ],
  E: [
    [
      'Come on everybody, let’s have a party!',
      'I love meeting new people and talking all night.',
      'I walked right up and introduced myself to everyone.',
      'This is so exciting, I can’t wait to tell everybody!',
      'I’m always the center of attention and I enjoy it.',
      'Let’s go out tonight, all of us together.',
      'I had such fun with my friends!',
      'Listen to me, I have a great story to tell!',
    ],
    [
      'I’d rather stay home alone with a book.',
      'I don’t have much to say.',
      'Crowds tire me out, I need some quiet.',
      'I prefer to listen and stay in the background.',
      'I don’t like drawing attention to myself.',
      'I’m shy around people I don’t know.',
      'Please leave me alone for a while.',
      'I keep my thoughts to myself.',
    ],
  ],
  A: [
    [
      'I’m so sorry, are you all right? Let me help you.',
      'Thank you, that was very kind of you.',
      'Take mine, I don’t need it.',
      'I understand how you feel.',
      'Let’s not fight, we can find a way that works for both of us.',
      'I trust you, and I believe you meant well.',
      'You were right, I apologize.',
      'I love you and I’m proud of you.',
    ],
    [
      'You are an idiot and it’s your own fault.',
      'I don’t care how you feel.',
      'What’s in it for me?',
      'Shut up and get out of my way.',
      'I don’t trust anyone, they are all liars.',
      'I’ll get my revenge on you.',
      'You are pathetic and wrong as usual.',
      'Stop whining, I have no pity for you.',
    ],
  ],
  N: [
    [
      'I’m so worried that something terrible will happen.',
      'I can’t stop crying, everything is going wrong.',
      'I feel so nervous that my hands are shaking.',
      'I hate myself sometimes.',
      'I panic over every little thing.',
      'I’m stressed out and overwhelmed.',
      'Why does this always happen to me? I can’t take it.',
      'I’m scared and I couldn’t sleep all night.',
    ],
    [
      'It’s fine, don’t worry about it.',
      'I’m calm, we will manage.',
      'Nothing really bothers me.',
      'I slept well and feel relaxed.',
      'It will pass, take it as it comes.',
      'I stay cool when things go wrong.',
      'No big deal, I can handle it.',
      'I feel good about myself.',
    ],
  ],
};

type Leanings = Readonly<Record<Trait, readonly number[]>>;

/** A sentence encoder as the blind reader of dialogues. A trait within one standard error of ordinary talk is not shown. */
export function encoderTraitReader(encoder: Embedder): { readonly name: string; readonly read: TraitReader } {
  /** How far each line leans to the high pole of each trait. */
  async function leaningsOf(lines: readonly string[]): Promise<Leanings> {
    const vectors = await encoder.embed(lines);
    const near = (pole: readonly Float32Array[], vector: Float32Array) => meanOf(pole.map((item) => likeness(item, vector)));
    const leanings: Partial<Record<Trait, readonly number[]>> = {};
    for (const trait of traits) {
      const [high, low] = [await encoder.embed(spoken[trait][0]), await encoder.embed(spoken[trait][1])];
      leanings[trait] = vectors.map((vector) => near(high, vector) - near(low, vector));
    }
    return leanings as Leanings;
  }

  let ordinary: Promise<Leanings> | undefined;
  return {
    name: `meaning (${labelOf(encoder)})`,
    async read(_, lines) {
      ordinary ??= leaningsOf(calibrationPairs.flat());
      const [usual, observed] = [await ordinary, await leaningsOf(lines)];
      const readings = traits.map((trait) => {
        const mean = meanOf(usual[trait]);
        const deviation = Math.sqrt(meanOf(usual[trait].map((value) => (value - mean) ** 2)));
        const distance = (meanOf(observed[trait]) - mean) / deviation;
        const isShown = Math.abs(distance) * Math.sqrt(lines.length) >= 1;
        return [trait, isShown ? distance / (1 + Math.abs(distance)) : 0];
      });
      return Object.fromEntries(readings) as Record<Trait, number>;
    },
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
