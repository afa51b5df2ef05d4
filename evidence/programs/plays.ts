/**
 * @file A kitchen with ten moves and twelve effects. Each effect takes three to five moves in a row, and there are eight goals in
 * words. The command's function extracts plans from 800 recorded moves and gives them to a language agent. A script replaces its model:
 * it follows the plan that its prompt names, and otherwise moves at random.
 *
 * Options: from ("play": undirected play, one effect after another with stray moves; "demonstrations": the same number of moves without
 * stray ones, repeating four goals; "shuffled": play with shuffled moves; "nothing"), seed. Prints the share of goals that are reached,
 * the number of plans, and the turns in which a plan was recalled.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Action, AnyEnvironment, EpisodeEvent, Json, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne } from './_play.ts';
import { scripts } from './_stages.ts';

const moves = ['fill', 'pour', 'light', 'stir', 'cut', 'open', 'press', 'turn', 'lift', 'wipe'].map((name) => `[${name}]`);
const effects = [
  ['Boil the kettle.', 'The kettle is boiling.'],
  ['Get the bread toasted.', 'The bread is toasted.'],
  ['We need a clean window.', 'The window is clean.'],
  ['Let there be warm milk.', 'The milk is warm.'],
  ['Ring the dinner bell.', 'The bell rings.'],
  ['Lay the table, please.', 'The table is laid.'],
  ['Peel an apple.', 'The apple is peeled.'],
  ['Wake the cat.', 'The cat wakes up.'],
  ['Fill the lamp with oil.', 'The lamp is full of oil.'],
  ['Could the radio play?', 'The radio plays.'],
  ['Beat the eggs.', 'The eggs are beaten.'],
  ['Sharpen a knife.', 'The knife is sharp.'],
] as const;
const [recorded, episodeMoves, goalMoves, demonstrated] = [800, 40, 8, 4];

type State = { readonly goal: number; readonly last: readonly string[]; readonly left: number };

/** The moves of each effect; a free kitchen has no goal and goes on. */
function kitchenOf(chains: readonly (readonly string[])[]): AnyEnvironment {
  const asks = [{ seat: 'cook', choices: moves }];
  return {
    id: 'kitchen-play@1',
    about: { summary: 'A kitchen.', tasks: [{}], turns: episodeMoves },
    parameters: {},
    task: (input: unknown) => input as { goal: number },
    seats: () => ['cook'],
    start: ({ goal }: { goal: number }) => ({
      state: { goal, last: [], left: goal < 0 ? episodeMoves : goalMoves },
      messages: [{ to: ['cook'], text: effects[goal]?.[0] ?? 'You are in the kitchen.' }],
      asks,
    }),
    step(before: State, actions: Readonly<Record<string, Action>>) {
      const last = [...before.last, actions['cook']?.text ?? ''].slice(-5);
      const effect = chains.findIndex((chain) => chain.join() === last.slice(-chain.length).join());
      const state: State = { ...before, last, left: before.left - 1 };
      const isReached = effect >= 0 && effect === state.goal;
      const text = effects[effect]?.[1] ?? 'Nothing happens.';
      const isOver = isReached || state.left === 0;
      return { state, messages: [{ to: ['cook'], text }], asks: isOver ? [] : asks, ...(isReached && { rewards: { cook: 1 } }) };
    },
  } as AnyEnvironment;
}

export default async function run({ from = 'play', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const random = rng(Number(seed), 'plays');
  const chains = effects.map((_, i) => Array.from({ length: 3 + (i % 3) }, () => random.pick(moves)));
  const kitchen = kitchenOf(chains);
  const plans =
    from === 'nothing'
      ? []
      : experienceFrom(await recordedPlay(kitchen, chains, { from: String(from), random, seed: Number(seed) }), 'cook').plans;
  const load = createAgentLoader({ model: async () => stage.writer(cook) });
  let [reached, acted] = [0, 0];
  const tries = 3;
  await forEachOf(Array.from({ length: effects.length * tries }), async (_, i) => {
    const settings = plans.length === 0 ? {} : { experience: { actions: [], affordances: {}, plans } };
    const agent = await load({ name: 'Ann', kind: 'llm', model: 'fake', settings }, 'cook', kitchen);
    const { events, returns } = await playOne(kitchen, { cook: agent }, { goal: i % effects.length }, Number(seed) * 1000 + i);
    reached += (returns['cook'] ?? 0) / (effects.length * tries);
    for (const event of events) {
      const { why } = ((event.kind === 'action' ? event.mind : undefined) ?? {}) as {
        readonly why?: { readonly memories: readonly string[] };
      };
      if (why?.memories.includes('x/plan') === true) acted++;
    }
  });
  return { reached, plans: plans.length, acted };
}

interface Recording {
  readonly from: string;
  readonly random: Rng;
  readonly seed: number;
}

async function recordedPlay(kitchen: AnyEnvironment, chains: readonly (readonly string[])[], { from, random, seed }: Recording) {
  const logs: (readonly EpisodeEvent[])[] = [];
  const demonstratedChains = random.shuffle(chains.map((_, i) => i)).slice(0, demonstrated);
  for (let count = 0; count < recorded; ) {
    const played = playfulMoves(
      chains,
      from === 'demonstrations' ? { of: [random.pick(demonstratedChains)], stray: false } : { of: chains.map((_, i) => i), stray: true },
      random,
    );
    const script = from === 'shuffled' ? random.shuffle(played) : played;
    let at = 0;
    const player = scripted('player', () => ({ text: script[at++] ?? '[wipe]' }));
    logs.push((await playOne(kitchen, { cook: player }, { goal: -1 }, seed * 1000 + 500 + logs.length)).events);
    count += at;
  }
  return logs;
}

/** One effect after another, as they come to mind; with stray moves, in one of three places between them and in one of ten within them. */
function playfulMoves(
  chains: readonly (readonly string[])[],
  { of, stray }: { readonly of: readonly number[]; readonly stray: boolean },
  random: Rng,
): readonly string[] {
  const played: string[] = [];
  while (played.length < episodeMoves) {
    if (stray && random.next() < 1 / 3) played.push(random.pick(moves));
    for (const move of chains[random.pick(of)]) played.push(...(stray && random.next() < 0.1 ? [random.pick(moves)] : []), move);
  }
  return played.slice(0, episodeMoves);
}

/** Follows the plan that its prompt names, one move a turn; then any move. */
function cook({ messages }: Prompt, dice: Rng): string {
  const text = messages.map(({ content }) => String(content)).join('\n');
  const [, plan = ''] = /What has led to "[^"]*" before: (.+)\./.exec(text) ?? [];
  const step = messages.filter(({ role }) => role === 'assistant').length;
  return `Action: ${plan.split(', then ')[step] || dice.pick(moves)}`;
}
