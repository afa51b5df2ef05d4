/** @file The operations of a graph, each with the rule for its gradient. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Tensor } from './graph.ts';

const sizeOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

export function scalar(like: Tensor, value: number): Tensor {
  return like.graph.constant([value]);
}

export function add(a: Tensor, b: Tensor): Tensor {
  const out = a.graph.emit('Add', [a, b], { shape: broadcast(a, b) });
  return a.graph.record(out, [a, b], [(slope) => fold(slope, a.shape), (slope) => fold(slope, b.shape)]);
}

export function subtract(a: Tensor, b: Tensor): Tensor {
  const out = a.graph.emit('Sub', [a, b], { shape: broadcast(a, b) });
  return a.graph.record(out, [a, b], [(slope) => fold(slope, a.shape), (slope) => fold(negate(slope), b.shape)]);
}

export function multiply(a: Tensor, b: Tensor): Tensor {
  const out = a.graph.emit('Mul', [a, b], { shape: broadcast(a, b) });
  return a.graph.record(out, [a, b], [(slope) => fold(multiply(slope, b), a.shape), (slope) => fold(multiply(slope, a), b.shape)]);
}

export function divide(a: Tensor, b: Tensor): Tensor {
  const out = a.graph.emit('Div', [a, b], { shape: broadcast(a, b) });
  const pulls = [
    (slope: Tensor) => fold(divide(slope, b), a.shape),
    (slope: Tensor) => fold(negate(divide(multiply(slope, out), b)), b.shape),
  ];
  return a.graph.record(out, [a, b], pulls);
}

export function negate(a: Tensor): Tensor {
  return a.graph.record(a.graph.emit('Neg', [a], { shape: a.shape }), [a], [negate]);
}

export function scale(a: Tensor, by: number): Tensor {
  return multiply(a, scalar(a, by));
}

export function exponential(a: Tensor): Tensor {
  const out = a.graph.emit('Exp', [a], { shape: a.shape });
  return a.graph.record(out, [a], [(slope) => multiply(slope, out)]);
}

export function squareRoot(a: Tensor): Tensor {
  const out = a.graph.emit('Sqrt', [a], { shape: a.shape });
  return a.graph.record(out, [a], [(slope) => divide(scale(slope, 0.5), out)]);
}

/** The square of the positive part. Its derivative is continuous, and 0 where the square is 0. */
export function squaredRelu(a: Tensor): Tensor {
  const above = a.graph.emit('Relu', [a], { shape: a.shape });
  const out = a.graph.emit('Mul', [above, above], { shape: a.shape });
  return a.graph.record(out, [a], [(slope) => multiply(slope, scale(above, 2))]);
}

/** Over the last axis. */
export function softmax(a: Tensor): Tensor {
  const out = a.graph.emit('Softmax', [a], { shape: a.shape, attributes: { axis: -1 } });
  const pull = (slope: Tensor) => {
    const weighted = multiply(slope, out);
    return subtract(weighted, multiply(out, reduceSum(weighted, [a.shape.length - 1])));
  };
  return a.graph.record(out, [a], [pull]);
}

/** Over the last axis. */
export function logSoftmax(a: Tensor): Tensor {
  const out = a.graph.emit('LogSoftmax', [a], { shape: a.shape, attributes: { axis: -1 } });
  const pull = (slope: Tensor) => subtract(slope, multiply(exponential(out), reduceSum(slope, [a.shape.length - 1])));
  return a.graph.record(out, [a], [pull]);
}

/** Scales each vector of the last axis to a root mean square of 1, times a gain. */
export function rmsNorm(a: Tensor, gain: Tensor): Tensor {
  const axis = a.shape.length - 1;
  const width = a.shape[axis];
  const square = a.graph.emit('Mul', [a, a], { shape: a.shape });
  const mean = scale(reduceSum(square, [axis]), 1 / width);
  const size = squareRoot(add(mean, scalar(a, 1e-6)));
  const unit = a.graph.emit('Div', [a, size], { shape: a.shape });
  const out = a.graph.emit('Mul', [unit, gain], { shape: a.shape });
  const pull = (slope: Tensor) => {
    const inner = multiply(slope, gain);
    const along = scale(reduceSum(multiply(inner, unit), [axis]), 1 / width);
    return divide(subtract(inner, multiply(unit, along)), size);
  };
  return a.graph.record(out, [a, gain], [pull, (slope) => fold(multiply(slope, unit), gain.shape)]);
}

