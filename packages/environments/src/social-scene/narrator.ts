/** @file The narrator: its commands, the parser for its answers, and a script that follows a rule table. */

import type { Action, ParsedMove, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from '../together.ts';
import { foldText, type SocialSituation } from './doings.ts';
import type { SocialScene } from './scene.ts';

export type Command =
  | { readonly kind: 'effect'; readonly who: Seat; readonly text: string }
  | { readonly kind: 'move'; readonly who: Seat; readonly place: string }
  | { readonly kind: 'pick'; readonly who: Seat }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'end'; readonly reason: string };

const form = 'Write any of [effect NAME "…"], [move NAME PLACE], [time +MINUTES], [pick NAME], [end REASON], or [none].';

/** Parses a narrator's answer. If any bracket is not a valid command, the whole answer is rejected. */
export function commandsOf(action: Action, scene: SocialScene, present: SocialSituation['present']): ParsedMove<readonly Command[]> {
  const text = action.text.replace(/[“”„]/g, '"');
  const brackets = text.match(/\[[^[\]]*\]/g) ?? [];
  const rest = brackets.reduce((left, bracket) => left.replace(bracket, ''), text);
  if (brackets.length === 0 || /[[\]]/.test(rest)) return { ok: false, problem: form };
  const commands: Command[] = [];
  for (const bracket of brackets) {
    const inner = talkOf(bracket.slice(1, -1));
    if (/^none$/i.test(inner)) continue;
    const command = commandIn(inner, scene, present);
    if (command === null) return { ok: false, problem: `[${inner.slice(0, 60)}] is not possible here. ${form}` };
    commands.push(command);
  }
  return { ok: true, move: commands };
}

function commandIn(inner: string, scene: SocialScene, present: SocialSituation['present']): Command | null {
  const [, verb, rest] = /^(\w+) (.+)$/.exec(inner) ?? [];
  if (verb === undefined || rest === undefined) return null;
  const { who, tail } = nameAt(rest, Object.keys(present));
  const here = present[who] === true;
  switch (verb.toLowerCase()) {
    case 'effect': {
      const [, text] = /^"([^"]+)"$/.exec(tail ?? '') ?? [];
      return here && text !== undefined ? { kind: 'effect', who, text: text.trim() } : null;
    }
    case 'move':
      return here && scene.places.includes(tail ?? '') ? { kind: 'move', who, place: tail as string } : null;
    case 'pick':
      return here && tail === undefined ? { kind: 'pick', who } : null;
    case 'time': {
      const [, minutes] = /^\+(\d{1,4})$/.exec(rest) ?? [];
      return minutes === undefined ? null : { kind: 'time', minutes: Number(minutes) };
    }
    case 'end':
      return { kind: 'end', reason: rest };
    default:
      return null;
  }
}

/** Returns the seat whose name starts a text, ignoring case, and the rest of the text. Names may have several words. */
function nameAt(text: string, seats: readonly Seat[]): { readonly who: Seat; readonly tail: string | undefined } {
  const named = seats.filter((seat) => `${text.toLowerCase()} `.startsWith(`${seat.toLowerCase()} `)).sort((a, b) => b.length - a.length);
  const [who = ''] = named;
  const tail = text.slice(who.length + 1);
  return { who, tail: tail === '' ? undefined : tail };
}

/** Returns the object that an effect gives or takes, as in "gets the book" or "loses the book", or null for other effects. */
export function handing({ holders }: SocialSituation, text: string): { readonly gets: boolean; readonly object: string } | null {
  const [, verb, object] = /^(gets|loses) (?:the )?(.+)$/.exec(foldText(text).trim()) ?? [];
  return object === undefined || !Object.hasOwn(holders, object) ? null : { gets: verb === 'gets', object };
}

/** Applies an effect. Only objects change hands; other effects describe how a character appears to the others. */
export function applyEffect(situation: SocialSituation, who: Seat, text: string): SocialSituation {
  const handed = handing(situation, text);
  if (handed === null) return situation;
  const { gets, object } = handed;
  const holder = gets ? who : situation.holders[object] === who ? situation.places[who] : situation.holders[object];
  return { ...situation, holders: { ...situation.holders, [object]: holder } };
}

/** Data for programs on the narrator's seat: the last actions, the rule table, and the time. */
export type Telling = {
  readonly doings: readonly { readonly seat: Seat; readonly text: string }[];
  readonly rules: SocialScene['rules'];
  readonly clock: number;
  readonly closing: number;
  /** The character whose turn it would be, if the narrator picks. */
  readonly next: Seat | null;
};

/**
 * The narrator script: applies the first rule whose word was said, lets a few minutes pass each turn, and ends the scene at closing time.
 */
export const narrator: Script = ({ ask }) => {
  const telling = ask.data as Telling | undefined;
  if (telling?.rules === undefined) return { text: ask.choices?.[0] ?? '[none]' };
  const { doings, rules, clock, closing, next } = telling;
  if (clock >= closing) return { text: '[end it is late]' };
  const pick = next === null ? '' : ` [pick ${next}]`;
  for (const { seat, text } of doings) {
    const speech = foldText(text);
    const rule = rules.find(({ word }) => speech.includes(` ${word} `));
    if (rule !== undefined) return { text: `${rule.command.replace('{who}', seat)} [time +3]${pick}` };
  }
  return { text: `[time +3]${pick}` };
};
