/** @file Blueprints that users draw: layers of rows, S for stone, W for wood, a dot for nothing. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { list, object, pattern, readAs, required, type Shape, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { type Blocks, type BlueprintShape, keyOf, supportedBlocks } from './blueprint.ts';

export type Drawing = {
  readonly name: string;
  /** What it is, in words: all that a builder is told with "plan": "words". */
  readonly text: string;
  /** Layers from the ground up; rows are z, columns are x. */
  readonly layers: readonly (readonly string[])[];
};

const drawingShape: Shape<Drawing> = object<Drawing>({
  name: required(words),
  text: withDefault(words, 'the blueprint'),
  layers: required(list(list(pattern('a row of S, W and dots', /^[SW.]+$/), { from: 1, to: 8 }), { from: 1, to: 8 })),
});

const parsed = new WeakMap<object, readonly Drawing[]>();

/** Reads drawings from a task; one that cannot stand is refused. */
export function readDrawings(value: Json): readonly Drawing[] {
  const before = typeof value === 'object' && value !== null ? parsed.get(value) : undefined;
  if (before !== undefined) return before;
  const drawings = readAs(list(drawingShape, { from: 1, to: 1000 }), value, { where: 'blocks', called: 'the blueprints' });
  for (const drawing of drawings) {
    const problem = problemOfDrawing(drawing);
    if (problem !== null) throw new Fault('input', `blocks: the blueprint "${drawing.name}" ${problem}.`, { code: 'E_CONTENT' });
  }
  parsed.set(value as object, drawings);
  return drawings;
}

/** Why a drawing cannot be built, or null. */
export function problemOfDrawing(drawing: Drawing): string | null {
  const blocks = blocksOfDrawing(drawing);
  const count = Object.keys(blocks).length;
  if (count === 0) return 'has no blocks';
  const standing = supportedBlocks(blocks);
  const floating = Object.keys(blocks).find((key) => !standing.has(key));
  return floating === undefined ? null : `has a block at ${floating} (x y z) that is not connected to the ground`;
}

export function blocksOfDrawing({ layers }: Drawing): Blocks {
  const blocks: Record<string, string> = {};
  for (const [y, rows] of layers.entries())
    for (const [z, row] of rows.entries())
      for (const [x, sign] of [...row].entries()) if (sign !== '.') blocks[keyOf(x, y, z)] = sign === 'S' ? 'stone' : 'wood';
  return blocks;
}

/** The box that a drawing fits into. */
export function shapeOfDrawing({ name, layers }: Drawing): BlueprintShape {
  const width = Math.max(...layers.flat().map((row) => row.length));
  const depth = Math.max(...layers.map((rows) => rows.length));
  return { name, width, height: layers.length, depth, wall: 'stone', roof: 'stone' };
}
