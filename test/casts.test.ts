/** @file Every world can be played by the casts that a plan names in one word. */

import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { Agent, AnyEnvironment, EndEvent, EpisodeEvent, Json, JsonObject, Seed } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { amount } from './fixtures/amount.ts';

async function endOf(environment: AnyEnvironment, kind: string, dice: { readonly task: Json; readonly seed: Seed }): Promise<EndEvent> {
  const agents: Record<string, Agent> = {};
  for (const seat of environment.seats(environment.task(dice.task))) agents[seat] = await createAgent(kind, seat, environment);
  let last: EpisodeEvent | undefined;
  for await (const event of play(environment, agents, dice)) last = event;
  return last as EndEvent;
}

describe('a cast named in one word', () => {
  // A game of chess between two searches takes a second.
  const seedsOf = (name: string) => (name === 'chess' || name === 'kitchen' ? amount(1, 2) : amount(1, 12));
  it.each(environmentNames().flatMap((name) => ['random', 'scripted'].map((kind) => ({ name, kind }))))(
    'plays $name to a regular end with $kind agents in every seat',
    async ({ name, kind }) => {
      const environment = await builtInEnvironment(name);
      // A script of liar's dice solves the game first, which takes seconds with six faces. Cooks plan a way at every tick.
      const sizes: Readonly<Record<string, JsonObject>> = { 'liars-dice': { faces: amount(3, 6) }, kitchen: { horizon: amount(80, 400) } };
      const small = sizes[name] ?? {};
      for (let seed = 0; seed < seedsOf(name); seed++)
        for (const task of [small, { ...small, disguise: 7, legal: true }]) {
          const end = await endOf(environment, kind, { task, seed });
          expect({ reason: end.reason, fault: end.fault }, `${name} ${JSON.stringify(task)} seed ${seed}`).toEqual({ reason: 'over' });
        }
    },
  );

  it.each(['tic-tac-toe', 'leduc', 'liars-dice', 'codebreaker', 'twenty-questions'])(
    'fails with a clear message if a script of %s cannot see its whole view',
    async (name) => {
      const environment = await builtInEnvironment(name);
      const ends = await Promise.all([0, 1, 2, 3, 4, 5].map((seed) => endOf(environment, 'scripted', { task: { window: 1 }, seed })));
      const failed = ends.filter(({ reason }) => reason === 'error');
      expect(failed.length).toBeGreaterThan(0);
      for (const { fault } of failed) expect(fault?.message).toMatch(/This script must see its whole view\. Play it/);
    },
  );
});
