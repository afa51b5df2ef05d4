/** @file What characters cost next to the model: calls, tokens, stable prefix and CPU time of a scene of three, and a population: `npm run bench -- personas`. */

import { agentAt, asJson, chatter, talk } from '@ludus-agents/agents/internal/llm/conversation.cases';
import type { Mind } from '@ludus-agents/agents/internal/mind/mind';
import { customers, dinnerGuests, samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { type ActionEvent, type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const guests = dinnerGuests.slice(0, 3);

/** A model that costs no time: it says its lines in order and counts nothing. */
function reciter(): Model {
  const dice = rng(1, 'reciter');
  const lines = Array.from({ length: 64 }, () => chatter(1)({ messages: [] }, dice));
  let turns = 0;
  return {
    id: 'reciter',
    complete: async (prompt) => {
      const text = lines[turns++ % lines.length];
      return { model: 'reciter', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
}

/** Three at a table for so many turns each, and all time is ours. */
async function dinner(turns: number): Promise<readonly ActionEvent[]> {
  const model = reciter();
  const seated = await Promise.all(
    guests.map(async (persona) => {
      const others = guests.filter((guest) => guest !== persona).map(asJson);
      return [persona.id, await agentAt(persona.id, model, { persona: asJson(persona), settings: { others } })] as const;
    }),
  );
  const seats = guests.map(({ id }) => id);
  const out: ActionEvent[] = [];
  for await (const event of play(talk(seats, turns * seats.length), Object.fromEntries(seated), { seed: 1 }))
    if (event.kind === 'action') out.push(event);
  return out;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);

async function milliseconds(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const turns = sizeOf(flags, 'turns', 50, 4);
  const passes = sizeOf(flags, 'passes', 5, 1);
  const all = await dinner(turns);
  const minds = all.map(({ mind }) => mind as Mind);
  const later = minds.flatMap(({ turn, prompt }) => (turn > 1 && prompt !== undefined ? [prompt] : []));
  const time = await milliseconds(async () => {
    for (let pass = 0; pass < passes; pass++) await dinner(turns);
  });
  samplePopulation(customers, 50, 0);
  const sampled = await milliseconds(() => samplePopulation(customers, 50, 1));
  const share = sum(later.map(({ stable }) => stable)) / sum(later.map(({ tokens }) => tokens));
  return [
    { name: 'model calls an utterance', value: sum(all.map(({ calls }) => calls?.length ?? 0)) / all.length, unit: 'calls', goal: '1' },
    { name: 'longest prompt', value: Math.max(...later.map(({ tokens }) => tokens)), unit: 'tokens', goal: '≤ 2500' },
    { name: 'stable prefix', value: 100 * share, unit: '%', goal: '≥ 80' },
    { name: 'agent, engine and log', value: time / passes / all.length, unit: 'CPU ms a turn', goal: '≤ 1' },
    { name: '50 personas sampled', value: sampled, unit: 'CPU ms', goal: '< 1000' },
  ];
}
