/** @file One episode, watched as it happens: two scripted poker players, every message with its addressees. */

import { loadEnvironment, play, scripted } from 'ludus-agents';

const poker = await loadEnvironment('kuhn-poker');
const bold = scripted('bold', ({ ask }) => ({ text: ask.choices?.includes('[bet]') ? '[bet]' : '[call]' }));
const shy = scripted('shy', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));

for await (const event of play(poker, { first: bold, second: shy }, { seed: 1 })) {
  if (event.kind === 'message') console.log(`${event.to.join(' and ')} ← ${event.text}`);
  if (event.kind === 'end') console.log('chips', event.returns);
}
