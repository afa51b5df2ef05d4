/**
 * @file A support desk meets a population: sixty customers drawn from shares and tables, and who is served well by which agent.
 *
 * Offline the customers are scripts whose patience and memory follow from who they are. With a model, `node examples/support-customers.ts
 * openai/gpt-5-mini`, twelve of them are played as personas.
 */

import { type AgentSpec, createAgentLoader, createModel, loadEnvironment, play } from 'ludus-agents';
import { customers, type Persona, samplePopulation } from 'ludus-agents/personas';

const model = process.argv[2];
const { personas, attributes, report } = samplePopulation(customers, model === undefined ? 60 : 12, 1);
const desk = await loadEnvironment('service-desk');
const cast = createAgentLoader({ model: createModel });

for (const { of, cells, fit } of report.filter(({ of }) => of[0] === 'mood' || of[0] === 'gender')) {
  const shares = cells.map(
    ({ values, share, target }) => `${values[0]} ${(share * 100).toFixed(0)} % (wanted ${(target * 100).toFixed(0)} %)`,
  );
  console.log(`${of[0]}: ${shares.join(', ')}; fits with p = ${fit.p.toFixed(2)}`);
}

/** Angry customers insist, hurried ones say little, older ones forget their order numbers. */
function taskFor({ mood, age }: Readonly<Record<string, string>>) {
  return { insist: mood === 'angry' ? 3 : 1, terse: mood === 'hurried' ? 0.9 : 0.2, forgetful: age === '67-90' ? 0.8 : 0.2 };
}

function customerFrom(persona: Persona): AgentSpec | string {
  return model === undefined ? 'scripted:customer' : { name: persona.name, kind: 'llm', model, persona };
}

const served = new Map<string, number[]>();
for (const agent of ['gold', 'always-agree', 'always-refuse']) {
  for (const [i, persona] of personas.entries()) {
    const traits = attributes[i] ?? {};
    const agents = {
      agent: await cast(`scripted:${agent}`, 'agent', desk),
      customer: await cast(customerFrom(persona), 'customer', desk),
    };
    for await (const event of play(desk, agents, { task: taskFor(traits), seed: i })) {
      if (event.kind !== 'end') continue;
      const row = `${agent.padEnd(14)} ${(traits['mood'] ?? '').padEnd(8)}`;
      served.set(row, [...(served.get(row) ?? []), event.returns['agent'] ?? 0]);
    }
  }
}

console.log('\nagent          mood     served well');
for (const [row, results] of [...served].sort()) {
  const well = results.filter((result) => result === 1).length;
  console.log(`${row} ${well} of ${results.length}`);
}
