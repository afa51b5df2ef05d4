/** @file A training process that is killed goes on to the identical next update: a table, a language model, and a learner on a server. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { TinkerServer } from '../../../../test/fixtures/tinker-server.ts';
import { hasRuntime } from '../learners/transformer/index.ts';
import { survivesKills } from './killed.cases.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-train-killed-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** How often each is killed; the long test kills twenty times, and also a language model and a learner on a server. */
const kills = Number(process.env['LUDUS_MOMENTS'] ?? 1);

describe('killed training process', () => {
  it('resumes with a table', () => survivesKills('rapo', ['training.games=256', 'training.batch=32'], { cwd, kills }));

  it.runIf(hasRuntime() && kills > 1)('resumes with a language model', () =>
    survivesKills('kuhn-lm', ['training.games=80', 'training.batch=10', 'training.warmUp={"games":20,"steps":3,"rate":0.003}'], {
      cwd,
      kills,
    }),
  );

  it.runIf(kills > 1)('resumes with weights on a server', async () => {
    writeFileSync(
      join(cwd, 'bytes.mjs'),
      `export const encode = ({ messages }) => messages.flatMap(({ content }) => [...Buffer.from(content + '\\n', 'latin1')]).slice(-40);
export const decode = (tokens) => Buffer.from(tokens).toString('latin1');
export const stop = [256];`,
    );
    const server = await new TinkerServer().start();
    const place = JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer: './bytes.mjs' });
    const settings = [
      'training.learner=tinker',
      `training.server=${place}`,
      'training.seats.second=random',
      'training.games=64',
      'training.batch=8',
    ];
    await survivesKills('spiral', settings, { cwd, kills, weights: () => [...server.model.logits] }).finally(() => server.close());
  });
});
