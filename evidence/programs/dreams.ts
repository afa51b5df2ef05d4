/**
 * @file Houses of six floors with four doors each: one leads up and pays a sixth, one leads nowhere, and two lead out. After one random
 * round, an agent plays six rounds of real episodes.
 *
 * Options: arm ("remade": it looks ahead in a dream that is relearned from all episodes in every round; "first": in the first dream
 * only; "imitated": it repeats the moves of the best episodes so far, and moves at random elsewhere; "chance"), episodes (per round),
 * seed. Prints the mean return over all rounds, that of the last round, and how often the dream was relearned.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createDream } from '@ludus-agents/environments/internal/dream/dream';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import type { AgentSpec, AnyEnvironment, EpisodeEvent, Json, JsonObject, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { run as performPlan } from '@ludus-agents/kernel/internal/engine/run';
import { evolveDream } from '@ludus-agents/learning/internal/evolve-dream';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import type { ProgramOptions } from '../arms.ts';

const floors = 6;
const doors = ['[red]', '[blue]', '[green]', '[white]'];

export default async function run({ arm = 'remade', episodes = 12, seed = 1 }: ProgramOptions): Promise<Json> {
  const house = readStory(houseBy(rng(Number(seed), 'house')), 'house') as AnyEnvironment;
  const store = memoryStore();
  const logs: (readonly EpisodeEvent[])[] = [];
  let dream: AnyEnvironment | undefined;
  let dreams = 0;
  const loadAgent = createAgentLoader({ environment: async () => dream as AnyEnvironment });
  const searching: AgentSpec = { name: 'deep', kind: 'search', settings: { simulations: 60, depth: 8, dream: { from: './dream.json' } } };
  const agent = arm === 'remade' || arm === 'first' ? searching : arm === 'chance' ? 'random' : { name: 'imitator', kind: 'script' };
  const rounds = await evolveDream(
    {
      name: 'house',
      environment: house,
      task: {},
      seat: 'player',
      agent,
      others: {},
      hold: 0.2,
      rounds: 6,
      games: Number(episodes),
      seed: Number(seed) * 1000,
    },
    {
      store,
      perform: async (plan) => {
        const report = await performPlan(plan, {
          store,
          environment: async () => house,
          agent: (spec, seat, environment) =>
            typeof spec !== 'string' && spec.name === 'imitator'
              ? scripted('imitator', imitator([...logs]))
              : loadAgent(spec, seat, environment),
        });
        for await (const { id } of recordsOf(store, { run: report.run })) logs.push(await store.events(id));
        return report;
      },
      write: (document) => {
        if (dream === undefined || arm !== 'first') dreams++;
        dream = createDream(document);
      },
      isRemade: arm !== 'first',
    },
  );
  const isDreaming = arm === 'remade';
  return {
    paid: rounds.reduce((sum, { mean }) => sum + mean, 0) / rounds.length,
    last: rounds.at(-1)?.mean ?? 0,
    remade: isDreaming ? dreams - 1 : 0,
  };
}

/** Where the right doors are differs from seed to seed. */
function houseBy(random: Rng): JsonObject {
  const rooms = Array.from({ length: floors }, (_, floor) => {
    const [up, nowhere, ...out] = random.shuffle(doors);
    const above = floor === floors - 1 ? 'roof' : `floor ${floor + 1}`;
    const leaving = Object.fromEntries(out.map((door) => [door, { to: 'street' }]));
    const moves = { [up]: { to: above, pays: 1 / floors }, [nowhere]: { to: `floor ${floor}` }, ...leaving };
    return [`floor ${floor}`, { text: `Floor ${floor}.`, moves }] as const;
  });
  const ends = { roof: { text: 'The roof.', over: true }, street: { text: 'The street.', over: true } };
  const about = 'Climb to the roof.';
  return { kind: 'story', name: 'house', about, begins: 'floor 0', turns: 12, places: { ...Object.fromEntries(rooms), ...ends } };
}

/** Moves as in the episodes that went best, wherever it has been. */
function imitator(logs: readonly (readonly EpisodeEvent[])[]) {
  const { actions } = experienceFrom(logs, 'player');
  return ({ view, ask, rng: random }: Turn) => {
    const last = view.seen.findLast((item) => item.kind === 'message');
    const action = actions.find(({ at }) => last?.kind === 'message' && at === last.text);
    return { text: action?.move ?? random.pick(ask.choices ?? []) };
  };
}
