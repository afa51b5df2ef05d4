/**
 * @file The fleet on a real PostgreSQL: ingest, what a job costs, how throughput grows with workers, and, with --chaos[=MINUTES], a bad day.
 *
 * Flags: --chaos (20 minutes unless said) · --events=N for the ingest · --only=ingest,overhead,scaling,people · --asked=N, --at-once=N and
 * --workers=N for the people
 */

import '@ludus-agents/servers/internal/kinds';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { customers } from '@ludus-agents/agents/internal/personas/index';
import { random } from '@ludus-agents/agents/internal/random';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
import { Worker } from '@ludus-agents/servers/internal/fleet/worker';
import { planSurvey } from '@ludus-agents/societies/internal/surveys/plan';
import { memoryStore, openSharedStore } from '@ludus-agents/store/internal/open-store';
import { type Server, startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import pg from 'pg';
import { chaos } from '../test/fixtures/chaos.ts';
import { slowModel } from '../test/fixtures/slow-model.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const server = await startServer(['-c', 'shared_buffers=256MB', '-c', 'max_wal_size=2GB']);
  if (typeof server === 'string') throw new Error(server);
  const figures: Figure[] = [];
  const say = (more: readonly Figure[]) => {
    for (const { name, value, unit } of more) process.stderr.write(`… ${name} ${value?.toPrecision(4)} ${unit}\n`);
    figures.push(...more);
  };
  const only = typeof flags['only'] === 'string' ? flags['only'].split(',') : ['ingest', 'overhead', 'scaling', 'people'];
  try {
    if (flags['chaos'] !== undefined) say(await badDay(server, Number(flags['chaos'] === true ? 20 : flags['chaos'])));
    else {
      if (only.includes('ingest')) say(await ingest(server, sizeOf(flags, 'events', 600_000, 1000)));
      if (only.includes('overhead')) say(await overhead(server, sizeOf(flags, 'episodes', 6000, 20)));
      if (only.includes('scaling')) say(await scaling(server, { each: sizeOf(flags, 'each', 100, 4), most: sizeOf(flags, 'most', 4, 1) }));
      if (only.includes('people')) say(await people(server, flags));
    }
  } finally {
    await server.stop();
  }
  return figures;
}

/** Logs of fifty events from four writers, as four workers would be: events of some nine hundred bytes, and real ones of small games. */
async function ingest(server: Server, events: number): Promise<readonly Figure[]> {
  const kuhn = await builtInEnvironment('kuhn-poker');
  const real: (readonly EpisodeEvent[])[] = [];
  for (let seed = 0; seed < 500; seed++) {
    const log: EpisodeEvent[] = [];
    for await (const event of play(kuhn, { first: random(), second: random() }, { seed })) log.push(event);
    real.push(log);
  }
  const large = await pourEvents(server.address('large'), events, logOf);
  const small = await pourEvents(server.address('small'), events, (i) => real[i % real.length]);
  return [
    { name: 'ingest.events_per_s', value: large.rate, unit: 'events/s', goal: '≥ 30,000', note: 'of 900 bytes each; durable' },
    { name: 'ingest.cpu_per_event', value: large.cpu, unit: 'µs', note: 'of this process' },
    { name: 'ingest.small.events_per_s', value: small.rate, unit: 'events/s', note: 'of Kuhn poker; durable' },
    { name: 'ingest.small.cpu_per_event', value: small.cpu, unit: 'µs', note: 'of this process' },
    {
      name: 'ingest.bytes_per_event',
      value: large.bytes,
      unit: 'bytes',
      note: 'on the disk of the server, indices and all, for 900 bytes',
    },
    { name: 'ingest.small.bytes_per_event', value: small.bytes, unit: 'bytes' },
  ];
}

