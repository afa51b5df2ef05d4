/** @file Blocks: build what a blueprint shows or a text describes, block by block, by filling areas, or with a program. */

import type { Action, Json, ParsedMove, Script, TaskOf, View } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { list, object, pattern, readAs, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { type Advance, exercise, fencedCode, firstText, taskSplit } from '../exercise.ts';
import { runScript } from '../interpreter/interpreter.ts';
import {
  type Blocks,
  type BlueprintShape,
  blocksOf,
  drawShape,
  keyOf,
  layersText,
  matchBlocks,
  materials,
  readShape,
  shapeNames,
  shapeText,
  supportedBlocks,
} from './blueprint.ts';

const drawingShape = object({
  name: required(words),
  /** The description in words. With "plan": "words", builders receive nothing else. */
  text: withDefault(words, 'the blueprint'),
  /** Layers from the ground up; rows are z, columns are x. */
  layers: required(list(list(pattern('a row of S, W and dots', /^[SW.]+$/), { from: 1, to: 8 }), { from: 1, to: 8 })),
});

export type Drawing = ShapeValue<typeof drawingShape>;

const parsed = new WeakMap<object, readonly Drawing[]>();

/** Parses drawings from a task. Throws if one is not supported. */
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

/** Returns why a drawing cannot be built, or null. */
export function problemOfDrawing(drawing: Drawing): string | null {
  const blocks = blocksOfDrawing(drawing);
  const count = Object.keys(blocks).length;
  if (count === 0) return 'has no blocks';
  const standing = supportedBlocks(blocks);
  const floating = Object.keys(blocks).find((key) => !standing.has(key));
  return floating === undefined ? null : `has a block at ${floating} (x y z) that is not connected to the ground`;
}

/** Converts a user's drawing to blocks: layers of rows, S for stone, W for wood, a dot for empty. */
export function blocksOfDrawing({ layers }: Drawing): Blocks {
  const blocks: Record<string, string> = {};
  for (const [y, rows] of layers.entries())
    for (const [z, row] of rows.entries())
      for (const [x, sign] of [...row].entries()) if (sign !== '.') blocks[keyOf(x, y, z)] = sign === 'S' ? 'stone' : 'wood';
  return blocks;
}

/** Returns the bounding box of a drawing. */
export function shapeOfDrawing({ name, layers }: Drawing): BlueprintShape {
  const width = Math.max(...layers.flat().map((row) => row.length));
  const depth = Math.max(...layers.map((rows) => rows.length));
  return { name, width, height: layers.length, depth, wall: 'stone', roof: 'stone' };
}

const parameters = {
  shape: parameter.choice({ options: ['any', ...shapeNames], default: 'any', description: 'what to build' }),
  size: parameter.integer({ min: 2, max: 8, default: 3, description: 'the longest side' }),
  blueprints: parameter.json({
    default: null,
    description: 'your blueprints: name, text, and layers of rows like [["SS", "S."]]; instead of the shapes',
  }),
  feedback: parameter.boolean({ default: false, description: 'after each move, report what is missing and what is wrong' }),
  plan: parameter.choice({
    options: ['layers', 'words'],
    default: 'layers',
    description: 'the blueprint layer by layer, or only in words',
  }),
  moves: parameter.integer({ min: 1, max: 1000, default: 60, description: 'maximum number of actions: placements, programs, and the end' }),
  split: taskSplit,
  retries,
} as const;

/** Without the two newest parameters if they are off, so that tasks of old logs stay unchanged. */
type Task = Omit<TaskOf<typeof parameters>, 'blueprints' | 'feedback'> & { readonly blueprints?: Json; readonly feedback?: true };
type Made = { readonly shape: BlueprintShape; readonly drawing?: Drawing };
type Progress = { readonly blocks: Blocks; readonly used: number; readonly last: string; readonly over: boolean };

const seat = 'builder';
const alone = [seat] as const;

/** Lists all blocks of a blueprint, from the ground up. */
function planOf(view: View): readonly (readonly [string, string])[] {
  const brief = firstText(view, /Build |y 0:/);
  const shape = readShape(brief);
  const byHeight = (a: string, b: string) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]);
  if (shape !== null) return Object.entries(blocksOf(shape)).sort(([a], [b]) => byHeight(a, b));
  const out: [string, string][] = [];
  for (const layer of brief.split(/^y (?=\d+:)/m).slice(1)) {
    const [head, ...rows] = layer.trim().split('\n');
    const y = Number.parseInt(head, 10);
    for (const [z, row] of rows.entries())
      for (const [x, sign] of [...row].entries()) if (sign !== '.') out.push([keyOf(x, y, z), sign === 'S' ? 'stone' : 'wood']);
  }
  return out;
}

