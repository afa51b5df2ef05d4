/** @file `ludus train pae|agent0|pasodoble|mae`: proposers that learn with their solver, from the command line. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const home = folder();
const small = ['--games', '512', '--set', 'training.batch=128', '--json'];
const locks = ['--environment', 'lock', '--set', 'coevolution.parameters={"dials":[1,3],"broken":[0,1]}'];
const last = (text: string) => JSON.parse(text.trim().split('\n').at(-1)!);

describe('ludus train with a proposer', () => {
  it.each(['pae', 'ssp', 'agent0', 'pasodoble', 'mae', 'envgen'])('%s ends with the gain and the quality of proposals', async (name) => {
    const { code, out, err } = await ludus(home, ['train', name, ...small]);
    expect([code, err]).toEqual([0, expect.stringMatching(/written tasks are solved at a rate/)]);
    const found = last(out);
    expect(found).toMatchObject({ games: 512, gain: { episodes: 64 }, proposals: { valid: expect.any(Number) } });
  });

  it('lets a script or program write tasks, rejects malformed ones, and counts both', async () => {
    writeFileSync(
      join(home, 'writer.mjs'),
      `let turn = 0;
export default { name: 'writer', act: async () => ({ action: { text: turn++ % 2 === 0 ? '{"goal": 99}' : '{"words": "one piece", "task": {"goal": 1}}' } }) };`,
    );
    const { code, out, err } = await ludus(home, ['train', 'pae', '--set', 'coevolution.by=./writer.mjs', '--name', 'by-file', ...small]);
    expect([code, err]).toEqual([0, expect.stringContaining('./writer.mjs writes tasks for forge@1, checked by winnable')]);
    const { counts } = last(out).mechanism;
    expect(counts['tasks learned from']).toBeGreaterThan(0);
    expect(counts['proposals refused as malformed']).toBeGreaterThan(0);
  });

  it('reads a folder of documents and writes questions that pass retrieval', async () => {
    const docs = join(home, 'docs');
    mkdirSync(docs);
    writeFileSync(join(docs, 'a.md'), '# Office\nThe office of the mill is open in the morning. See [people](b.md).\n');
    writeFileSync(join(docs, 'b.md'), '# People\nThe keys of the office and the mill are with Mira Lund. See [the mill](c.md).\n');
    writeFileSync(join(docs, 'c.md'), '# Mill\nThe mill behind the river was built in 1871 by the town. See [the office](a.md).\n');
    const { code, out } = await ludus(home, ['train', 'ssp', '--set', 'coevolution.documents=./docs', '--name', 'folder', ...small]);
    expect(code).toBe(0);
    expect(last(out).mechanism.counts['tasks learned from']).toBeGreaterThan(0);
  });

  it('accepts a proposer from a file in a chosen environment, and the trained model plays', async () => {
    writeFileSync(join(home, 'mine.json'), JSON.stringify({ name: 'mine', reward: 'triangle', keep: [0.1, 0.9], attempts: 4 }));
    const { code } = await ludus(home, [
      'train',
      'pasodoble',
      '--set',
      'coevolution.proposer=./mine.json',
      '--name',
      'own',
      ...locks,
      ...small,
    ]);
    expect(code).toBe(0);
    expect((await ludus(home, ['play', 'lock', '--opener', 'local/own@best', '--json'])).code).toBe(0);
    const wrong = await ludus(home, ['train', 'pae', '--set', 'coevolution.proposer=pea', '--name', 'w']);
    expect(wrong.err).toMatch(/Unknown proposer "pea".*pae/);
  });
});
