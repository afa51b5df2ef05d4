/** @file How fast the foundation is: steps, episodes, episodes in flight, the store, and a cold start. */

import '@ludus-agents/servers/internal/kinds';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, AnyEnvironment, EpisodeEvent, Reply, Script, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { chatOf, scripted, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { limitYoungGeneration } from '@ludus-agents/servers/internal/fleet/young-generation';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const say = (...more: Figure[]) => {
    for (const figure of more) process.stderr.write(`… ${figure.name} ${(figure.value ?? 0).toPrecision(4)} ${figure.unit}\n`);
    figures.push(...more);
  };
  const ticTacToe = await builtInEnvironment('tic-tac-toe');
  const kuhn = await builtInEnvironment('kuhn-poker');

  // First, as in its own process: `ludus run --concurrency 5000` says so, too, before its heap has grown.
  limitYoungGeneration(5000);
  say(...(await inFlight(kuhn, flags)));
  setFlagsFromString('--semi-space-growth-factor=2');
  say({
    name: 'ttt.steps_per_cpu_s',
    value: (await rollouts(ticTacToe, sizeOf(flags, 'groups', 400, 2))).turns,
    unit: 'steps',
    goal: '≥ 600,000 (20× TextArena)',
  });
  say({
    name: 'kuhn.rollout_episodes_per_cpu_s',
    value: (await rollouts(kuhn, 2 * sizeOf(flags, 'groups', 400, 2))).episodes,
    unit: 'episodes',
    goal: '≥ 58,000 (10× TextArena)',
  });
  say({
    name: 'kuhn.play_episodes_per_cpu_s',
    value: await plays(kuhn, sizeOf(flags, 'plays', 8000, 50)),
    unit: 'episodes',
    goal: '≥ 10,000',
  });
  say(...(await measureStore(kuhn, flags['10m'] === true ? 10_000_000 : sizeOf(flags, 'events', 1_000_000, 20_000))));
  say(...coldStart(sizeOf(flags, 'starts', 7, 1)));
  return figures;
}

/** Turns and whole logged episodes per CPU-second through `rollout`: the best of five rounds after one that warms up. */
async function rollouts(environment: AnyEnvironment, groups: number): Promise<{ turns: number; episodes: number }> {
  const policy = scriptedPolicy('random', random);
  const policies = Object.fromEntries(environment.seats(environment.task({})).map((seat: Seat) => [seat, policy]));
  const best = { turns: 0, episodes: 0 };
  for (let round = 0; round < 6; round++) {
    const clock = process.cpuUsage();
    let turns = 0;
    for (let group = 0; group < groups; group++) {
      const seeds = Array.from({ length: 32 }, (_, i) => (round * groups + group) * 32 + i);
      for (const log of await rollout(environment, policies, { seeds })) turns += turnsOf(log);
    }
    const seconds = cpuSeconds(clock);
    if (round === 0) continue;
    best.turns = Math.max(best.turns, turns / seconds);
    best.episodes = Math.max(best.episodes, (groups * 32) / seconds);
  }
  return best;
}

async function plays(environment: AnyEnvironment, episodes: number): Promise<number> {
  const agent = scripted('random', random);
  const agents = Object.fromEntries(environment.seats(environment.task({})).map((seat: Seat) => [seat, agent]));
  let best = 0;
  for (let round = 0; round < 4; round++) {
    const clock = process.cpuUsage();
    for (let seed = 0; seed < episodes; seed++) for await (const _ of play(environment, agents, { seed }));
    if (round > 0) best = Math.max(best, episodes / cpuSeconds(clock));
  }
  return best;
}

