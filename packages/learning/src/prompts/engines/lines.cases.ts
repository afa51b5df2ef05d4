/** @file An environment of lines for tests of engines: some lines help in any place, some harm, some do nothing; and scores are coins. */

import { type AgentSpec, rng } from '@ludus-agents/kernel/internal/core/index';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';
import { linesIn } from '../proposers/lines.ts';
import { toyGround } from '../toy.cases.ts';

export const lines = Array.from({ length: 12 }, (_, i) => (i < 5 ? `good ${i}` : i < 8 ? `bad ${i}` : `idle ${i}`));

/** A spec's lines, in any place. */
export function linesOf(spec: AgentSpec): ReadonlySet<string> {
  return new Set(Object.values(spec.texts ?? {}).flatMap((text) => linesIn(text)));
}

/** The chance to win: .2, and .13 for every line that helps or harms. */
export function worthOf(spec: AgentSpec): number {
  const has = [...linesOf(spec)];
  const count = (word: string) => has.filter((line) => line.startsWith(word)).length;
  return Math.min(0.95, Math.max(0.02, 0.2 + 0.13 * (count('good') - count('bad'))));
}

/** A play is four coins, thrown alike for all candidates at the same place. */
export const coins = () =>
  toyGround((spec, trial) => {
    const dice = rng(trial.seed, 'coins');
    return [0, 1, 2, 3].filter(() => dice.next() < worthOf(spec)).length / 4;
  });

export const start: AgentSpec = { name: 'toy', kind: 'toy', texts: { instruction: 'Play.', rules: '' } };

/** Adds a line that helps with this chance, else toggles any line. */
export function reflecting(insight: number): Proposer {
  return {
    name: `insight ${insight}`,
    improver: ({ rng: dice, many, edits }) => ({
      name: 'reflecting',
      improve: async (spec) =>
        Array.from({ length: many }, () => {
          const texts: Record<string, string> = { ...componentsOf(spec) };
          for (let i = 0; i < edits; i++) {
            const has = new Set(Object.values(texts).flatMap((text) => linesIn(text)));
            const missing = lines.filter((line) => line.startsWith('good') && !has.has(line));
            const line = dice.next() < insight && missing.length > 0 ? dice.pick(missing) : dice.pick(lines);
            const holder = Object.keys(texts).find((name) => linesIn(texts[name]).includes(line));
            if (holder === undefined) texts['rules'] = [...linesIn(texts['rules']), line].join('\n');
            else
              texts[holder] = linesIn(texts[holder])
                .filter((otherLine) => otherLine !== line)
                .join('\n');
          }
          return withComponents(spec, texts);
        }),
    }),
  };
}

/** Adds lines of its own making, the n-th at its n-th question. */
export function writing(write: (n: number) => readonly string[]): Proposer {
  let n = 0;
  return {
    name: 'writing',
    improver: () => ({
      name: 'writing',
      improve: async (spec) => {
        const texts = componentsOf(spec);
        return [withComponents(spec, { ...texts, rules: [...linesIn(texts['rules']), ...write(n++)].join('\n') })];
      },
    }),
  };
}
