/**
 * @file Cost against size: `npm run bench -- growth [--only=seats] [--most=1000]`. Each curve has CPU-milliseconds at sizes some times apart
 * and the exponent between its two largest sizes: 1 is linear, 2 is a square.
 */

import '@ludus-agents/servers/internal/kinds';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customers, samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment, EpisodeEvent, Seat, Step, Store } from '@ludus-agents/kernel/internal/core/index';
import { recordOf, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { frontWeights } from '@ludus-agents/learning/internal/prompts/pareto';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import { codeOf, knowersOf, openVault } from './_vault.ts';
import type { Figure, Flags } from './run.ts';

/** Prepares work of a size; what it returns is measured, and may clean up after itself. */
type Curve = (size: number, folder: string) => Promise<{ work: () => unknown; done?: () => Promise<void> }>;

const speaker = scriptedPolicy('speaker', ({ ask }) => ({ text: ask.choices?.[0] ?? 'yes' }));

/** This many seats, all asked at once, so many times; everyone reads one line a turn. */
function table(seats: number, turns: number): AnyEnvironment {
  const names = Array.from({ length: seats }, (_, i): Seat => `seat-${i}`);
  const asks = names.map((seat) => ({ seat }));
  const step = (turn: number): Step => {
    const messages = [{ to: names, text: `Turn ${turn}.` }];
    return turn < turns ? { state: turn, messages, asks } : { state: turn, messages, asks: [], rewards: { [names[0]]: 1 } };
  };
  return {
    id: 'table@1',
    about: { summary: 'A table.', tasks: [{}], turns },
    parameters: {},
    task: () => ({}),
    seats: () => names,
    start: () => step(0),
    step: (state) => step((state as number) + 1),
  };
}

async function playTable(seats: number, turns: number): Promise<void> {
  const environment = table(seats, turns);
  const policies = recordOf(environment.seats({}), () => speaker);
  const [log] = await rollout(environment, policies, { seeds: [1] });
  const end = log?.at(-1);
  if (end?.kind !== 'end' || end.reason !== 'over') throw new Error(`The table ended with ${JSON.stringify(end)}.`);
}

async function logsOf(count: number): Promise<readonly (readonly EpisodeEvent[])[]> {
  const kuhn = await builtInEnvironment('kuhn-poker');
  return rollout(kuhn, { first: speaker, second: speaker }, { seeds: Array.from({ length: count }, (_, i) => i) });
}

async function storeIn(folder: string): Promise<Store> {
  return openStore(join(mkdtempSync(join(folder, 'store-')), 'growth.sqlite'));
}

async function append(store: Store, logs: readonly (readonly EpisodeEvent[])[]): Promise<void> {
  await Promise.all(logs.map((log, i) => store.append(`e${i}`, 0, log, 'r')));
}

const curves: Readonly<Record<string, { readonly sizes: readonly number[]; readonly about: string; readonly curve: Curve }>> = {
  seats: {
    sizes: [10, 100, 1000, 10_000],
    about: 'ten turns at which every seat is asked',
    curve: async (size) => ({ work: () => playTable(size, 10) }),
  },
  environments: {
    sizes: [10, 100, 1000, 10_000],
    about: 'episodes of Kuhn poker by one policy, in lock-step',
    curve: async (size) => {
      const kuhn = await builtInEnvironment('kuhn-poker');
      const seeds = Array.from({ length: size }, (_, i) => i);
      return { work: () => rollout(kuhn, { first: speaker, second: speaker }, { seeds }) };
    },
  },
  turns: {
    sizes: [10, 100, 1000, 10_000],
    about: 'turns of one episode with two seats',
    curve: async (size) => ({ work: () => playTable(2, size) }),
  },
  episodes: {
    sizes: [100, 1000, 10_000],
    about: 'episodes put into a store, and all of them listed',
    curve: async (size, folder) => {
      const logs = await logsOf(size);
      const store = await storeIn(folder);
      const work = async () => {
        await append(store, logs);
        for (let before: number | undefined; ; ) {
          const page = await store.episodes({ run: 'r', limit: 100, ...(before === undefined ? {} : { before }) });
          if (page.length === 0) break;
          before = page[page.length - 1].order;
        }
      };
      return { work, done: () => store.close() };
    },
  },
  page: {
    sizes: [100, 1000, 10_000],
    about: 'one page of a list, by the size of the store; it should not grow at all',
    curve: async (size, folder) => {
      const store = await storeIn(folder);
      await append(store, await logsOf(size));
      const work = async () => {
        for (let i = 0; i < 50; i++) await store.episodes({ run: 'r', limit: 50 });
      };
      return { work, done: () => store.close() };
    },
  },
  events: {
    sizes: [100, 1000, 10_000],
    about: 'events of one log, stored ten at a time and read back',
    curve: async (size, folder) => {
      const [start] = (await logsOf(1))[0];
      const event = (i: number): EpisodeEvent => ({ kind: 'message', to: ['first'], text: `Line ${i} of a long evening.` });
      const store = await storeIn(folder);
      const work = async () => {
        await store.append('e', 0, [start]);
        const pending: Promise<void>[] = [];
        for (let i = 1; i < size; i += 10)
          pending.push(
            store.append(
              'e',
              i,
              Array.from({ length: 10 }, (_, k) => event(i + k)),
            ),
          );
        await Promise.all(pending);
        if ((await store.events('e')).length < size) throw new Error('Events are missing.');
      };
      return { work, done: () => store.close() };
    },
  },
  personas: {
    sizes: [10, 100, 1000],
    about: 'people drawn from a population, every share met',
    curve: async (size) => ({ work: () => samplePopulation(customers, size, 1) }),
  },
  candidates: {
    sizes: [10, 100, 1000],
    about: 'candidates on the fronts of twenty tasks that each is passed or failed at',
    curve: async (size) => {
      const dice = rng(1, 'growth');
      const rows = Array.from({ length: size }, (_, i) => [`c${i}`, Array.from({ length: 20 }, () => dice.int(2))] as const);
      return { work: () => frontWeights(new Map(rows)) };
    },
  },
  members: {
    sizes: [2, 4, 8, 16],
    about: 'members of a team that speak in order, each reading those before it',
    curve: async (size) => {
      const code = codeOf(1);
      const knowers = Array.from({ length: size }, (_, i) => ({ ...knowersOf(code)[i % 3], name: `Member ${i}` }));
      return { work: () => openVault(knowers, code, { seed: 1, protocol: 'in-order' }) };
    },
  },
};

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const names = typeof flags['only'] === 'string' ? flags['only'].split(',') : Object.keys(curves);
  const most = Number(flags['most'] ?? Number.POSITIVE_INFINITY);
  const [count, rounds] = [sizeOf(flags, 'points', Number.POSITIVE_INFINITY, 2), sizeOf(flags, 'rounds', 200, 1)];
  const folder = mkdtempSync(join(tmpdir(), 'ludus-growth-'));
  const figures: Figure[] = [];
  try {
    for (const name of names) {
      const { sizes, about, curve } = curves[name];
      const costs: { readonly size: number; readonly cost: number }[] = [];
      for (const size of sizes.filter((size) => size <= most).slice(0, count))
        costs.push({ size, cost: await costOf(curve, size, { folder, rounds }) });
      const [before, last] = costs.slice(-2);
      const exponent =
        before === undefined || last === undefined ? null : Math.log(last.cost / before.cost) / Math.log(last.size / before.size);
      const points = costs.map(({ size, cost }) => `${size}: ${cost.toPrecision(3)} ms`).join(', ');
      figures.push({ name: `${name}.exponent`, value: exponent, unit: '', goal: '≤ 1', note: `${about}; ${points}` });
      process.stderr.write(`… ${name} ${exponent?.toFixed(2)} (${points})\n`);
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least CPU time of several rounds, each long enough to be measured. */
async function costOf(
  curve: Curve,
  size: number,
  { folder, rounds }: { readonly folder: string; readonly rounds: number },
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0, spent = 0; round < Math.min(3, rounds) || (round < rounds && spent < 300); round++) {
    const { work, done } = await curve(size, folder);
    const clock = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(clock);
    await done?.();
    least = Math.min(least, (user + system) / 1000);
    spent += (user + system) / 1000;
  }
  return least;
}
