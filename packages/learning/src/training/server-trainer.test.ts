/** @file A recipe trains a learner on a server by the same loop: chosen by its kind, with a tokenizer from a file of the user's own. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TinkerServer } from '../../../../test/fixtures/tinker-server.ts';
import { preferPairs } from '../rl/preference-training.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { keptGround } from './kept-source.ts';
import { train } from './train.ts';
import { createTrainer } from './trainer.ts';

const cwd = mkdtempSync(join(tmpdir(), 'server-learner-'));
let server: TinkerServer;

beforeAll(async () => {
  server = await new TinkerServer().start();
  writeFileSync(
    join(cwd, 'bytes.mjs'),
    `const end = 256;
export const encode = ({ messages }) => messages.flatMap(({ content }) => [...Buffer.from(content + '\\n', 'latin1')]).slice(-40);
export const decode = (tokens) => Buffer.from(tokens).toString('latin1');
export const stop = [end];`,
  );
  writeFileSync(
    join(cwd, 'shown.mjs'),
    "export * from './bytes.mjs';\nexport const answer = (_prompt, text) => [...Buffer.from(text, 'latin1')];\n",
  );
});
afterAll(async () => {
  await server.close();
  rmSync(cwd, { recursive: true });
});

it('server training plays, sends rows to the server, and takes steps there', async () => {
  const settings = [
    'training.learner=tinker',
    `training.server=${JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer: './bytes.mjs' })}`,
    'training.seats.second=random',
    'training.games=8',
    'training.batch=8',
  ];
  const trainer = await createTrainer(
    { recipe: override(builtInRecipe('spiral'), settings), seed: 1 },
    { trust: Trust.commandLine, cwd, folder: null },
  );
  expect(trainer.how).toBe('By rollout: the learner reads and writes text.');
  await trainer.run(1);
  const { update, tokens } = await trainer.measure();
  expect([update, tokens > 0]).toEqual([1, true]);
  expect(server.heard.map(({ name }) => name)).toEqual(expect.arrayContaining(['asample', 'forward_backward', 'optim_step']));
});

it('unloads its model when stopped', async () => {
  const settings = [
    'training.learner=tinker',
    `training.server=${JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer: './bytes.mjs' })}`,
    'training.seats.second=random',
    'training.games=32',
    'training.batch=8',
    'training.ahead=2',
  ];
  let updates = 0;
  const services = { trust: Trust.commandLine, cwd, folder: null, tell: () => void updates++, stopped: () => updates > 0 };
  expect(await train({ recipe: override(builtInRecipe('spiral'), settings), seed: 1 }, services)).toBeNull();
  expect(updates).toBe(1);
  expect(server.heard.map(({ name }) => name)).toContain('unload_model');
});

it("trains a character's preferences, and reports an unsuitable tokenizer", async () => {
  const questions = ['Is it so?', 'Do you know it?'].map((ask) => ({
    ask,
    answers: [
      { text: 'So.', worth: 0 },
      { text: 'No.', worth: 1 },
    ],
  }));
  const trainerWith = (tokenizer: string) => {
    const settings = [
      'training.learner=tinker',
      `training.server=${JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer })}`,
      'training.environment=character-quiz',
      `training.task=${JSON.stringify({ questions })}`,
      'training.seats.character=learner',
      'training.opponents=self',
      'training.games=16',
      'training.batch=16',
      'training.warmUp.script=best',
      'training.warmUp.games=4',
      'training.warmUp.steps=1',
      'training.warmUp.rows=4',
    ];
    return createTrainer({ recipe: override(builtInRecipe('lm-dpo'), settings), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
  };
  await expect((await trainerWith('./bytes.mjs')).run(1)).rejects.toThrow('answer');
  const trainer = await trainerWith('./shown.mjs');
  await trainer.run(1);
  expect((await trainer.measure()).update).toBe(1);
  // The server's model never hits on one of the lines by itself, so pairs are given: what is chosen gains on what is not.
  const { learner } = trainer;
  const side = (text: string) => {
    const tokens = [...Buffer.from(`Is it so?${text}`, 'latin1')];
    return { from: text, rows: [{ tokens, mask: tokens.map((_, i) => (i >= 9 ? 1 : 0)) }] };
  };
  await learner.refer();
  const pair = [{ chosen: side('No.'), rejected: side('So.') }];
  const first = await preferPairs(learner, pair, 0.5);
  await learner.optimStep({ rate: 0.1 });
  const then = await preferPairs(learner, pair, 0.5);
  expect(first.margin).toBe(0);
  expect(then.margin).toBeGreaterThan(0);
  expect(then.loss).toBeLessThan(first.loss);
});

it('learns from stored pairs, which have no games to differ', async () => {
  const side = (content: string) => [{ role: 'assistant', content }];
  const pair = { prompt: [{ role: 'user', content: 'Is it so?' }], chosen: side('No.'), rejected: side('So.') };
  writeFileSync(join(cwd, 'pairs.jsonl'), JSON.stringify(pair));
  const place = { cwd, trust: Trust.commandLine };
  const ground = await keptGround({ from: 'pairs.jsonl' }, { ...place, store: undefined });
  const settings = [
    'training.learner=tinker',
    `training.server=${JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer: './shown.mjs' })}`,
    `training.environment=${ground?.environment}`,
    `training.task=${JSON.stringify(ground?.tasks[0])}`,
    'training.games=8',
    'training.batch=8',
    'training.opponents=self',
    'training.turns=1',
    'training.warmUp.steps=1',
    'kept={"from":"pairs.jsonl","seats":["assistant"]}',
  ];
  const report = await train({ recipe: override(builtInRecipe('lm-dpo'), settings), seed: 1 }, { ...place, folder: null });
  expect(report).toMatchObject({ nothing: null, acted: { 'groups that differ': 1 } });
});
