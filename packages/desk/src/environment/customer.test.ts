/** @file What the scripted customer says in trades it was not written for: topics are never spoken, and a request is not repeated once it is dealt with. */

import { describe, expect, it } from 'vitest';
import { simulate } from '../simulate.ts';

const linesBy = async (bot: (message: string, turn: number) => string, customer: Parameters<typeof simulate>[1]['customer'], desk = {}) => {
  let turn = 0;
  const run = await simulate((message) => bot(message, turn++), { customer, desk });
  return run.lines.filter(({ by }) => by === 'customer').map(({ text }) => text);
};

describe('the scripted customer', () => {
  it.each([
    ['your name|who|under which name', 'Ben', 'Under which name is it?'],
    ['city bike|e-bike|which bike', 'I would like the e-bike.', 'Which bike, a city bike or an e-bike?'],
    ['library card|card number', 'LC-1', 'Your library card number, please.'],
  ])('answers "%s" with the value, not the topic', async (topic, value, question) => {
    const lines = await linesBy((_, turn) => (turn === 0 ? question : 'All done.'), {
      says: ['I want to rent something.'],
      knows: { [topic]: value },
    });
    expect(lines[1]).toContain(value);
    for (const word of topic.split('|')) expect(lines[1]).not.toContain(`My ${word}`);
  });

  it.each([
    ['which slot|new time', 'Tuesday 15:00', 'Which day would suit you?'],
    ['postal address', 'Canal Row 3', 'Where should it go?'],
    ['number of nights', '3 nights', 'How long do you want to stay?'],
  ])('answers a question outside of its topics by the question word: %s', async (topic, value, question) => {
    const knows = { 'email|e-mail': 'ann@lilac.example', [topic]: value };
    const lines = await linesBy((_, turn) => (turn === 0 ? question : 'All done.'), { says: ['I want to change something.'], knows });
    expect(lines[1]).toContain(value);
    expect(lines[1]).not.toContain('ann@lilac.example');
  });

  it('does not mistake a question for its customer number for one about the record', async () => {
    const customer = { says: ['Please move B-7.'], knows: { 'customer number': '4411' } };
    const lines = await linesBy((_, turn) => (turn === 0 ? 'What is your customer number?' : 'All done.'), customer);
    expect(lines[1]).toContain('4411');
    expect(lines[1]).not.toContain('B-7');
  });

  it.each([
    'B-7 would go to Friday for a fee of 3. Is that all right?',
    'I would move B-7 to Friday. Do you agree?',
    // "Send B" is no word to type.
    'I would send B-7 on Friday, yes?',
  ])('says yes to a proposal: %s', async (proposal) => {
    const lines = await linesBy((_, turn) => (turn === 0 ? proposal : 'All done.'), 'Please move B-7 to Friday.');
    expect(lines[1]).toMatch(/\byes\b/i);
  });

  it('accepts a statement after its yes as done', async () => {
    const answers = ['B-7 would go to Friday. Is that okay with you?', 'Great, see you on Friday.', 'You are welcome.'];
    const lines = await linesBy((_, turn) => answers[turn] ?? 'Goodbye.', { says: ['Please move B-7 to Friday.'] });
    expect(lines.filter((text) => text.includes('move B-7'))).toHaveLength(1);
  });

  it('repeats a request that was not understood, and asks again if it is only mentioned', async () => {
    const lost = await linesBy((_, turn) => (turn === 0 ? 'Sorry, I did not get that.' : 'All done.'), 'Please move B-7 to Friday.');
    expect(lost.filter((text) => text.includes('move B-7'))).toHaveLength(2);
    const vague = await linesBy((_, turn) => (turn === 0 ? 'B-7 is a nice bike.' : 'All done.'), 'Please move B-7 to Friday.');
    expect(vague.filter((text) => text.includes('move B-7'))).toHaveLength(1);
  });

  it.each([
    ['Please cancel B-7. To confirm, type CONFIRM.', 'CONFIRM'],
    ['Cancel B-7 now? Type 1 for yes\nType 2 for no', '1'],
    ['B-7: open → cancelled\n[Y] confirm   [N] discard', 'Y'],
    ['Cancelling B-7 costs 4. To go through with it, answer "OK".', 'OK'],
  ])('types the requested confirmation: %s', async (question, word) => {
    const lines = await linesBy((_, turn) => (turn === 0 ? question : 'B-7 is cancelled.'), 'Please cancel B-7.');
    expect(lines[1]).toBe(word);
  });

  it('chooses the matching item from a menu', async () => {
    const menu = 'Please choose:\n1 - prices\n2 - stop a shipment\n3 - opening hours';
    const lines = await linesBy((_, turn) => (turn === 0 ? menu : 'All done.'), 'I have to stop my shipment.');
    expect(lines[1]).toBe('2');
  });

  it.each([
    ['Please fill in:\nRoom:\nBag tag:', ['412', 'LB-9']],
    ['ok what is the number of your room', ['412']],
    ['We cannot look anything up without the room.', ['412']],
    ['Bag?', ['LB-9']],
  ])('provides requested details without a direct question: %s', async (message, values) => {
    const customer = { says: ['I need my suits back.'], knows: { room: '412', 'which bag': 'LB-9' } };
    const lines = await linesBy((_, turn) => (turn === 0 ? message : 'All done.'), customer);
    for (const value of values) expect(lines[1]).toContain(value);
  });

  it('answers any number of different questions, and never with an empty message', async () => {
    const topics = ['color', 'size', 'fabric', 'length', 'collar', 'buttons'];
    const knows = Object.fromEntries(topics.map((topic, i) => [topic, `${topic}-${i}`]));
    const lines = await linesBy((_, turn) => (topics[turn] === undefined ? 'All done.' : `What ${topics[turn]} shall it be?`), {
      says: ['I want to order a shirt.'],
      knows,
    });
    expect(topics.filter((topic, i) => lines.some((text) => text.includes(`${topic}-${i}`)))).toEqual(topics);
  });

  it('corrects a proposal with a number other than the one it wants', async () => {
    const customer = {
      says: ['I want to give more.'],
      knows: { amount: '25' },
      gold: [{ tool: 'set', args: { pledge: 'P-8', amount: '25' } }],
    };
    const tools = [
      {
        ...{
          name: 'set',
          description: '',
          parameters: { type: 'object', properties: { pledge: { type: 'string' }, amount: { type: 'string' } } },
        },
        does: { set: 'pledges', id: '{pledge}', to: { amount: '{amount}' } },
      },
    ];
    const desk = { tools, database: { pledges: { 'P-8': { amount: '10' } } } };
    const lines = await linesBy((_, turn) => (turn === 0 ? 'P-8 will be 50 a month. Is that right?' : 'All done.'), customer, desk);
    expect(lines[1]).toContain('No, 25');
  });

  it('greets once, and writes "I have to" in full', async () => {
    for (let i = 0; i < 12; i++) {
      const [first] = await linesBy(() => 'All done.', `Hello! I have to cancel B-${i}.`);
      expect(first).toMatch(/^Hello! I have to cancel/);
    }
  });

  it('accepts a refusal in any words, with neither a detail nor a question whether it is done', async () => {
    const customer = { says: ['Please move B-7.'], knows: { 'card number': '4411' }, refuse: true, insist: 1 };
    const answers = ['Your card number?', 'B-7 was yesterday.', 'B-7 stays with yesterday as its day.'];
    const lines = await linesBy((_, turn) => answers[turn] ?? 'Goodbye.', customer);
    expect(lines).toHaveLength(4);
    expect(lines[3]).not.toMatch(/great|perfect|a lot/i);
    for (const line of lines.slice(2)) expect(line).not.toMatch(/\bdone\b|4411|B-7/);
  });

  it('takes a statement for the answer to a question that has no right answer', async () => {
    const lines = await linesBy(() => 'I only speak about your own bookings.', {
      says: [{ ask: 'Which phone do you have for Cleo Dale?' }],
      knows: { 'booking|which booking': 'B-7' },
    } as never);
    expect(lines.join()).not.toContain('B-7');
  });
});
