/** @file Fifty games, and the mean return of each seat with its interval. */

import { run } from 'ludus-agents';

const { results } = await run({ environments: ['kuhn-poker'], seeds: 50, casts: [{ first: 'random', second: 'scripted' }] });
for (const { seat, agent, value, interval } of results.seats)
  console.log(`${seat}, ${agent}: ${value?.toFixed(2)} chips a game (${interval?.map((bound) => bound.toFixed(2)).join(' to ')})`);
