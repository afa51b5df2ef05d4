/** @file Training on folders of content: held-out rows, trained agents that play as they were trained, and packs of one folder alone. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const examples = join(import.meta.dirname, '../../../../../examples/worlds');

/** A project with copies of examples. */
function project(...names: readonly string[]): string {
  const cwd = folder();
  for (const name of names) cpSync(join(examples, name), join(cwd, name), { recursive: true });
  return cwd;
}

async function json(cwd: string, args: readonly string[]) {
  const { code, out, err } = await ludus(cwd, [...args, '--json']);
  expect(code, err).toBe(0);
  return JSON.parse(out.trim().split('\n').at(-1)!);
}

describe('training on content', () => {
  it('gives a table in an evaluation the same view as in training', async () => {
    const cwd = project('vet');
    const words = ['train', 'content-tabular', '--environment', './vet', '--games', '1600', '--set', 'training.batch=32'];
    const still = ['--set', 'training.rate.from=1e-9', '--set', 'training.rate.to=1e-9'];
    await json(cwd, [...words, '--name', 'vet']);
    await json(cwd, [...words, '--name', 'still', ...still]);
    const agents = 'local/vet@best,local/still@best';
    const { agents: rows } = await json(cwd, ['eval', './vet', '--agents', agents, '--seeds', '30', '--yes']);
    const points = (name: string) => rows.find((row: { agent: string }) => row.agent === name).value;
    expect(points('local/vet@best')).toBeGreaterThan(points('local/still@best') + 0.1);
  });

  it('keeps students and seekers with "held" out of training, and rejects other values', async () => {
    const cwd = project('bread', 'helpline');
    const students = join(cwd, 'bread/students.json');
    writeFileSync(students, readFileSync(students, 'utf8').replace('"id": "Tom",', '"id": "Tom", "held": true,'));
    // Two agents play the one student that is held out.
    const { planned } = await json(cwd, ['eval', './bread', '--agents', 'scripted:absent', '--seeds', '1', '--yes']);
    expect(planned).toBe(2);
    const seekers = join(cwd, 'helpline/seekers.csv');
    const [head, first, ...rest] = readFileSync(seekers, 'utf8').split('\n');
    writeFileSync(seekers, [`${head},held`, `${first},perhaps`, ...rest.map((row) => (row === '' ? row : `${row},`))].join('\n'));
    const { code, out, err } = await ludus(cwd, ['env', 'check', './helpline']);
    expect([code, out + err]).toEqual([1, expect.stringContaining('seekers.csv:2: held must be true or false')]);
  });

  it('makes a pack of the episodes of the folder alone', async () => {
    const cwd = project('workshop');
    cpSync(join(cwd, 'workshop'), join(cwd, 'yard'), { recursive: true });
    writeFileSync(join(cwd, 'yard/blueprints/bench.txt'), '# a stone step\nSS\n');
    expect((await ludus(cwd, ['play', './yard', '--agents', 'scripted:mason', '--task', '{"case":"bench"}'])).code).toBe(0);
    const { err } = await ludus(cwd, ['improve', 'experience', './workshop', '-o', 'pack.json']);
    expect(err).toContain('No finished episode');
    expect((await ludus(cwd, ['improve', 'experience', './yard', '-o', 'pack.json'])).out).toContain('a pack of 1 task');
  });

  it('tells both seats what a patient conveyed without meaning it, if there is a decoder', async () => {
    const cwd = project('vet');
    const words = ['play', './vet', '--therapist', 'scripted:differential', '--patient', 'scripted:denying', '--seed', '2'];
    const without = await ludus(cwd, words);
    const decoded = await ludus(cwd, [...words, '--task', '{"decoder":true}']);
    expect(without.out).not.toContain('Conveyed, but not meant');
    expect(decoded.out).toContain('Conveyed, but not meant');
    expect(decoded.out).toContain('therapist +0.9');
  });
});
