/** @file Episodes scored by a rule of one's own, and by likeness of words, then folded into a report. */

import { loadEnvironment, loadScorer, openStore, readPlan, run } from 'ludus-agents';
import {
  type Finding,
  lexicalEmbedder,
  markdownOf,
  relevanceScorer,
  reportOf,
  rowsOf,
  ruleScorer,
  runArena,
  scoreEpisodes,
  standingsOf,
} from 'ludus-agents/scoring';

const store = await openStore('memory:');
const plan = readPlan({
  name: 'bids',
  environments: [{ environment: 'bargain', tasks: [{}] }],
  seeds: 10,
  casts: [{ first: 'scripted', second: 'random' }],
  swap: true,
});
await run(plan, { store });

/** The share of a seat's answers that have at most four words. */
const terse = ruleScorer({
  ...{ name: 'terse', version: 1, unit: 'seat', scale: [0, 1] },
  find: ({ log, seat }): Finding | null => {
    const answers = log.episode.events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
    const short = answers.filter((text) => text.split(/\s+/).length <= 4);
    return answers.length === 0 ? null : { value: short.length / answers.length };
  },
});
const scorers = [await loadScorer('return'), await loadScorer('form'), terse, relevanceScorer(lexicalEmbedder)];

const records = await store.episodes({ run: 'bids', limit: 100 });
const episodes = await Promise.all(records.map(async ({ id }) => ({ episode: { id, events: await store.events(id) } })));
const scored = new Map(
  (await Array.fromAsync(scoreEpisodes(episodes, { scorers, store }))).map(({ episode, scores }) => [episode, scores]),
);

for (const { name } of scorers) {
  const scores = [...scored.values()].flat().filter((score) => score.name === name);
  const values = scores.flatMap(({ value }) => value ?? []);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(
    `${name}: ${values.length === 0 ? `no value, ${scores[0]?.status}` : `${mean.toFixed(2)} on average`} (${scores.length} scores)`,
  );
}

const rows = records.flatMap((record) => rowsOf({ record, scores: scored.get(record.id) ?? [], score: 'return' }));
for (const { agent, value, interval } of standingsOf(rows, { nulls: ['random'] }).agents)
  console.log(`${agent}: ${value?.toFixed(2)} (${interval?.map((end) => end.toFixed(2)).join(' to ')})`);
const byId = new Map(records.map((record) => [record.id, record]));
const report = reportOf({ run: 'bids', about: '', score: 'return', rows, records: byId, scores: scored, nulls: ['random'] });
console.log(markdownOf(report).split('\n').slice(0, 12).join('\n'));

// Who is stronger is a matter of many games, each seed played both ways round.
const { ranking, stopped } = await runArena({
  ...{ environment: await loadEnvironment('kuhn-poker'), task: {}, games: 400, swiss: false, store, signal: new AbortController().signal },
  agents: [
    { name: 'random', kind: 'random' },
    { name: 'scripted', kind: 'scripted' },
  ],
});
console.log(`arena: ${ranking?.agents.map(({ agent }) => agent).join(', ')} (${stopped})`);
await store.close();