/** Places one block at a time, from the ground up. */
const mason: Script = ({ view }) => {
  const done = new Set(view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : [])));
  const next = planOf(view)
    .map(([key, material]) => `[place ${material} ${key}]`)
    .find((move) => !done.has(move));
  return { text: next ?? '[done]' };
};

/** Writes one program that places everything. */
const coder: Script = ({ view }) => {
  if (view.seen.some((item) => item.kind === 'action')) return { text: '[done]' };
  return {
    text: `\`\`\`js\n${planOf(view)
      .map(([key, material]) => `place('${material}', ${key.split(' ').join(', ')});`)
      .join('\n')}\n\`\`\``,
  };
};

/** Reads only the feedback, and repairs what it names. */
const repairer: Script = ({ view, rng, ask }) => {
  const last = view.seen.findLast((item) => item.kind === 'message')?.text ?? '';
  const missing = /Missing: (\w+) (\d+ \d+ \d+)\./.exec(last) ?? /Wrong material: (\d+ \d+ \d+) should be (\w+)\./.exec(last);
  const extra = /Not wanted: (\d+ \d+ \d+)\./.exec(last)?.[1];
  if (last.includes('Nothing is missing.')) return { text: '[done]' };
  if (extra !== undefined) return { text: `[remove ${extra}]` };
  if (missing === null) return { text: rng.pick((ask.choices ?? []).slice(1)) };
  const [material, place] = /^\d/.test(missing[1]) ? [missing[2], missing[1]] : [missing[1], missing[2]];
  return { text: `[place ${material} ${place}]` };
};

export const blocks = exercise<Task, Made, Progress>({
  id: 'blocks@1',
  about: {
    summary:
      'A builder makes a structure of stone and wood blocks from a blueprint or a description: a box, wall, stairs, tower, table, or pyramid. It places or removes single blocks, fills cuboids, or runs a program. The reward is the overlap of building and blueprint (intersection over union), times the share of blocks of the right material. Blocks that are not connected to the ground do not count. The maximum is 1, which the scripts reach.',
    tasks: [
      {},
      { plan: 'words' },
      { shape: 'box', size: 4, moves: 80 },
      { size: 2, moves: 12 },
      { shape: 'table', plan: 'words', size: 5, moves: 8 },
    ],
    turns: 80 * 11,
  },
  parameters,
  task(input) {
    const { blueprints, feedback, ...rest } = readTask('blocks', parameters, input);
    if (blueprints !== null)
      for (const { name, layers } of readDrawings(blueprints)) {
        const side = Math.max(layers.length, ...layers.map((rows) => rows.length), ...layers.flat().map((row) => row.length));
        if (side > rest.size) throw new Fault('input', `blocks: the blueprint "${name}" needs "size" ${side}, but it is ${rest.size}.`);
      }
    return { ...rest, ...(blueprints === null ? {} : { blueprints }), ...(feedback ? { feedback } : {}) };
  },
  seats: () => alone,
  make({ size, shape, blueprints }, rng) {
    if (blueprints !== undefined) {
      const drawing = rng.pick(readDrawings(blueprints));
      return { shape: shapeOfDrawing(drawing), drawing };
    }
    const blueprintShape = drawShape(size, shape, rng);
    return Object.keys(blocksOf(blueprintShape)).length === 0 ? null : { shape: blueprintShape };
  },
  key: ({ shape, drawing }) => JSON.stringify(drawing ?? shape),
  begin: (task, result) => ({
    progress: { blocks: {}, used: 0, last: '', over: false },
    messages: [
      {
        to: alone,
        text: `Build with ${task.moves} moves at most on a ground of ${task.size} by ${task.size} and up to ${task.size} high; x, y and z count from 0, y is up. [place stone X Y Z] puts a block, [remove X Y Z] takes one, [fill wood X Y Z X Y Z] fills from corner to corner, a program in a block of code between lines of three backquotes may call place(material, x, y, z) and remove(x, y, z), and [done] ends the work. Materials are ${materials.join(' and ')}. Blocks that do not hang together with the ground count as none. Make exactly one move.\n${planText(task, result)}`,
      },
    ],
  }),
  ask: ({ size }, _, { over }) => (over ? null : { seat, choices: choicesOf(size) }),
  act,
  knows: (task, result, progress) => ({ plan: planText(task, result), ...progress }),
  scripts: { mason, coder, repairer },
});

const blueprintOf = ({ shape, drawing }: Made): Blocks => (drawing === undefined ? blocksOf(shape) : blocksOfDrawing(drawing));

function planText({ plan }: Task, result: Made): string {
  const { shape, drawing } = result;
  if (plan === 'words') return drawing === undefined ? shapeText(shape) : `Build this: ${drawing.text}`;
  return `Blueprint, layer by layer from the ground; columns are x, rows are z, S is stone, W is wood:\n${layersText(blueprintOf(result), shape)}`;
}

