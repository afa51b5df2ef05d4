import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layersIn, leavesOf, npyHead } from '@ludus-agents/learning/internal/datasets/state-features';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, expect, it } from 'vitest';
import { ludus } from '../../src/cli/terminal.cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-states-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Shape and values of an NPY file, read by its own rules. */
function npy(path: string) {
  const bytes = readFileSync(path);
  expect(bytes.subarray(0, 8)).toEqual(Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]));
  const head = 10 + bytes.readUInt16LE(8);
  expect(head % 64).toBe(0);
  const text = bytes.toString('latin1', 10, head);
  const shape = (/\(([^)]*)\)/.exec(text)?.[1] ?? '').split(',').flatMap((item) => (item.trim() === '' ? [] : [Number(item)]));
  const data = bytes.subarray(head);
  const values = text.includes('<f8')
    ? new Float64Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length))
    : new Uint8Array(data);
  expect(values.length).toBe(shape.reduce((product, value) => product * value, 1));
  return { shape, values };
}

it('the states export writes labeled arrays for any environment, split by episode', async () => {
  const plan = { environments: [{ environment: 'skirmish' }, { environment: 'tic-tac-toe' }], seeds: 8, casts: [{ '*': 'random' }] };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  expect((await ludus(folder, ['run', 'plan.json', '--store', 's.sqlite'])).code).toBe(0);
  const outcome = await ludus(folder, [
    'data',
    'export',
    '--store',
    's.sqlite',
    '--format',
    'states',
    '-o',
    'states',
    '--eval-share',
    '0.4',
    '--json',
  ]);
  expect(outcome.code).toBe(0);
  const manifest = JSON.parse(readFileSync(join(folder, 'states', 'manifest.json'), 'utf8')) as {
    files: { file: string; rows?: number }[];
  };
  expect(manifest.files.map(({ file }) => file)).toContain('data/tic-tac-toe/train-states.npy');
  expect(outcome.err).not.toContain('left out');
  const sides: Set<string>[] = [];
  for (const side of ['train', 'eval']) {
    const labels = await parquetReadObjects({ file: buffer(join(folder, 'states', 'data', 'skirmish', `${side}-labels.parquet`)) });
    const layers = npy(join(folder, 'states', 'data', 'skirmish', `${side}-layers.npy`));
    const states = npy(join(folder, 'states', 'data', 'skirmish', `${side}-states.npy`));
    expect(layers.shape).toEqual([states.shape[0], 3, 8, 8]);
    expect(Math.max(...labels.map(({ row }) => Number(row)))).toBe(states.shape[0]! - 1);
    sides.push(new Set(labels.map(({ episode }) => String(episode))));
  }
  expect(sides[0]!.size + sides[1]!.size).toBe(8);
  expect([...sides[0]!].filter((item) => sides[1]!.has(item))).toEqual([]);
  const features = JSON.parse(readFileSync(join(folder, 'states', 'data', 'tic-tac-toe', 'features.json'), 'utf8')) as string[];
  const board = npy(join(folder, 'states', 'data', 'tic-tac-toe', 'train-states.npy'));
  expect(board.shape[1]).toBe(features.length);
  const first = features.filter((feature) => feature.startsWith('cells[')).map((feature) => board.values[features.indexOf(feature)]);
  expect(first).toEqual(new Array(9).fill('.'.charCodeAt(0)));
});

const line = `export default {
  id: 'line@1',
  about: { summary: 'A walk on a line of five cells.', tasks: [{}], turns: 9 },
  parameters: {},
  task: () => ({}),
  seats: () => ['walker'],
  start: () => ({ state: { at: 2, left: 3 }, messages: [], asks: [{ seat: 'walker', choices: ['[left]', '[right]'] }] }),
  step({ at, left }, { walker }) {
    const state = { at: at + (walker.text === '[right]' ? 1 : -1), left: left - 1 };
    return { state, messages: [], asks: left === 1 ? [] : [{ seat: 'walker', choices: ['[left]', '[right]'] }], rewards: { walker: 0 } };
  },
};
`;

it('the states export uses the original environment file, or the named one if it changed', async () => {
  writeFileSync(join(folder, 'line.mjs'), line);
  writeFileSync(join(folder, 'own.json'), JSON.stringify({ environments: ['./line.mjs'], seeds: 4, casts: [{ walker: 'random' }] }));
  expect((await ludus(folder, ['run', 'own.json', '--store', 'own.sqlite'])).code).toBe(0);
  const exported = (to: string, ...more: string[]) =>
    ludus(folder, ['data', 'export', '--store', 'own.sqlite', '--format', 'states', '-o', to, '--eval-share', '0', ...more]);
  expect((await exported('line')).code).toBe(0);
  expect(npy(join(folder, 'line', 'data', 'line', 'train-states.npy')).shape).toEqual([16, 2]);
  writeFileSync(join(folder, 'line.mjs'), `${line}// Changed.\n`);
  const refused = await exported('changed');
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringContaining('4 episodes whose environment is not available; pass an environment file'),
  ]);
  expect((await exported('named', '--environment', './line.mjs')).code).toBe(0);
});

it('the states export flattens a state without its task, and requires layers of small integers', () => {
  expect([...leavesOf({ task: { size: 3 }, at: [1, { x: true }], mark: 'A', none: null })]).toEqual([
    ['at[0]', 1],
    ['at[1].x', 1],
    ['mark[0]', 65],
  ]);
  expect(layersIn({ layers: [[1, 2, 3, 255]] })).toMatchObject({ layers: 1, height: 2, width: 2 });
  for (const layers of [[[1, 2, 3]], [[1, 2, 3, 256]], [], [[0, 0, 0, 0.5]], 'x']) expect(layersIn({ layers })).toBeNull();
  expect(npyHead('<f8', [3, 2]).length % 64).toBe(0);
});

function buffer(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}
