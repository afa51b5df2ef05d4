/**
 * @file A skill in code, as a text of a spec: a description, then a fenced JavaScript function body that gets `input` and returns a value,
 * with its tests as comments. Language agents with tools call it; it can only compute.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type SkillTest = { readonly input: Json; readonly output: Json };

export type CodeSkill = {
  readonly name: string;
  /** Its purpose in words, which is what retrieval matches. */
  readonly about: string;
  readonly code: string;
  readonly tests: readonly SkillTest[];
};

/** Parses a text that is code: a fence, with tests as comments, `// test: INPUT -> OUTPUT`. Returns null for a text that is not. */
export function skillIn(name: string, text: string): CodeSkill | null {
  const [, before = '', code] = /^(.*?)```(?:js|javascript)?\n(.*?)```/s.exec(text) ?? [];
  if (code === undefined) return null;
  const tests = [...code.matchAll(linear(/^\s*\/\/ test: (.+) -> (.+)$/gm))].flatMap(([, input, output]): readonly SkillTest[] => {
    try {
      return [{ input: JSON.parse(input as string) as Json, output: JSON.parse(output as string) as Json }];
    } catch {
      return [];
    }
  });
  return { name, about: before.trim(), code, tests };
}

/** Texts of a spec that may be skills. */
const skillText = /^(?:skill|library)\//;

/** Returns the code skills among the texts, each with the name under which it is called. */
export function codeSkillsIn(texts: Readonly<Record<string, string>>): readonly CodeSkill[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    const skill = skillText.test(name) ? skillIn(skillCallName(name), text) : null;
    return skill === null ? [] : [skill];
  });
}

/** Returns the name under which a skill is called: `skill/add tax` is `skill_add_tax`. */
export function skillCallName(text: string): string {
  return `skill_${text.replace(skillText, '').replace(/\W+/g, '_')}`;
}
