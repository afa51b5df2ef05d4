import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { extractFields, readExtractSchema } from './extract.ts';

const talk = [
  { seat: 'ann', text: 'I would sell it for 1,200 coins.' },
  { seat: 'ben', text: 'Then no.  I am   cross.' },
];
const schema = readExtractSchema({
  fields: [
    { name: 'price', kind: 'number' },
    { name: 'mood', kind: 'one', of: ['glad', 'cross'], seats: ['ben'] },
    { name: 'deal', kind: 'yesno' },
    { name: 'reason' },
  ],
});

/** A model that gives its answers in order, and records its prompts. */
function saying(...answers: readonly object[]) {
  const asked: string[] = [];
  const model = {
    id: 'said',
    async complete({ messages }: { messages: readonly { content: unknown }[] }) {
      asked.push(String(messages.at(-1)?.content));
      return { text: `Here: ${JSON.stringify(answers[Math.min(asked.length, answers.length) - 1])}` };
    },
  } as unknown as Model;
  return { model, asked };
}

const right = {
  price: { value: 1200, quote: 'for 1,200 coins' },
  mood: { value: 'Cross', quote: 'I am cross.' },
  deal: { value: false, quote: 'Then no.' },
  reason: { value: null, quote: '' },
};

describe('results extracted from a conversation', () => {
  it('need a quote from the right seat', async () => {
    const { model, asked } = saying(right);
    const extracteds = await extractFields(talk, schema, model);
    expect(extracteds.map(({ field, status, value }) => [field, status, value])).toEqual([
      ['price', 'found', '1200'],
      ['mood', 'found', 'cross'],
      ['deal', 'found', 'no'],
      ['reason', 'none', ''],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('are retried, then marked as unsupported or malformed', async () => {
    const wrong = {
      price: { value: 900, quote: 'for 1,200 coins' },
      mood: { value: 'cross', quote: 'I would sell it' },
      deal: { value: 'perhaps', quote: 'Then no.' },
      reason: { value: 'greed', quote: 'she is greedy' },
    };
    const { model, asked } = saying(wrong);
    const statuses = (await extractFields(talk, schema, model)).map(({ status }) => status);
    expect(statuses).toEqual(['unsupported', 'unsupported', 'broken', 'unsupported']);
    expect(asked).toHaveLength(3);
    expect(asked[1]).toContain('price is not shown by a quote from the talk; mood is not shown');
    const mended = saying(wrong, right);
    expect((await extractFields(talk, schema, mended.model)).map(({ status }) => status)).toEqual(['found', 'found', 'found', 'none']);
    expect((await extractFields(talk, schema, saying([]).model)).every(({ status }) => status === 'broken')).toBe(true);
  });
});
