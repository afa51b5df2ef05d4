/** @file The numbers of a transformer in training: parameters, optimiser, reference, gradient, and the compiled graphs that move them. */

import { Fault, type JsonObject, type Seed, type TokenRow } from '../../core/index.ts';
import { type Layout, layOut, merged, type Place } from './batch.ts';
import { firstWeights, type Parameter, parametersOf, type Sizes } from './network.ts';
import { type LossName, lossNames, optimiserGraph, readingGraph, stepGraph } from './programs.ts';
import type { Held, Program, Runtime } from './runtime.ts';
import type { Weights } from './safetensors.ts';

type Settings = Readonly<Record<string, number>>;
type Feeds = Record<string, Held>;

const vectors = ['theta', 'first', 'second', 'reference'] as const;

export class Trainer {
  readonly sizes: Sizes;
  readonly parameters: readonly Parameter[];
  readonly #runtime: Runtime;
  readonly #programs = new Map<string, Promise<Program>>();
  #held: Readonly<Record<(typeof vectors)[number], Float32Array>>;
  #gradient: Float32Array | null = null;
  #steps = 0;

  constructor(sizes: Sizes, { runtime, seed }: { readonly runtime: Runtime; readonly seed: Seed }) {
    this.sizes = sizes;
    this.#runtime = runtime;
    this.parameters = parametersOf(sizes);
    const theta = firstWeights(this.parameters, seed);
    this.#held = { theta, first: new Float32Array(theta.length), second: new Float32Array(theta.length), reference: theta };
  }

  get size(): number {
    return this.#held.theta.length;
  }

  get gradient(): Float32Array | null {
    return this.#gradient;
  }

