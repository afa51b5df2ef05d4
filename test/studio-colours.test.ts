/** @file The colors of plots: no two agents of a page look alike, and people who see fewer colors tell them apart. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookOf } from '@ludus-agents/studio/internal/colours';
import { describe, expect, it } from 'vitest';

type Triple = readonly [number, number, number];

const tokens = readFileSync(join(import.meta.dirname, '../packages/studio/src/tokens.css'), 'utf8');
const [light, dark] = tokens.split(':root[data-theme="dark"]') as [string, string];
const curvesOf = (css: string) => [...css.matchAll(/--curve-\d: #([0-9a-f]{6});/g)].slice(0, 8).map(([, hex]) => linearOf(hex!));

/** Light as it adds up, from sRGB. */
function linearOf(hex: string): Triple {
  const part = (i: number) => {
    const value = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(0), part(2), part(4)];
}

const times = (rows: readonly Triple[], [a, b, c]: Triple) => rows.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Triple;

/** Machado, Oliveira and Fernandes 2009, at full strength; first who sees all colors. */
const eyes: Readonly<Record<string, readonly Triple[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Oklab: the distance of two of its points is how different they look. */
function oklab(colour: Triple): Triple {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  ).map((value) => Math.cbrt(Math.max(0, value))) as unknown as Triple;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

const luminance = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function contrast(a: Triple, b: Triple): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe('the colors of plots', () => {
  it.each([
    ['light', light],
    ['dark', dark],
  ])('are eight on %s that people with any color vision can tell apart and see on the background', (_, css) => {
    const colours = curvesOf(css);
    expect(colours).toHaveLength(8);
    const grounds = ['ground', 'surface'].map((name) => linearOf(new RegExp(`--${name}: #([0-9a-f]{6})`).exec(css)![1]!));
    for (const ground of grounds) expect(Math.min(...colours.map((colour) => contrast(colour, ground)))).toBeGreaterThan(4.5);
    for (const rows of Object.values(eyes)) {
      const triples = colours.map((colour) => oklab(times(rows, colour)));
      const gaps = triples.flatMap((a, i) => triples.slice(i + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])));
      // 0.02 is about what can just be seen side by side.
      expect(Math.min(...gaps)).toBeGreaterThan(0.05);
    }
  });

  it('are unique per name on a page and stable for each name', () => {
    const names = Array.from({ length: 24 }, (_, i) => `agent ${i}`);
    const looks = names.map(lookOf);
    expect(new Set(looks.map(({ colour, kind }) => `${colour} ${kind}`)).size).toBe(24);
    expect(looks.slice(0, 8).every(({ kind }) => kind === 0)).toBe(true);
    expect(names.map(lookOf)).toEqual(looks);
  });
});
