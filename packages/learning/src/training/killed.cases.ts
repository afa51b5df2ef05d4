/**
 * @file A training in a child process (test/fixtures/train-run.ts) that is killed for real, at one of its writes (test/fixtures/kill-at.mjs), and
 * begun again in the same folder.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { checkpointNames, readCheckpoint } from './run-folder.ts';
import { train } from './train.ts';

const hook = join(import.meta.dirname, '../../../../test/fixtures/kill-at.mjs');
const child = join(import.meta.dirname, '../../../../test/fixtures/train-run.ts');
const seed = 4;

export interface KillOptions {
  readonly cwd: string;
  readonly kills: number;
  /** Weights that are kept elsewhere, as they are now. */
  readonly weights?: () => unknown;
}

/** Kills a training at so many random writes, one after the other, goes on to its end, and looks whether anyone could tell. */
export async function survivesKills(
  name: string,
  settings: readonly string[],
  { cwd, kills, weights = () => null }: KillOptions,
): Promise<void> {
  const recipe = override(builtInRecipe(name), settings);
  const dice = rng(12, 'kills', name);
  const folders = ['whole', 'killed'].map((item) => join(cwd, `${name}-${item}`)) as [string, string];
  const [whole, killed] = folders;
  const trainingReport = await train({ recipe, seed }, { trust: Trust.commandLine, cwd, folder: whole });
  const expected = JSON.stringify(weights());
  const file = join(cwd, `${name}.json`);
  writeFileSync(file, JSON.stringify({ recipe, seed }));
  const isAlike = () => {
    expect(endOf(killed, recipe)).toEqual(endOf(whole, recipe));
    expect(JSON.stringify(weights())).toBe(expected);
  };
  for (let kill = 0; kill < kills; ) {
    const ended = await runUntilKilled(8 + dice.int(30), { folder: killed, file, cwd });
    if (ended === 'SIGKILL') kill++;
    else {
      // Killed often enough to be at its end before the next moment came: it is compared, and the next one begins over.
      expect(ended).toBe(0);
      isAlike();
      rmSync(killed, { recursive: true });
    }
  }
  const { games, tokens, returned, gain } = trainingReport!;
  expect(await train({ recipe, seed }, { trust: Trust.commandLine, cwd, folder: killed })).toMatchObject({ games, tokens, returned, gain });
  isAlike();
  // Again, with nothing left to do.
  expect(await train({ recipe, seed }, { trust: Trust.commandLine, cwd, folder: killed })).toMatchObject({ games, tokens, returned, gain });
}

async function runUntilKilled(
  write: number,
  { folder, file, cwd }: { folder: string; file: string; cwd: string },
): Promise<string | number | null> {
  mkdirSync(cwd, { recursive: true });
  const running = spawn(process.execPath, ['--import', hook, child, folder, file, cwd], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: '', LUDUS_KILL_AT: String(write) },
  });
  const [code, signal] = (await once(running, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

/** The last checkpoint without what names a place or took time, and the figures of every update, each told once. */
function endOf(folder: string, { training }: Recipe): unknown {
  const { checkpoint } = JSON.parse(readFileSync(join(folder, 'last.json'), 'utf8')) as { checkpoint: { learner: string } };
  const figures = readFileSync(join(folder, 'metrics.csv'), 'utf8').trim().split('\n');
  const { learner, ...rest } = checkpoint;
  const best = readCheckpoint(folder, 'best');
  // On a server every session has its own names for the same weights.
  return {
    ...rest,
    figures,
    kept: checkpointNames(folder),
    best: [best?.update, best?.worth],
    learner: training.learner === 'tinker' ? '' : training.learner === 'transformer' ? basename(learner) : learner,
  };
}
