/** @file An agent in memory next to the baselines of a suite: an evaluation in ten lines. */

import { type Agent, evaluate } from 'ludus-agents';

const first: Agent = {
  name: 'takes the first choice',
  act: async ({ ask }) => ({ action: { text: ask.choices?.[0] ?? 'Hello.' } }),
};

const { agents, floorAgent, over } = await evaluate({ suite: 'games-core', agents: [first], seeds: 1 });
for (const { agent, value, interval } of agents) {
  const points = (share: number | null | undefined) => (100 * (share ?? Number.NaN)).toFixed(1);
  console.log(
    `${agent}: ${points(value)} (${points(interval?.[0])} to ${points(interval?.[1])} over new ${over})${agent === floorAgent ? ', the baseline' : ''}`,
  );
}
