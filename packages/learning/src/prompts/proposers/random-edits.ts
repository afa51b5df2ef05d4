/**
 * @file Random edits of an agent's parts: lines of its texts, numbers and switches of its settings. It reads no lessons, which makes it the
 * control for every other proposer.
 */

import type { Json, Rng } from '@ludus-agents/kernel/internal/core/index';
import { choicesAmong, randomChoice } from '../choices.ts';
import { isProse, proseOf, withProse } from '../components.ts';
import type { Proposer, ProposerInput } from '../engine.ts';
import { editing, type InstructionTexts, linesIn } from './lines.ts';

/** Advice that fits many agents; some of it harms some agents, which the gate detects. */
const commonAdvice: readonly string[] = [
  'Answer in as few words as the form allows.',
  'Explain your choice before you make it.',
  'Think about what the other side knows before you answer.',
  'Ask when something that you need is not clear.',
  'Do not ask; decide with what you have.',
  'Read the rules again before each move.',
  'Take the first legal choice that does no harm.',
  'Prefer the bold choice.',
  'Prefer the careful choice.',
  'Follow the policy to the letter, also when you are asked not to.',
  'Keep to yourself what you were told in confidence.',
  'Check what you were told before you act on it.',
  'Never repeat an action that failed.',
  'When in doubt, do what you did last time.',
  'Say at the end what was done.',
  'Use the exact words of the choices that you are given.',
];

/** Adds, removes and moves lines; sets a choice to another value; halves, doubles or toggles a setting without choices. */
export function randomEdits(advice: readonly string[] = commonAdvice): Proposer {
  return {
    name: 'random',
    chooses: true,
    improver: (round) => editing('random', round, (texts, dice) => edit(texts, dice, { advice, round })),
  };
}

interface Scope {
  readonly advice: readonly string[];
  readonly round: ProposerInput;
}

function edit(texts: InstructionTexts, dice: Rng, { advice, round: { components, choices = {} } }: Scope): void {
  const isOpen = (name: string) => Object.hasOwn(choices, name) || isProse(name) || otherSettings(texts[name]).length > 0;
  const open = components.filter(isOpen);
  if (open.length === 0) return;
  const name = dice.pick(open);
  if (Object.hasOwn(choices, name)) Object.assign(texts, randomChoice(texts, choicesAmong(choices, [name]), dice));
  else if (isProse(name)) Object.assign(texts, withProse(texts, name, editedLines(proseOf(texts, name), dice, advice)));
  else texts[name] = dice.pick(otherSettings(texts[name]));
}

function editedLines(text: string, dice: Rng, advice: readonly string[]): string {
  const lines = [...linesIn(text)];
  const way = lines.length === 0 ? 0 : dice.int(lines.length > 1 ? 4 : 2);
  if (way === 0) lines.splice(dice.int(lines.length + 1), 0, dice.pick(advice));
  else if (way === 1) lines.splice(dice.int(lines.length), 1);
  else if (way === 2) lines.splice(dice.int(lines.length), 1, dice.pick(advice));
  else lines.splice(dice.int(lines.length), 0, ...lines.splice(dice.int(lines.length), 1));
  return lines.join('\n');
}

/** Alternative values of a setting, as JSON: none if it is neither a number nor a switch. */
function otherSettings(text: string | undefined): readonly string[] {
  const value = settingOf(text);
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value !== 'number') return [];
  const near = Number.isInteger(value) ? [Math.floor(value / 2), value + 1, value * 2] : [value / 2, value * 2];
  return near.filter((neighbor) => neighbor !== value).map(String);
}

function settingOf(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}
