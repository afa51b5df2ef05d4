/**
 * @file The graph that texts are read by in play. Nothing flows back through it, so it takes operations of the runtime that stand for many plain
 * ones, and its sizes are those of the run: one program reads everything, and nothing is filled up to a size.
 *
 * Tokens that are read lie in one list, each once, whatever rows it is in; rows are made of them for attention alone. What was read before is
 * looked up in tables of all keys and values, one for each layer.
 */

import { Graph, type Tensor } from './graph.ts';
import { type Sizes, weightInputs } from './network.ts';
import { runtimeDomain } from './onnx.ts';
import { add, gather, logSoftmax, matmul, squaredRelu } from './operations.ts';
import type { Held, Runtime } from './runtime.ts';
import type { TokenMemory } from './token-memory.ts';
import type { Layout, TextNode } from './tree.ts';

/** How many of something a run says. */
const any = -1;

/**
 * `theta`; `tokens` and `positions` of what is read; `columns`, which of them is at each place of the rows, and `results`, at which place of the
 * rows laid flat each of them is; `recalled`, what each row looks back at in the tables `keys.0`, `values.0` and so on; `sees`; `places` →
 * `logprobs` of what follows at the places, and what is to be kept of each token: `keys.0.next`, `values.0.next` and so on.
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

/** What a run reads: every token once, the rows they are in, and what was read before. */
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

/** Keys and values of a layer, as the graph that reads calls them. */
export function tableName(i: number): string {
  return `${i % 2 === 0 ? 'keys' : 'values'}.${i >> 1}`;
}

/** Each vector at a root mean square of 1, times a gain, as `rmsNorm` of the operations. */
function norm(a: Tensor, gain: Tensor): Tensor {
  return a.graph.emit('SimplifiedLayerNormalization', [a, gain], { shape: a.shape, attributes: { axis: -1, epsilon: { float: 1e-6 } } });
}

interface Attention {
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly sees: Tensor;
}

/** Every token mixes the values of what it sees, by how well their keys answer its query; heads are parts of the width. */
function attend(heads: number, { queries, keys, values, sees }: Attention): Tensor {
  const none = { ...queries, name: '' };
  const inputs = [queries, keys, values, none, none, sees];
  return queries.graph.emit(`${runtimeDomain}/MultiHeadAttention`, inputs, { shape: queries.shape, attributes: { num_heads: heads } });
}

/** Rows laid flat. */
function flat(rows: Tensor, width: number): Tensor {
  return rows.graph.emit('Reshape', [rows, rows.graph.constant([any, width], [2], 'int64')], { shape: [any, width] });
}

/** One behind the other along the second axis. */
function behind(a: Tensor, b: Tensor): Tensor {
  return a.graph.emit('Concat', [a, b], { shape: [any, any, a.shape[2]], attributes: { axis: 1 } });
}
