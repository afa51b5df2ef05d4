/**
 * @file A skill library: code that has proved itself, every version of it, and the skill that fits a question.
 *
 * Code is added only after its tests pass: a skill without a test, or one whose run breaks, is refused. The runner is passed in.
 */

import type { CodeSkill as Skill } from '@ludus-agents/environments/internal/code-skill';
import { equal, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** Runs a function body on an input, somewhere safe. */
export type RunCode = (
  code: string,
  input: Json,
) => Promise<{ readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string }>;

export type Version = Skill & { readonly version: number };

/** Why a skill may not enter, or null. */
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

export class SkillLibrary {
  readonly #run: RunCode | null;
  readonly #skills = new Map<string, Version[]>();

  constructor(run: RunCode | null) {
    this.#run = run;
  }

  /** Stores a skill that passes its tests, as the next version of its name; else returns why not. */
  async add(skill: Skill): Promise<string | null> {
    const flaw = await flawIn(skill, this.#run);
    if (flaw !== null) return flaw;
    const versions = this.#skills.get(skill.name) ?? [];
    this.#skills.set(skill.name, [...versions, { ...skill, version: versions.length + 1 }]);
    return null;
  }

  /** The latest version of every skill. */
  get skills(): readonly Version[] {
    return [...this.#skills.values()].map((versions) => versions.at(-1) as Version);
  }

  versions(name: string): readonly Version[] {
    return this.#skills.get(name) ?? [];
  }

  /** The skills whose words fit a question best, by the rarity of the words they share. */
  retrieve(question: string, many = 5): readonly Version[] {
    const skills = this.skills;
    const texts = skills.map(({ name, about }) => wordsOf(`${name} ${about}`));
    const rarity = (word: string) => Math.log(1 + skills.length / (1 + texts.filter((words) => words.has(word)).length));
    const questionWords = wordsOf(question);
    const fit = texts.map(
      (words) => [...questionWords].filter((word) => words.has(word)).reduce((sum, word) => sum + rarity(word), 0) / Math.sqrt(words.size),
    );
    return skills
      .map((skill, i) => ({ skill, fit: fit[i] }))
      .filter((item) => item.fit > 0)
      .toSorted((a, b) => b.fit - a.fit)
      .slice(0, many)
      .map(({ skill }) => skill);
  }
}

function wordsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)));
}

/** SAGE's rewards of a chain of two tasks: each its own outcome, and one more where a skill of the first was used and both went well. */
export function chainRewards(first: number, second: number, used: boolean): readonly [number, number] {
  const bonus = used && second === 1 ? 1 : 0;
  return [first + (first === 1 ? bonus : 0), second + bonus];
}