/** Returns the next block to place and the first one to remove, from the ground up. */
export function feedbackOn(built: Blocks, wanted: Blocks): string {
  const byHeight = (a: string, b: string) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]) || (a < b ? -1 : 1);
  const wrong = Object.keys(built).filter((key) => built[key] !== wanted[key]);
  const missing = Object.keys(wanted).filter((key) => built[key] !== wanted[key] && !wrong.includes(key));
  const [extra] = wrong.toSorted(byHeight);
  if (extra !== undefined)
    return wanted[extra] === undefined ? `Not wanted: ${extra}.` : `Wrong material: ${extra} should be ${wanted[extra]}.`;
  const [next] = missing.toSorted(byHeight);
  return next === undefined ? 'Nothing is missing.' : `Missing: ${wanted[next]} ${next}.`;
}

const lists = new Map<number, readonly string[]>();

/** Lists ending the building, and every single block on small grounds. */
function choicesOf(size: number): readonly string[] {
  const before = lists.get(size);
  if (before !== undefined) return before;
  const results = ['[done]'];
  const side = Math.min(size, 5);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let z = 0; z < side; z++) for (const material of materials) results.push(`[place ${material} ${keyOf(x, y, z)}]`);
  lists.set(size, results);
  return results;
}

function act(task: Task, result: Made, progress: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const used = progress.used + 1;
  const block = fencedCode(action.text);
  if (block !== null) {
    const ground = new Map(Object.entries(progress.blocks));
    const { ok, problem } = runScript({ 'main.js': block.code }, 'main.js', {
      functions: {
        place: (material, x, y, z) => set(task, ground, material as string, [x, y, z] as number[]),
        remove: (x, y, z) => set(task, ground, null, [x, y, z] as number[]),
      },
    });
    return went(task, result, used, Object.fromEntries(ground), ok ? 'The program ran.' : `The program failed: ${problem}`);
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const [verb = '', ...rest] = read.move.toLowerCase().split(' ');
  if (verb === 'done' && rest.length === 0) return { ok: true, move: finish(result, { ...progress, used, last: '', over: true }) };
  const ground = new Map(Object.entries(progress.blocks));
  const material = verb === 'remove' ? null : (rest.shift() ?? '');
  const numbers = rest.map(Number);
  const wanted = verb === 'fill' ? 6 : 3;
  if (
    !['place', 'remove', 'fill'].includes(verb) ||
    numbers.length !== wanted ||
    (material !== null && !(materials as readonly string[]).includes(material)) ||
    !numbers.every((n) => Number.isInteger(n) && n >= 0 && n < task.size)
  )
    return {
      ok: false,
      problem: `A move is like [place stone 0 0 0], [remove 0 0 0], [fill wood 0 0 0 1 1 1] or [done]; numbers go from 0 to ${task.size - 1}.`,
    };
  const [x = 0, y = 0, z = 0, x2 = x, y2 = y, z2 = z] = numbers;
  for (let i = Math.min(x, x2); i <= Math.max(x, x2); i++)
    for (let j = Math.min(y, y2); j <= Math.max(y, y2); j++)
      for (let k = Math.min(z, z2); k <= Math.max(z, z2); k++) set(task, ground, material, [i, j, k]);
  return went(task, result, used, Object.fromEntries(ground), 'It is built.');
}

/** Blocks outside the ground are not placed. */
function set({ size }: Task, ground: Map<string, string>, material: string | null, place: readonly number[]): boolean {
  const isPlace = place.every((n) => Number.isInteger(n) && n >= 0 && n < size);
  if (!isPlace || (material !== null && !(materials as readonly string[]).includes(material))) return false;
  const key = place.join(' ');
  if (material === null) ground.delete(key);
  else ground.set(key, material);
  return true;
}

function went(task: Task, result: Made, used: number, built: Blocks, observation: string): ParsedMove<Advance<Progress>> {
  const count = Object.keys(built).length;
  const help = task.feedback ? ` ${feedbackOn(built, blueprintOf(result))}` : '';
  const text = `${observation} There ${count === 1 ? 'is 1 block' : `are ${count} blocks`}.${help}`;
  if (used >= task.moves) return { ok: true, move: finish(result, { blocks: built, used, last: text, over: true }) };
  return { ok: true, move: { progress: { blocks: built, used, last: text, over: false }, messages: [{ to: alone, text }] } };
}

function finish(result: Made, progress: Progress): Advance<Progress> {
  const match = matchBlocks(progress.blocks, blueprintOf(result));
  const text = `The building is finished: ${match.missing} missing, ${match.extra} too many, ${match.floating} floating.`;
  return {
    progress,
    messages: [
      { to: alone, text },
      { to: [], text: 'match', data: result.drawing === undefined ? match : { ...match, measures: match } },
    ],
    rewards: { [seat]: match.iou * match.material },
  };
}
