/** @file An instruction is improved behind a gate: a player of a code game obeys lines of its text, and a proposer tries lines. */

import { loadEnvironment, memoryStore, scripted } from 'ludus-agents';
import { componentsOf, createEpisodeTrials, engines, gateRules, improveSteps, type Proposer, withComponents } from 'ludus-agents/learning';

const poker = await loadEnvironment('kuhn-poker');
const store = memoryStore();

/** Bets with the cards that its instruction names, and never folds them. */
const obeys = (instruction: string) =>
  scripted('obeys', ({ view, ask }) => {
    const card =
      view.seen
        .map((item) => (item.kind === 'message' ? item.text : ''))
        .join(' ')
        .match(/\b(Jack|Queen|King|J|Q|K)\b/)?.[0] ?? '';
    const bold = instruction.includes(`Bet with the ${card[0]}.`);
    const wanted = bold ? ['[bet]', '[call]'] : ['[check]', '[fold]'];
    return { text: ask.choices?.find((choice) => wanted.includes(choice)) ?? ask.choices?.[0] ?? '' };
  });
const random = scripted('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));

const ground = createEpisodeTrials({
  ...{ store, run: 'bets', environment: poker, tasks: [{ rounds: 6 }], seat: 'first', identity: 'bets@1' },
  agents: async (spec) => ({ first: obeys(spec.texts?.['instruction'] ?? ''), second: random }),
});

/** Adds or drops a line. A proposer by a model is `reflectWith({ model })`. */
const proposer: Proposer = {
  name: 'lines',
  improver: ({ rng }) => ({
    name: 'lines',
    improve: async (spec) => {
      const texts = componentsOf(spec);
      const line = `Bet with the ${rng.pick(['J', 'Q', 'K'])}.`;
      const before = texts['instruction'] ?? '';
      const after = before.includes(line) ? before.replace(line, '').trim() : `${before} ${line}`;
      return [withComponents(spec, { ...texts, instruction: after })];
    },
  }),
};

const improvement = {
  ...{ engine: 'gepa', settings: {}, proposer: 'lines', seed: 1, budget: { calls: 800 }, repeats: 1, gate: gateRules.ours, locked: [] },
  tasks: { propose: 24, select: 48, report: 200 },
  start: { name: 'player', kind: 'obeys', texts: { instruction: 'Play.' } },
};
const course = improveSteps(improvement, { store, run: 'bets', engine: engines['gepa'], ground, proposer, blind: proposer });
for (let next = await course.next(); ; next = await course.next()) {
  if (next.done !== true) continue;
  const { start, best, baselines } = next.value;
  console.log(
    `chips in six hands, in the report: start ${start.report?.toFixed(2)}, best ${best.report?.toFixed(2)}, random edits ${baselines.random.report?.toFixed(2)}`,
  );
  break;
}
