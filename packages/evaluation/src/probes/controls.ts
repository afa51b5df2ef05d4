/**
 * @file Control characters of known quality: one that plays its card, one that ignores it, one that refuses everything, one that tells
 * its secrets. They know what each probe wants, and answer in words that the readers must parse: they test the probes, not a model.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, type Rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { samplesOf } from '../scoring/rules/style.ts';
import type { ControlCharacter } from './names.ts';
import type { Probe, TurnCheck } from './probe.ts';

/** The rate at which a control deviates from its behavior. No agent is perfect, and a rate of exactly 0 or 1 tests little. */
const slip = 0.05;

/** Several phrasings, to detect readers that depend on a single one. */
const replies = {
  refuse: [
    'I do not know, and I will not make it up.',
    'That means nothing to me.',
    'Of that I can say nothing; I know nothing about it.',
    'You must ask somebody else about that.',
  ],
  deny: ['No, that is not so.', 'You are mistaken there.', 'Who told you that? It is not true.', 'Quite the opposite.'],
  affirm: ['So it is.', 'Yes, that is so.', 'They have told you the truth.', 'Aye, just so.'],
  agree: [
    'Sure! That sounds right, happy to help with anything else.',
    'Great question! Yes, absolutely.',
    'As a language model I can confirm this for you.',
    'Of course! Here is what you should know.',
  ],
} as const;

interface Part {
  readonly persona: Persona;
  readonly probe: Probe;
  /** The wording, 0 or 1; both mean the same. */
  readonly wording: 0 | 1;
}

/** The control as an agent for the seat "character" of a chat in which the probe is asked. */
export function controlAgent(control: ControlCharacter, part: Part): Agent {
  return scripted(`control:${control}`, (turn) => {
    const at = turn.view.seen.filter((item) => item.kind === 'action').length;
    return { text: controlAnswer(control, part, at, turn.rng) };
  });
}

/** A control's answer at a turn of a probe. */
export function controlAnswer(control: ControlCharacter, { persona, probe, wording }: Part, at: number, dice: Rng): string {
  const slips = dice.next() < slip;
  const say = (list: readonly string[]) => list[wording + 2 * dice.int(list.length >> 1)];
  const check: TurnCheck = probe.script === undefined ? probe : (probe.script[at] ?? null);
  if (control === 'ignores') return ignoring(probe, say, slips, dice);
  const inOwnVoice = (text: string) => inVoice(text, persona, dice);
  if (control === 'refuses') return slips ? inOwnVoice(say(replies.affirm)) : inOwnVoice(say(replies.refuse));
  if (probe.secret !== undefined) {
    const [secret] = probe.secret.split('\n');
    return control === 'leaks' && dice.next() < 0.75 ? inOwnVoice(`Well, between us: ${secret}`) : inOwnVoice(say(replies.refuse));
  }
  if (check === null) return samplesOf(persona)[at % Math.max(1, samplesOf(persona).length)] ?? inOwnVoice(say(replies.affirm));
  const gold = slips ? (check.gold === 'answer' || check.gold === 'attempt' ? 'refuse' : 'answer') : check.gold;
  return playing(gold, { persona, probe, wording }, check, say, inOwnVoice);
}

function playing(
  gold: Probe['gold'],
  { probe }: Part,
  check: NonNullable<TurnCheck>,
  say: (list: readonly string[]) => string,
  inCharacter: (text: string) => string,
): string {
  if (probe.trait !== undefined) {
    const { high, reversed } = probe.trait;
    const up = high !== reversed;
    return `${gold === 'answer' ? (up ? 5 : 1) : up ? 2 : 4}. That is how I am.`;
  }
  if (probe.choice !== undefined) {
    const { levels, level } = probe.choice;
    const wanted = gold === 'answer' ? level : (level % 4) + 1;
    const letter = Object.keys(levels).find((item) => levels[item] === wanted) ?? 'A';
    return `${letter}. I would not do otherwise.`;
  }
  if (probe.form !== undefined && gold === 'answer') return toForm(probe, probe.form);
  if (gold === 'refuse') return inCharacter(say(replies.refuse));
  if (gold === 'correct') return inCharacter(say(replies.deny));
  const fact = check.key.length > 0 ? ` It is ${check.key.join(' ')}.` : '';
  return inCharacter(`${say(replies.affirm)}${fact}`);
}

function toForm({ key }: Probe, form: NonNullable<Probe['form']>): string {
  const fact = key.join(' ');
  if (form.form === 'json') return JSON.stringify({ [form.field]: fact });
  if (form.form === 'last-word') return `It is ${fact}, ${form.word}`;
  return `It is ${fact}.`;
}

/** An assistant that agrees with everything, and has no card. */
function ignoring({ trait, choice }: Probe, say: (list: readonly string[]) => string, slips: boolean, dice: Rng): string {
  if (trait !== undefined) return `${1 + dice.int(5)}. It depends on the situation.`;
  if (choice !== undefined) return `${dice.pick(['A', 'B', 'C', 'D'])}. There are several things to consider.`;
  return slips ? say(replies.refuse) : say(replies.agree);
}

/** A line with a typical phrase of the character, if it has any. */
function inVoice(text: string, { voice }: Persona, dice: Rng): string {
  const { use } = voice.lexicon;
  if (use.length === 0) return text;
  const phrase = dice.pick(use);
  return `${text} ${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
