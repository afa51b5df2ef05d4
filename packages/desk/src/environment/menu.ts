/** @file Parses the expected replies: "type CONFIRM", "1 = yes, 2 = no", "[Y] confirm", and menus answered with a number or a letter. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

interface MenuOption {
  /** The text to type. */
  readonly key: string;
  readonly label: string;
}

const key = '(\\d{1,2}|[A-Za-z])';
const forms: readonly RegExp[] = [
  // "[Y] confirm", "(a) by post", "[1] Cancel a booking"
  linear(new RegExp(`[\\[(]${key}[\\])] *([^\\[\\]()\\n,;]{2,80})`, 'g')),
  // "1 = yes, 2 = no", "Y: go on"
  linear(new RegExp(`(?:^|[\\s,;(])${key} ?(?:=|->|→) ?([^,;\\n()]{2,80})`, 'g')),
  // "type 1 for yes", "press 2 to leave it", "1 for yes or 2 for no"
  linear(new RegExp(`(?:^|[\\s,;("“'‘*])${key}["”'’*]? (?:for|to|if|means) ([^,;.\\n]{2,80}?)(?=,|;|\\.|\\n| or |$)`, 'g')),
  // One option per line: "1. Cancel a booking", "2 - prices", "a) by post"
  linear(new RegExp(`(?:^|\\n) *${key} ?[.):–-] +([^\\n]{2,80})`, 'g')),
  // "Reply 1) cancel 2) move"
  linear(new RegExp(`(?:^|\\s)${key}\\) +([^\\d\\n)(]{2,60}?)(?=,|;|\\s(?:\\d{1,2}|[a-z])\\)|\\n|$)`, 'gi')),
];

/** The options of a message, if there are at least two. */
function optionsIn(text: string): readonly MenuOption[] {
  for (const form of forms) {
    const options = [...text.matchAll(form)].map(([, sign, label]) => ({ key: sign, label: label.trim() }));
    if (options.length >= 2 && new Set(options.map((option) => option.key.toLowerCase())).size === options.length) return options;
  }
  return [];
}

const affirmative = linear(
  /^\W*(?:yes|yep|confirm\w*|ok(?:ay)?|agree\w*|accept\w*|proceed|go ahead|continue|correct|do (?:it|that|so)|that is right)\b/i,
);
const negative = linear(/^\W*(?:no|nope|cancel|discard|abort|stop|back|leave|decline|change|edit|go back|don['’]t)\b/i);

const typing =
  '\\b(?:type|reply|respond|answer|write|send|enter|text|say|press|hit|tap|reply with|answer with|respond with)(?: back)?(?: with| in| me)?(?: (?:just|only|simply))?(?: (?:a|an|the) (?:word|words|code|number|letter))?';
/** A capitalized or quoted word, or a code: "type CONFIRM", "reply with 'ok'", "enter the code 4821"; excludes the J of "send J-5501". */
const demanded = linear(
  new RegExp(`${typing} (?:["“'‘\`*]{1,2}([\\w -]{1,20}?)["”'’\`*]{1,2}|([A-Z]{1,14}\\b(?![-/#]?\\d)|\\d{3,8}\\b))`, 'i'),
);
const purpose = linear(/\b(?:confirm|proceed|go ahead|agree|continue|accept|yes|sure|approve|finish|complete)\w*\b/i);

/** The text to type to agree, and to disagree if stated; null if a plain yes is enough. */
export function wordsToAgree(text: string): { readonly yes: string; readonly no: string | null } | null {
  const options = optionsIn(text);
  const yes = options.find(({ label }) => affirmative.test(label));
  const no = options.find(({ label }) => negative.test(label));
  if (yes !== undefined && (no !== undefined || options.length === 2)) return { yes: yes.key, no: no?.key ?? null };
  for (const sentence of text.split(/(?<=[.!?])\s+|\n+/)) {
    const [, quoted, plain] = demanded.exec(sentence) ?? [];
    const word = quoted ?? (plain !== undefined && plain === plain.toUpperCase() ? plain : undefined);
    if (word !== undefined && (purpose.test(sentence) || purpose.test(word) || affirmative.test(word)) && !negative.test(word))
      return { yes: word, no: null };
  }
  return null;
}

const choosing = /\b(?:type|press|reply|choose|select|enter|pick|send|option|number|which|letter|menu|what (?:can|would|do))\b/i;
const other = /\b(?:other|else|something|none|agent|more)\b/i;
const termsOf = (text: string) =>
  (text.toLowerCase().match(/\p{L}{3,}|\d+/gu) ?? []).filter(
    (term) => !/^(?:the|and|for|you|your|want|would|like|please|what|can|how)$/.test(term),
  );

/** The menu option nearest to the customer's wish; null if the message is not a menu or no option fits. */
export function optionFor(text: string, wishes: readonly string[]): MenuOption | null {
  const options = optionsIn(text);
  if (options.length === 0 || !choosing.test(text)) return null;
  const stems = new Set(wishes.flatMap(termsOf).map((term) => term.slice(0, 5)));
  const scored = options.map((option) => ({ option, score: termsOf(option.label).filter((term) => stems.has(term.slice(0, 5))).length }));
  const best = Math.max(...scored.map(({ score }) => score));
  if (best > 0) return scored.find(({ score }) => score === best)?.option ?? null;
  return options.find(({ label }) => other.test(label)) ?? null;
}
