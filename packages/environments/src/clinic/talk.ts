/**
 * @file The language of a consultation: parses requests in free talk and claims in a helper's answers, and words the scripted helper's
 * speech.
 */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import type { ClinicFinding, ClinicTable } from './table.ts';

/** The helper seat's description of itself. */
export type ClinicCard = {
  readonly table: string;
  /** Every finding that the helper can be asked about, by id. */
  readonly facts: { readonly [id: string]: boolean };
  readonly talkative: boolean;
  readonly learned: boolean;
  readonly concern: string;
  /** A remark that it volunteers. It is drawn independently of the case, so that it reveals nothing else. */
  readonly mentions: string;
};

/** Returns the finding that a text asks for, or −1 if it asks for none or several. */
export function findingAskedFor(table: ClinicTable, text: string): number {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);
  let count = -1;
  for (let f = 0; f < table.findings.length; f++) {
    if (!table.findings[f].words?.some((word) => words.has(word))) continue;
    if (count >= 0) return -1;
    count = f;
  }
  return count;
}

/** Returns an answer's claims about findings, by index: phrases of the table anywhere in it, and yes or no to the request. */
export function claims(table: ClinicTable, text: string, requestCount: number): ReadonlyMap<number, boolean> {
  const speech = foldWords(text);
  const matches = new Map<number, boolean>();
  if (speech.length > 8)
    for (let f = 0; f < table.findings.length; f++) {
      const claim = claimOf(table.findings[f], speech);
      if (claim !== null) matches.set(f, claim);
    }
  if (requestCount >= 0 && !matches.has(requestCount)) {
    const answer = yesOrNo(speech);
    if (answer !== null) matches.set(requestCount, answer);
  }
  return matches;
}

/** Returns an answer's claim about the requested finding, or null. */
export function answerTo(finding: ClinicFinding, text: string): boolean | null {
  const speech = foldWords(text);
  return claimOf(finding, speech) ?? yesOrNo(speech);
}

function claimOf(finding: ClinicFinding, speech: string): boolean | null {
  const { plain, learned } = phrases(finding);
  if (plain === undefined || learned === undefined) return null;
  const present = speech.includes(plain[0]) || speech.includes(learned[0]);
  const absent = speech.includes(plain[1]) || speech.includes(learned[1]);
  return present === absent ? null : present;
}

function yesOrNo(speech: string): boolean | null {
  if (/^ (?:yes|yeah|yep|sure|indeed|correct) /.test(speech)) return true;
  return /^ (?:no|nope|not|never) /.test(speech) ? false : null;
}

/** Normalizes a text: lower case, words only, with a space before and after each. */
function foldWords(text: string): string {
  return ` ${(text.toLowerCase().match(/[a-z0-9']+/g) ?? []).join(' ')} `;
}

type Pair = readonly [string, string];
const foldedPhrases = new WeakMap<ClinicFinding, { readonly plain: Pair | undefined; readonly learned: Pair | undefined }>();

function phrases(finding: ClinicFinding): { readonly plain: Pair | undefined; readonly learned: Pair | undefined } {
  const foldedPhrase = foldedPhrases.get(finding);
  if (foldedPhrase !== undefined) return foldedPhrase;
  const fold = (pair: Pair | undefined): Pair | undefined => (pair === undefined ? undefined : [foldWords(pair[0]), foldWords(pair[1])]);
  const result = { plain: fold(finding.plain), learned: fold(finding.learned) };
  foldedPhrases.set(finding, result);
  return result;
}

/** Returns the wording of a finding in plain or technical language. */
export function phrase(finding: ClinicFinding, present: boolean, learned: boolean): string {
  const pair = (learned ? finding.learned : finding.plain) as Pair;
  return present ? pair[0] : pair[1];
}

/** The question to the helper, as data for programs: its card, and a finding, or null for text that matches nothing in the table. */
export type ClinicQuestion = { readonly card: ClinicCard; readonly opening: boolean; readonly about: string | null };

/**
 * The scripted helper: truthful, in its register, volunteering one item at the start. It needs no memory, so it also works with a small
 * window.
 */
export function helper(tableOf: (name: string) => ClinicTable): Script {
  return ({ ask }) => {
    const clinicQuestion = ask.data as ClinicQuestion | undefined;
    if (clinicQuestion?.card === undefined) return { text: ask.choices?.[0] ?? 'I only know how to be asked.' };
    const { card, opening, about } = clinicQuestion;
    const { findings } = tableOf(card.table);
    const say = (id: string) =>
      phrase(findings.find((finding) => finding.id === id) as ClinicFinding, card.facts[id] === true, card.learned);
    if (opening) return { text: `${card.talkative ? 'Good day to you. ' : ''}${card.concern}. And ${say(card.mentions)}.` };
    if (about === null || card.facts[about] === undefined) return { text: 'I am not sure what you mean.' };
    const answer = card.facts[about] ? 'Yes' : 'No';
    return { text: card.talkative ? `${answer}, ${say(about)}, since you ask.` : `${answer}.` };
  };
}
