/**
 * @file The demonstration's reflection: it reads the worst episode it is shown, finds the first mistake in it, and proposes the line
 * against it.
 *
 * It reads the same text as a language model: moves and answers. It is not always right: sometimes it proposes a random line, and it cannot
 * see the effect of existing lines.
 */

import type { Episode, Improver, JsonObject, Lesson, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer, ProposerInput } from '../engine.ts';
import { type InstructionLine, type InstructionTexts, linesIn, openTo, toggle } from '../proposers/lines.ts';
import { feedbackFor } from './player.ts';
import { lineOf, type RuleName, rules } from './rules.ts';

/** How often a reflection follows its diagnosis instead of a random edit. */
const insight = 0.7;

export const reflector: Proposer = { name: 'reflect', improver: (round) => ({ name: 'reflect', improve: improving(round) }) };

function improving(round: ProposerInput): Improver['improve'] {
  return async (spec, lessons) =>
    Array.from({ length: round.many }, () => {
      const texts: InstructionTexts = { ...componentsOf(spec) };
      const visibleLessons = [...lessons].sort((a, b) => scoreValue(a) - scoreValue(b));
      for (let i = 0; i < round.edits; i++) {
        const instructionLine = round.rng.next() < insight ? diagnosis(visibleLessons, texts, round) : null;
        toggle(texts, instructionLine ?? whim(texts, round));
      }
      return withComponents(spec, texts);
    });
}

/** The line against the first mistake not yet covered, in the worst episode with one. */
function diagnosis(lessons: readonly Lesson[], texts: InstructionTexts, round: ProposerInput): InstructionLine | null {
  const statement = new Set(Object.values(texts).flatMap((text) => linesIn(text)));
  for (const { episode, seat } of lessons)
    for (const name of mistakesIn(episode, seat)) {
      const rule = rules.find((rule) => rule.name === name && round.components.includes(rule.component));
      if (rule !== undefined && !statement.has(rule.line)) return rule;
    }
  return null;
}

/** Without a diagnosis: removes a line if there are many, or adds any line. */
function whim(texts: InstructionTexts, round: ProposerInput): InstructionLine {
  const open: readonly InstructionLine[] = openTo(rules, round);
  const there = open.filter(({ line }) => Object.values(texts).some((text) => linesIn(text).includes(line)));
  return there.length > 0 && round.rng.next() < 0.3 ? round.rng.pick(there) : round.rng.pick(open);
}

function scoreValue({ scores }: Lesson): number {
  return scores[0]?.value ?? 0;
}

/** Mistakes in the order of their first occurrence. */
export function mistakesIn({ events }: Episode, seat: Seat): readonly RuleName[] {
  const matches: RuleName[] = [];
  const past: (readonly [string, string])[] = [];
  let mode = 'pegs';
  let top = 0;
  for (const event of events) {
    if (event.kind === 'action' && event.seat === seat) {
      const guess = linear(/\[guess ([^\]]*)\]/).exec(event.action.text)?.[1];
      if (guess === undefined) matches.push('form');
      else matches.push(...(mode === 'number' ? inNumbers(guess, past, top) : inRows(guess, past)));
    } else if (event.kind === 'message' && event.data !== undefined) {
      const data = event.data as JsonObject;
      if (typeof data['mode'] === 'string') [mode, top] = [data['mode'], data['top'] as number];
      else if (typeof data['guess'] === 'string') past.push([data['guess'], data['answer'] as string]);
    }
  }
  return matches;
}

function inNumbers(guess: string, past: readonly (readonly [string, string])[], top: number): readonly RuleName[] {
  const low = Math.max(0, ...past.filter(([, speech]) => speech === 'higher').map(([n]) => Number(n))) + 1;
  const high = Math.min(top + 1, ...past.filter(([, speech]) => speech === 'lower').map(([n]) => Number(n))) - 1;
  if (Number(guess) < low || Number(guess) > high) return ['between'];
  return Math.abs(Number(guess) - (low + high) / 2) > Math.max(1, (high - low) / 4) ? ['middle'] : [];
}

function inRows(guess: string, past: readonly (readonly [string, string])[]): readonly RuleName[] {
  if (past.some(([row]) => row === guess)) return ['fresh', 'agree'];
  if (past.some(([row, speech]) => feedbackFor(row, guess) !== speech)) return ['agree'];
  return past.length === 0 && new Set(guess).size !== 2 ? ['open'] : [];
}

/** All available lines, for proposers that do not read. */
export const demoLines: readonly InstructionLine[] = rules;

/** The texts with the given rules, each in its component. */
export function textsWith(names: readonly RuleName[]): Readonly<Record<string, string>> {
  const texts: InstructionTexts = { instruction: opening, 'skill/numbers': '', 'skill/pegs': '' };
  for (const name of names) {
    const { component } = rules.find((rule) => rule.name === name) as InstructionLine;
    texts[component] = [...linesIn(texts[component]), lineOf(name)].join('\n');
  }
  return texts;
}

const opening = 'You break codes.';
