/** @file `data.export`: writes stored episodes to files, a stream, or an address, completely or as a dataset. */

import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { findEnvironmentId, isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { ownRules } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { type AnyEnvironment, type EpisodeQuery, type EpisodeRecord, Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { withoutRepeatedEpisodes } from '@ludus-agents/learning/internal/datasets/distinct';
import { exportFormats, textFormats } from '@ludus-agents/learning/internal/datasets/formats';
import { type DatasetRequest, type Ears, rowsOf, tablesOf } from '@ludus-agents/learning/internal/datasets/request';
import { writeStates } from '@ludus-agents/learning/internal/datasets/states';
import { textOf, type Written, writeDataset } from '@ludus-agents/learning/internal/datasets/write';
import { type Bound, readBound } from '@ludus-agents/store/internal/exports/bounds';
import { DatasetCard } from '@ludus-agents/store/internal/exports/card';
import { type FileDigest, writeTextFile } from '@ludus-agents/store/internal/files/atomic-file';
import { manifestPath, writeManifest } from '@ludus-agents/store/internal/files/manifest';
import { checkAgentPlayed, loadRun } from '@ludus-agents/store/internal/stores';
import { version } from '@ludus-agents/store/internal/version';
import { type CallPlace, placeOf, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `data.export`. */
export interface DataExportRequest extends StoreCallOptions {
  /** A file, a folder for a dataset with its card, or an address for spans; or a stream, which stays open. */
  readonly output: string | Writable;
  /** "jsonl" is everything, for `data.import`; the others are datasets. */
  readonly format?: string | undefined;
  /** Only episodes of this run, environment or agent. */
  readonly run?: string | undefined;
  readonly environment?: string | undefined;
  readonly agent?: string | undefined;
  /** Only these seats. */
  readonly seat?: readonly string[] | undefined;
  /** Filters on scores, such as "return>=1": for exported seats, for trained turns, and for quotes. */
  readonly where?: readonly (Bound | string)[] | undefined;
  readonly mask?: readonly (Bound | string)[] | undefined;
  readonly maskQuotes?: readonly (Bound | string)[] | undefined;
  /** The allowed ends of episodes; over and limit by default. */
  readonly status?: readonly string[] | undefined;
  /** The calls of models, or the seat's observations. */
  readonly words?: string | undefined;
  readonly tag?: string | undefined;
  /** Leave out episodes that say the same as an earlier one. */
  readonly distinct?: boolean | undefined;
  readonly limit?: number | undefined;
  /** The share of tasks that is held out. */
  readonly evalShare?: number | undefined;
  readonly splitSeed?: number | undefined;
  /** For preference pairs: the score, the minimum difference, and the selection of pairs. */
  readonly score?: string | undefined;
  readonly margin?: number | undefined;
  readonly pairs?: string | undefined;
  /** A journal of the run, such as "metrics". */
  readonly journal?: string | undefined;
}

type Left = Written['left'];

/** The exported data, and the omitted data. */
export type DataExport =
  | {
      readonly kind: 'episodes';
      readonly lines: number;
      /** For a file. */
      readonly digest: FileDigest | null;
      /** Unreadable episodes that were omitted. */
      readonly damaged: readonly { readonly episode: string; readonly problem: string }[];
    }
  | (Written & { readonly kind: 'dataset'; readonly format: string; readonly evalShare: number })
  | { readonly kind: 'stream'; readonly left: Left }
  | { readonly kind: 'spans'; readonly episodes: number; readonly spans: number; readonly left: Left }
  | { readonly kind: 'events'; readonly file: string; readonly steps: number; readonly left: Left };

/** Exports stored episodes: everything about them, or a dataset for trainers and viewers. */
export async function exportData(request: DataExportRequest, place: CallPlace = placeOf(request)): Promise<DataExport> {
  const { format = 'jsonl' } = request;
  const formats = Object.keys(exportFormats);
  if (!formats.includes(format))
    throw new Fault('input', `Unknown format "${format}". Available: ${formats.join(', ')}.${didYouMean(format, formats)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  return readStore(request, place, async (store) => {
    const query = await queryOf(store, request, place);
    const filters = boundsIn(request);
    for (const { score } of filters.where ?? []) await checkScore(store, query, score);
    if (filters.mask !== undefined || filters.maskQuotes !== undefined) checkMasked(format);
    if (format !== 'jsonl') {
      const order = datasetOf(store, query, { ...request, ...filters, format });
      const distinct = request.distinct === true ? await withoutRepeatedEpisodes(order, recallEncoder(place.env)) : order;
      return exportDataset(distinct, request, place);
    }
    checkWhole(request);
    return exportWhole(store, query, { output: request.output, format, place });
  });
}

function boundsIn({ where, mask, maskQuotes }: DataExportRequest) {
  const read = (bounds: DataExportRequest['where'], name: string) =>
    bounds?.map((bound) => (typeof bound === 'string' ? readBound(bound, name) : bound));
  return { where: read(where, 'where'), mask: read(mask, 'mask'), maskQuotes: read(maskQuotes, 'maskQuotes') };
}

/** Options that narrow a dataset do not apply to complete exports. */
const narrowing = [
  ...(['seat', 'where', 'mask', 'maskQuotes', 'status', 'words', 'tag', 'distinct', 'limit', 'evalShare', 'splitSeed'] as const),
  ...(['score', 'margin', 'pairs', 'journal'] as const),
];

function checkWhole(request: DataExportRequest): void {
  const named = narrowing.find((name) => request[name] !== undefined);
  if (named === undefined) return;
  const option = named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new Fault('input', `--${option} is for datasets, but the format jsonl contains whole episodes. Choose another with --format.`);
}

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

type DatasetExport = DataExportRequest & ReturnType<typeof boundsIn> & { readonly format: string };

/** Everything about an export in one object. */
function datasetOf(store: Store, query: EpisodeQuery, request: DatasetExport): DatasetRequest {
  const { pairs = 'extremes', words, status, format, limit, seat, where, mask, maskQuotes, tag } = request;
  if (pairs !== 'extremes' && pairs !== 'neighbors' && pairs !== 'all')
    throw new Fault('input', `--pairs: expected extremes, neighbors, or all, got "${pairs}".`);
  if (words !== undefined && words !== 'calls' && words !== 'view')
    throw new Fault('input', `--words: expected calls or view, got "${words}".`);
  const wanted = status?.flatMap((name) => statuses.find((item) => item === name) ?? []);
  const odd = status?.find((name) => !statuses.some((item) => item === name));
  if (odd !== undefined) throw new Fault('input', `--status: expected some of ${statuses.join(', ')}, got "${odd}".`);
  return {
    ...{ store, format, wording: words, at: new Date(), version },
    filter: {
      query: { ...query, ...(limit !== undefined && { limit }) },
      ...{ ...(wanted && { statuses: wanted }), ...(seat && { seats: seat }), ...(where && { bounds: where }) },
      ...{ ...(mask && { masks: mask }), ...(maskQuotes && { quotes: maskQuotes }), ...(tag !== undefined && { tag }) },
    },
    // Arrays are for learning: a fifth of the episodes is held out by default.
    split: { evalShare: request.evalShare ?? (format === 'states' ? 0.2 : 0), seed: request.splitSeed ?? 0 },
    preference: { score: request.score ?? 'return', margin: request.margin ?? 0, pairs },
  };
}

async function exportDataset(order: DatasetRequest, request: DataExportRequest, place: CallPlace): Promise<DataExport> {
  const { format } = order;
  const { output, journal } = request;
  if (journal !== undefined || format === 'tensorboard') return exportMetrics(order, request, place);
  if (format === 'otel') {
    const { sendSpans } = await import('@ludus-agents/learning/internal/datasets/telemetry');
    return { kind: 'spans', ...(await sendSpans(order, typeof output === 'string' ? output : '', place.env)) };
  }
  const { evalShare } = order.split;
  if (format === 'states') {
    if (typeof output !== 'string') throw new Fault('input', 'The format states is written to a folder. Set it with -o.');
    const rules = await rulesFor(order.store, request.environment, place);
    return { kind: 'dataset', format, ...(await writeStates(order, resolve(place.cwd, output), { rules })), evalShare };
  }
  if (typeof output === 'string') return { kind: 'dataset', format, ...(await writeDataset(order, resolve(place.cwd, output))), evalShare };
  const left: Record<string, number> = { ...order.omitted };
  await writeLines(streamLines(order, left), { output, format, place });
  return { kind: 'stream', left };
}

/** The rules of an environment by its id and the episode's run: those named by the user first. */
async function rulesFor(store: Store, name: string | undefined, place: CallPlace) {
  const named = name !== undefined && isPath(name) ? await resolveEnvironment(name, place.cwd, place.trust) : null;
  const environments = new Map<string, AnyEnvironment | null>();
  return async (id: string, run: string | null): Promise<AnyEnvironment | null> => {
    if (named?.id === id) return named;
    const key = `${run} ${id}`;
    const environment = environments.has(key) ? (environments.get(key) ?? null) : await findRules(store, { id, run }, place);
    environments.set(key, environment);
    return environment;
  };
}

/** The rules in a file of a run started here, or else by the id alone; null if there are none. */
async function findRules(
  store: Store,
  of: { readonly id: string; readonly run: string | null },
  place: CallPlace,
): Promise<AnyEnvironment | null> {
  const run = of.run === null ? null : await store.run(of.run);
  const files = run === null ? [] : ownRules(run, place).filter(isPath);
  try {
    for (const file of files) {
      const environment = await resolveEnvironment(file, place.cwd, place.trust);
      if (environment.id === of.id) return environment;
    }
    // A log may have been imported: a file that it names is not loaded.
    return await resolveEnvironment(of.id, place.cwd, Trust.storedData);
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

/** A dataset as a stream: no card, and no types. */
async function* streamLines(order: DatasetRequest, left: Record<string, number>): AsyncGenerator<string, void, undefined> {
  if (tablesOf(order.format).some(({ columns }) => columns !== undefined))
    throw new Fault('input', `The format ${order.format} can only be written to files. Choose where with -o.`);
  const ears: Ears = {
    provenance: new DatasetCard(),
    leave: (why) => {
      left[why] = (left[why] ?? 0) + 1;
    },
  };
  if (order.format in textFormats) yield* textOf(order, 'ludus', ears);
  else for await (const { row } of rowsOf(order, ears)) yield `${JSON.stringify(row)}\n`;
}

/** The metrics of a run, as a spreadsheet or for TensorBoard. */
async function exportMetrics(order: DatasetRequest, { output, journal }: DataExportRequest, place: CallPlace): Promise<DataExport> {
  const { journalOf, writeEventFile } = await import('@ludus-agents/learning/internal/datasets/telemetry');
  const run = order.filter.query?.run;
  if (journal !== undefined && run === undefined) throw new Fault('input', 'A journal belongs to a run. Choose the run with --run.');
  const entries = run === undefined ? [] : await journalOf(order.store, run, journal ?? 'metrics');
  if (journal !== undefined && entries.length === 0) {
    const names = Object.keys(await order.store.journals(run as string));
    throw new Fault('input', `The run ${run} has no journal "${journal}". Available: ${names.length === 0 ? 'none' : names.join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  }
  if (order.format === 'csv') {
    const { journalLines } = await import('@ludus-agents/store/internal/exports/csv');
    await writeLines(
      [...journalLines(entries)].map((line) => `${line}\n`),
      { output, format: order.format, place },
    );
    return { kind: 'stream', left: {} };
  }
  if (order.format !== 'tensorboard') throw new Fault('input', '--journal can only be used with --format csv or tensorboard.');
  if (typeof output !== 'string') throw new Fault('input', 'An event file is written to a folder. Set it with -o.');
  return { kind: 'events', ...(await writeEventFile(order, resolve(place.cwd, output), entries)) };
}

interface Target {
  readonly output: string | Writable;
  readonly format: string;
  readonly place: CallPlace;
}

async function exportWhole(store: Store, query: EpisodeQuery, target: Target): Promise<DataExport> {
  const { exportJsonl } = await import('@ludus-agents/store/internal/jsonl');
  const damaged: { readonly episode: string; readonly problem: string }[] = [];
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const line of exportJsonl(store, query, (episode, problem) => damaged.push({ episode, problem }))) yield `${line}\n`;
  }
  return { kind: 'episodes', ...(await writeLines(lines(), target)), damaged };
}

async function queryOf(store: Store, request: DataExportRequest, { cwd, trust }: CallPlace): Promise<EpisodeQuery> {
  const { agent } = request;
  const run = request.run === undefined ? undefined : (await loadRun(store, request.run)).id;
  if (agent !== undefined) await checkAgentPlayed(store, agent);
  const environment = request.environment === undefined ? undefined : await findEnvironmentId(request.environment, cwd, trust);
  return { ...(run !== undefined && { run }), ...(environment !== undefined && { environment }), ...(agent !== undefined && { agent }) };
}

/** Rejects a score filter that no episode can match. All episodes are searched only if none of the first has the score. */
async function checkScore(store: Store, query: EpisodeQuery, wanted: string): Promise<void> {
  if (wanted === 'return') return;
  const visited = new Set(['return']);
  let episodes = 0;
  for await (const { id } of recordsOf(store, query)) {
    episodes++;
    for (const { name } of await store.scores(id)) visited.add(name);
    if (visited.has(wanted)) return;
  }
  if (episodes === 0) return;
  const knownNames = [...visited].sort();
  throw new Fault(
    'input',
    `--where: no episode has a score "${wanted}".${didYouMean(wanted, knownNames)} Available: ${knownNames.join(', ')}.`,
    { code: 'E_UNKNOWN_NAME' },
  );
}

/** Only formats with training labels can store a mask. */
function checkMasked(format: string): void {
  if (masked.includes(format)) return;
  throw new Fault(
    'input',
    `--mask only works with formats that mark what to learn (${masked.join(', ')}), not with ${format}. Remove it.`,
    { code: 'E_UNSUPPORTED' },
  );
}

/** Formats whose rows contain training labels. */
const masked: readonly string[] = ['openai', 'sharegpt', 'trl-sft', 'trl-dpo', 'trl-kto', 'parquet', 'atif', 'trace', 'team'];

/** Writes to a stream no faster than its reader; to a file that gets its final name when it is complete, with a manifest. */
async function writeLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  { output, format, place }: Target,
): Promise<{ readonly lines: number; readonly digest: FileDigest | null }> {
  let lines = 0;
  async function* counted(): AsyncGenerator<string, void, undefined> {
    for await (const piece of pieces) {
      lines++;
      yield piece;
    }
  }
  if (typeof output !== 'string') {
    await pipeline(counted(), output, { end: false });
    return { lines, digest: null };
  }
  const path = resolve(place.cwd, output);
  const digest = await writeTextFile(path, counted());
  const entry = { file: basename(path), ...digest, rows: lines };
  if (statSync(path).isFile()) writeManifest(manifestPath(path, false), { format, files: [entry], counts: { lines } });
  return { lines, digest };
}
