/** @file The state of a transformer in training: parameters, optimizer, reference, gradient, and the compiled graphs that update them. */

import { Fault, type JsonObject, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { firstWeights, type Parameter, parametersOf, type Sizes } from './network.ts';
import { mergePairs, pairsOf, type TokenContext } from './pairs.ts';
import { ProgramCache } from './program-cache.ts';
import { type Extent, type LossName, lossNames, optimiserGraph, scoringGraph, stateGraph, stepGraph } from './programs.ts';
import { readingFeeds, readingGraph, tableName } from './reading.ts';
import type { Held, Runtime } from './runtime.ts';
import type { TensorFile } from './safetensors.ts';
import type { TokenMemory } from './token-memory.ts';
import { after, type Layout, layOut, layOutUnread, placesOf, powerOfTwo, rootNode, type TextNode } from './tree.ts';

type Settings = Readonly<Record<string, number>>;
type Feeds = Record<string, Held>;

const vectors = ['theta', 'first', 'second', 'reference'] as const;
/** The vectors updated by the optimizer. */
const moving = ['theta', 'first', 'second'] as const;
type Moving = Readonly<Record<(typeof moving)[number], Float32Array>>;

export class TransformerTrainer {
  readonly sizes: Sizes;
  readonly parameters: readonly Parameter[];
  readonly #runtime: Runtime;
  readonly #programs: ProgramCache;
  /** Separate vectors, because the reference is updated in place. */
  #held: Readonly<Record<(typeof vectors)[number], Float32Array>>;
  /** Unused vectors from before the last step: the next step writes to them. */
  #spare: Moving | null = null;
  /** The mean of the weights over a number of moments, if one is maintained. */
  #mean: { readonly weights: Float32Array; readonly moments: number } | null = null;
  #gradient: Float32Array | null = null;
  #steps = 0;
  /** Whether only the head is still trained. */
  still = false;

  constructor(sizes: Sizes, { runtime, seed }: { readonly runtime: Runtime; readonly seed: Seed }) {
    this.sizes = sizes;
    this.#runtime = runtime;
    this.#programs = new ProgramCache(runtime);
    this.parameters = parametersOf(sizes);
    const theta = firstWeights(this.parameters, seed);
    this.#held = { theta, first: new Float32Array(theta.length), second: new Float32Array(theta.length), reference: theta.slice() };
  }

  get size(): number {
    return this.#held.theta.length;
  }

  get gradient(): Float32Array | null {
    return this.#gradient;
  }

  /** Reads texts of one tree with the current weights: stores the network's results in the nodes, and the keys and values in memory. */
  async read(nodes: readonly TextNode[], memory: TokenMemory): Promise<void> {
    const unread = new Set(nodes);
    for (const layout of layOutUnread(nodes, this.sizes.context)) {
      const wanted = [...unread].filter((node) => layout.placeOf.has(node));
      await this.#readRows(wanted, layout, memory);
      for (const node of wanted) unread.delete(node);
    }
  }

  async #readRows(wanted: readonly TextNode[], layout: Layout, memory: TokenMemory): Promise<void> {
    const program = this.#programs.get('read', this.size, () => readingGraph(this.sizes));
    const results = await program.run({ ...readingFeeds(this.#runtime.hold, { wanted, layout, memory }), ...this.#weights('theta') });
    const result = (name: string) => results[name]?.data as Float32Array;
    const { vocabulary, layers } = this.sizes;
    const logprobs = result('logprobs');
    wanted.forEach((node, i) => {
      node.logprobs = logprobs.subarray(i * vocabulary, (i + 1) * vocabulary);
    });
    let next = memory.add(Array.from({ length: 2 * layers }, (_, i) => result(`${tableName(i)}.next`)));
    for (const node of layout.placeOf.keys()) node.memory = next++;
  }

  /** The hidden state of each text at its last token, before the head. */
  async states(texts: readonly ArrayLike<number>[]): Promise<readonly Float32Array[]> {
    const root = rootNode();
    const nodes = texts.map((tokens) => Array.from(tokens).reduce(after, root));
    const distinct = [...new Set(nodes)];
    if (distinct.length === 0) return [];
    const layout = layOut(distinct, this.sizes);
    const places = placesOf(distinct, layout);
    const extent = { rows: layout.rows, length: layout.length, places: places.length, pairs: 0 };
    const program = this.#programs.get(`states ${Object.values(extent)}`, this.#numbers(extent), () => stateGraph(this.sizes, extent));
    const { states } = await program.run({ ...this.#rows(layout), ...this.#weights('theta'), places: this.#runtime.hold(places) });
    const { width } = this.sizes;
    const matches = new Map(distinct.map((node, i) => [node, (states as Held).data.slice(i * width, (i + 1) * width) as Float32Array]));
    return nodes.map((node) => matches.get(node)!);
  }

  /** The number of values stored per token. */
  get memory(): number {
    return 2 * this.sizes.layers * this.sizes.width;
  }

  /** The log-probability of every token of each row; 0 for the first. */
  async logprobs(rows: readonly ArrayLike<number>[], of: 'current' | 'reference'): Promise<readonly Float64Array[]> {
    const { nodes, pairs } = pairsOf(rows.map((tokens) => ({ tokens, mask: Array.from(tokens, () => 1) })));
    const out = rows.map((tokens) => new Float64Array(tokens.length));
    if (pairs.length === 0) return out;
    const layout = layOut(nodes, this.sizes);
    const places = placesOf(nodes, layout);
    const extent = extentOf(layout, places.length, pairs);
    const program = this.#programs.get(`score ${Object.values(extent)}`, this.#numbers(extent), () => scoringGraph(this.sizes, extent));
    const { chosen } = await program.run({
      ...this.#rows(layout),
      ...this.#pairs(pairs, extent.pairs),
      ...this.#weights(of === 'current' ? 'theta' : 'reference', 'theta'),
      places: this.#runtime.hold(places),
    });
    let next = 0;
    for (const list of out) for (let i = 1; i < list.length; i++) list[i] = (chosen as Held).data[next++] as number;
    return out;
  }

  /** Adds the gradient of a loss to the accumulated one. */
  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Settings> {
    const { results, told } = await this.#step(batch, loss, { settings: settings as Settings, apply: false });
    const gradient = results['gradient']?.data as Float32Array;
    const before = this.#gradient;
    if (before !== null) for (let i = 0; i < gradient.length; i++) gradient[i] = gradient[i] + before[i];
    this.#gradient = gradient;
    return told;
  }

  /** Forward, backward and the optimizer's step in one run of one graph: equivalent to `forwardBackward` and `optimStep`. */
  async step(batch: readonly TokenRow[], loss: string, settings: Settings): Promise<Settings> {
    if (this.still) return { ...(await this.forwardBackward(batch, loss, settings)), ...(await this.optimStep(settings)) };
    const { results, told } = await this.#step(batch, loss, { settings, apply: true });
    this.#moved(results);
    return told;
  }

  async optimStep(settings: Settings): Promise<Settings> {
    if (this.#gradient === null) throw new Fault('input', 'No gradient to apply. Call forwardBackward first.');
    const { theta } = this.#held;
    if (this.still) this.#outsideHead((at, size) => this.#gradient?.fill(0, at, at + size));
    const decays = (settings['decay'] ?? 0) !== 0;
    const program = this.#programs.get(`optimiser ${decays}`, 8 * this.size, () => optimiserGraph(this.sizes, decays));
    const results = await program.run({ ...this.#optimiser(settings), gradient: this.#runtime.hold(this.#gradient) }, this.#into(['norm']));
    this.#gradient = null;
    this.#moved(results);
    // The optimizer's moments and weight decay would still move weights without a gradient.
    if (this.still) this.#outsideHead((at, size) => this.#held.theta.set(theta.subarray(at, at + size), at));
    return { norm: Number(results['norm']?.data[0]) };
  }

  /** Sets the reference to the current weights, or moves it towards them by a share of the distance. */
  refer(share = 1): void {
    const { theta, reference } = this.#held;
    if (share === 1) reference.set(theta);
    else moveTowards(reference, theta, share);
  }

  /** Adds the current weights to their mean. */
  average(): void {
    const { theta } = this.#held;
    const { weights, moments } = this.#mean ?? { weights: theta.slice(), moments: 0 };
    moveTowards(weights, theta, 1 / (moments + 1));
    this.#mean = { weights, moments: moments + 1 };
  }

  /** Sets the weights to their mean, if one is maintained. */
  settle(): void {
    if (this.#mean !== null) this.#held = { ...this.#held, theta: this.#mean.weights };
    this.#mean = null;
  }

  /**
   * All vectors, or only the weights, as named tensors. A reference equal to the weights is still written, so that a checkpoint is
   * complete.
   */
  write(what: 'all' | 'weights' = 'all'): {
    readonly tensors: Readonly<Record<string, TensorFile>>;
    readonly steps: number;
    readonly moments: number;
  } {
    const tensors: Record<string, TensorFile> = {};
    const add = (prefix: string, data: Float32Array) => {
      for (const { name, at, size, shape } of this.parameters) tensors[prefix + name] = { shape, data: data.subarray(at, at + size) };
    };
    for (const vector of what === 'all' ? vectors : (['theta'] as const)) add(vector === 'theta' ? '' : `${vector}.`, this.#held[vector]);
    if (what === 'all' && this.#mean !== null) add('mean.', this.#mean.weights);
    return { tensors, steps: this.#steps, moments: this.#mean?.moments ?? 0 };
  }

  /** Weights stored alone become their own reference, with a fresh optimizer. */
  restore(tensors: Readonly<Record<string, TensorFile>>, steps: number, moments = 0): void {
    const read = (vector: (typeof vectors)[number] | 'mean') => {
      const out = new Float32Array(this.size);
      for (const { name, at, shape } of this.parameters) {
        const full = vector === 'theta' ? name : `${vector}.${name}`;
        const weights = tensors[full];
        if (weights === undefined || weights.shape.join() !== shape.join())
          throw new Fault('input', `The checkpoint has no "${full}" of ${shape.join(' × ')}. Load it into a model with the same sizes.`);
        out.set(weights.data, at);
      }
      return out;
    };
    const theta = read('theta');
    const alone = Object.keys(tensors).length === this.parameters.length;
    const [first, second] = alone ? [new Float32Array(this.size), new Float32Array(this.size)] : [read('first'), read('second')];
    this.#held = { theta, first, second, reference: alone ? theta.slice() : read('reference') };
    this.#steps = alone ? 0 : steps;
    this.#mean = moments === 0 ? null : { weights: read('mean'), moments };
    this.#gradient = null;
  }

  async #step(
    batch: readonly TokenRow[],
    loss: string,
    { settings, apply }: { readonly settings: Settings; readonly apply: boolean },
  ): Promise<{ readonly results: Readonly<Record<string, Held>>; readonly told: Settings }> {
    if (!lossNames.includes(loss as LossName))
      throw new Fault('input', `Unknown loss "${loss}". A transformer supports ${lossNames.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
    const { nodes, pairs: all } = pairsOf(batch);
    const pairs = loss === 'cross_entropy' ? mergePairs(all) : all;
    const layout = layOut(nodes, this.sizes);
    const places = placesOf(nodes, layout);
    const { kl = 0, entropy = 0 } = settings;
    const extent = extentOf(layout, places.length, pairs);
    const shape = {
      ...extent,
      loss: loss as LossName,
      kl: kl !== 0,
      entropy: entropy !== 0,
      apply,
      decay: apply && (settings['decay'] ?? 0) !== 0,
    };
    const program = this.#programs.get(`step ${Object.values(shape)}`, 3 * this.#numbers(extent), () => stepGraph(this.sizes, shape));
    const { hold } = this.#runtime;
    const share = new Float32Array(places.length);
    for (const { which, mask } of pairs) share[which] = share[which] + mask;
    const feeds: Feeds = {
      ...this.#rows(layout),
      ...this.#pairs(pairs, extent.pairs),
      ...this.#lossFeeds(pairs, loss as LossName, { count: extent.pairs, settings }),
      ...this.#weights('theta'),
      places: hold(places),
      share: hold(share),
    };
    if (kl !== 0) Object.assign(feeds, { klWeight: hold(Float32Array.of(kl), []), ...this.#weights('reference') });
    if (entropy !== 0) feeds['entropyWeight'] = hold(Float32Array.of(entropy), []);
    const results = apply
      ? await program.run({ ...feeds, ...this.#optimiser(settings) }, this.#into(['loss', 'entropy', 'kl', 'norm']))
      : await program.run(feeds);
    return { results, told: stepFigures(results, pairs, apply) };
  }

  /** The loss inputs of each pair, and its settings. Padding pairs are masked out. */
  #lossFeeds(
    pairs: readonly TokenContext[],
    loss: LossName,
    { count, settings }: { readonly count: number; readonly settings: Settings },
  ): Feeds {
    const { hold } = this.#runtime;
    const along = (of: (pair: TokenContext) => number) => {
      const out = new Float32Array(count);
      pairs.forEach((pair, i) => {
        out[i] = of(pair);
      });
      return hold(out);
    };
    const mask = along((pair) => pair.mask);
    if (loss === 'cross_entropy') return { mask, weights: along(({ weight }) => weight) };
    const requireNumber = (value: number | undefined, name: string): number => {
      if (value === undefined) throw new Fault('input', `The loss ${loss} needs ${name} in every row, but a row has none.`);
      return value;
    };
    const { clipLow = 0.2, clipHigh = clipLow } = settings;
    return {
      mask,
      advantages: along(({ advantage }) => requireNumber(advantage, 'advantages')),
      old: along(({ logprob }) => requireNumber(logprob, 'logprobs')),
      ...(loss === 'ppo' && { low: hold(Float32Array.of(1 - clipLow), []), high: hold(Float32Array.of(1 + clipHigh), []) }),
    };
  }

  #pairs(pairs: readonly TokenContext[], count: number): Feeds {
    const targets = new BigInt64Array(count);
    pairs.forEach(({ which, target }, i) => {
      targets[i] = BigInt(which * this.sizes.vocabulary + target);
    });
    return { targets: this.#runtime.hold(targets) };
  }

  #rows({ sees, rows, length, packed }: Layout): Feeds {
    const { hold } = this.#runtime;
    const [tokens, positions] = [new BigInt64Array(rows * length), new BigInt64Array(rows * length)];
    packed.forEach(({ fresh }, r) => {
      for (const [node, column] of fresh) {
        tokens[r * length + column] = BigInt(node.token);
        positions[r * length + column] = BigInt(node.depth);
      }
    });
    return {
      tokens: hold(tokens, [rows, length]),
      positions: hold(positions, [rows, length]),
      sees: hold(sees, [rows, 1, length, length]),
    };
  }

  #optimiser({ rate = 0.001, decay = 0, clip = 1, beta1 = 0.9, beta2 = 0.999 }: Settings): Feeds {
    const step = this.#steps + 1;
    const scalars = {
      rate,
      ...(decay !== 0 && { decay }),
      clip,
      keepFirst: beta1,
      keepSecond: beta2,
      firstSum: 1 - beta1 ** step,
      secondSum: 1 - beta2 ** step,
    };
    const feeds: Feeds = { theta: this.#vector('theta'), first: this.#vector('first'), second: this.#vector('second') };
    for (const [name, value] of Object.entries(scalars)) feeds[name] = this.#runtime.hold(Float32Array.of(value), []);
    return feeds;
  }

  /** The parts of a vector that belong to the trunk: all but the head and its gain. */
  #outsideHead(act: (at: number, size: number) => void): void {
    for (const { name, at, size } of this.parameters) if (name !== 'head' && name !== 'gain') act(at, size);
  }

  /** The outputs of a step: some figures, and the updated vectors, with buffers if there are spare ones. */
  #into(figures: readonly string[]): Readonly<Record<string, Held | null>> {
    const room = (name: (typeof moving)[number]) => (this.#spare === null ? null : this.#runtime.hold(this.#spare[name]));
    return Object.fromEntries([...figures.map((name) => [name, null]), ...moving.map((name) => [`${name}.next`, room(name)])]);
  }

  #moved(results: Readonly<Record<string, Held>>): void {
    const vector = (name: (typeof moving)[number]) => results[`${name}.next`]?.data as Float32Array;
    const { theta, first, second } = this.#held;
    this.#held = { ...this.#held, theta: vector('theta'), first: vector('first'), second: vector('second') };
    this.#spare = { theta, first, second };
    this.#steps++;
  }

  #vector(name: (typeof vectors)[number]): Held {
    return this.#runtime.hold(this.#held[name]);
  }

  /** The parameters of a vector as views into it, by their names in a graph. */
  #weights(vector: 'theta' | 'reference', as: string = vector): Feeds {
    const current = this.#held[vector];
    const feeds: Feeds = {};
    for (const { name, at, size, shape } of this.parameters)
      feeds[`${as}.${name}`] = this.#runtime.hold(current.subarray(at, at + size), shape);
    return feeds;
  }

  /**
   * A rough estimate of the values that a run holds: the states and the attention of each layer, and the distributions. The backward pass
   * holds three times as many.
   */
  #numbers({ rows, length, places }: Extent): number {
    const { width, layers, heads, vocabulary } = this.sizes;
    return rows * length * layers * (heads * length + 16 * width) + 4 * places * vocabulary;
  }
}

/**
 * Moves each number of a vector towards a goal, in place, because this runs at every update and new vectors would burden the garbage
 * collector.
 */
function moveTowards(vector: Float32Array, goal: Float32Array, share: number): void {
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i];
    vector[i] = value + share * (goal[i] - value);
  }
}

function extentOf({ rows, length }: Layout, places: number, pairs: readonly TokenContext[]): Extent {
  return { rows, length, places, pairs: Math.max(places, powerOfTwo(pairs.length)) };
}

function stepFigures(results: Readonly<Record<string, Held>>, pairs: readonly TokenContext[], apply: boolean): Settings {
  const number = (name: string) => Number(results[name]?.data[0]);
  const tokens = pairs.reduce((sum, { mask }) => sum + mask, 0);
  const each = Math.max(1, tokens);
  return {
    loss: number('loss'),
    tokens,
    kl: number('kl') / each,
    entropy: number('entropy') / each,
    ...(apply && { norm: number('norm') }),
  };
}
