/** @file A whole plan into a store: every pair of strategies meets on the same seeds, both ways round, and a second run has nothing left to do. */

import { openStore, readPlan, run } from 'ludus-agents';

const strategies = ['tit-for-tat', 'alld', 'allc', 'pavlov'].map((name) => `scripted:${name}`);
const casts = strategies.flatMap((a) => strategies.map((b) => ({ first: a, second: b })));
const plan = readPlan({ name: 'round-robin', environments: [{ environment: 'dilemma', tasks: [{ game: 'pd' }] }], seeds: 5, casts });

const store = await openStore('memory:');
const options = { store };
const first = await run(plan, options);
const second = await run(plan, options);
console.log(`played ${first.played} of ${first.planned}; a second run played ${second.played}`);

const totals = new Map<string, number>();
for (const episode of await store.episodes({ run: 'round-robin', limit: 1000 })) {
  for (const [seat, agent] of Object.entries(episode.cast)) totals.set(agent, (totals.get(agent) ?? 0) + (episode.returns?.[seat] ?? 0));
}
for (const [agent, total] of [...totals].sort((a, b) => b[1] - a[1])) console.log(agent.padEnd(24), total);
await store.close();
