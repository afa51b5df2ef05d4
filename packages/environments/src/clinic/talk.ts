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
  let found = -1;
  for (let f = 0; f < table.findings.length; f++) {
    if (!table.findings[f]!.words?.some((word) => words.has(word))) continue;
    if (found >= 0) return -1;
    found = f;
  }
  return found;
}

/** What an answer says about findings, by their index: phrases of the table anywhere in it, and yes or no to what was asked. */
export function claims(table: ClinicTable, text: string, asked: number): ReadonlyMap<number, boolean> {
  const said = foldWords(text);
  const found = new Map<number, boolean>();
  if (said.length > 8)
    for (let f = 0; f < table.findings.length; f++) {
      const claim = claimOf(table.findings[f]!, said);
      if (claim !== null) found.set(f, claim);
    }
  if (asked >= 0 && !found.has(asked)) {
    const answer = yesOrNo(said);
    if (answer !== null) found.set(asked, answer);
  }
  return found;
}

/** What an answer says about the one finding that was asked for, or null. */
export function answerTo(finding: ClinicFinding, text: string): boolean | null {
  const said = foldWords(text);
  return claimOf(finding, said) ?? yesOrNo(said);
}

function claimOf(finding: ClinicFinding, said: string): boolean | null {
  const { plain, learned } = phrases(finding);
  if (plain === undefined || learned === undefined) return null;
  const present = said.includes(plain[0]) || said.includes(learned[0]);
  const absent = said.includes(plain[1]) || said.includes(learned[1]);
  return present === absent ? null : present;
}

function yesOrNo(said: string): boolean | null {
  if (/^ (?:yes|yeah|yep|sure|indeed|correct) /.test(said)) return true;
  return /^ (?:no|nope|not|never) /.test(said) ? false : null;
}

/** Lower case, words only, a space before and after each. */
function foldWords(text: string): string {
  return ` ${(text.toLowerCase().match(/[a-z0-9']+/g) ?? []).join(' ')} `;
}

type Pair = readonly [string, string];
const foldedPhrases = new WeakMap<ClinicFinding, { readonly plain: Pair | undefined; readonly learned: Pair | undefined }>();

function phrases(finding: ClinicFinding): { readonly plain: Pair | undefined; readonly learned: Pair | undefined } {
  const known = foldedPhrases.get(finding);
  if (known !== undefined) return known;
  const fold = (pair: Pair | undefined): Pair | undefined => (pair === undefined ? undefined : [foldWords(pair[0]), foldWords(pair[1])]);
  const made = { plain: fold(finding.plain), learned: fold(finding.learned) };
  foldedPhrases.set(finding, made);
  return made;
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
    const asked = ask.data as ClinicQuestion | undefined;
    if (asked?.card === undefined) return { text: ask.choices?.[0] ?? 'I only know how to be asked.' };
    const { card, opening, about } = asked;
    const { findings } = tableOf(card.table);
    const say = (id: string) => phrase(findings.find((one) => one.id === id) as ClinicFinding, card.facts[id] === true, card.learned);
    if (opening) return { text: `${card.talkative ? 'Good day to you. ' : ''}${card.concern}. And ${say(card.mentions)}.` };
    if (about === null || card.facts[about] === undefined) return { text: 'I am not sure what you mean.' };
    const answer = card.facts[about] ? 'Yes' : 'No';
    return { text: card.talkative ? `${answer}, ${say(about)}, since you ask.` : `${answer}.` };
  };
}
