/**
 * @file Per-step states as arrays: each log is replayed by its rules, and every state becomes a row of an NPY file, with labels in Parquet.
 *
 * The split is by episode, never by step. Logs are read twice: first to determine the columns, then to write them.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Action, type AnyEnvironment, Fault, type Json, nameOf, rng, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import type { ExportEpisode } from '@ludus-agents/store/internal/exports/index';
import { ParquetFile } from '@ludus-agents/store/internal/exports/parquet';
import { commitPart, type FileDigest, openAtomicFile, partName, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type ManifestEntry, manifestPath, writeManifest } from '@ludus-agents/store/internal/files/manifest';
import { countLeft, type DatasetRequest, playsOf } from './request.ts';
import { layersIn, leavesOf, npyHead } from './state-features.ts';
import { checkFolder, unfinished, type Written } from './write.ts';

const columns = { row: 'whole', episode: 'text', step: 'whole', seat: 'text', act: 'text', return: 'number', seed: 'whole' } as const;

interface ReplayedStep {
  readonly state: Json;
  /** The data of the step's messages. */
  readonly data: readonly (Json | undefined)[];
  readonly actions: Readonly<Record<Seat, Action>> | null;
}

/** The states of a log, or a sentence if its rules do not reproduce it. */
function statesOf(environment: AnyEnvironment, play: ExportEpisode): readonly ReplayedStep[] | string {
  const steps: { state: Json; data: (Json | undefined)[]; actions: Readonly<Record<Seat, Action>> | null }[] = [];
  const anyEnvironment: AnyEnvironment = Object.create(environment, {
    start: {
      value: (...inputs: Parameters<AnyEnvironment['start']>) => {
        const step = environment.start(...inputs);
        steps.push({ state: step.state, data: step.messages.map(({ data }) => data), actions: null });
        return step;
      },
    },
    step: {
      value: (...inputs: Parameters<AnyEnvironment['step']>) => {
        steps[steps.length - 1].actions = { ...inputs[1] };
        const step = environment.step(...inputs);
        steps.push({ state: step.state, data: step.messages.map(({ data }) => data), actions: null });
        return step;
      },
    },
  });
  return replay(anyEnvironment, play.events) === null ? steps : 'logs that their rules do not make again';
}

interface Counts {
  readonly features: Set<string>;
  readonly rows: { train: number; eval: number };
  /** Layers, height and width, if every state has layers of one shape. */
  shape: readonly number[] | null | undefined;
}

interface StatesOptions {
  /** The rules of an episode; null if they are not available. */
  readonly rules: (id: string, run: string | null) => Promise<AnyEnvironment | null>;
}

export async function writeStates(order: DatasetRequest, out: string, { rules }: StatesOptions): Promise<Written> {
  const left: Record<string, number> = {};
  const environments = new Map<string, Counts>();
  const tasks = { train: 0, eval: 0 };
  async function* replayPlays(first: boolean) {
    for await (const play of playsOf(order, first ? countLeft(left) : undefined)) {
      const environment = await rules(play.start.environment, play.record.run);
      const steps = environment === null ? 'episodes whose environment is not available' : statesOf(environment, play);
      if (typeof steps !== 'string') yield { play, name: nameOf(environment!), steps, side: sideOf(play.record.id, order.split) };
      else if (first) left[steps] = (left[steps] ?? 0) + 1;
    }
  }
  let episodes = 0;
  for await (const { name, steps, side } of replayPlays(true)) {
    episodes++;
    tasks[side]++;
    const counts = environments.get(name) ?? { features: new Set<string>(), rows: { train: 0, eval: 0 }, shape: undefined };
    environments.set(name, counts);
    counts.rows[side] += steps.length;
    for (const { state, data } of steps) {
      for (const feature of leavesOf(state).keys()) counts.features.add(feature);
      const visibleLayers = data.map(layersIn).find((layers) => layers !== null);
      const shape = visibleLayers === undefined ? null : [visibleLayers.layers, visibleLayers.height, visibleLayers.width];
      counts.shape = counts.shape === undefined || String(counts.shape) === String(shape) ? shape : null;
    }
  }
  if (episodes === 0) {
    const why = Object.entries(left).map(([what, many]) => `${many} ${what}`);
    const help = why.length === 0 ? 'play some first' : `there are ${why.join(' and ')}; pass an environment file with --environment`;
    throw new Fault('input', `No episode has states to write; ${help}.`, { code: 'E_NOT_FOUND' });
  }
  checkFolder(out);
  mkdirSync(join(out, 'data'), { recursive: true });
  writeFileSync(join(out, unfinished), '');
  const shelf = new Map(
    [...environments].flatMap(([name, counts]) =>
      (['train', 'eval'] as const).map((side) => [`${name} ${side}`, new ArrayFiles(out, name, side, counts)] as const),
    ),
  );
  try {
    for await (const { play, name, steps, side } of replayPlays(false)) await shelf.get(`${name} ${side}`)!.add(play, steps);
    const entries: ManifestEntry[] = [];
    for (const files of shelf.values()) entries.push(...(await files.commit()));
    for (const [name, { features }] of environments) {
      const file = `data/${name}/features.json`;
      entries.push({ file, ...writeFileAtomicSync(join(out, file), `${JSON.stringify([...features].sort())}\n`) });
    }
    const card = {
      kind: 'ludus-dataset',
      format: 'states',
      at: order.at.toISOString(),
      version: order.version,
      episodes,
      left,
      split: order.split,
    };
    writeFileAtomicSync(join(out, 'card.json'), `${JSON.stringify(card, null, 2)}\n`);
    writeManifest(manifestPath(out, true), { format: 'states', files: entries, counts: { episodes } });
    rmSync(join(out, unfinished), { force: true });
    const files = entries.map(({ file, rows = 0 }) => ({ path: file, rows, split: file.includes('/eval') ? 'eval' : 'train' }));
    return { files, cards: [join(out, 'card.json')], episodes, left, tasks };
  } finally {
    for (const files of shelf.values()) files.discard();
  }
}