/** Multiplies matrices in the last two axes; leading axes must be equal, or missing on the right. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  const [rows, inner] = a.shape.slice(-2) as [number, number];
  const [other, columns] = b.shape.slice(-2) as [number, number];
  const same = b.shape.length === 2 || b.shape.slice(0, -2).join() === a.shape.slice(0, -2).join();
  if (inner !== other || !same) throw misfit('matmul', a, b);
  const out = a.graph.emit('MatMul', [a, b], { shape: [...a.shape.slice(0, -2), rows, columns] });
  const flat = (t: Tensor) => reshape(t, [-1, t.shape.at(-1) as number]);
  const pulls = [
    (slope: Tensor) => (b.shape.length === 2 ? reshape(multiplyTransposed(flat(slope), b), a.shape) : multiplyTransposed(slope, b)),
    (slope: Tensor) => (b.shape.length === a.shape.length ? matmul(swapLastAxes(a), slope) : matmul(swapLastAxes(flat(a)), flat(slope))),
  ];
  return a.graph.record(out, [a, b], pulls);
}

/** a · bᵀ. A single matrix is read without a copy; only stacks of matrices are transposed first. No gradient flows through it. */
function multiplyTransposed(a: Tensor, b: Tensor): Tensor {
  if (b.shape.length > 2) return matmul(a, swapLastAxes(b));
  return a.graph.emit('Gemm', [a, b], { shape: [a.shape[0], b.shape[0]], attributes: { transB: 1 } });
}

function swapLastAxes(a: Tensor): Tensor {
  return transpose(a, swappedAxes(a.shape.length));
}

export function transpose(a: Tensor, order: readonly number[]): Tensor {
  const shape = order.map((axis) => a.shape[axis]);
  const back = order.map((_, axis) => order.indexOf(axis));
  const out = a.graph.emit('Transpose', [a], { shape, attributes: { perm: order } });
  return a.graph.record(out, [a], [(slope) => transpose(slope, back)]);
}

/** One size may be −1: the remaining size. */
export function reshape(a: Tensor, wanted: readonly number[]): Tensor {
  const knownSize = sizeOf(wanted.filter((size) => size !== -1));
  const shape = wanted.map((size) => (size === -1 ? sizeOf(a.shape) / knownSize : size));
  if (shape.join() === a.shape.join()) return a;
  const out = a.graph.emit('Reshape', [a, a.graph.constant(shape, [shape.length], 'int64')], { shape });
  return a.graph.record(out, [a], [(slope) => reshape(slope, a.shape)]);
}

/** Summed axes remain, with size 1. */
export function reduceSum(a: Tensor, axes: readonly number[]): Tensor {
  const shape = a.shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  const out = a.graph.emit('ReduceSum', [a, a.graph.constant(axes, [axes.length], 'int64')], { shape });
  return a.graph.record(out, [a], [(slope) => expand(slope, a.shape)]);
}

/** The sum of all elements: a tensor without axes. */
export function total(a: Tensor): Tensor {
  const axes = a.shape.map((_, axis) => axis);
  return axes.length === 0 ? a : reshape(reduceSum(a, axes), []);
}

export function expand(a: Tensor, shape: readonly number[]): Tensor {
  const out = a.graph.emit('Expand', [a, a.graph.constant(shape, [shape.length], 'int64')], { shape });
  return a.graph.record(out, [a], [(slope) => fold(slope, a.shape)]);
}

/**
 * Rows of a matrix by index. Indices may repeat; the gradients of a repeated row are summed in a fixed order, so that the sum is
 * reproducible.
 */
export function gather(table: Tensor, rows: Tensor): Tensor {
  const [, width] = table.shape as [number, number];
  const out = table.graph.emit('Gather', [table, rows], { shape: [...rows.shape, width], attributes: { axis: 0 } });
  const pull = (slope: Tensor) => {
    const flat = reshape(slope, [-1, width]);
    return scatterAdd(table, expand(reshape(rows, [-1, 1]), flat.shape), flat);
  };
  return table.graph.record(out, [table, rows], [pull, null]);
}

