/**
 * @file Proposers with a list of lines: one adds and removes them at random, one learns from verdicts which are useful.
 *
 * The random one is the baseline for every reflective method. The learned one reads no lessons either, only the gate's verdicts: it tracks
 * the mean effect of every line and tries the most promising, so that rejected lines are not tried repeatedly.
 */

import type { AgentSpec, Improver, Rng } from '@ludus-agents/kernel/internal/core/index';
import type { RejectedEdit } from '../archive.ts';
import { componentsOf, isProse, withComponents } from '../components.ts';
import { editsBetween } from '../edits.ts';
import type { Proposer, ProposerInput } from '../engine.ts';

/** A line, and the component to add it to. */
export interface InstructionLine {
  readonly line: string;
  readonly component: string;
}

export type InstructionTexts = Record<string, string>;

/** Appends a line to a component, or removes it from the component that contains it. */
export function toggle(texts: InstructionTexts, { line, component }: InstructionLine): void {
  const holder = Object.keys(texts).find((name) => linesIn(texts[name]).includes(line));
  if (holder === undefined) texts[component] = [...linesIn(texts[component]), line].join('\n');
  else
    texts[holder] = linesIn(texts[holder])
      .filter((otherLine) => otherLine !== line)
      .join('\n');
}

export function linesIn(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line.trim() !== '');
}

/** An improver that makes `many` specs, each by `edits` moves on its texts. */
export function editing(name: string, round: ProposerInput, move: (texts: InstructionTexts, dice: Rng) => void): Improver {
  return {
    name,
    async improve(spec): Promise<readonly AgentSpec[]> {
      return Array.from({ length: round.many }, () => {
        const texts = { ...componentsOf(spec) };
        for (let i = 0; i < round.edits; i++) move(texts, round.rng);
        return withComponents(spec, texts);
      });
    },
  };
}

/** Lines whose component may be changed. */
export function openTo(lines: readonly InstructionLine[], { components }: ProposerInput): readonly InstructionLine[] {
  const open = lines.filter(({ component }) => components.includes(component));
  return open.length > 0 ? open : lines.map(({ line }) => ({ line, component: components.find(isProse) ?? components[0] }));
}

/** Toggles lines at random. */
export function blindLines(lines: readonly InstructionLine[]): Proposer {
  return {
    name: 'blind',
    improver: (round) => editing('blind', round, (texts, dice) => toggle(texts, dice.pick(openTo(lines, round)))),
  };
}

/** Toggles the line with the best mean effect so far; untried lines count as promising. */
export function learnedLines(lines: readonly InstructionLine[], optimism = 0.1): Proposer {
  return {
    name: 'learned',
    improver: (round) => {
      const effects = effectsIn(round.tried);
      const worth = ({ line }: InstructionLine, texts: InstructionTexts) => {
        const effect = effects.get(line);
        const present = Object.values(texts).some((text) => linesIn(text).includes(line));
        if (effect === undefined) return present ? -optimism : optimism;
        return (present ? -1 : 1) * (effect.sum / effect.count) + optimism / (1 + effect.count);
      };
      return editing('learned', round, (texts, dice) => {
        const order = dice.shuffle(openTo(lines, round));
        toggle(
          texts,
          order.reduce((best, line) => (worth(line, texts) > worth(best, texts) ? line : best)),
        );
      });
    },
  };
}

/** The mean effect of adding each line, from all tried edits. */
function effectsIn(tried: readonly RejectedEdit[]): ReadonlyMap<string, { readonly sum: number; readonly count: number }> {
  const effects = new Map<string, { sum: number; count: number }>();
  for (const { change, verdict, before } of tried)
    for (const { take, put } of editsBetween(before, { ...before, ...change.set })) {
      for (const [line, sign] of [
        [put, 1],
        [take, -1],
      ] as const) {
        if (line === undefined) continue;
        const effect = effects.get(line) ?? { sum: 0, count: 0 };
        effects.set(line, { sum: effect.sum + sign * verdict.mean, count: effect.count + 1 });
      }
    }
  return effects;
}
