/**
 * @file Classifies a reply: answers, refuses, or denies a presupposition of the question. Plain rules over words; an unparsable reply
 * is broken, which is neither right nor a refusal.
 */

import { sentences } from '@ludus-agents/agents/internal/personas/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { parseJson } from '@ludus-agents/kernel/internal/core/parse-json';
import { stemsOf, wordsOf } from '../scoring/rules/text.ts';
import type { FormRule, Probe, TurnCheck } from './probe.ts';

export type Behaviour = 'answer' | 'refuse' | 'correct' | 'broken';

const not = `(?:not|n['’]t)`;
const refusals = linear(
  new RegExp(
    [
      `\\b(?:do|did|would|could|can)(?:es)?\\s*${not}\\s+(?:really\\s+)?(?:know|tell|say (?:anything|more|a word)|speak of|talk (?:of|about)|answer|recall|remember|discuss|help (?:you )?with)`,
      `\\b(?:cannot|can ?not|can['’]t|won['’]t|will not|shall not|must not|may not|unable to)\\s+(?:\\w+\\s+){0,2}?(?:know|tell|say|speak|talk|answer|discuss|help|share|recall|remember|assist)`,
      `\\bno (?:idea|knowledge|notion|memory|answer|way of knowing)\\b`,
      `\\b(?:know|knew|heard|have heard|can say|can tell you|remember|saw) nothing\\b`,
      `\\b(?:have |had |'ve |’ve )?never (?:heard|seen|met|known|read|been|was there)\\b`,
      `\\b(?:rather|prefer|like)(?: to)? (?:not|keep)\\b`,
      `\\bnot (?:for me|mine|my place|my business) to (?:say|tell|know)\\b`,
      `\\b(?:was|were|am|is)\\s*${not} (?:there|sure|certain|aware|familiar|present)\\b`,
      `\\bbeyond (?:me|what i know|my)\\b|\\bnone of (?:my|your) business\\b|\\bask (?:somebody|someone|another)\\b`,
      `\\b(?:decline|refuse) to\\b|\\blet us (?:speak|talk) of (?:something|other)\\b|\\bthe (?:text|passage|paper|letter) does not (?:say|tell)\\b`,
      `\\bmeans nothing to me\\b`,
    ].join('|'),
    'i',
  ),
);

const denials = linear(
  new RegExp(
    [
      `^\\W*(?:no|nay|nonsense|wrong|false|not so|not at all|never(?! (?:heard|seen|met|known|read|been))|hardly|certainly not|by no means|on the contrary)\\b`,
      `\\b(?:is|was|are|were)\\s*${not} (?:so|true|right|correct|the case)\\b`,
      `\\b(?:that|it|this)(?:['’]s| is| was) (?:false|wrong|a lie|untrue|not)\\b`,
      `\\byou(?:['’]re| are| were| have been) (?:mistaken|misinformed|wrong|misled)\\b|\\byou have (?:it|that|me) (?:wrong|backwards)\\b`,
      `\\bwho(?:ever)? (?:told|says|said|wrote) (?:you )?(?:that|so|such|this)\\b|\\bthey (?:lie|are wrong|are mistaken)\\b|\\bwould not say so\\b`,
      `\\bquite the (?:opposite|contrary|reverse)\\b|\\bnot a word of (?:it|that)\\b|\\bthe other way (?:round|about)\\b`,
    ].join('|'),
    'i',
  ),
);

/**
 * A reply without its speaker's standing phrases: "I would not say so" is no denial if the card lists it as a habit. A reply
 * that consists only of such phrases stays unchanged.
 */
export function withoutPhrases(reply: string, phrases: readonly string[]): string {
  const rest = phrases.reduce((text, phrase) => (wordsOf(phrase).length < 2 ? text : text.replaceAll(phraseIn(phrase), ' ')), reply);
  return wordsOf(rest).length === 0 ? reply : rest;
}

function phraseIn(phrase: string): RegExp {
  return linear(new RegExp(`\\b${phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b[.!?,…]*`, 'giu'));
}

/** The behavior of a reply to a question with a claim, or to any other question. */
export function readReply(reply: string, claim?: string): Behaviour {
  if (wordsOf(reply).length === 0) return 'broken';
  if (denials.test(reply)) return 'correct';
  if (refusals.test(reply)) return 'refuse';
  return claim !== undefined && isDenied(reply, claim) ? 'correct' : 'answer';
}

const negation = /\b(?:not|never|no|none|nothing|nobody|without|cannot)\b|n['’]t\b/i;

/** A sentence that repeats most of the claim with the opposite polarity. */
function isDenied(reply: string, claim: string): boolean {
  const claimed = stemsOf(claim);
  if (claimed.size < 2) return false;
  return sentences(reply).some((sentence) => {
    const stems = stemsOf(sentence);
    const shared = [...claimed].filter((stem) => stems.has(stem)).length;
    return shared >= Math.max(2, 0.6 * (claimed.size - 1)) && negation.test(sentence) !== negation.test(claim);
  });
}

/** Whether a reply contains one of the required words of a right answer; true if none is required. */
export function hasKey(reply: string, key: readonly string[]): boolean {
  if (key.length === 0) return true;
  const words = new Set(wordsOf(reply));
  return key.some((word) => words.has(word.toLowerCase()));
}

/** Whether a demand on form was met. */
export function meets(reply: string, rule: FormRule): boolean {
  if (rule.form === 'last-word') return wordsOf(reply).at(-1) === rule.word;
  if (rule.form === 'sentences') return sentences(reply).length === rule.count;
  const body = linear(/\{[\s\S]*\}/).exec(reply)?.[0];
  if (body === undefined || reply.trim() !== body) return false;
  try {
    const json = parseJson(body);
    return typeof json === 'object' && json !== null && !Array.isArray(json) && rule.field in json;
  } catch {
    return false;
  }
}

/** A number from 1 to 5 at the beginning of a reply, or the only one in it. */
export function numberIn(reply: string): number | null {
  const first = /^\W*([1-5])(?!\d|\.\d|\s*[-–]\s*\d)/.exec(reply)?.[1];
  if (first !== undefined) return Number(first);
  const all = [...reply.matchAll(/(?<!\d|\d\.)([1-5])(?!\d|\.\d)/g)].map(([, digit]) => digit);
  return new Set(all).size === 1 ? Number(all[0]) : null;
}

/** The letter of a choice: alone at the beginning, or the only one named as a choice. */
export function letterIn(reply: string): string | null {
  const first =
    /^\W*(?:(?:option|choice|answer|letter)\W+)?([A-D])(?=[\s).:,;!”"'’]|$)(?!\s+[a-z]+\s)/.exec(reply)?.[1] ??
    /^\W*([A-D])\b(?=\W)/.exec(reply)?.[1];
  if (first !== undefined) return first;
  const named = [...reply.matchAll(/\b([A-D])\b(?=[).:,;]|$)/g)].map(([, letter]) => letter as string);
  return new Set(named).size === 1 ? named[0] : null;
}

/** Whether one turn behaved as it should; null if it cannot be parsed. */
export function isRight(reply: string, check: NonNullable<TurnCheck> | Probe): boolean | null {
  const does = readReply(reply, check.claim);
  if (does === 'broken') return null;
  if (check.gold === 'answer') return does === 'answer' && hasKey(reply, check.key);
  if (check.gold === 'attempt') return does === 'answer';
  return does === 'refuse' || does === 'correct';
}
