import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { type EpisodeEvent, type Json, type Model, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { deskEnvironment } from './environment/desk.ts';
import { dialogueOf } from './faults/dialogue.ts';
import { voicedCustomer } from './voiced-customer.ts';

const says = ['Please cancel booking K-31.', { ask: 'What is the status of K-31 now?', tell: ['cancelled'] }];
const task = {
  desk: { name: 'test', policy: '- Ask for the number of the card.', tools: [], database: {} },
  case: { id: 'one', customer: null, says, knows: { 'card number': '40 071' } },
} as unknown as Json;

async function talk(write: (prompt: string) => string) {
  const model: Model = {
    id: 'writer',
    async complete({ messages }) {
      const text = write(String(messages.at(-1)?.content));
      return { model: 'writer', text, usage: { input: 1, output: 1 } } as never;
    },
  };
  const answers = ['What is your card number?', 'Shall I cancel K-31?', 'K-31 is cancelled.', 'K-31 is cancelled.'];
  const agents = {
    agent: scripted('agent', () => ({ text: answers.shift() ?? 'Goodbye.' })),
    customer: voicedCustomer(
      'voiced',
      model,
      scripted('free', () => ({ text: 'Free words. [stop]' })),
    ),
  };
  const events: EpisodeEvent[] = [];
  for await (const event of play(deskEnvironment, agents, { task, seed: 1 })) events.push(event);
  const lines = dialogueOf(logOf({ id: 'test', events }), 'agent')?.lines ?? [];
  const minds = events.flatMap((event) =>
    event.kind === 'action' && event.seat === 'customer' ? [event.mind as { voiced?: boolean }] : [],
  );
  return { said: lines.flatMap(({ by, text }) => (by === 'customer' ? [text] : [])), voiced: minds.map(({ voiced }) => voiced), events };
}

const messageIn = (prompt: string) => /nothing else: (.*)/.exec(prompt)?.[1] ?? '';

describe('a customer with a model for its words', () => {
  it('uses the words of the model, and keeps every fact and the end of the script', async () => {
    const { said, voiced, events } = await talk((prompt) => `${messageIn(prompt)} Cheers`);
    expect(said.some((text) => text.endsWith(' Cheers'))).toBe(true);
    expect(said.some((text) => text.includes('40 071'))).toBe(true);
    expect(voiced).toContain(true);
    expect(voiced).not.toContain(false);
    expect(events.at(-1)).toMatchObject({ kind: 'end', returns: { agent: 1 } });
  });

  it.each([
    ['another number', 'Please cancel booking K-31. My card is 99 999.'],
    ['no fact', 'I want something cancelled, thanks.'],
    ['a question instead', 'Please cancel booking K-31? 40 071?'],
    ['nothing', ''],
    ['the end', 'Please cancel booking K-31. 40 071 [stop]'],
    ['the other role', 'Please cancel booking K-31. 40 071. How may I help you?'],
    ['a yes', 'Yes, please cancel booking K-31. 40 071'],
  ])('falls back to the script when the model writes %s', async (_, text) => {
    const { said, voiced, events } = await talk(() => text);
    expect(said.filter((message) => message === text)).toEqual([]);
    expect(voiced).toContain(false);
    expect(events.at(-1)).toMatchObject({ kind: 'end', returns: { agent: 1 } });
  });
});
