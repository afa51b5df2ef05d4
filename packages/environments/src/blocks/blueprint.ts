/** @file Blueprints of blocks, how well a building matches one, and whether it is supported. All computations are exact. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

export const materials = ['stone', 'wood'] as const;

/** Blocks by position, "x y z" with y upward. */
export type Blocks = Readonly<Record<string, string>>;

export const keyOf = (x: number, y: number, z: number) => `${x} ${y} ${z}`;

export type BlueprintShape = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly wall: string;
  readonly roof: string;
};

export const shapeNames = ['box', 'wall', 'stairs', 'tower', 'table', 'pyramid'] as const;

/** Returns the blocks of a shape: a box is hollow, a table is a plate on four legs, a pyramid shrinks by one on every side. */
export function blocksOf({ name, width, height, depth, wall, roof }: BlueprintShape): Blocks {
  const blocks: Record<string, string> = {};
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let z = 0; z < depth; z++) {
        const inside = x > 0 && x < width - 1 && z > 0 && z < depth - 1 && y > 0 && y < height - 1;
        const corner = (x === 0 || x === width - 1) && (z === 0 || z === depth - 1);
        const has =
          name === 'box'
            ? !inside
            : name === 'wall'
              ? z === 0
              : name === 'stairs'
                ? y <= x
                : name === 'tower'
                  ? corner
                  : name === 'table'
                    ? y === height - 1 || corner
                    : x >= y && x < width - y && z >= y && z < depth - y;
        if (has) blocks[keyOf(x, y, z)] = y === height - 1 ? roof : wall;
      }
  return blocks;
}

export function drawShape(size: number, name: string, dice: Rng): BlueprintShape {
  const length = () => 2 + dice.int(size - 1);
  const sample = name === 'any' ? dice.pick(shapeNames) : name;
  return { name: sample, width: length(), height: length(), depth: length(), wall: dice.pick(materials), roof: dice.pick(materials) };
}

/** Returns the supported blocks: those connected to the ground face by face. */
export function supportedBlocks(blocks: Blocks): ReadonlySet<string> {
  const queue = Object.keys(blocks).filter((key) => key.split(' ')[1] === '0');
  const matches = new Set(queue);
  for (let i = 0; i < queue.length; i++) {
    const [x, y, z] = queue[i].split(' ').map(Number) as [number, number, number];
    for (const [dx, dy, dz] of [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, -1],
    ] as const) {
      const key = keyOf(x + dx, y + dy, z + dz);
      if (!Object.hasOwn(blocks, key) || matches.has(key)) continue;
      matches.add(key);
      queue.push(key);
    }
  }
  return matches;
}

export type Match = {
  readonly iou: number;
  readonly material: number;
  readonly floating: number;
  readonly extra: number;
  readonly missing: number;
};

/**
 * Compares a building with a blueprint: positions in both divided by positions in either, and the share of those with the right material.
 * Floating blocks don't count.
 */
export function matchBlocks(built: Blocks, wanted: Blocks): Match {
  const standing = supportedBlocks(built);
  const both = Object.keys(wanted).filter((key) => standing.has(key));
  const right = both.filter((key) => built[key] === wanted[key]).length;
  const either = new Set([...Object.keys(built), ...Object.keys(wanted)]).size;
  const floating = Object.keys(built).length - standing.size;
  const extra = Object.keys(built).filter((key) => !Object.hasOwn(wanted, key)).length;
  return {
    iou: either === 0 ? 0 : both.length / either,
    material: both.length === 0 ? 0 : right / both.length,
    floating,
    extra,
    missing: Object.keys(wanted).length - both.length,
  };
}

/** Formats the blueprint layer by layer from the ground: S stone, W wood, a dot for empty; columns are x, rows are z. */
export function layersText(wanted: Blocks, { width, height, depth }: Pick<BlueprintShape, 'width' | 'height' | 'depth'>): string {
  const layers = Array.from({ length: height }, (_, y) => {
    const rows = Array.from({ length: depth }, (_z, z) =>
      Array.from({ length: width }, (_x, x) => (wanted[keyOf(x, y, z)] ?? '.').charAt(0).toUpperCase()).join(''),
    );
    return `y ${y}:\n${rows.join('\n')}`;
  });
  return layers.join('\n');
}

const phrases: Readonly<Record<string, string>> = {
  box: 'a closed box that is hollow inside',
  wall: 'a wall along x, one block thick, at z 0',
  stairs: 'solid stairs that rise with x: in column x every block up to height x',
  tower: 'four pillars at the corners',
  table: 'a table: a full plate on top of four legs at the corners',
  pyramid: 'a pyramid: every layer is one block smaller on each side',
};

export function shapeText({ name, width, height, depth, wall, roof }: BlueprintShape): string {
  return `Build ${phrases[name]}, ${width} wide (x), ${height} high (y), ${depth} deep (z). Its top layer, y ${height - 1}, is of ${roof}, all below is of ${wall}.`;
}

export function readShape(text: string): BlueprintShape | null {
  const name = Object.keys(phrases).find((item) => text.includes(phrases[item]));
  const match = linear(
    /(\d+) wide \(x\), (\d+) high \(y\), (\d+) deep \(z\)\. Its top layer, y \d+, is of (\w+), all below is of (\w+)\./,
  ).exec(text);
  if (name === undefined || match === null) return null;
  const [, width, height, depth, roof, wall] = match as unknown as [string, string, string, string, string, string];
  return { name, width: Number(width), height: Number(height), depth: Number(depth), wall, roof };
}