async function pourEvents(where: string, events: number, logAt: (i: number) => readonly EpisodeEvent[]) {
  const crew = await Promise.all([0, 1, 2, 3].map(() => openSharedStore(where)));
  let [next, written] = [0, 0];
  const clock = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    crew.map(async ({ store }) => {
      while (written < events) {
        const subset = Array.from({ length: 100 }, () => next++);
        written += subset.reduce((sum, i) => sum + logAt(i).length, 0);
        await Promise.all(subset.map((i) => store.append(`e${i}`, 0, logAt(i), 'r')));
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(clock);
  await Promise.all(crew.map((sharedStore) => sharedStore.close()));
  return { rate: written / seconds, cpu: (user + system) / written, bytes: (await bytesOn(where)) / written };
}

/** Bytes of a schema on disk. */
async function bytesOn(where: string): Promise<number> {
  const client = new pg.Client(where.split('?')[0]);
  await client.connect();
  const sql =
    'select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = $1 and relnamespace = $2::regnamespace';
  const { rows } = await client.query(sql, ['r', /schema=(\w+)/.exec(where)?.[1]]);
  await client.end();
  return rows[0].bytes;
}

/** Texts that do not compress better than what people write: letters of digests. */
const pool = Array.from({ length: 5000 }, (_, i) => createHash('sha512').update(String(i)).digest('base64').repeat(3).slice(0, 190));

function logOf(seed: number): EpisodeEvent[] {
  const start: EpisodeEvent = { kind: 'start', environment: 'ingest@1', task: {}, seed, seats: ['a'], cast: { a: 'ann' } };
  const text = (i: number) => pool[(seed * 31 + i * 7) % pool.length];
  const episodeEvents = Array.from({ length: 48 }, (_, i): EpisodeEvent => {
    return {
      kind: 'message',
      to: ['a'],
      text: text(i),
      data: { why: text(1000 + i), mood: text(2000 + i), plan: text(3000 + i), rest: text(4000 + i).slice(0, 80) },
    };
  });
  return [start, ...episodeEvents, { kind: 'end', reason: 'over', returns: { a: 0 }, penalties: { a: 0 }, turns: 0 }];
}

/** CPU of this process for an episode by way of jobs, less what the same episode costs without them. */
async function overhead(server: Server, episodes: number): Promise<readonly Figure[]> {
  const plan = readPlan({ name: 'cost', environments: ['kuhn-poker'], seeds: episodes });
  const cpu = async (work: () => Promise<unknown>) => {
    const clock = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(clock);
    return (user + system) / 1000 / episodes;
  };
  await run(plan, { store: memoryStore(), environment: builtInEnvironment, agent: createAgentLoader(agentServices) });
  const figures: Figure[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'ludus-bench-'));
  for (const [name, where] of [
    ['postgres', (schema: string) => server.address(schema)],
    ['sqlite', (schema: string) => join(folder, `${schema}.db`)],
  ] as const) {
    const alone = await openSharedStore(where('alone'));
    const plain = await cpu(() =>
      run(plan, { store: alone.store, environment: builtInEnvironment, agent: createAgentLoader(agentServices), concurrency: 64 }),
    );
    await alone.close();
    const sharedStore = await openSharedStore(where('shared'));
    const offering = await cpu(() => enqueuePlan(plan, { sharedStore, environment: builtInEnvironment }));
    const worker = new Worker({ sharedStore, environment: builtInEnvironment, services: agentServices, concurrency: 64, untilEmpty: true });
    const working = await cpu(() => worker.run(new AbortController().signal));
    await sharedStore.close();
    figures.push(
      {
        name: `jobs.${name}.cpu_per_episode`,
        value: offering + working - plain,
        unit: 'ms',
        goal: '≤ 1',
        note: `offer ${offering.toFixed(3)} ms`,
      },
      { name: `episodes.${name}.cpu_without_jobs`, value: plain, unit: 'ms' },
    );
  }
  rmSync(folder, { recursive: true });
  return figures;
}

/** Episodes a second with a model that thinks for 200 ms, by 1, 2 and 4 worker processes of 2 episodes each: waiting is what they do most. */
async function scaling(server: Server, { each, most }: { readonly each: number; readonly most: number }): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  let first = 0;
  for (const workers of [1, 2, 4].filter((count) => count <= most)) {
    const model = await slowModel(200);
    const sharedStore = await openSharedStore(server.address(`scale${workers}`));
    const spec = { name: 'Ann', kind: 'llm', model: model.name };
    const plan = readPlan({ name: 'scale', environments: ['kuhn-poker'], seeds: each * workers, casts: [{ '*': spec }] });
    const crew = Array.from({ length: workers }, () => processOf(server.address(`scale${workers}`), { places: 2, calls: 64 }));
    await until(async () => (await sharedStore.jobs.workers()).length === workers);
    await enqueuePlan(plan, { sharedStore, environment: builtInEnvironment });
    await until(async () => (await sharedStore.jobs.standing('scale')).done >= 0.15 * each * workers);
    const [before, began, busy] = [(await sharedStore.jobs.standing('scale')).done, performance.now(), loadNow()];
    await until(async () => (await sharedStore.jobs.standing('scale')).done >= 0.85 * each * workers);
    const seconds = (performance.now() - began) / 1000;
    const rate = ((await sharedStore.jobs.standing('scale')).done - before) / seconds;
    const load = (loadNow() - busy) / seconds / 1000;
    if (workers === 1) first = rate;
    for (const child of crew) child.kill('SIGTERM');
    await Promise.all(crew.map((child) => once(child, 'exit')));
    await Promise.all([sharedStore.close(), model.close()]);
    figures.push({
      name: `scaling.${workers}.episodes_per_s`,
      value: rate,
      unit: 'episodes/s',
      note: `${load.toFixed(1)} of ${cpus().length} cores busy, whoever kept them so`,
    });
    if (workers > 1)
      figures.push({
        name: `scaling.${workers}.times_one`,
        value: rate / first,
        unit: '×',
        ...(workers === 4 && { goal: '≥ 3.8 until the cores are busy' }),
      });
  }
  return figures;
}

/** People of a survey who are played by a model of 200 ms, by workers that are there before: on PostgreSQL, and on one file. */
async function people(server: Server, flags: Flags): Promise<readonly Figure[]> {
  const [requestCount, atOnce] = [sizeOf(flags, 'asked', 1000, 4), sizeOf(flags, 'at-once', 64, 4)];
  const workers = sizeOf(flags, 'workers', 4, 1);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-bench-'));
  const figures: Figure[] = [];
  const options = ['no', 'rather no', 'neither', 'rather yes', 'yes'];
  const items = Array.from({ length: 10 }, (_, i) => ({ id: `q${i}`, kind: 'scale', text: `Statement ${i}.`, options }));
  for (const [kind, where] of [
    ['postgres', server.address('people')],
    ['sqlite', join(folder, 'people.db')],
  ] as const) {
    const model = await slowModel(200);
    const agent = { name: 'slow', kind: `llm:${model.name}` };
    const { plan, run: id } = planSurvey({ questionnaire: { refusal: false, items }, population: customers, number: requestCount, agent });
    const sharedStore = await openSharedStore(where);
    // As many people as calls would leave places empty at the end of each interview.
    const size = { places: Math.ceil((1.25 * atOnce) / workers), calls: Math.ceil(atOnce / workers) };
    const crew = Array.from({ length: workers }, () => processOf(where, size));
    await until(async () => (await sharedStore.jobs.workers()).length === workers);
    const spent = crew.map(cpuOf);
    await enqueuePlan(plan, { sharedStore, environment: builtInEnvironment });
    await until(async () => (await sharedStore.jobs.standing(id)).done >= requestCount);
    const milliseconds = crew.reduce((sum, child, i) => sum + cpuOf(child) - spent[i], 0);
    for (const child of crew) child.kill('SIGTERM');
    await Promise.all(crew.map((child) => once(child, 'exit')));
    await Promise.all([sharedStore.close(), model.close()]);
    const ideal = (Math.ceil((requestCount * items.length) / atOnce) * 200) / model.lasted;
    figures.push(
      {
        name: `people.${kind}.${workers}_workers.of_ideal`,
        value: 100 * ideal,
        unit: '% of ideal',
        goal: '≥ 95',
        note: `${requestCount} people, ten items, ${atOnce} calls at once; from the first call to the last answer; load ${loadavg()[0].toFixed(1)}`,
      },
      { name: `people.${kind}.cpu_per_call`, value: milliseconds / model.calls, unit: 'ms', note: 'of all workers' },
    );
  }
  rmSync(folder, { recursive: true });
  return figures;
}

/** Milliseconds of processor time that a process has used, where /proc tells it. */
function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function processOf(where: string, { places, calls }: { readonly places: number; readonly calls: number }): ChildProcess {
  const entry = join(import.meta.dirname, '..', 'test', 'fixtures', 'worker.ts');
  const env = { PATH: process.env['PATH'], LUDUS_STORE: where, LUDUS_CALLS_AT_ONCE: String(calls), LUDUS_CONTEXT: '4096' };
  return spawn(process.execPath, [entry, 'fleet', 'worker', '--concurrency', String(places), '--grace', '1'], { env, stdio: 'ignore' });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(100);
}

/** Milliseconds that all cores together have been busy. */
function loadNow(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.sys + times.nice + times.irq, 0);
}

