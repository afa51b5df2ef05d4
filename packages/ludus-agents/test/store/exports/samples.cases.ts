/** @file Episodes for the tests of exports: played ones, and one written by hand with calls, tools and tokens. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent, ModelCall, Score, Store, ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { memoryStore } from '@ludus-agents/store/internal/memory';

const nobody = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

const lookup: ToolSpec = {
  name: 'lookup',
  description: 'Finds a price.',
  parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
};

const usage = { promptTokens: 5, completionTokens: 2, cachedTokens: 1 };
const requests = [
  { role: 'system', content: 'You sell clocks.' },
  { role: 'user', content: 'An example?' },
  { role: 'assistant', content: 'Like this.' },
  { role: 'user', content: 'How much is it?' },
] as const;

const first: ModelCall = {
  model: 'http://localhost/v1#policy',
  prompt: { messages: requests, tools: [lookup] },
  text: '',
  toolCalls: [{ id: 'c1', name: 'lookup', arguments: { item: 'clock' } }],
  finish: 'tool',
  usage,
  cost: 0.5,
  promptTokenIds: [1, 2, 3],
  tokenIds: [7, 8],
  logprobs: [-0.25, -0.5],
  milliseconds: 12,
};

const second: ModelCall = {
  ...first,
  prompt: {
    messages: [
      ...requests,
      { role: 'assistant', content: '', toolCalls: first.toolCalls as NonNullable<ModelCall['toolCalls']> },
      { role: 'tool', content: '40', toolCallId: 'c1', name: 'lookup' },
    ],
    tools: [lookup],
  },
  text: 'It is 40, "as is".',
  finish: 'stop',
  promptTokenIds: [1, 2, 3, 7, 8, 9],
  tokenIds: [10],
  logprobs: [-1],
};
// A key with the value undefined is not JSON.
Reflect.deleteProperty(second, 'toolCalls');

/** A seller whose program called a tool and a model, and a buyer who only spoke. */
export const sale: readonly EpisodeEvent[] = [
  {
    kind: 'start',
    environment: 'sale@1',
    task: { item: 'clock' },
    seed: 3,
    seats: ['seller', 'buyer'],
    cast: { seller: 'program', buyer: '=buyer' },
  },
  { kind: 'message', to: ['buyer'], text: 'You want a clock.' },
  { kind: 'turn', asks: [{ seat: 'buyer', choices: ['ask', 'leave'] }] },
  { kind: 'action', seat: 'buyer', action: { text: 'How much is it?' } },
  { kind: 'message', to: ['seller'], from: 'buyer', text: 'How much is it?' },
  { kind: 'turn', asks: [{ seat: 'seller' }] },
  { kind: 'action', seat: 'seller', action: { text: 'It is 40, "as is".' }, calls: [first, second] },
  { kind: 'message', to: ['buyer'], from: 'seller', text: 'It is 40, "as is".' },
  { kind: 'reward', rewards: { seller: 2, buyer: -1 } },
  { kind: 'end', reason: 'over', returns: { seller: 2, buyer: -1 }, penalties: { seller: 0, buyer: 0 }, turns: 2 },
];

const manners: Score = {
  name: 'manners',
  value: 0.75,
  status: 'ok',
  seat: 'seller',
  evidence: [],
  cost: nobody,
  provenance: { judge: 'openai/judge', rubric: 'abc123' },
};

const environments = ['kuhn-poker', 'bargain', 'tic-tac-toe', 'liars-dice', 'werewolf', 'chat'];

/** A store with the sale and with episodes of several environments, two tasks of one of them, played by two kinds of agents. */
export async function sampleStore(seeds = 3): Promise<Store> {
  const store = memoryStore();
  await store.putRun({ id: 'sold', plan: { environments: [], seeds: [], casts: [] }, episodes: 1 });
  await store.append('sale-1', 0, sale, 'sold');
  await store.putScores('sale-1', [manners]);
  await store.putSpec({ name: 'program', kind: 'llm', persona: { provenance: { license: 'CC0-1.0', basis: 'fictional' } } });
  const casting = createAgentLoader({});
  for (const name of environments) {
    const environment = await builtInEnvironment(name);
    for (const [i, input] of environment.about.tasks.slice(0, 2).entries())
      for (let seed = 0; seed < seeds; seed++) {
        const task = environment.task(input);
        const seats = await Promise.all(
          environment.seats(task).map(async (seat) => [seat, await casting('random', seat, environment)] as const),
        );
        const events = await Array.fromAsync(play(environment, Object.fromEntries(seats), { task: input, seed, limits: { turns: 40 } }));
        await store.append(`${name}-${i}-${seed}`, 0, events, 'played');
      }
  }
  return store;
}
