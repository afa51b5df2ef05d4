/** @file Tests the code of a skill before it is stored: refuses one without a test, or whose run fails. The runner is passed in. */

import type { CodeSkill as Skill } from '@ludus-agents/environments/internal/code-skill';
import { equal, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** Runs a function body on an input, in a sandbox. */
export type RunCode = (
  code: string,
  input: Json,
) => Promise<{ readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string }>;

/** Why a skill may not be stored, or null. */
export async function flawIn(skill: Skill, run: RunCode | null): Promise<string | null> {
  if (run === null) return 'Code cannot be run here, so none is stored.';
  if (skill.tests.length === 0) return 'The skill has no test.';
  for (const { input, output } of skill.tests) {
    try {
      const result = await run(skill.code, input);
      if (!result.ok) return `The skill failed: ${result.problem}`;
      if (!equal(result.value, output))
        return `The skill gave ${JSON.stringify(result.value)} where its test says ${JSON.stringify(output)}.`;
    } catch (thrown) {
      return `The skill could not be run: ${sentenceOf(thrown)}`;
    }
  }
  return null;
}
