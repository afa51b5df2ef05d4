/**
 * @file A computation as an ONNX graph, with a tape from which the graph of its gradient is built.
 *
 * Shapes are fixed when a graph is written. Operations (operations.ts) emit nodes and record how a gradient is pulled back through them;
 * `gradient` walks the tape backwards and emits more nodes, so that forward and backward are one graph and one call of the runtime.
 */

import { type Attribute, type ElementType, type OnnxConstant, type OnnxNode, type OnnxValue, onnxModel } from './onnx.ts';

export interface Tensor {
  readonly graph: Graph;
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: ElementType;
}

/** Maps the gradient of an output to the gradient of one input. */
export type Pull = (slope: Tensor) => Tensor;

interface Recorded {
  readonly output: Tensor;
  readonly inputs: readonly Tensor[];
  /** One for each input; null if no gradient flows to it. */
  readonly pulls: readonly (Pull | null)[];
}

export interface Emission {
  readonly shape: readonly number[];
  readonly type?: ElementType;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export class Graph {
  readonly #nodes: OnnxNode[] = [];
  readonly #constants = new Map<string, OnnxConstant>();
  readonly #inputs: OnnxValue[] = [];
  readonly #outputs: OnnxValue[] = [];
  readonly #tape: Recorded[] = [];
  readonly #known = new Map<string, Tensor>();
  readonly #recorded = new Set<string>();
  readonly #renamed = new Map<string, string>();

  /** Declares an input of a run by name. */
  input(name: string, shape: readonly number[], type: ElementType = 'float32'): Tensor {
    this.#inputs.push({ name, shape, type });
    return { graph: this, name, shape, type };
  }

  /** Declares an output of a run by name. */
  output(name: string, tensor: Tensor): void {
    const computed = this.#nodes.some(({ output }) => output === tensor.name) && !this.#renamed.has(tensor.name);
    // A computed tensor is renamed; an input, or a tensor that is returned twice, is copied.
    if (computed) this.#renamed.set(tensor.name, name);
    else this.#nodes.push({ operation: 'Identity', inputs: [tensor.name], output: name, attributes: {} });
    this.#outputs.push({ name, shape: tensor.shape, type: tensor.type });
  }

  /** A constant; equal constants are stored once. */
  constant(values: readonly number[], shape: readonly number[] = [], type: ElementType = 'float32'): Tensor {
    const list = type === 'int64' ? BigInt64Array.from(values, BigInt) : Float32Array.from(values);
    const data = new Uint8Array(list.buffer);
    const key = `${type}${shape.join('x')}:${values.length > 64 ? this.#constants.size : values.join(',')}`;
    const onnxConstant = this.#constants.get(key) ?? { name: `c${this.#constants.size}`, type, shape, data };
    this.#constants.set(key, onnxConstant);
    return { graph: this, name: onnxConstant.name, shape, type };
  }

  /** Adds a node, or returns the existing one for the same operation on the same tensors. */
  emit(operation: string, inputs: readonly Tensor[], { shape, type = 'float32', attributes = {} }: Emission): Tensor {
    const names = inputs.map(({ name }) => name);
    const key = JSON.stringify([operation, names, attributes]);
    const knownTensor = this.#known.get(key);
    if (knownTensor !== undefined) return knownTensor;
    const output = `t${this.#nodes.length}`;
    this.#nodes.push({ operation, inputs: names, output, attributes });
    const tensor: Tensor = { graph: this, name: output, shape, type };
    this.#known.set(key, tensor);
    return tensor;
  }

  /** Records an operation on the tape and returns its output. */
  record(output: Tensor, inputs: readonly Tensor[], pulls: readonly (Pull | null)[]): Tensor {
    // A repeated operation is already on the tape, where its gradients are summed.
    if (!this.#recorded.has(output.name)) this.#tape.push({ output, inputs, pulls });
    this.#recorded.add(output.name);
    return output;
  }

  /** The gradient of a scalar with respect to each of `by`, as new nodes; `sum` adds two gradients of one tensor. */
  gradient(of: Tensor, by: readonly Tensor[], sum: (a: Tensor, b: Tensor) => Tensor): readonly (Tensor | null)[] {
    const tape = this.#tape.slice();
    const moving = new Set(by.map(({ name }) => name));
    for (const { output, inputs, pulls } of tape)
      if (inputs.some((input, i) => pulls[i] !== null && moving.has(input.name))) moving.add(output.name);
    const slopes = new Map<string, Tensor>([[of.name, this.constant([1], of.shape)]]);
    for (const { output, inputs, pulls } of tape.reverse()) {
      const slope = slopes.get(output.name);
      if (slope === undefined || !moving.has(output.name)) continue;
      inputs.forEach((input, i) => {
        const pull = pulls[i] ?? null;
        if (pull === null || !moving.has(input.name)) return;
        const before = slopes.get(input.name);
        const pulled = pull(slope);
        slopes.set(input.name, before === undefined ? pulled : sum(before, pulled));
      });
    }
    return by.map(({ name }) => slopes.get(name) ?? null);
  }

  bytes(): Uint8Array {
    const nameOf = (name: string) => this.#renamed.get(name) ?? name;
    const nodes = this.#nodes.map((node) => ({ ...node, inputs: node.inputs.map(nameOf), output: nameOf(node.output) }));
    return onnxModel({ nodes, constants: [...this.#constants.values()], inputs: this.#inputs, outputs: this.#outputs });
  }
}
