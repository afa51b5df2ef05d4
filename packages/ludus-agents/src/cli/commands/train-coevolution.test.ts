/** @file `ludus train pae|agent0|pasodoble|mae`: proposers that learn with their solver, from the command line. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const home = folder();
const small = ['--games', '512', '--set', 'training.batch=128', '--set', 'coevolution.knobs={"dials":[1,3],"broken":[0,1]}', '--json'];
const last = (text: string) => JSON.parse(text.trim().split('\n').at(-1)!);

describe('ludus train with a proposer', () => {
  it.each(['pae', 'agent0', 'pasodoble', 'mae'])('%s ends with what was gained and how proposals fare', async (name) => {
    const { code, out, err } = await ludus(home, ['train', name, ...small]);
    expect([code, err]).toEqual([0, expect.stringMatching(/proposed tasks are solved at a rate/)]);
    const found = last(out);
    expect(found).toMatchObject({ games: 512, gain: { episodes: 66 }, proposals: { valid: expect.any(Number) } });
  });

  it('takes a proposer by file, in an environment of one’s own choice, and what it trained plays', async () => {
    writeFileSync(join(home, 'mine.json'), JSON.stringify({ name: 'mine', reward: 'triangle', keep: [0.1, 0.9], attempts: 4 }));
    const { code } = await ludus(home, ['train', 'pasodoble', '--set', 'coevolution.proposer=./mine.json', '--name', 'own', ...small]);
    expect(code).toBe(0);
    expect((await ludus(home, ['play', 'lock', '--opener', 'local/own@best', '--json'])).code).toBe(0);
    const wrong = await ludus(home, ['train', 'pae', '--set', 'coevolution.proposer=pea', '--name', 'w']);
    expect(wrong.err).toMatch(/no proposer "pea".*pae/);
  });
});
