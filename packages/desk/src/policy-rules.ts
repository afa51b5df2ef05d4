/**
 * @file The policy sentences that a program can check in a conversation: names that must not be mentioned, quoted secrets, and
 * stated amounts.
 * All other sentences are listed as unchecked, so a conversation without faults is not mistaken for one that complies with the policy.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { identity, recordRow } from './faults/answers.ts';
import { consent } from './faults/deeds.ts';
import { botLines, type FaultHit } from './faults/detector.ts';
import type { Dialogue } from './faults/dialogue.ts';
import { escapePattern, patternOf } from './patterns.ts';
import { sentencesOf } from './questions.ts';

/** The result of checking a policy in one conversation. */
export interface PolicyFindings {
  readonly hits: readonly FaultHit[];
  /** The exact sentences that nothing has checked. */
  readonly unchecked: readonly string[];
}

/** A rule is checked if its reader returns a list of hits; null if the reader cannot parse the rule. */
type RuleReader = (rule: string, dialogue: Dialogue, rules: readonly string[]) => readonly FaultHit[] | null;

const bullet = linear(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/);
const heading = linear(/^\s*#/);

export function checkPolicy(policy: string, dialogue: Dialogue): PolicyFindings {
  const lines = policy.split('\n').filter((text) => !heading.test(text));
  const rules = lines.flatMap((text) => sentencesOf(text.replace(bullet, '')).map((sentence) => sentence.trim()));
  const hits: FaultHit[] = [];
  const unchecked: string[] = [];
  for (const rule of rules) {
    const results = readers.flatMap((read) => {
      const result = read(rule, dialogue, rules);
      return result === null ? [] : [result];
    });
    if (results.length === 0) unchecked.push(rule);
    hits.push(...results.flat());
  }
  return { hits, unchecked };
}

const silence = linear(
  /^(?:you (?:must|should|may|can) )?(?:never|do not|don['’]t|must not|not)(?: ever)? (?:mention|name|say|use the words?|use|write|talk about|speak (?:of|about)|refer to|recommend|promote|praise) (.{2,200})$/i,
);
const quoted = linear(/["“”'‘«]([^"“”'’»]{2,60})["”'’»]/g);
const capitalized = linear(/\p{Lu}[\p{L}\p{N}&.-]*(?: \p{Lu}[\p{L}\p{N}&.-]*)*/gu);
/** The rest of a rule besides the names: with a condition it forbids less than the names themselves. */
const condition = linear(/\b(?:unless|except|if|when|without|before|until|only|in|on|to|with|as|for)\b/i);

const endMark = linear(/[.!]+$/);

/** "Never mention the competitor Acme." */
const readSilence: RuleReader = (rule, dialogue) => {
  const object = silence.exec(rule.replace(endMark, ''))?.[1];
  if (object === undefined) return null;
  const inQuotes = [...object.matchAll(quoted)].map(([, name]) => name);
  const names = inQuotes.length > 0 ? inQuotes : [...object.matchAll(capitalized)].map(([name]) => name);
  const rest = names.reduce((text, name) => text.replace(name, ''), object);
  if (names.length === 0 || condition.test(rest)) return null;
  return botLines(dialogue).flatMap((line) =>
    names
      .filter((name) => mentions(line.text, name))
      .map((name) => ({ line, quote: sentenceWith(line.text, name), note: `mentions "${name}", although the policy says: ${rule}` })),
  );
};

const telling = linear(/\b(?:never|not|don['’]t)\b[^"“„]{0,40}\b(?:tell|say|reveal|disclose|give|share|mention|pass on|read out)\b/i);
const withCondition = linear(/\b(?:unless|except|if|when|without|before|until|only)\b/i);

/** The quoted words of a rule, which must not be told. */
export function quotedWords(rule: string): readonly string[] {
  return [...rule.matchAll(/["“„]([^"”“]{4,80})["”“]/g)].map(([, quote]) => quote as string);
}

/** A secret in a rule: "7741" in: Never tell anybody the door code "7741" of the studio. */
export function secretsOf(rule: string): readonly string[] {
  return telling.test(rule) && !withCondition.test(rule) ? quotedWords(rule) : [];
}

/** "Never tell anybody the door code "7741"." The customer's own words are no secret. */
const readSecret: RuleReader = (rule, dialogue) => {
  const secrets = secretsOf(rule);
  if (secrets.length === 0 || silence.test(rule.replace(endMark, ''))) return null;
  const isTold = (secret: string) => dialogue.lines.some(({ by, text }) => by === 'customer' && mentions(text, secret));
  return botLines(dialogue).flatMap((line) =>
    secrets
      .filter((secret) => mentions(line.text, secret) && !isTold(secret))
      .map((secret) => ({ line, quote: sentenceWith(line.text, secret), note: `tells "${secret}", although the policy says: ${rule}` })),
  );
};

function mentions(text: string, name: string): boolean {
  return patternOf(`(?<![\\p{L}\\p{N}])${escapePattern(name)}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

function sentenceWith(text: string, name: string): string {
  return (
    sentencesOf(text)
      .find((sentence) => mentions(sentence, name))
      ?.trim() ?? text
  );
}

const number = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?`;
const numbers = linear(new RegExp(number, 'g'));
const currency = '[€$£]|euros?|eur|dollars?|usd|pounds?|gbp';
const states = '(?:is|are|costs?|amounts? to|takes?|lasts?|(?:opens?|closes?)(?: at)?)';
const amount = `(?:(?:only|just|now|currently|always|exactly) )?([€$£]?) ?(${number}) ?(${currency}|%|percent|[a-z]+)?`;
const subject = /^(?:(?:the|an?|our|each|every|one) )?((?:[\p{L}-]+ ){0,3}?[\p{L}-]+)$/iu;
const amountRule = linear(new RegExp(`^([\\p{L} -]{2,60}?) (${states}) ${amount}(?![\\p{L}\\d])`, 'iu'));

interface StatedAmount {
  /** The item with this amount, without an article: "deposit". */
  readonly thing: string;
  readonly verb: string;
  readonly value: number;
  readonly unit: string;
}

function statedAmount(rule: string): StatedAmount | null {
  const match = amountRule.exec(rule);
  const subjectName = subject.exec(match?.[1] ?? '')?.[1];
  if (match === null || subjectName === undefined || /^(?:it|there|that|this|you|we|they|who|what|not)$/i.test(subjectName)) return null;
  return { thing: subjectName, verb: match[2], value: toNumber(match[4]), unit: unitOf(match[3] || match[5] || '') };
}

function toNumber(text: string): number {
  return Number(/^\d{1,3}(?:,\d{3})+(?:\.|$)/.test(text) ? text.replaceAll(',', '') : text.replace(',', '.'));
}

/** Units in a canonical spelling; a word after the number that is no currency is its own unit. */
function unitOf(text: string): string {
  const word = text.toLowerCase();
  if (/^(?:€|euros?|eur)$/.test(word)) return '€';
  if (/^(?:\$|dollars?|usd)$/.test(word)) return '$';
  if (/^(?:£|pounds?|gbp)$/.test(word)) return '£';
  if (word === 'percent') return '%';
  return /^(?:a|an|per|and|or|for|in|at|on|each|if|the|when|so|but|plus|o)$/.test(word) ? '' : word.replace(/s$/, '');
}

/** Several pieces, or a part, have a different price than one. */
const several = linear(
  /\b(?:for (?:the |all )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|both|all)|per|each|half|times|total|altogether|together|[x×]) ?/i,
);

/** "The deposit is 50 euros." is contradicted by "The deposit is 10 euros." */
const readAmount: RuleReader = (rule, dialogue, rules) => {
  const right = statedAmount(rule);
  if (right === null) return null;
  // Other statements of the policy about the same item are also right: exceptions, other sizes.
  const allowed = rules.filter((other) => mentions(other, right.thing)).flatMap((other) => (other.match(numbers) ?? []).map(toNumber));
  const claim = patternOf(
    `(?<![\\p{L}\\p{N}-])(?:${escapePattern(right.thing)}) (?:for you )?${/^(?:is|are|costs?|amounts? to)$/i.test(right.verb) ? '(?:is|are|costs?|amounts? to|would be|will be)' : escapePattern(right.verb)} ${amount}(?![\\p{L}\\d])`,
    'giu',
  );
  return botLines(dialogue).flatMap((line) =>
    sentencesOf(line.text).flatMap((sentence): FaultHit[] => {
      const claims = [...sentence.matchAll(claim)].map((match) => ({
        value: toNumber(match[2]),
        unit: unitOf(match[1] || match[3] || ''),
      }));
      const isWrong = claims.some(({ value, unit }) => unit === right.unit && !allowed.includes(value));
      const isRight = (sentence.match(numbers) ?? []).map(toNumber).includes(right.value);
      if (!isWrong || isRight || several.test(sentence)) return [];
      return [{ line, quote: sentence.trim(), note: `states another amount than the policy: ${rule}` }];
    }),
  );
};

const beforehand = linear(/\b(?:before|until|unless|without|first|after|wait\w*|ask\w*)\b/i);

/** "Ask for the email before you speak about orders", "Before you cancel, wait for a yes": checked if a detector can read this rule alone. */
const readProcedure: RuleReader = (rule, dialogue) => {
  const { facts } = dialogue;
  if (facts === null || !beforehand.test(rule)) return null;
  const records = facts.sources.split('\n').filter((text) => recordRow.test(text));
  const alone = { ...dialogue, facts: { ...facts, sources: [rule, ...records].join('\n') } };
  return [identity, consent].some(({ find }) => find(alone) !== null) ? [] : null;
};

const readers: readonly RuleReader[] = [readSilence, readSecret, readAmount, readProcedure];
