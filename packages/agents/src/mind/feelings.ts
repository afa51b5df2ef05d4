/**
 * @file Reads the emotion of a text with a sentence encoder: by its likeness to sentences that express an emotion, next to ordinary ones. The
 * thresholds are in standard deviations of ordinary sentences, so they hold for every encoder; they were set on labels of people
 * (docs/evidence/characters.md). Without an encoder, the word lists of `appraise.ts` are used.
 */

import type { Agent, Turn } from '@ludus-agents/kernel/internal/core/index';
import { calibrationPairs } from '../encoders/pairs.ts';
import { cosine, neutral } from './rank.ts';
import type { Embed } from './relevance.ts';

/** The place among the eight values of Emotional RAG, the score that the emotion needs above a plain sentence, and sentences that express it. */
interface Expression {
  readonly like: number | null;
  readonly threshold: number;
  readonly sentences: readonly string[];
}

const expressions: readonly Expression[] = [
  {
    like: null,
    threshold: 0,
    sentences: [
      "It's on the table.",
      "I'll be there at nine.",
      'He works at the bank.',
      'Okay, let me check.',
      'Do you want some coffee?',
      'The meeting is on Tuesday.',
      "I'm going to the store.",
      'What time is it?',
      'Yeah, I think so.',
      'My brother lives in Boston.',
      'So what do you do?',
      'Could you pass me the salt?',
      'Alright, see you later.',
      'This is my friend Mark.',
      'We were talking about the movie.',
      'I guess we could take the train.',
    ],
  },
  {
    like: 0,
    threshold: 1.8,
    sentences: [
      'I am so happy!',
      'This is wonderful news.',
      'Yes! We did it!',
      'That was so much fun.',
      'I love you too.',
      "Congratulations, that's great!",
      "Oh, I can't wait, this is going to be amazing.",
      "Ha, that's hilarious.",
      "Thank you so much, it's beautiful.",
      'What a lovely evening.',
      'You made my day.',
      "I'm so proud of you!",
    ],
  },
  {
    like: 4,
    threshold: 1.3,
    sentences: [
      "I'm so sorry for your loss.",
      'I feel terrible about it.',
      'I miss him so much.',
      'She left me.',
      "I don't know what to do any more.",
      'Nobody wants me.',
      "I can't stop crying.",
      'I lost everything.',
      "It's over between us.",
      "I'm really disappointed.",
      'I wish things were different.',
      'I feel so alone.',
    ],
  },
  {
    like: 6,
    threshold: 1.5,
    sentences: [
      'How dare you!',
      'Get out of my house!',
      "I'm sick of this.",
      'You lied to me!',
      'Shut up and leave me alone.',
      'What is wrong with you?',
      "I can't believe you did that to me.",
      "That's not fair!",
      'I hate him.',
      'You are such an idiot.',
      'Stop it right now!',
      'You had no right to do that.',
    ],
  },
  {
    like: 2,
    threshold: 2.5,
    sentences: [
      "I'm scared.",
      'Oh no, what if they find out?',
      "Please don't hurt me.",
      "I'm really nervous about tomorrow.",
      'What was that noise?',
      "Be careful, it's dangerous!",
      "I'm worried something happened to her.",
      'Help! Somebody help!',
      "I can't do this, I'm terrified.",
      'We have to get out of here.',
      'I think somebody is following us.',
      "I'm freaking out.",
    ],
  },
  {
    like: 3,
    threshold: 1.9,
    sentences: [
      'What?!',
      'Oh my God!',
      "You're kidding!",
      'Are you serious?',
      'I had no idea!',
      "Wow, I didn't expect that.",
      "Wait, you're getting married?",
      'Really? Since when?',
      "I can't believe it.",
      'How is that possible?',
      'Whoa, what happened here?',
      'You did what?',
    ],
  },
  {
    like: 5,
    threshold: 2.4,
    sentences: [
      "Ew, that's disgusting.",
      'That smells awful.',
      'Gross!',
      'It makes me sick.',
      "I'm not eating that.",
      'He is a revolting man.',
      "That's so nasty.",
      'Yuck, get that away from me.',
      'What a filthy place.',
      "I can't even look at it.",
      'That is just wrong.',
      'Ugh, he licked it.',
    ],
  },
];

/** How much the nearest sentences of an emotion outweigh the others. */
const sharpness = 10;

interface Reference {
  readonly vectors: readonly (readonly ArrayLike<number>[])[];
  /** The mean and the deviation of each likeness over ordinary sentences. */
  readonly scale: readonly (readonly [mean: number, deviation: number])[];
}

const references = new WeakMap<Embed, Promise<Reference>>();

/** The eight values of Emotional RAG for each text, 1 to 10 each; all 1 for a text without emotion. */
export async function readFeelings(texts: readonly string[], embed: Embed): Promise<readonly (readonly number[])[]> {
  const loading = references.get(embed) ?? measure(embed);
  references.set(embed, loading);
  const { vectors, scale } = await loading;
  return (await embed(texts)).map((vector) => {
    const [plain = 0, ...scores] = likenesses(vector, vectors).map((value, i) => {
      const [mean, deviation] = scale[i] ?? [0, 1];
      return (value - mean) / deviation - (expressions[i]?.threshold ?? 0);
    });
    const values = [...neutral];
    for (const [i, score] of scores.entries()) {
      const like = expressions[i + 1]?.like;
      if (typeof like === 'number') values[like] = Math.min(10, 1 + 3 * Math.max(0, score - plain));
    }
    return values;
  });
}

/** A turn with the emotions of its messages, by text. */
export interface FeltTurn extends Turn {
  readonly feelings?: ReadonlyMap<string, readonly number[]>;
}

/** The agent, which learns the emotions of all messages before it perceives a turn. */
export function feelingAgent(agent: Agent, embed: Embed): Agent {
  return {
    ...agent,
    async act(turn, signal, simulator) {
      const texts = turn.view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
      const vectors = await readFeelings(texts, embed);
      const felt: FeltTurn = { ...turn, feelings: new Map(texts.map((text, i) => [text, vectors[i] ?? neutral])) };
      return agent.act(felt, signal, simulator);
    },
  };
}

async function measure(embed: Embed): Promise<Reference> {
  const vectors: (readonly ArrayLike<number>[])[] = [];
  for (const { sentences } of expressions) vectors.push(await embed(sentences));
  const ordinary = (await embed(calibrationPairs.flat())).map((vector) => likenesses(vector, vectors));
  const scale = vectors.map((_, i) => {
    const values = ordinary.map((row) => row[i] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return [mean, Math.sqrt(variance) || 1] as const;
  });
  return { vectors, scale };
}

function likenesses(vector: ArrayLike<number>, of: readonly (readonly ArrayLike<number>[])[]): readonly number[] {
  return of.map((others) => {
    const weights = others.map((other) => Math.exp(sharpness * cosine(vector, other)));
    return Math.log(weights.reduce((sum, weight) => sum + weight, 0) / weights.length) / sharpness;
  });
}