/** The side of an episode in the split, by its id, so that repeated exports agree. */
function sideOf(episode: string, { evalShare, seed }: DatasetRequest['split']): 'train' | 'eval' {
  return rng(seed, 'states', episode).next() < evalShare ? 'eval' : 'train';
}

/** The arrays and labels of one environment and side. */
class ArrayFiles {
  readonly #base: string;
  readonly #name: string;
  readonly #features: readonly string[];
  readonly #states: ReturnType<typeof openAtomicFile>;
  readonly #layers: ReturnType<typeof openAtomicFile> | null;
  readonly #labels: ParquetFile;
  readonly #part: string;
  #rows = 0;

  constructor(out: string, name: string, side: 'train' | 'eval', { features, rows, shape }: Counts) {
    this.#name = `data/${name}/${side}`;
    this.#base = join(out, 'data', name, side);
    mkdirSync(dirname(this.#base), { recursive: true });
    this.#features = [...features].sort();
    this.#states = openAtomicFile(`${this.#base}-states.npy`);
    this.#states.write(npyHead('<f8', [rows[side], features.size]));
    this.#layers = shape === null || shape === undefined ? null : openAtomicFile(`${this.#base}-layers.npy`);
    this.#layers?.write(npyHead('|u1', [rows[side], ...(shape ?? [])]));
    this.#part = partName(`${this.#base}-labels.parquet`);
    this.#labels = new ParquetFile(this.#part, columns);
  }

  async add({ record, start, end }: ExportEpisode, steps: readonly ReplayedStep[]): Promise<void> {
    for (const [step, { state, data, actions }] of steps.entries()) {
      const leaves = leavesOf(state);
      const values = Float64Array.from(this.#features, (feature) => leaves.get(feature) ?? Number.NaN);
      this.#states.write(new Uint8Array(values.buffer));
      this.#layers?.write(data.map(layersIn).find((layers) => layers !== null)!.values);
      const common = { row: this.#rows++, episode: record.id, step, seed: start.seed };
      const acts = Object.entries(actions ?? {});
      if (acts.length === 0) await this.#labels.add({ ...common, seat: '', act: '', return: null });
      for (const [seat, action] of acts) await this.#labels.add({ ...common, seat, act: action.text, return: end?.returns[seat] ?? null });
    }
  }

  async commit(): Promise<readonly ManifestEntry[]> {
    await this.#labels.close();
    const rows = this.#rows;
    const entry = (ending: string, digest: FileDigest): ManifestEntry => ({ file: `${this.#name}-${ending}`, ...digest, rows });
    return [
      entry('states.npy', this.#states.commit()),
      ...(this.#layers === null ? [] : [entry('layers.npy', this.#layers.commit())]),
      entry('labels.parquet', await commitPart(this.#part, `${this.#base}-labels.parquet`)),
    ];
  }

  discard(): void {
    this.#states.discard();
    this.#layers?.discard();
    rmSync(this.#part, { force: true });
  }
}