  /** Log-probabilities of all tokens at places of rows: one list for each place. */
  async read(
    rows: readonly ArrayLike<number>[],
    places: readonly Place[],
    of: 'current' | 'reference' = 'current',
  ): Promise<readonly Float32Array[]> {
    const layout = layOut(rows, places, this.sizes.context);
    const extent = { rows: layout.rows, length: layout.length, places: layout.places };
    const program = await this.#program(`read ${Object.values(extent)}`, () => readingGraph(this.sizes, extent));
    const { logprobs } = await program.run({ ...this.#batch(layout), theta: this.#vector(of === 'current' ? 'theta' : 'reference') });
    const { data } = logprobs as Held;
    return places.map((_, i) => (data as Float32Array).slice(i * this.sizes.vocabulary, (i + 1) * this.sizes.vocabulary));
  }

  /** Adds the gradient of a loss to what is gathered. */
  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Settings> {
    const { results, told } = await this.#step(batch, loss, { settings: settings as Settings, apply: false });
    const gradient = results['gradient']?.data as Float32Array;
    const before = this.#gradient;
    if (before !== null) for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) + (before[i] as number);
    this.#gradient = gradient;
    return told;
  }

  /** Forward, backward and the optimiser's step in one run of one graph: what `forwardBackward` and `optimStep` do, without a stop between. */
  async step(batch: readonly TokenRow[], loss: string, settings: Settings): Promise<Settings> {
    const { results, told } = await this.#step(batch, loss, { settings, apply: true });
    this.#moved(results);
    return told;
  }

  async optimStep(settings: Settings): Promise<Settings> {
    if (this.#gradient === null) throw new Fault('input', 'There is no gradient to apply; call forwardBackward first.');
    const program = await this.#program('optimiser', () => optimiserGraph(this.sizes));
    const results = await program.run({ ...this.#optimiser(settings), gradient: this.#runtime.hold(this.#gradient) });
    this.#gradient = null;
    this.#moved(results);
    return { norm: Number(results['norm']?.data[0]) };
  }

  refer(): void {
    this.#held = { ...this.#held, reference: this.#held.theta };
  }

  /** Every vector cut into named tensors. Equal references are written all the same: a checkpoint stands alone. */
  write(): { readonly tensors: Readonly<Record<string, Weights>>; readonly steps: number } {
    const tensors: Record<string, Weights> = {};
    for (const vector of vectors) {
      const prefix = vector === 'theta' ? '' : `${vector}.`;
      for (const { name, at, size, shape } of this.parameters)
        tensors[prefix + name] = { shape, data: this.#held[vector].subarray(at, at + size) };
    }
    return { tensors, steps: this.#steps };
  }

  restore(tensors: Readonly<Record<string, Weights>>, steps: number): void {
    const read = (vector: (typeof vectors)[number]) => {
      const out = new Float32Array(this.size);
      for (const { name, at, shape } of this.parameters) {
        const full = vector === 'theta' ? name : `${vector}.${name}`;
        const weights = tensors[full];
        if (weights === undefined || weights.shape.join() !== shape.join())
          throw new Fault(
            'input',
            `The checkpoint has no "${full}" of ${shape.join(' × ')}; load it into a model of the sizes it was saved from.`,
          );
        out.set(weights.data, at);
      }
      return out;
    };
    this.#held = { theta: read('theta'), first: read('first'), second: read('second'), reference: read('reference') };
    this.#steps = steps;
    this.#gradient = null;
  }

  async #step(
    given: readonly TokenRow[],
    loss: string,
    { settings, apply }: { readonly settings: Settings; readonly apply: boolean },
  ): Promise<{ readonly results: Readonly<Record<string, Held>>; readonly told: Settings }> {
    if (!lossNames.includes(loss as LossName))
      throw new Fault('input', `A transformer knows the losses ${lossNames.join(', ')}, but was asked for "${loss}"; choose one of them.`);
    const batch = loss === 'cross_entropy' ? merged(given) : given;
    const places = batch.flatMap((row, r) => masked(row).map((at): Place => ({ row: r, at: at - 1 })));
    const layout = layOut(
      batch.map(({ tokens }) => tokens),
      places,
      this.sizes.context,
    );
    const { rows, length, places: count } = layout;
    const { kl = 0, entropy = 0 } = settings;
    const shape = { rows, length, places: count, loss: loss as LossName, kl: kl !== 0, entropy: entropy !== 0, apply };
    const program = await this.#program(`step ${Object.values(shape)}`, () => stepGraph(this.sizes, shape));
    const { hold } = this.#runtime;
    const feeds: Feeds = { ...this.#batch(layout), ...this.#lossFeeds(batch, loss as LossName, { count, settings }) };
    if (kl !== 0) Object.assign(feeds, { klWeight: hold(Float32Array.of(kl), []), reference: this.#vector('reference') });
    if (entropy !== 0) feeds['entropyWeight'] = hold(Float32Array.of(entropy), []);
    const results = await program.run(apply ? { ...feeds, ...this.#optimiser(settings) } : { ...feeds, theta: this.#vector('theta') });
    return { results, told: toldOf(results, batch, apply) };
  }

  /** What the loss reads at each place, and its settings. */
  #lossFeeds(
    batch: readonly TokenRow[],
    loss: LossName,
    { count, settings }: { readonly count: number; readonly settings: Settings },
  ): Feeds {
    const { hold } = this.#runtime;
    const along = (of: (row: TokenRow, at: number) => number) => {
      const out = new Float32Array(count);
      let i = 0;
      for (const row of batch) for (const at of masked(row)) out[i++] = of(row, at);
      return out;
    };
    const feeds: Feeds = {
      targets: hold(
        BigInt64Array.from(
          along(({ tokens }, at) => tokens[at] as number),
          BigInt,
        ),
      ),
      mask: hold(along(({ mask }, at) => mask[at] as number)),
    };
    if (loss === 'cross_entropy')
      return { ...feeds, weights: hold(along(({ weights }, at) => (weights === undefined ? 1 : (weights[at] as number)))) };
    const needed = (list: ArrayLike<number> | undefined, name: string, at: number): number => {
      if (list === undefined) throw new Fault('input', `The loss ${loss} needs ${name} in every row, but a row has none; add them.`);
      return list[at] as number;
    };
    const { clipLow = 0.2, clipHigh = clipLow } = settings;
    return {
      ...feeds,
      advantages: hold(along(({ advantages }, at) => needed(advantages, 'advantages', at))),
      old: hold(along(({ logprobs }, at) => needed(logprobs, 'logprobs', at))),
      ...(loss === 'ppo' && { low: hold(Float32Array.of(1 - clipLow), []), high: hold(Float32Array.of(1 + clipHigh), []) }),
    };
  }

  #batch({ tokens, flat, rows, length }: Layout): Feeds {
    return { tokens: this.#runtime.hold(tokens, [rows, length]), places: this.#runtime.hold(flat) };
  }

  #optimiser({ rate = 0.001, decay = 0, clip = 1, beta1 = 0.9, beta2 = 0.999 }: Settings): Feeds {
    const step = this.#steps + 1;
    const scalars = { rate, decay, clip, keepFirst: beta1, keepSecond: beta2, firstSum: 1 - beta1 ** step, secondSum: 1 - beta2 ** step };
    const feeds: Feeds = { theta: this.#vector('theta'), first: this.#vector('first'), second: this.#vector('second') };
    for (const [name, value] of Object.entries(scalars)) feeds[name] = this.#runtime.hold(Float32Array.of(value), []);
    return feeds;
  }

  #moved(results: Readonly<Record<string, Held>>): void {
    const vector = (name: string) => results[`${name}.next`]?.data as Float32Array;
    this.#held = { ...this.#held, theta: vector('theta'), first: vector('first'), second: vector('second') };
    this.#steps++;
  }

  #vector(name: (typeof vectors)[number]): Held {
    return this.#runtime.hold(this.#held[name]);
  }

  #program(key: string, graph: () => Parameters<Runtime['compile']>[0]): Promise<Program> {
    const known = this.#programs.get(key) ?? this.#runtime.compile(graph());
    this.#programs.set(key, known);
    return known;
  }
}

/** The tokens of a row that a loss counts. The first has nothing before it to be told from. */
function masked({ mask }: TokenRow): readonly number[] {
  const out: number[] = [];
  for (let i = 1; i < mask.length; i++) if (mask[i] !== 0) out.push(i);
  return out;
}

function toldOf(results: Readonly<Record<string, Held>>, batch: readonly TokenRow[], apply: boolean): Settings {
  const number = (name: string) => Number(results[name]?.data[0]);
  let tokens = 0;
  for (const row of batch) for (const at of masked(row)) tokens += row.mask[at] as number;
  const each = Math.max(1, tokens);
  return {
    loss: number('loss'),
    tokens,
    kl: number('kl') / each,
    entropy: number('entropy') / each,
    ...(apply && { norm: number('norm') }),
  };
}