/** Five thousand episodes that wait for a model of 200 ms: how near to the ideal, and what each costs in memory. */
async function inFlight(environment: AnyEnvironment, flags: Flags): Promise<Figure[]> {
  const lanes = sizeOf(flags, 'lanes', 5000, 50);
  const latency = 200;
  const measured = sizeOf(flags, 'milliseconds', 4000, 500);
  const warm = measured / 2;
  const model = fakeModel({ answers: () => '', latency: { mean: latency, spread: 0 } });
  let answered = 0;
  const agent: Agent = {
    name: 'waiting',
    async act({ view, ask, rng }: Turn, signal): Promise<Reply> {
      const call = await model.complete({ messages: chatOf(view) }, {}, signal);
      answered++;
      return { action: { text: rng.pick(ask.choices as readonly string[]) }, calls: [call] };
    },
  };
  const empty = heapAfterCollection();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  let going = true;
  const lane = async (_: unknown, i: number) => {
    for (let round = 0; going; round++) {
      // As `run` takes them: all that happened since an agent answered, at once.
      const episode = play(environment, { first: agent, second: agent }, { seed: i + round * lanes });
      while ((await episode.portion()).length > 0);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  await sleep(warm);
  const [from, began] = [answered, performance.now()];
  await sleep(measured);
  const [turns, took] = [answered - from, performance.now() - began];
  // Peak memory has much in it that only waits to be collected; what the episodes in flight really hold is what is left after that.
  const heldBytes = heapAfterCollection() - empty;
  going = false;
  await all;
  clearInterval(watch);
  const ideal = (lanes * took) / latency;
  return [
    {
      name: 'inflight.share_of_ideal',
      value: turns / ideal,
      unit: 'share',
      goal: '≥ 0.95',
      note: `${Math.round((turns * 1000) / took)} turns/s`,
    },
    {
      name: 'inflight.kb_per_episode',
      value: Math.max(0, peak - before) / lanes / 1024,
      unit: 'KB',
      goal: '≤ 60',
      note: 'peak resident set',
    },
    { name: 'inflight.live_kb_per_episode', value: heldBytes / lanes / 1024, unit: 'KB', note: 'heap after a collection' },
  ];
}

/** Bytes in use once everything that can go has gone. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Kuhn logs into an embedded store: events appended per second, and the first page of a list over all of them. */
async function measureStore(environment: AnyEnvironment, events: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-speed-'));
  try {
    const store = await openStore(join(folder, 'speed.sqlite'));
    const policy = scriptedPolicy('random', random);
    let written = 0;
    let seconds = 0;
    for (let group = 0; written < events; group++) {
      const logs = await rollout(
        environment,
        { first: policy, second: policy },
        { seeds: Array.from({ length: 2000 }, (_, i) => group * 2000 + i) },
      );
      const began = performance.now();
      await Promise.all(logs.map((log, i) => store.append(`e${group}-${i}`, 0, log, 'speed')));
      seconds += (performance.now() - began) / 1000;
      for (const log of logs) written += log.length;
    }
    await store.episodes({ run: 'speed', limit: 50 });
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const began = performance.now();
      await store.episodes(i % 2 === 0 ? { run: 'speed', limit: 50 } : { environment: environment.id, status: 'over', limit: 50 });
      times.push(performance.now() - began);
    }
    await store.close();
    times.sort((a, b) => a - b);
    const name = events <= 1_000_000 ? 'store.list_ms_1m' : 'store.list_ms_10m';
    return [
      {
        name: 'store.events_per_s',
        value: written / seconds,
        unit: 'events',
        goal: '≥ 100,000',
        note: `${written} events, synchronous=FULL`,
      },
      {
        name,
        value: times[Math.floor(times.length / 2)],
        unit: 'ms',
        goal: '< 20',
        note: `slowest ${(times.at(-1) as number).toFixed(2)} ms`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A new process to its first observation, from the compiled package. */
function coldStart(starts: number): Figure[] {
  const door = join(import.meta.dirname, '..', 'dist', 'node_modules', 'ludus-agents', 'dist', 'index.js');
  const script = `
    const { loadEnvironment, play, scripted } = await import(${JSON.stringify(door)});
    const agent = scripted('a', ({ ask }) => ({ text: ask.choices[0] }));
    for await (const event of play(await loadEnvironment('kuhn-poker'), { first: agent, second: agent })) if (event.kind === 'message') break;
    console.log(JSON.stringify({ rss: process.memoryUsage().rss / 2 ** 20, seconds: performance.now() / 1000 }));`;
  const runs = Array.from(
    { length: starts },
    () =>
      JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })) as {
        rss: number;
        seconds: number;
      },
  );
  const median = (pick: (run: { rss: number; seconds: number }) => number) => runs.map(pick).sort((a, b) => a - b)[starts >> 1];
  return [
    { name: 'cold.start_s', value: median((run) => run.seconds), unit: 's', goal: '≤ 0.25' },
    { name: 'cold.rss_mb', value: median((run) => run.rss), unit: 'MB', goal: '≤ 80' },
  ];
}

function turnsOf(log: readonly EpisodeEvent[]): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? end.turns : 0;
}

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}
