/**
 * @file Long repetitive texts through everything that reads text from outside. In the long run a text has so many characters that work of a
 * quadratic order would not end within the time limit of a test.
 */

import { crc32 } from 'node:zlib';
import { weaknesses } from '@ludus-agents/agents/internal/code-weaknesses';
import { readAnswer } from '@ludus-agents/agents/internal/llm/answer';
import { readChoice } from '@ludus-agents/agents/internal/llm/choice';
import { inert } from '@ludus-agents/agents/internal/llm/escape';
import { ownWords } from '@ludus-agents/agents/internal/llm/labels';
import { factLines } from '@ludus-agents/agents/internal/llm/profile-writer';
import { importPersona } from '@ludus-agents/agents/internal/personas/exchange/detect';
import { plainImage, readPngCard } from '@ludus-agents/agents/internal/personas/exchange/png';
import { fitsGlob } from '@ludus-agents/agents/internal/sandbox/glob';
import { outcomeIn, pathsIn } from '@ludus-agents/agents/internal/tools/tool-plan';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { answerIn, lineIn, linesIn } from '@ludus-agents/environments/internal/discussion/speech';
import { objectWith, parseCitation, parseLabels } from '@ludus-agents/evaluation/internal/scoring/judges/reply';
import { readCsv } from '@ludus-agents/kernel/internal/core/csv';
import { datesIn, numbersIn } from '@ludus-agents/kernel/internal/core/facts';
import { type Json, type JsonObject, parseBracketed, type Seat, scripted } from '@ludus-agents/kernel/internal/core/index';
import { lacksKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { proposedText, textIn } from '@ludus-agents/learning/internal/prompts/proposers/reflect';
import { pathsOfDiff } from '@ludus-agents/store/internal/files/unified-diff';
import { readers } from '@ludus-agents/store/internal/imports/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../fixtures/amount.ts';

/** In the long run a quadratic pattern takes an hour, far beyond the time limit of a test; in the short one test/patterns.test.ts finds it. */
const length = amount(10_000, 1_000_000);
const seeds = ['[', '*', '!', ' ', '\n ', '\t', '"', '{', '`', 'a', '0', '<tool_call>', 'a.', '=', '(', '\\', 'A:\n', '0,000', ' ;', '#'];
const texts = (size: number) =>
  seeds.map((seed, i) => {
    const body = seed.repeat(Math.ceil(size / seed.length));
    return i % 2 === 0 ? body : `x${body}\u0001`;
  });

/** Whether it reads or refuses a text is another question; here it has to end. */
const tried = (read: () => unknown): void => {
  try {
    read();
  } catch {
    // Refused.
  }
};

/** A picture whose card is this text, as it stands. */
function pictureWith(text: string): Uint8Array {
  const image = plainImage('a');
  const chunk = Buffer.concat([Buffer.from('tEXtchara\0'), Buffer.from(text)]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(chunk.length - 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(chunk));
  // After the header chunk, which has 13 bytes.
  return Buffer.concat([image.subarray(0, 33), size, chunk, sum, image.subarray(33)]);
}

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'a choice': (text) => readChoice(text, ['[pass]', '[bet]']),
  'an answer as labels': (text) => readAnswer(text, 'labels'),
  'an answer as JSON': (text) => readAnswer(text, 'json'),
  'a plain answer': (text) => readAnswer(text, 'plain'),
  'a move in brackets': (text) => parseBracketed({ text }),
  'the words of a seat': (text) => ownWords(text, { own: ['Ann'], others: ['Bob'], cut: true }),
  'a text for a prompt': inert,
  'the facts of a writer': (text) => factLines(text, ['profile', 'register']),
  'paths through tools': (text) => pathsIn(text, { weight: 1, edges: [{ tool: 'a', from: 'b', to: 'c', cost: 1, quality: 1 }] }),
  'what a tool reports': (text) => outcomeIn({ ok: true, result: text }),
  'a reflection': (text) => [textIn(text), proposedText(text, 'before')],
  "a judge's object": (text) => objectWith(text, 'score'),
  "a judge's labels": (text) => parseLabels(text, ['SCORE', 'WHY']),
  'a citation': parseCitation,
  numbers: numbersIn,
  dates: (text) => datesIn(text, '2025'),
  'a spec with an address': (text) => lacksKeys({ name: 'a', kind: 'llm', model: `http://${text}` }),
  'a line of a discussion': (text) => [lineIn(text, 'ANSWER'), linesIn(text, 'SCORE'), answerIn(text, ['yes', 'no'])],
  code: (text) => Object.values(weaknesses).map(({ found }) => found.map((pattern) => pattern.test(text))),
  'a diff': pathsOfDiff,
  'a table': (text) => readCsv(text, 'it'),
  'a path': (text) => fitsGlob(text, '**/*a*b*c'),
};

describe('a long text', () => {
  it.each(Object.entries(parsers))('is read in linear time as %s', (_, read) => {
    for (const text of texts(length)) tried(() => read(text));
  });

  it('is read in linear time as a character card, in JSON, in a picture, and as fields', () => {
    for (const text of texts(length)) {
      const card: Json = {
        spec: 'chara_card_v2',
        spec_version: '2.0',
        data: { name: 'A', description: text, mes_example: text, first_mes: text },
      };
      tried(() => importPersona(card));
    }
    for (const seed of [' ', '=', 'A', 'A ']) {
      const picture = pictureWith(`${seed.repeat(length)}!`);
      expect(() => readPngCard(picture)).toThrow('base64');
    }
  });

  it('is read in linear time as a transcript of any program', () => {
    for (const text of texts(length)) {
      const item: JsonObject = {
        conversations: [
          { from: 'human', value: text },
          { from: 'gpt', value: text },
        ],
        messages: [
          { role: 'user', content: text },
          { role: 'assistant', content: text },
        ],
        traj: [{ role: 'user', content: text }],
      };
      for (const reader of readers) tried(() => reader.read(item, 0));
    }
  });
});

describe('a long answer', () => {
  // One text of each kind: all of them in all environments are for the long run.
  const sampleCount = amount(2, seeds.length);
  it.each(environmentNames())('ends the turn in %s', async (name) => {
    const environment = await builtInEnvironment(name);
    for (let i = 0; i < sampleCount; i++) {
      const text = seeds[(i + name.length) % seeds.length]!.repeat(amount(2_000, 60_000));
      const seats: readonly Seat[] = environment.seats(environment.task({}));
      const agents = Object.fromEntries(seats.map((seat) => [seat, scripted('long', () => ({ text }))]));
      let turns = 0;
      for await (const event of play(environment, agents, { seed: 1, limits: { turns: 3 } })) if (event.kind === 'turn') turns++;
      expect(turns).toBeGreaterThan(0);
    }
  });
});
