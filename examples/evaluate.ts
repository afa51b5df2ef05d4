/** @file A suite played by agents and by agents that do not try, scored and compared: an evaluation in ten lines. */

import { evaluate } from 'ludus-agents/scoring';

const { agents, floorAgent, over } = await evaluate({ suite: 'privacy-core', agents: ['scripted'], seeds: 2 });

for (const { agent, value, interval, lift } of agents) {
  const points = (share: number | null | undefined) => (100 * (share ?? Number.NaN)).toFixed(1);
  const beyond = agent === floorAgent ? 'the floor' : `${points(lift?.value)} over the floor`;
  console.log(`${agent}: ${points(value)} (${points(interval?.[0])} to ${points(interval?.[1])} over new ${over}), ${beyond}`);
}
