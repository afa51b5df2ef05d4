/** @file Loads a user's preference function: a file that decides which of two episodes is better. */

import { resolve } from 'node:path';
import { checkCode } from '@ludus-agents/agents/internal/workspace/consent';
import { importFile } from '@ludus-agents/agents/internal/workspace/programs';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { RewardPreference } from '../rl/judging.ts';
import type { Recipe } from '../rl/recipe.ts';

/** The function that a recipe names for comparing episodes; undefined if it compares returns. */
export async function preferenceOf({ assignment }: Recipe, cwd: string, trust: Trust): Promise<RewardPreference | undefined> {
  if (assignment.kind !== 'win-rate' || assignment.by === undefined) return undefined;
  const { default: match } = await importFile(checkCode(resolve(cwd, assignment.by), trust, { cwd, env: process.env }));
  if (typeof match === 'function') return match as RewardPreference;
  throw new Fault(
    'input',
    `${assignment.by} exports no preference: expected a default function that takes two episodes and returns the probability that the first is better.`,
  );
}
