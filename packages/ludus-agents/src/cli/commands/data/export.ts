/** @file `ludus data export`: the content of a store, as a file that other programs read: lossless, or as a dataset for trainers and viewers. */

import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findEnvironmentId, isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { ownRules } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type AnyEnvironment, type EpisodeQuery, type EpisodeRecord, Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { textFormats } from '@ludus-agents/learning/internal/datasets/formats';
import { type DatasetRequest, type Ears, hasDamaged, rowsOf, tablesOf } from '@ludus-agents/learning/internal/datasets/request';
import { writeStates } from '@ludus-agents/learning/internal/datasets/states';
import { textOf, type Written, writeDataset } from '@ludus-agents/learning/internal/datasets/write';
import { DatasetCard } from '@ludus-agents/store/internal/exports/card';
import type { Bound, Filter } from '@ludus-agents/store/internal/exports/index';
import { type FileDigest, writeTextFile } from '@ludus-agents/store/internal/files/atomic-file';
import { manifestPath, writeManifest } from '@ludus-agents/store/internal/files/manifest';
import { checkAgentPlayed, loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { version } from '@ludus-agents/store/internal/version';
import { type CommandRun, exits } from '../../command.ts';
import { all } from '../../declarations/data/export.ts';
import { printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly format: string;
  readonly output?: string;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly seat?: readonly string[];
  readonly where?: readonly Bound[];
  readonly mask?: readonly Bound[];
  readonly maskQuotes?: readonly Bound[];
  readonly status?: string;
  readonly words?: string;
  readonly limit?: number;
  readonly tag?: string;
  readonly evalShare?: number;
  readonly splitSeed?: number;
  readonly score?: string;
  readonly margin?: number;
  readonly pairs?: string;
  readonly journal?: string;
  readonly json?: boolean;
}

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

export const exportCommand: CommandRun<Options> = {
  async run({ options, terminal }) {
    if (!Object.hasOwn(all, options.format)) {
      const knownKeys = Object.keys(all);
      throw new Fault(
        'input',
        `Unknown format "${options.format}". Available: ${knownKeys.join(', ')}.${didYouMean(options.format, knownKeys)}`,
      );
    }
    return withExistingStore(terminal, options, async (store) => {
      const query = await queryOf(store, options, terminal.cwd);
      for (const { score } of options.where ?? []) await checkScore(store, query, score);
      if (options.mask !== undefined || options.maskQuotes !== undefined) checkMasked(options.format);
      if (options.format === 'jsonl') {
        whollyMeant(options);
        return lossless(store, query, { options, terminal });
      }
      return dataset(orderOf(store, query, options), { options, terminal });
    });
  },
};

/** What a dataset is narrowed by has no place where everything is written. */
function whollyMeant(options: Options): void {
  const narrowing: readonly (keyof Options)[] = [
    'seat',
    'where',
    'mask',
    'maskQuotes',
    'status',
    'words',
    'tag',
    'limit',
    'evalShare',
    'splitSeed',
    'score',
    'margin',
    'pairs',
    'journal',
  ];
  const named = narrowing.find((name) => options[name] !== undefined);
  if (named === undefined) return;
  const option = named.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new Fault('input', `--${option} is for datasets, but the format jsonl contains whole episodes. Choose another with --format.`);
}

interface Surroundings {
  readonly options: Options;
  readonly terminal: Terminal;
}

/** Everything about an export in one object. */
export function orderOf(store: Store, query: EpisodeQuery, options: Options): DatasetRequest {
  const { pairs = 'extremes', words, status } = options;
  if (pairs !== 'extremes' && pairs !== 'neighbours' && pairs !== 'all')
    throw new Fault('input', `--pairs: expected extremes, neighbours, or all, got "${pairs}".`);
  if (words !== undefined && words !== 'calls' && words !== 'view')
    throw new Fault('input', `--words: expected calls or view, got "${words}".`);
  const wanted = status?.split(',').map((item) => item.trim()) as Filter['statuses'];
  const odd = wanted?.find((item) => !statuses.includes(item));
  if (odd !== undefined) throw new Fault('input', `--status: expected some of ${statuses.join(', ')}, got "${odd}".`);
  return {
    store,
    format: options.format,
    filter: {
      query: { ...query, ...(options.limit === undefined ? {} : { limit: options.limit }) },
      ...(wanted === undefined ? {} : { statuses: wanted }),
      ...(options.seat === undefined ? {} : { seats: options.seat }),
      ...(options.where === undefined ? {} : { bounds: options.where }),
      ...(options.mask === undefined ? {} : { masks: options.mask }),
      ...(options.maskQuotes === undefined ? {} : { quotes: options.maskQuotes }),
      ...(options.tag === undefined ? {} : { tag: options.tag }),
    },
    // Arrays are for learning from: a fifth of the episodes is kept for evaluation unless set.
    split: { evalShare: options.evalShare ?? (options.format === 'states' ? 0.2 : 0), seed: options.splitSeed ?? 0 },
    wording: words,
    preference: { score: options.score ?? 'return', margin: options.margin ?? 0, pairs },
    at: new Date(),
    version: version,
  };
}

async function dataset(order: DatasetRequest, { options, terminal }: Surroundings): Promise<number> {
  const { output, journal } = options;
  if (journal !== undefined || order.format === 'tensorboard') {
    return exitFor(await figures(order, { options, terminal }), terminal);
  }
  if (order.format === 'otel') {
    const { sendSpans } = await import('@ludus-agents/learning/internal/datasets/telemetry');
    const message = await sendSpans(order, output ?? '', terminal.env);
    if (options.json === true) printJson(terminal, { to: output, ...message });
    else terminal.stderr.write(`${count(message.episodes, 'episode')} with ${count(message.spans, 'span')} sent to ${output}.\n`);
    return exitFor(message.left, terminal);
  }
  if (order.format === 'states') {
    return hasDamaged(await arrays(order, { options, terminal })) ? exits.found : exits.fine;
  }
  if (output === undefined) {
    const left: Record<string, number> = {};
    await pour(streamLines(order, left), terminal, {});
    return exitFor(left, terminal);
  }
  const written = await writeDataset(order, resolve(terminal.cwd, output));
  if (options.json === true) printJson(terminal, { output, format: order.format, ...written });
  else terminal.stderr.write(report(output, order, written));
  return hasDamaged(written.left) ? exits.found : exits.fine;
}

/** Names what is damaged and was left out, and gives the exit code. */
function exitFor(left: Written['left'], terminal: Terminal): number {
  if (!hasDamaged(left)) return exits.fine;
  for (const line of leftLines(left)) terminal.stderr.write(`${line}\n`);
  return exits.found;
}

/** States as arrays, by the rules at hand. */
async function arrays(order: DatasetRequest, { options, terminal }: Surroundings): Promise<Written['left']> {
  if (options.output === undefined) throw new Fault('input', 'The format states is written to a folder. Set it with -o.');
  const { environment: typed } = options;
  const named = typed !== undefined && isPath(typed) ? await resolveEnvironment(typed, terminal.cwd, terminal.trust) : null;
  const knownEntries = new Map<string, AnyEnvironment | null>();
  const rules = async (id: string, run: string | null) => {
    if (named?.id === id) return named;
    const key = `${run} ${id}`;
    if (!knownEntries.has(key)) knownEntries.set(key, await rulesAtHand(order.store, { id, run }, terminal));
    return knownEntries.get(key)!;
  };
  const written = await writeStates(order, resolve(terminal.cwd, options.output), { rules });
  if (options.json === true) printJson(terminal, { output: options.output, format: order.format, ...written });
  else terminal.stderr.write(report(options.output, order, written));
  return written.left;
}

/** Rules of a file that the run was begun with here, or else by the id alone; null where there are none. */
async function rulesAtHand(
  store: Store,
  of: { readonly id: string; readonly run: string | null },
  terminal: Terminal,
): Promise<AnyEnvironment | null> {
  const run = of.run === null ? null : await store.run(of.run);
  const files = run === null ? [] : ownRules(run, terminal).filter(isPath);
  try {
    for (const file of files) {
      const environment = await resolveEnvironment(file, terminal.cwd, terminal.trust);
      if (environment.id === of.id) return environment;
    }
    // What a log names was perhaps imported: a file is not loaded for it.
    return await resolveEnvironment(of.id, terminal.cwd, Trust.storedData);
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

/** A dataset on standard output: no card, and no types. */
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
async function figures(order: DatasetRequest, { options, terminal }: Surroundings): Promise<Written['left']> {
  const { journalOf, writeEventFile } = await import('@ludus-agents/learning/internal/datasets/telemetry');
  const run = order.filter.query?.run;
  if (options.journal !== undefined && run === undefined)
    throw new Fault('input', 'A journal belongs to a run. Choose the run with --run.');
  const entries = run === undefined ? [] : await journalOf(order.store, run, options.journal ?? 'metrics');
  if (options.journal !== undefined && entries.length === 0) {
    const knownKeys = Object.keys(await order.store.journals(run as string));
    throw new Fault(
      'input',
      `The run ${run} has no journal "${options.journal}". Available: ${knownKeys.length === 0 ? 'none' : knownKeys.join(', ')}.`,
    );
  }
  if (order.format === 'csv') {
    const { journalLines } = await import('@ludus-agents/store/internal/exports/csv');
    const lines = [...journalLines(entries)].map((line) => `${line}\n`);
    await pour(lines, terminal, options);
    return {};
  }
  if (order.format !== 'tensorboard') throw new Fault('input', '--journal can only be used with --format csv or tensorboard.');
  if (options.output === undefined) throw new Fault('input', 'An event file is written to a folder. Set it with -o.');
  const written = await writeEventFile(order, resolve(terminal.cwd, options.output), entries);
  if (options.json === true) printJson(terminal, written);
  else
    terminal.stderr.write(
      `${count(written.steps, 'step')} written to ${options.output}; tensorboard --logdir ${options.output} shows them.\n`,
    );
  return written.left;
}

function report(output: string, { format, split }: DatasetRequest, { files, cards, episodes, left, tasks }: Written): string {
  const lines = files.map(({ path, rows }) => `  ${path}${rows === 0 && path.endsWith('.json') ? '' : `  ${count(rows, 'row')}`}`);
  const missing = leftLines(left);
  const lopsided = split.evalShare > 0 && (tasks.train === 0 || tasks.eval === 0);
  const warning = lopsided
    ? [
        `  All ${tasks.train + tasks.eval} tasks fell on one side of the split, which goes by task; play more tasks, or try another --split-seed.`,
      ]
    : [];
  return `${output} (${format}) from ${count(episodes, 'episode')}, with ${cards.length === 0 ? 'no card' : 'a card'}:\n${[...lines, ...missing, ...warning].join('\n')}\n`;
}

function leftLines(left: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(left).map(([why, much]) => `  left out: ${much} × ${why}`);
}

async function lossless(store: Store, query: EpisodeQuery, { options, terminal }: Surroundings): Promise<number> {
  const { exportJsonl } = await import('@ludus-agents/store/internal/jsonl');
  const { output } = options;
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const line of exportJsonl(store, query, (episode, problem) => damaged.push({ episode, problem }))) yield `${line}\n`;
  }
  const damaged: { readonly episode: string; readonly problem: string }[] = [];
  const { written, digest } = await pour(lines(), terminal, options);
  for (const { episode, problem } of damaged) terminal.stderr.write(`  left out: damaged episode ${episode}: ${problem}\n`);
  if (damaged.length > 0)
    terminal.stderr.write(`${count(damaged.length, 'episode')} could not be read; "ludus doctor --fix" moves them out of the store.\n`);
  const code = damaged.length > 0 ? exits.found : exits.fine;
  if (output === undefined) return code;
  if (options.json === true) printJson(terminal, { file: output, lines: written, ...digest, ...(damaged.length > 0 && { damaged }) });
  else terminal.stderr.write(`${count(written, 'line')} written to ${output}.\n`);
  return code;
}

async function queryOf(store: Store, { run: typed, environment, agent }: Options, cwd: string): Promise<EpisodeQuery> {
  const run = typed === undefined ? undefined : await loadRun(store, typed);
  if (agent !== undefined) await checkAgentPlayed(store, agent);
  return {
    ...(run === undefined ? {} : { run: run.id }),
    ...(environment === undefined ? {} : { environment: await findEnvironmentId(environment, cwd, Trust.commandLine) }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** A bound on a score that no episode has would leave nothing, in silence. All episodes are looked at only where none has it. */
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
  );
}

/** A mask has a place only where something says what is learned. */
function checkMasked(format: string): void {
  if (masked.includes(format)) return;
  throw new Fault('input', `--mask only works with formats that mark what to learn (${masked.join(', ')}), not with ${format}. Remove it.`);
}

/** Formats whose rows say what is learned. */
const masked: readonly string[] = ['openai', 'sharegpt', 'trl-sft', 'trl-dpo', 'trl-kto', 'parquet', 'atif', 'trace', 'team'];

interface Poured {
  /** Pieces, each a line or several. */
  readonly written: number;
  readonly digest: FileDigest | null;
}

/** To standard output no faster than the other end reads, and it stays open; to a file that gets its name when it is whole, with a manifest. */
async function pour(
  lines: AsyncIterable<string> | Iterable<string>,
  terminal: Terminal,
  { output, format }: Partial<Pick<Options, 'output' | 'format'>>,
): Promise<Poured> {
  let written = 0;
  async function* countLines(): AsyncGenerator<string, void, undefined> {
    for await (const line of lines) {
      written++;
      yield line;
    }
  }
  if (output === undefined) {
    await pipeline(countLines(), terminal.stdout, { end: false });
    return { written, digest: null };
  }
  const path = resolve(terminal.cwd, output);
  const digest = await writeTextFile(path, countLines());
  const entry = { file: basename(path), ...digest, rows: written };
  if (statSync(path).isFile())
    writeManifest(manifestPath(path, false), { format: format ?? '', files: [entry], counts: { lines: written } });
  return { written, digest };
}
