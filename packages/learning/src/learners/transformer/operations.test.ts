/** @file Every operation's gradient against finite differences, in the runtime that will run it. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Graph, type Tensor } from './graph.ts';
import * as op from './operations.ts';
import { hasRuntime, runtime } from './runtime.ts';

interface Case {
  readonly shapes: readonly (readonly number[])[];
  readonly of: (inputs: readonly Tensor[]) => Tensor;
  /** Inputs lie between these. */
  readonly from?: number;
  readonly to?: number;
}

const at = (inputs: readonly Tensor[], i = 0) => inputs[i]!;
const rows = (t: Tensor, list: readonly number[]) => t.graph.constant(list, [list.length], 'int64');

const cases: Readonly<Record<string, Case>> = {
  add: {
    shapes: [
      [2, 3],
      [2, 3],
    ],
    of: (x) => op.multiply(op.add(at(x), at(x, 1)), at(x)),
  },
  'add, broadcast': {
    shapes: [
      [2, 3, 4],
      [3, 1],
    ],
    of: (x) => op.multiply(op.add(at(x), at(x, 1)), at(x)),
  },
  subtract: { shapes: [[4], [2, 4]], of: (x) => op.multiply(op.subtract(at(x), at(x, 1)), at(x, 1)) },
  'multiply, broadcast': {
    shapes: [
      [2, 1, 3],
      [4, 3],
    ],
    of: (x) => op.multiply(at(x), at(x, 1)),
  },
  divide: { shapes: [[3, 2], [2]], of: (x) => op.divide(at(x), at(x, 1)), from: 0.5, to: 2 },
  negate: { shapes: [[5]], of: (x) => op.multiply(op.negate(at(x)), at(x)) },
  exponential: { shapes: [[5]], of: (x) => op.exponential(at(x)) },
  squareRoot: { shapes: [[5]], of: (x) => op.squareRoot(at(x)), from: 0.5, to: 2 },
  squaredRelu: { shapes: [[6]], of: (x) => op.add(op.squaredRelu(at(x)), op.scale(at(x), 0.25)), from: -1, to: 1 },
  'multiply, same input twice': { shapes: [[5]], of: (x) => op.multiply(op.exponential(at(x)), op.exponential(at(x))) },
  softmax: { shapes: [[3, 5]], of: (x) => op.softmax(at(x)) },
  logSoftmax: { shapes: [[3, 5]], of: (x) => op.logSoftmax(at(x)) },
  rmsNorm: { shapes: [[2, 3, 4], [4]], of: (x) => op.rmsNorm(at(x), at(x, 1)) },
  matmul: {
    shapes: [
      [3, 4],
      [4, 2],
    ],
    of: (x) => op.matmul(at(x), at(x, 1)),
  },
  'matmul, many by one': {
    shapes: [
      [2, 3, 4],
      [4, 5],
    ],
    of: (x) => op.matmul(at(x), at(x, 1)),
  },
  'matmul, many by many': {
    shapes: [
      [2, 2, 3, 4],
      [2, 2, 4, 3],
    ],
    of: (x) => op.matmul(at(x), at(x, 1)),
  },
  transpose: { shapes: [[2, 3, 4]], of: (x) => op.multiply(op.transpose(at(x), [2, 0, 1]), op.transpose(at(x), [2, 0, 1])) },
  reshape: { shapes: [[2, 6]], of: (x) => op.softmax(op.reshape(at(x), [-1, 4])) },
  reduceSum: { shapes: [[2, 3, 4]], of: (x) => op.multiply(op.reduceSum(at(x), [1]), at(x)) },
  expand: { shapes: [[2, 1]], of: (x) => op.exponential(op.expand(at(x), [3, 2, 4])) },
  'gather, rows repeated': { shapes: [[4, 3]], of: (x) => op.softmax(op.gather(at(x), rows(at(x), [1, 3, 1, 0, 1]))) },
  gatherDistinct: { shapes: [[5, 3]], of: (x) => op.softmax(op.gatherDistinct(at(x), rows(at(x), [4, 0, 2]))) },
  'numbersAt, repeated': { shapes: [[5]], of: (x) => op.exponential(op.numbersAt(at(x), rows(at(x), [2, 0, 2, 4]))) },
  where: {
    shapes: [[6], [6]],
    of: (x) => op.where(op.less(at(x), op.scalar(at(x), 0.5)), op.exponential(at(x, 1)), op.multiply(at(x, 1), at(x, 1))),
  },
  minimum: { shapes: [[6], [6]], of: (x) => op.minimum(op.scale(at(x), 3), op.add(at(x, 1), op.scalar(at(x), -4))) },
  clamp: {
    shapes: [[8]],
    of: (x) => op.multiply(at(x), op.clamp(at(x), op.scalar(at(x), -3), op.scalar(at(x), 3))),
  },
};

describe.skipIf(!hasRuntime())('gradients', () => {
  for (const [name, item] of Object.entries(cases)) {
    it(`match for ${name}`, async () => {
      expect(await worst(item)).toBeLessThan(1e-3);
    });
  }

  it('fail the check if they are wrong', async () => {
    const shapes = [[5]];
    // Claims that e^x has the slope 1.
    const of = (x: readonly Tensor[]) => {
      const out = at(x).graph.emit('Exp', [at(x)], { shape: at(x).shape });
      return at(x).graph.record(out, [at(x)], [(slope) => slope]);
    };
    expect(await worst({ shapes, of })).toBeGreaterThan(0.05);
  });
});

/** Worst error, relative to the largest slope, over every number of every input. */
async function worst({ shapes, of, from = -1, to = 1 }: Case): Promise<number> {
  const dice = rng(7, 'gradients');
  const draw = (shape: readonly number[]) =>
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => from + (to - from) * dice.next());
  const graph = new Graph();
  const inputs = shapes.map((shape, i) => graph.input(`x${i}`, shape));
  const out = of(inputs);
  // Summed under uneven weights, so that slopes that cancel are seen.
  const weights = graph.constant(
    Array.from(draw(out.shape), (x) => x + 0.3),
    out.shape,
  );
  const loss = op.total(op.multiply(out, weights));
  graph.output('loss', loss);
  for (const [i, slope] of graph.gradient(loss, inputs, op.add).entries()) graph.output(`d${i}`, slope ?? op.scale(inputs[i]!, 0));
  const machine = await runtime();
  const program = await machine.compile(graph);
  const values = shapes.map(draw);
  const run = () => program.run(Object.fromEntries(values.map((data, i) => [`x${i}`, machine.hold(data.slice(), shapes[i]!)])));
  const slopes = await run();
  const lossOf = async () => (await run())['loss']?.data[0] as number;
  let [error, largest] = [0, 1e-3];
  for (const [i, list] of values.entries()) {
    for (let j = 0; j < list.length; j++) {
      const [retainedCount, step] = [list[j]!, 1e-2];
      const sides: number[] = [];
      // Four points instead of two: the error of the difference falls with the fourth power of the step.
      for (const by of [step, -step, 2 * step, -2 * step]) {
        list[j] = retainedCount + by;
        sides.push(await lossOf());
      }
      list[j] = retainedCount;
      const [up, down, up2, down2] = sides as [number, number, number, number];
      const difference = (8 * (up - down) - (up2 - down2)) / (12 * step);
      error = Math.max(error, Math.abs(difference - Number(slopes[`d${i}`]?.data[j])));
      largest = Math.max(largest, Math.abs(difference));
    }
  }
  await program.release();
  return error / largest;
}
