import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { drawCase, kinds } from './cases.ts';
import { drawErrand, drawForbidden, errandKinds } from './errands.ts';
import { phrase, slotsTold, tellAddress, understand } from './requests.ts';
import { openShop } from './shop.ts';

it('understand recovers every stated slot of a customer request in every voice', () => {
  for (let seed = 0; seed < 600; seed++) {
    const draft = openShop({ customers: 3, types: 5 }, rng(seed));
    const [who] = draft.customers;
    const errand = seed % 7 === 6 ? drawForbidden(draft, who!) : drawErrand(errandKinds[seed % 7]!, { draft, who: who! });
    const wanted = seed % 2 === 0 || errand.request.items.length === 0 ? errand.request : { ...errand.request, order: null };
    const customerRequest = understand(`Hello. It is raining. ${phrase(wanted, seed)}`);
    const toldLater = wanted.want === 'cancel' ? { reason: null } : {};
    const isByNumber = wanted.order !== null && wanted.want !== 'exchange' && wanted.want !== 'return';
    expect(customerRequest, phrase(wanted, seed)).toEqual({
      ...wanted,
      ...toldLater,
      address: null,
      items: isByNumber ? [] : wanted.items,
    });
    expect(understand(phrase(wanted, seed, true))?.want).toBe(wanted.want);
    if (wanted.address !== null) expect(slotsTold(tellAddress(wanted.address)).address).toEqual(wanted.address);
  }
});

it('understand finds no request in a message without one', () => {
  for (const text of ['Yes, please.', 'No, that is all. Thank you.', 'Please make an exception for me.', 'My email is a@b.example.', ''])
    expect(understand(text)).toBeNull();
});

it('a customer gives details only when asked, in a sentence', () => {
  const difficulty = { customers: 3, orders: 3, types: 5, requests: 3, forgetful: 0.5, terse: 1, chatter: 0, insist: 1 };
  for (let seed = 0; seed < 60; seed++)
    for (const { say, knows = {} } of drawCase(kinds[seed % kinds.length]!, 'a-case', difficulty, rng(seed)).case.says) {
      expect(say).not.toMatch(/W-\d/);
      for (const sentence of Object.values(knows)) expect(sentence).toMatch(/^\p{Lu}.*\.$/u);
    }
});
