/** @file Five at a table, each with a secret that would hurt another: offline by scripts, or `node examples/dinner.ts openai/gpt-5-mini`. */

import { readFileSync } from 'node:fs';
import { type AgentSpec, createAgentLoader, createModel, type Json, loadEnvironment, play } from 'ludus-agents';
import { gallery, readScene } from 'ludus-agents/personas';

const model = process.argv[2];
const file = JSON.parse(readFileSync(new URL('./dinner.json', import.meta.url), 'utf8')) as Json;
const { task, personas } = await readScene(file, async (name) => gallery[name]);
const environment = await loadEnvironment('social-scene');
const cast = createAgentLoader({ model: createModel });

/** A model plays the whole persona, and knows of the others what its relations let it know; a script works on the goal on its card. */
function player(seat: string): AgentSpec | string {
  const persona = personas[seat];
  if (persona === undefined) return 'scripted:narrator';
  if (model === undefined) return 'scripted:character';
  const others = Object.values(personas).filter((otherPersona) => otherPersona !== persona);
  return { name: persona.name, kind: 'llm', model, persona, settings: { others } };
}

const seats = environment.seats(environment.task(task));
const agents = Object.fromEntries(await Promise.all(seats.map(async (seat) => [seat, await cast(player(seat), seat, environment)])));

for await (const event of play(environment, agents, { task, seed: 1 })) {
  if (event.kind === 'message' && event.from !== undefined) console.log(`${event.from.padEnd(8)} ${event.text}`);
  if (event.kind === 'message' && event.to.length === 0 && event.text.includes('secret')) console.log(`  ! ${event.text}`);
  if (event.kind === 'end') console.log('\nshare of the goal reached, less 1 for a secret given away:', event.returns);
}
