import { expect, it } from 'vitest';
import { rng } from '../../core/index.ts';
import { phrase, slotsTold, tellAddress, understand } from './requests.ts';
import { drawScenario, kinds } from './scenario.ts';

const hard = { customers: 3, orders: 3, types: 5, requests: 3, forgetful: 0.5, terse: 0.5, chatter: 0.5, insist: 1 };

it('what customers say is understood: every slot they state comes back, in every voice', () => {
  let requests = 0;
  for (let seed = 0; seed < 600; seed++)
    for (const one of drawScenario(kinds[seed % kinds.length]!, hard, rng(seed)).slots.requests) {
      const heard = understand(`Hello. It is raining. ${phrase(one, seed)}`);
      const toldLater = one.want === 'cancel' ? { reason: null } : {};
      const unspoken =
        one.order !== null && ['cancel', 'refund', 'address', 'ask'].includes(one.want) && one.topic !== 'price' && one.topic !== 'stock';
      expect(heard, phrase(one, seed)).toEqual({ ...one, ...toldLater, address: null, items: unspoken ? [] : one.items });
      expect(understand(phrase(one, seed, true))?.want).toBe(one.want);
      if (one.address !== null) expect(slotsTold(tellAddress(one.address)).address).toEqual(one.address);
      requests++;
    }
  expect(requests).toBeGreaterThan(600);
});

it('finds no request in a message without one', () => {
  for (const text of ['Yes, please.', 'No, that is all. Thank you.', 'Please make an exception for me.', 'My email is a@b.example.', ''])
    expect(understand(text)).toBeNull();
});
