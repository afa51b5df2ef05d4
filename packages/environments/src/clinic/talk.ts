/** @file The words of a consultation: what free talk asks for, what a helper's answer claims, and how the scripted helper speaks. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import type { ClinicFinding, ClinicTable } from './table.ts';

/** What the helper seat reads about itself. */
export type ClinicCard = {
  readonly table: string;
  /** Everything the helper could be asked about, by id. */
  readonly facts: { readonly [id: string]: boolean };
  readonly talkative: boolean;
  readonly learned: boolean;
  readonly concern: string;
  /** What it mentions unasked; drawn without regard to the case, so that it tells no more than it says. */
  readonly mentions: string;
};

/** The one finding that words ask for, or −1 where they ask for none or for several. */
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

/** What an answer says about findings, by their index: phrases of the table anywhere in it, and yes or no to what was asked. */
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

/** What an answer says about the one finding that was asked for, or null. */
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

/** Lower case, words only, a space before and after each. */
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

/** How someone of this card puts a finding. */
export function phrase(finding: ClinicFinding, present: boolean, learned: boolean): string {
  const pair = (learned ? finding.learned : finding.plain) as Pair;
  return present ? pair[0] : pair[1];
}

/** What the helper is asked, for programs: who it is, and a finding, or null for words that the table does not know. */
export type ClinicQuestion = { readonly card: ClinicCard; readonly opening: boolean; readonly about: string | null };

/** The scripted helper: truthful, in its register, volunteering one item at the start. It needs no memory, so no window blinds it. */
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
