/**
 * @file A language agent that sees a maze only as a picture. A script replaces its model: it decodes the picture, reads each square by
 * its dots, and takes the shortest way, or moves at random if it sees none.
 *
 * Options: arm ("true": the picture as sent; "blank": an empty picture of the same size; "other": the picture of another maze), seed.
 * Prints the share of 12 mazes that were solved, and the pictures that the model was sent.
 */

import { inflateSync } from 'node:zlib';
import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { boardImage, dotsOf } from '@ludus-agents/environments/internal/picture/board';
import { type ImagePart, type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';

const [mazes, side, most] = [12, 28, 14];
const marks = ['@', 'G', '.'];

/** The squares of a board in a picture of four bits a pixel: a wall, one of the marks, or a blank. */
function squaresIn({ data, width, height }: ImagePart): readonly string[] {
  const bytes = Buffer.from(data, 'base64');
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const pixels = inflateSync(Buffer.concat(parts));
  const stride = 1 + Math.ceil(width / 2);
  const colorAt = (x: number, y: number) => (pixels[y * stride + 1 + (x >> 1)] >> (x % 2 === 0 ? 4 : 0)) & 15;
  const squareAt = (left: number, top: number) => {
    const ground = colorAt(left + 2, top + 2);
    const dots = [0, 1, 2, 3, 4].map((x) =>
      [0, 1, 2, 3, 4, 5, 6].reduce((sum, y) => sum | (colorAt(left + 7 + 3 * x, top + 4 + 3 * y) === ground ? 0 : 1 << y), 0),
    );
    if (dots.every((dot) => dot === 0)) return ground === 2 ? '#' : ' ';
    return marks.find((mark) => dotsOf(mark).every((dot, i) => dot === dots[i])) ?? '?';
  };
  const [columns, rows] = [(width - 2) / side, (height - 1) / side];
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => squareAt(1 + column * side, 1 + row * side)).join(''),
  );
}

const steps = { '[up]': [-1, 0], '[down]': [1, 0], '[left]': [0, -1], '[right]': [0, 1] } as const;

/** The first step of a shortest way; null where the squares show none. */
function firstStep(rows: readonly string[]): string | null {
  const from = rows.findIndex((row) => row.includes('@'));
  if (from < 0) return null;
  const queue: { readonly row: number; readonly column: number; readonly first: string | null }[] = [
    { row: from, column: rows[from].indexOf('@'), first: null },
  ];
  const visited = new Set<string>();
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const { row, column, first } = place;
    const mark = rows[row]?.[column] ?? '#';
    if (mark === '#' || visited.has(`${row} ${column}`)) continue;
    visited.add(`${row} ${column}`);
    if (mark === 'G') return first;
    for (const [move, [down, right]] of Object.entries(steps))
      queue.push({ row: row + down, column: column + right, first: first ?? move });
  }
  return null;
}

function imageFor(arm: string, image: ImagePart, random: Rng): ImagePart {
  if (arm === 'true') return image;
  const [columns, rows] = [(image.width - 2) / side, (image.height - 1) / side];
  const row = (text: () => string) => Array.from({ length: columns }, text).join('');
  const lines = Array.from({ length: rows }, () => row(() => (arm === 'blank' ? ' ' : random.pick(['.', '.', '#']))));
  if (arm === 'other') {
    const [start, goal] = random.shuffle(lines.map((_, i) => i));
    for (const [i, mark] of [
      [start, '@'],
      [goal, 'G'],
    ] as const) {
      const at = random.int(columns);
      lines[i] = `${lines[i].slice(0, at)}${mark}${lines[i].slice(at + 1)}`;
    }
  }
  return boardImage(lines.join('\n'));
}

export default async function run({ arm = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await builtInEnvironment('maze');
  const task = { size: 3, sight: 'map', steps: most, pictures: true };
  const [seat = ''] = environment.seats(environment.task(task));
  let [solved, pictures, described] = [0, 0, 0];
  for (let i = 0; i < mazes; i++) {
    const random = rng(Number(seed), 'eyes', i);
    const model = fakeModel({
      answers({ messages }) {
        const image = messages.flatMap(({ images = [] }) => images).at(-1);
        if (image !== undefined && arm === 'true') pictures++;
        if (messages.some(({ content }) => String(content).includes('###'))) described++;
        const move = image === undefined ? null : firstStep(squaresIn(imageFor(String(arm), image, random)));
        return move ?? random.pick(Object.keys(steps));
      },
    });
    const settings = { imagesOnly: true, images: 1, answer: 'plain' };
    const agent = await llmAgent({ spec: { name: 'eye', kind: 'llm', settings }, seat, model });
    const { returns } = await playOne(environment, { [seat]: agent }, task, Number(seed) * 1000 + i);
    // Each step but the one that arrives costs 1.
    if ((returns[seat] ?? 0) > -most) solved += 1 / mazes;
  }
  return { solved, pictures, told: described };
}
