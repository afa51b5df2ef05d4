/**
 * @file Games of tic-tac-toe between two language agents whose model answers after 100 ms ± 50 ms. Options: concurrency (episodes at
 * once), games, seed. Prints the binary logarithm of episodes per second, the share of the time that 64 at once would take if only
 * answers took time, the largest number of other calls in flight, and a number that is equal if all stored events are equal.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { hash, type Json, type Model, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { run as performPlan } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import type { ProgramOptions } from '../arms.ts';

const slots = 64;

export default async function run({ concurrency = slots, games = 16, seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await builtInEnvironment('tic-tac-toe');
  const fake = fakeModel({
    answers({ messages }: Prompt, dice: Rng) {
      const [, listed = ''] = /Your moves: (.+)/.exec(String(messages.at(-1)?.content)) ?? [];
      return `Action: ${dice.pick(listed.match(/\[[^\]]+\]/g) ?? ['[0]'])}`;
    },
  });
  let [open, most, waited] = [0, 0, 0];
  const model: Model = {
    ...fake,
    async complete(prompt, sampling, signal) {
      const wait = 50 + 100 * rng(Number(seed), 'wait', hash(prompt)).next();
      most = Math.max(most, ++open);
      waited += wait;
      await new Promise((done) => setTimeout(done, wait));
      open--;
      return fake.complete(prompt, sampling, signal);
    },
  };
  const store = memoryStore();
  const spec = { name: 'Ann', kind: 'llm', model: 'fake' };
  const began = performance.now();
  const { run: name } = await performPlan(
    {
      environments: [{ environment: 'tic-tac-toe', tasks: [{}] }],
      seeds: { from: Number(seed) * 1000, count: Number(games) },
      casts: [{ '*': spec }],
    },
    {
      store,
      environment: async () => environment,
      agent: createAgentLoader({ model: async () => model }),
      concurrency: Number(concurrency),
    },
  );
  const milliseconds = performance.now() - began;
  const logs: string[] = [];
  for await (const { id, seed: played } of recordsOf(store, { run: name }))
    logs.push(`${played} ${(await store.events(id)).flatMap((event) => (event.kind === 'action' ? [event.action.text] : [])).join()}`);
  const digest = Number.parseInt(hash(logs.sort()).slice(0, 8), 16);
  return {
    doublings: Math.log2((1000 * Number(games)) / milliseconds),
    ideal: waited / slots / milliseconds,
    beside: most - 1,
    digest,
    games: logs.length,
  };
}
