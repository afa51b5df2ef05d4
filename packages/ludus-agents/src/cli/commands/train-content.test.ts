/** @file Training on folders of content: held-out rows, trained agents that play as they were trained, and packs of one folder alone. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { loadTrainedAgent } from '@ludus-agents/learning/internal/training/trained-agents';
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
  it('gives a table the same view in an episode as in training, whatever its rules and history', async () => {
    const cwd = project('vet');
    const words = ['train', 'content-tabular', '--environment', './vet', '--games', '320', '--set', 'training.batch=32', '--name', 'vet'];
    await json(cwd, words);
    const vet = await resolveEnvironment('./vet', cwd, Trust.commandLine);
    const agent = await loadTrainedAgent('local/vet@last', vet, { cwd });
    const choices = ['[ask]', '[diagnose fleas]'];
    const chancesOf = async (texts: readonly string[]) => {
      const seen: readonly Seen[] = texts.map((text) => ({ kind: 'message', to: ['therapist'], text }));
      const turn = { view: { seat: 'therapist', seen }, ask: { seat: 'therapist', choices }, rng: rng(1, 'test') };
      return (await agent.act(turn, new AbortController().signal)).chances;
    };
    const latest = 'Nothing was recognized yet.';
    expect(await chancesOf(['The rules.', 'An earlier message.', latest])).toEqual(await chancesOf([latest]));
    expect(await chancesOf([latest])).not.toEqual(await chancesOf(['A message that never came in training.']));
  });

  it('lets the matching learner read all messages, in training and in play', async () => {
    const cwd = project('station');
    const words = ['--learner', 'matching', '--environment', './station', '--games', '64', '--set', 'training.batch=32', '--name', 'm'];
    await json(cwd, ['train', 'content-tabular', ...words]);
    const station = await resolveEnvironment('./station', cwd, Trust.commandLine);
    const agent = await loadTrainedAgent('local/m@last', station, { cwd });
    const choices = ['[select none]', '[select Document1]', '[select Document2]'];
    const chancesOf = async (question: string) => {
      const texts = [`Question: ${question}`, 'Document1: The tank holds rain.\nDocument2: The cook bakes bread.'];
      const seen: readonly Seen[] = texts.map((text) => ({ kind: 'message', to: ['retriever'], text }));
      const turn = { view: { seat: 'retriever', seen }, ask: { seat: 'retriever', choices }, rng: rng(1, 'test') };
      return (await agent.act(turn, new AbortController().signal)).chances;
    };
    expect(await chancesOf('What does the tank hold?')).not.toEqual(await chancesOf('What does the cook bake?'));
  });

  it('gives one named agent the tested seats, and the other seats to the agents of the content', async () => {
    const cwd = project('podcasts', 'clinic-rota');
    const played = await ludus(cwd, ['play', './podcasts', '--agents', 'scripted:profiling', '--seed', '1']);
    expect([played.code, played.out]).toEqual([0, expect.stringContaining('user scripted:user')]);
    // Without a name, the script is the best one of the content, not the first.
    const scripted = await ludus(cwd, ['play', './clinic-rota', '--agents', 'scripted', '--seed', '1']);
    expect(scripted.out).toContain('rosa scripted:discreet');
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