/** Elements of a vector by index; indices may repeat. */
export function numbersAt(vector: Tensor, places: Tensor): Tensor {
  const out = vector.graph.emit('Gather', [vector, places], { shape: places.shape, attributes: { axis: 0 } });
  return vector.graph.record(out, [vector, places], [(slope) => scatterAdd(vector, places, slope), null]);
}

/** Zeros shaped like a tensor, with gradients added at the indices along its first axis. */
function scatterAdd(like: Tensor, places: Tensor, slope: Tensor): Tensor {
  const nothing = expand(scalar(slope, 0), like.shape);
  return like.graph.emit('ScatterElements', [nothing, places, slope], { shape: like.shape, attributes: { axis: 0, reduction: 'add' } });
}

/** Rows of a matrix by distinct indices. */
export function gatherDistinct(table: Tensor, rows: Tensor): Tensor {
  const [, width] = table.shape as [number, number];
  const out = table.graph.emit('Gather', [table, rows], { shape: [...rows.shape, width], attributes: { axis: 0 } });
  const pull = (slope: Tensor) => {
    const nothing = expand(scalar(slope, 0), table.shape);
    return table.graph.emit('ScatterND', [nothing, reshape(rows, [-1, 1]), slope], { shape: table.shape });
  };
  return table.graph.record(out, [table, rows], [pull, null]);
}

export function less(a: Tensor, b: Tensor): Tensor {
  return a.graph.emit('Less', [a, b], { shape: broadcast(a, b), type: 'bool' });
}

export function where(condition: Tensor, yes: Tensor, no: Tensor): Tensor {
  const shape = broadcastShapes(condition.shape, broadcast(yes, no));
  const out = condition.graph.emit('Where', [condition, yes, no], { shape });
  const zero = scalar(yes, 0);
  const pulls = [
    null,
    (slope: Tensor) => fold(where(condition, slope, zero), yes.shape),
    (slope: Tensor) => fold(where(condition, zero, slope), no.shape),
  ];
  return condition.graph.record(out, [condition, yes, no], pulls);
}

export function minimum(a: Tensor, b: Tensor): Tensor {
  return where(less(b, a), b, a);
}

/** Clamped between two bounds; no gradient flows where it is clamped. */
export function clamp(a: Tensor, low: Tensor, high: Tensor): Tensor {
  return where(less(a, low), low, where(less(high, a), high, a));
}

export function concat(parts: readonly Tensor[]): Tensor {
  const [first] = parts as [Tensor];
  const shape = [parts.reduce((sum, part) => sum + part.shape[0], 0)];
  return first.graph.emit('Concat', parts, { shape, attributes: { axis: 0 } });
}

/** Sums a gradient over the axes along which its tensor was repeated. */
function fold(slope: Tensor, shape: readonly number[]): Tensor {
  if (slope.shape.join() === shape.join()) return slope;
  const missing = slope.shape.length - shape.length;
  const axes = slope.shape
    .map((_, axis) => axis)
    .filter((axis) => axis < missing || (shape[axis - missing] === 1 && slope.shape[axis] !== 1));
  return reshape(axes.length === 0 ? slope : reduceSum(slope, axes), shape);
}

function broadcast(a: Tensor, b: Tensor): readonly number[] {
  const shape = broadcastShapes(a.shape, b.shape);
  if (shape.some(Number.isNaN)) throw misfit('broadcast', a, b);
  return shape;
}

function broadcastShapes(a: readonly number[], b: readonly number[]): readonly number[] {
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, i) => {
    const [left, right] = [a[a.length - length + i] ?? 1, b[b.length - length + i] ?? 1];
    return left === right || right === 1 ? left : left === 1 ? right : Number.NaN;
  });
}

function swappedAxes(axes: number): readonly number[] {
  return Array.from({ length: axes }, (_, axis) => (axis < axes - 2 ? axis : axis === axes - 2 ? axes - 1 : axes - 2));
}

function misfit(operation: string, a: Tensor, b: Tensor): Fault {
  return new Fault('input', `${operation} does not support the shapes [${a.shape.join(', ')}] and [${b.shape.join(', ')}].`, {
    code: 'E_UNSUPPORTED',
  });
}
