/** @file Panels and experiments with small samples: the compared wave, and the messages if nothing can be compared. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const write = (name: string, content: unknown) =>
  writeFileSync(join(here, name), typeof content === 'string' ? content : JSON.stringify(content));
const header = 'person,name,weight,ballot,wave,item,kind,status,code,answer,place,shown,episode';
const row = (person: number, wave: string, code: number | null) =>
  `p${person},,1,,${wave},trust,scale,${code === null ? 'refused' : 'answered'},${code ?? ''},,1,1 2 3 4,`;

it('survey compare uses the first wave of both panels, in any order of rows', async () => {
  // In spring everyone says 1 or nothing, in autumn everyone says 4.
  const spring = Array.from({ length: 12 }, (_, i) => row(i, 'spring', i < 4 ? null : 1));
  const autumn = Array.from({ length: 12 }, (_, i) => row(i, 'autumn', 4));
  write('a.csv', [header, ...spring, ...autumn, ''].join('\n'));
  write('b.csv', [header, ...autumn, ...spring, ''].join('\n'));
  const { code, out } = await ludus(here, ['survey', 'compare', 'a.csv', '--human', 'b.csv', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out).items).toMatchObject([{ item: 'trust', totalVariation: 0, people: 8 }]);
});

it('survey experiment explains a missing effect below the means without intervals', async () => {
  write('q.json', { items: [{ id: 'trust', kind: 'scale', text: 'Trust?', options: ['no', 'yes'] }] });
  write('spec.json', { name: 'Folk', attributes: { region: { north: 1, south: 1 } } });
  write('e.json', { name: 'cl', outcome: 'trust', number: 8, arms: { a: '', b: 'News.' }, cluster: 'region', unit: 'cluster' });
  const line = ['survey', 'experiment', 'e.json', '--questionnaire', 'q.json', '--population', 'spec.json', '--register', 'plan.json'];
  const { code, out, err } = await ludus(here, line);
  expect(code).toBe(1);
  expect(out).toMatch(/\n ?a +1\.000 +– .*\n ?b +1\.000 +– /);
  expect(out).not.toContain('effect  ');
  expect(err).toContain('No effect on "trust" can be estimated: it needs answers of at least three groups of "region"');
  write('e.json', { name: 'cl', outcome: 'trust', number: 8, effect: 1, arms: { a: '', b: 'News.' }, cluster: 'region', unit: 'cluster' });
  expect((await ludus(here, line)).err).toContain('This differs from the registration: effect differs.');
  write('e.json', { outcome: 'trust', number: 3, arms: { a: '', b: 'News.' } });
  expect((await ludus(here, line)).err).toContain('number must be an integer of at least 4 (two people for each of two arms)');
});

it('survey town plays on two seeds', async () => {
  const { code, err } = await ludus(here, ['survey', 'town', '--people', '2', '--days', '1', '--hours', '1', '-n', '2', '--yes']);
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('10 episodes of 2 people in 5 arms') });
});
