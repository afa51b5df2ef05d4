/**
 * @file Whole paths over a store of many episodes: `npm run bench -- paths [--count=100000]`. Evaluation, the same evaluation again,
 * scoring, the report, exports, import: in CPU-seconds of this process, because other work on the machine is no part of it, and exports and
 * import by the clock too, because several threads make them. Once with the
 * smallest episodes there are, and with a twentieth as many of a length that users have (figures that begin with "desk").
 */

import '@ludus-agents/servers/internal/kinds';
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import { evaluate } from '@ludus-agents/evaluation/internal/evaluate';
import { reportFor } from '@ludus-agents/evaluation/internal/report';
import { scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { type Suite, suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { DatasetRequest } from '@ludus-agents/learning/internal/datasets/request';
import { writeDataset } from '@ludus-agents/learning/internal/datasets/write';
import { ReportDesk } from '@ludus-agents/servers/internal/studio/report-desk';
import { writeTextFile } from '@ludus-agents/store/internal/files/atomic-file';
import { blockBytes, linesIn } from '@ludus-agents/store/internal/files/lines';
import { exportJsonl } from '@ludus-agents/store/internal/jsonl';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** Kuhn poker on both seats: episodes as small as they come, so that what is measured is the path and not the episodes. */
const poker: Size = {
  name: '',
  share: 1,
  agents: ['random'],
  suite: suite({
    name: 'paths',
    about: 'Kuhn poker, many times.',
    nulls: ['random'],
    scenes: [{ environment: 'kuhn-poker', seats: ['first', 'second'], others: { '*': 'random' }, scale: [-2, 2] }],
  }),
};

/** A service desk with its customer: some dozens of turns, and two agents on the same tasks, so that there are pairs to prefer one of. */
const desk: Size = {
  name: 'desk.',
  share: 1 / 20,
  agents: ['scripted:agent'],
  suite: suite({
    name: 'paths-desk',
    about: 'A service desk, many times.',
    nulls: ['random'],
    scenes: [{ environment: 'service-desk', seats: ['agent'], others: { '*': 'scripted:customer' }, scale: [0, 1] }],
  }),
};

interface Size {
  /** What its figures begin with. */
  readonly name: string;
  /** Of the episodes that are asked for. */
  readonly share: number;
  readonly agents: readonly string[];
  readonly suite: Suite;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const requestedSize = sizeOf(flags, 'count', 20_000, 80);
  const figures: Figure[] = [];
  for (const size of [poker, desk])
    for (const figure of await measureSize(size, requestedSize * size.share))
      figures.push({ ...figure, name: `${size.name}${figure.name}` });
  return figures;
}

async function measureSize(size: Size, episodes: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-paths-'));
  const figures: Figure[] = [];
  const say = (figure: Figure) => {
    process.stderr.write(`… ${size.name}${figure.name} ${(figure.value ?? 0).toPrecision(4)} ${figure.unit} ${figure.note ?? ''}\n`);
    figures.push(figure);
  };
  try {
    const file = join(folder, 'paths.sqlite');
    const store = await openStore(file);
    // Two episodes of each seed: both seats of a poker game, or the agent and the one that does not try.
    const options = { trust: Trust.commandLine, suite: size.suite, agents: size.agents, seeds: episodes / 2, store };
    const first = await measureWork(() => evaluate(options));
    say({ name: 'eval.episodes_per_cpu_s', value: episodes / first.seconds, unit: 'episodes', note: 'played, stored, scored, reported' });
    const again = await measureWork(() => evaluate(options));
    if (again.value.played !== 0) throw new Error(`${again.value.played} episodes were played again.`);
    say({ name: 'eval.resume_s', value: again.seconds, unit: 's', goal: '≤ 2 at 100,000', note: `${episodes} episodes, ${slices(again)}` });
    const { run } = again.value;
    const scored = await measureWork(() =>
      scoreRun({ trust: Trust.commandLine, store, run, suite: null, sceneOf: () => null, again: true }),
    );
    say({ name: 'score.episodes_per_cpu_s', value: episodes / scored.seconds, unit: 'episodes', goal: '≥ 10,000', note: slices(scored) });
    const record = await store.run(run);
    const report = await measureWork(() => reportFor(record!, {}, { trust: Trust.commandLine, store, cwd: folder }));
    say({ name: 'report.s', value: report.seconds, unit: 's', note: `${episodes} episodes, ${slices(report)}` });
    const tally = await measureWork(() => store.tally({ run }));
    say({
      name: 'run_page.ms',
      value: tally.seconds * 1000,
      unit: 'ms',
      goal: '≤ 300',
      note: `what the page shows first, ${slices(tally)}`,
    });
    const desk = new ReportDesk({ store, where: file, cwd: folder });
    const reportTime = await measureWork(() => desk.report({ run, asked: {} }));
    await desk.close();
    if (reportTime.value.episodes !== episodes) throw new Error(`The report is about ${reportTime.value.episodes} episodes.`);
    say({
      ...{ name: 'report_beside_server.longest_slice_ms', value: reportTime.longestMs, unit: 'ms', goal: '≤ 50' },
      note: `CPU time of the thread that serves, while another makes the report in ${reportTime.seconds.toFixed(1)} CPU-s`,
    });
    const lines = join(folder, 'all.jsonl');
    const poured = await measureWork(() => writeTextFile(lines, endLines(exportJsonl(store))));
    const read = statSync(lines).size;
    for (const figure of rates('export.jsonl', read, poured, episodes)) say(figure);
    for (const format of ['trl-dpo', 'trl-sft', 'parquet']) {
      const out = join(folder, format);
      const written = await measureWork(() => writeDataset(orderFor(store, format), out));
      // Rows may be fewer or more than what they are made from: the logs that were read are what formats have in common.
      const megabytes = bytesIn(out) / 2 ** 20;
      const more = `, ${megabytes.toFixed(1)} MB written at ${(megabytes / written.seconds).toFixed(1)} MB/s`;
      for (const figure of rates(`export.${format}`, read, written, episodes, more)) say(figure);
    }
    await store.close();
    say({ name: 'store.bytes_per_episode', value: statSync(file).size / episodes, unit: 'bytes', note: 'with scores and indices' });
    const copy = await openStore(join(folder, 'copy.sqlite'));
    const importTime = await measureWork(() =>
      importAny(copy, linesIn(createReadStream(lines, { highWaterMark: blockBytes })), { file: lines }),
    );
    for (const figure of rates('import.jsonl', read, importTime, episodes)) say(figure);
    await copy.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Timed<T> {
  readonly value: T;
  readonly seconds: number;
  /** Seconds by the clock: more than those of the CPU where other work is on the machine. */
  readonly clock: number;
  readonly peakMb: number;
  /** The largest memory of the whole process, with its threads. */
  readonly residentMb: number;
  readonly longestMs: number;
}

/** CPU-seconds of some work, the largest heap during it, and the longest time in which nothing else of this thread could run, in CPU time. */
async function measureWork<T>(work: () => Promise<T>): Promise<Timed<T>> {
  let [peak, resident, longest, going] = [0, 0, 0, true];
  let looked = 0;
  const clock = process.cpuUsage();
  const began = performance.now();
  const ownCpuUsage = process.threadCpuUsage();
  let last = 0;
  const watch = () => {
    const { user, system } = process.threadCpuUsage(ownCpuUsage);
    const now = (user + system) / 1e6;
    longest = Math.max(longest, now - last);
    last = now;
    peak = Math.max(peak, getHeapStatistics().used_heap_size);
    // To look takes long enough that it is not done at every turn.
    if (performance.now() - looked > 20) {
      looked = performance.now();
      resident = Math.max(resident, process.memoryUsage.rss());
    }
    if (going) setImmediate(watch);
  };
  watch();
  const value = await work().finally(() => {
    going = false;
    watch();
  });
  return {
    ...{ value, seconds: cpuSecondsSince(clock), clock: (performance.now() - began) / 1000 },
    ...{ peakMb: peak / 2 ** 20, residentMb: resident / 2 ** 20, longestMs: longest * 1000 },
  };
}

function cpuSecondsSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

function slices({ longestMs, peakMb }: Pick<Timed<unknown>, 'longestMs' | 'peakMb'>): string {
  return `longest slice ${Math.round(longestMs)} ms, heap up to ${Math.round(peakMb)} MB`;
}

/** What a user waits for, which threads make shorter, and what it costs in all. */
function rates(name: string, bytes: number, { seconds, clock, ...timing }: Timed<unknown>, episodes: number, more = ''): readonly Figure[] {
  const megabytes = megabytesIn(bytes);
  const memory = `${slices(timing)}, memory of the process up to ${Math.round(timing.residentMb)} MB`;
  const note = `${megabytes.toFixed(1)} MB of logs${more}, ${Math.round(episodes / seconds)} episodes/s of CPU, ${memory}`;
  return [
    { name: `${name}_mb_per_s`, value: megabytes / clock, unit: 'MB', goal: '≥ 50', note: 'by the clock' },
    { name: `${name}_mb_per_cpu_s`, value: megabytes / seconds, unit: 'MB', note },
  ];
}

function megabytesIn(bytes: number): number {
  return bytes / 2 ** 20;
}

function orderFor(store: DatasetRequest['store'], format: string): DatasetRequest {
  const preference = { score: 'return', margin: 0, pairs: 'extremes' } as const;
  return { store, format, filter: {}, split: { evalShare: 0, seed: 0 }, preference, at: new Date(0), version: 'bench' };
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

async function* endLines(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}
