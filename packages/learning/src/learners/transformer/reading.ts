/**
 * @file The graph that evaluates texts during play. It needs no gradient, so it uses fused operations of the runtime and dynamic sizes: one
 * program reads everything, without padding.
 *
 * The tokens to read are in one list, each once, whichever rows contain it; rows are only formed for attention. Earlier tokens are looked
 * up in tables of all keys and values, one for each layer.
 */

import { Graph, type Tensor } from './graph.ts';
import { type Sizes, weightInputs } from './network.ts';
import { runtimeDomain } from './onnx.ts';
import { add, gather, logSoftmax, matmul, squaredRelu } from './operations.ts';
import type { Held, Runtime } from './runtime.ts';
import type { TokenMemory } from './token-memory.ts';
import type { Layout, TextNode } from './tree.ts';

/** A size that varies by run. */
const any = -1;

/**
 * Inputs: `theta`; `tokens` and `positions` of the tokens to read; `columns`, the token at each position of the rows; `results`, the
 * position of each token in the flattened rows; `recalled`, the earlier tokens of each row in the tables `keys.0`, `values.0` and so on;
 * `sees`; `places`. Outputs: `logprobs` of the next token at the places, and the new keys and values of each token: `keys.0.next`,
 * `values.0.next` and so on.
 */
export function readingGraph(sizes: Sizes): Graph {
  const graph = new Graph();
  const { width, layers, heads } = sizes;
  const weights = weightInputs(graph, 'theta', sizes);
  const get = (name: string) => weights.get(name) as Tensor;
  const whole = (name: string, shape: readonly number[]) => graph.input(name, shape, 'int32');
  const [tokens, positions] = [whole('tokens', [any]), whole('positions', [any])];
  const [columns, results, recalled] = [whole('columns', [any, any]), whole('results', [any]), whole('recalled', [any, any])];
  const sees = graph.input('sees', [any, 1, any, any]);
  let stream = add(gather(get('embedding'), tokens), gather(get('position'), positions));
  for (let i = 0; i < layers; i++) {
    const block = (name: string) => get(`block.${i}.${name}`);
    const normal = norm(stream, block('attend.gain'));
    const visibleStates = (name: 'key' | 'value') => {
      const fresh = matmul(normal, block(name));
      const before = graph.input(`${name}s.${i}`, [any, width]);
      graph.output(`${name}s.${i}.next`, fresh);
      return behind(gather(before, recalled), gather(fresh, columns));
    };
    const looked = attend(heads, {
      queries: gather(matmul(normal, block('query')), columns),
      keys: visibleStates('key'),
      values: visibleStates('value'),
      sees,
    });
    stream = add(stream, matmul(gather(flat(looked, width), results), block('mix')));
    const thought = squaredRelu(matmul(norm(stream, block('think.gain')), block('up')));
    stream = add(stream, matmul(thought, block('down')));
  }
  const hidden = gather(norm(stream, get('gain')), whole('places', [any]));
  graph.output('logprobs', logSoftmax(matmul(hidden, get('head'))));
  return graph;
}

interface Unread {
  readonly wanted: readonly TextNode[];
  readonly layout: Layout;
  readonly memory: TokenMemory;
}

/** The inputs of a run: every token once, their rows, and the tokens read before. */
export function readingFeeds(hold: Runtime['hold'], { wanted, layout, memory }: Unread): Record<string, Held> {
  const { rows, length, past, sees, packed, placeOf } = layout;
  const [tokens, positions, results] = [new Int32Array(placeOf.size), new Int32Array(placeOf.size), new Int32Array(placeOf.size)];
  const numbers = new Map<TextNode, number>();
  for (const [node, place] of placeOf) {
    const number = numbers.size;
    numbers.set(node, number);
    tokens[number] = node.token;
    positions[number] = node.depth;
    results[number] = place;
  }
  const [columns, recalled] = [new Int32Array(rows * length), new Int32Array(rows * past)];
  packed.forEach((row, r) => {
    for (const [node, column] of row.fresh) columns[r * length + column] = numbers.get(node)!;
    for (const [node, column] of row.past) recalled[r * past + column] = node.memory!;
  });
  const feeds: Record<string, Held> = {
    tokens: hold(tokens),
    positions: hold(positions),
    results: hold(results),
    columns: hold(columns, [rows, length]),
    recalled: hold(recalled, [rows, past]),
    sees: hold(sees, [rows, 1, length, past + length]),
    places: hold(Int32Array.from(wanted, (node) => numbers.get(node)!)),
  };
  const { width } = memory;
  memory.tables.forEach((table, i) => {
    feeds[tableName(i)] = hold(table, [table.length / width, width]);
  });
  return feeds;
}

/** The name of a layer's keys or values in the reading graph. */
export function tableName(i: number): string {
  return `${i % 2 === 0 ? 'keys' : 'values'}.${i >> 1}`;
}

/** Scales each vector to a root mean square of 1, times a gain, like `rmsNorm` of the operations. */
function norm(a: Tensor, gain: Tensor): Tensor {
  return a.graph.emit('SimplifiedLayerNormalization', [a, gain], { shape: a.shape, attributes: { axis: -1, epsilon: { float: 1e-6 } } });
}

interface Attention {
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly sees: Tensor;
}

/**
 * Attention: every token mixes the values of visible tokens, weighted by the match of its query with their keys; heads are parts of the
 * width.
 */
function attend(heads: number, { queries, keys, values, sees }: Attention): Tensor {
  const none = { ...queries, name: '' };
  const inputs = [queries, keys, values, none, none, sees];
  return queries.graph.emit(`${runtimeDomain}/MultiHeadAttention`, inputs, { shape: queries.shape, attributes: { num_heads: heads } });
}

/** Flattens rows. */
function flat(rows: Tensor, width: number): Tensor {
  return rows.graph.emit('Reshape', [rows, rows.graph.constant([any, width], [2], 'int64')], { shape: [any, width] });
}

/** Concatenates along the second axis. */
function behind(a: Tensor, b: Tensor): Tensor {
  return a.graph.emit('Concat', [a, b], { shape: [any, any, a.shape[2]], attributes: { axis: 1 } });
}
