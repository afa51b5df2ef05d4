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
  ])('says what it knows of "%s", and not the topic', async (topic, value, question) => {
    const said = await linesBy((_, turn) => (turn === 0 ? question : 'All done.'), {
      says: ['I want to rent something.'],
      knows: { [topic]: value },
    });
    expect(said[1]).toContain(value);
    for (const word of topic.split('|')) expect(said[1]).not.toContain(`My ${word}`);
  });

  it('takes a statement after its yes as done', async () => {
    const answers = ['B-7 would go to Friday. Is that okay with you?', 'Great, see you on Friday.', 'You are welcome.'];
    const said = await linesBy((_, turn) => answers[turn] ?? 'Goodbye.', { says: ['Please move B-7 to Friday.'] });
    expect(said.filter((text) => text.includes('move B-7'))).toHaveLength(1);
  });

  it('repeats a request that was not understood, and asks back where it is only spoken of', async () => {
    const lost = await linesBy((_, turn) => (turn === 0 ? 'Sorry, I did not get that.' : 'All done.'), 'Please move B-7 to Friday.');
    expect(lost.filter((text) => text.includes('move B-7'))).toHaveLength(2);
    const vague = await linesBy((_, turn) => (turn === 0 ? 'B-7 is a nice bike.' : 'All done.'), 'Please move B-7 to Friday.');
    expect(vague.filter((text) => text.includes('move B-7'))).toHaveLength(1);
  });
});