async function badDay(server: Server, minutes: number): Promise<readonly Figure[]> {
  const say = (line: string) => process.stderr.write(`  ${line}\n`);
  const end = performance.now() + minutes * 60_000;
  const goesOn = () => performance.now() < end;
  const moments = { calm: 0, settled: 0 };
  const at = (moment: keyof typeof moments) => {
    moments[moment] = performance.now();
  };
  const report = await chaos({ server, schema: 'chaos', seed: 20, goesOn, at, workers: 4, budget: 200, wave: 150, say });
  for (const problem of report.problems.slice(0, 20)) say(problem);
  const deeds = Object.entries(report.deeds).map(([name, times]) => `${name} ${times}`);
  return [
    { name: 'chaos.minutes', value: minutes, unit: 'min', note: deeds.join(', ') },
    { name: 'chaos.episodes', value: report.planned, unit: 'episodes' },
    {
      name: 'chaos.problems',
      value: report.problems.length,
      unit: '',
      goal: '0',
      note: 'missing, doubled, torn, not replayable, or stuck',
    },
    { name: 'chaos.calls_beyond_budget', value: report.overspent, unit: 'calls', goal: '0 or less' },
    {
      name: 'chaos.calls_in_no_log',
      value: report.lost,
      unit: 'calls',
      note: `of ${report.calls}: answers that died with whoever waited for them`,
    },
    {
      name: 'chaos.recovery',
      value: (moments.settled - moments.calm) / 1000,
      unit: 's',
      note: 'from the last misdeed to the last episode',
    },
  ];
}
