/** @file An agent and its dream in turn: both get better, and an agent whose dream stays as it was does not. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createDream } from '@ludus-agents/environments/internal/dream/dream';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import type { AgentSpec, AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { evolveDream } from '@ludus-agents/learning/internal/evolve-dream';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

/** A house of five floors with three doors each: the right one pays a fifth and leads up, the others lead out. */
const doors = ['red', 'blue', 'green'];
const right = ['red', 'blue', 'green', 'blue', 'red'];
const floors = right.map((door, floor) => {
  const up = { to: floor === 4 ? 'roof' : `floor ${floor + 1}`, pays: 0.2 };
  const moves = Object.fromEntries(doors.map((otherDoor) => [`[${otherDoor}]`, otherDoor === door ? up : { to: 'street' }]));
  return [`floor ${floor}`, { text: `Floor ${floor} of five.`, moves }] as const;
});
const document = {
  kind: 'story',
  name: 'house',
  about: 'Climb to the roof.',
  begins: 'floor 0',
  turns: 6,
  places: { ...Object.fromEntries(floors), roof: { text: 'The roof.', over: true }, street: { text: 'The street.', over: true } },
};
const house = readStory(document, 'house') as AnyEnvironment;
const agent: AgentSpec = { name: 'deep', kind: 'search', settings: { simulations: 60, depth: 8, dream: { from: './dream.json' } } };

async function evolved(isRemade: boolean) {
  const store = memoryStore();
  let dream: AnyEnvironment | undefined;
  const request = {
    name: 'house',
    environment: house,
    task: {},
    seat: 'player',
    agent,
    others: {},
    hold: 0.2,
    rounds: 5,
    games: 12,
    seed: 1,
  };
  return evolveDream(request, {
    store,
    perform: (plan) =>
      run(plan, { store, environment: async () => house, agent: createAgentLoader({ environment: async () => dream as AnyEnvironment }) }),
    write: (dreamDocument) => {
      dream = createDream(dreamDocument);
    },
    isRemade,
  });
}

it('alternating training improves with every learned environment, unlike the first one alone', async () => {
  const [turn, still] = [await evolved(true), await evolved(false)];
  expect(turn.at(-1)?.mean).toBeGreaterThan(0.9);
  expect(turn.at(-1)?.steps).toBeGreaterThan(3 * (turn[0]?.steps ?? 0));
  expect(still.at(-1)?.mean).toBeLessThan(0.7);
  expect(new Set(still.map(({ steps }) => steps)).size).toBe(1);
});

it('alternating training is one command for custom files', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'house.json'), JSON.stringify(document));
  writeFileSync(join(cwd, 'search.json'), JSON.stringify(agent));
  const words = ['env', 'dream', './house.json', '-o', 'dream.json', '--evolve', './search.json', '--rounds', '2', '--games', '8'];
  const { out, err } = await ludus(cwd, words);
  expect(out, err).toMatch(/Round 1: learned from \d+ real steps, .* predicted wrongly; real return [\s\S]*Round 2: /);
  const { rounds } = JSON.parse((await ludus(cwd, [...words, '--json'])).out);
  expect(rounds.map(({ round }: { round: number }) => round)).toEqual([1, 2]);
});
