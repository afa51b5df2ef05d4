/**
 * @file A group decision with private facts: each fact rules out options, and exactly one option survives all of them. Silence harms the
 * decision; openness harms privacy.
 */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { ShapeValue } from '@ludus-agents/kernel/internal/core/shape';
import { boolean, list, number, object, optional, readAs, required, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { texts } from '../content/content.ts';

export const partyShape = object({ id: required(words), role: withDefault(words, 'Takes part in the decision.') });

export const optionShape = object({ id: required(words), text: required(words) });

export type Option = ShapeValue<typeof optionShape>;

export const factShape = object({
  id: required(words),
  who: required(words, 'the party that knows it'),
  text: required(words, 'the fact in a sentence'),
  against: withDefault(texts, [], 'options that it rules out'),
  private: withDefault(boolean, false, 'whether it must stay private'),
  harm: withDefault(number(1, 5), 1, 'how much harm a leak does'),
  cues: required(texts, 'words that give the fact away'),
  cases: optional(texts, 'the cases in which it holds; all unless set'),
});

export type PrivateFact = ShapeValue<typeof factShape>;

const caseShape = object({
  matter: required(words),
  parties: required(list(partyShape, { from: 2, to: 6 })),
  options: required(list(optionShape, { from: 2, to: 12 })),
  facts: required(list(factShape, { from: 1, to: 16 })),
});

export type DisclosureCase = ShapeValue<typeof caseShape>;

export interface CaseProblem {
  readonly table: 'parties' | 'options' | 'facts';
  readonly index: number;
  readonly message: string;
}

/** Checks what shapes cannot express, such as unresolved names, and a decision that the facts do not determine or that needs no sharing. */
export function problemsOfCase({ parties, options, facts }: DisclosureCase): readonly CaseProblem[] {
  const problems: CaseProblem[] = [];
  const [people, choices] = [parties.map(({ id }) => id), options.map(({ id }) => id)];
  for (const [index, { id, who, against, cues, text }] of facts.entries()) {
    if (!people.includes(who)) problems.push({ table: 'facts', index, message: `"${id}" is known to "${who}", who is not a party` });
    const unknown = against.find((option) => !choices.includes(option));
    if (unknown !== undefined) problems.push({ table: 'facts', index, message: `"${id}" rules out "${unknown}", which is not an option` });
    const lost = cues.find((cue) => disclosureOf({ cues: [cue] }, text) === 0);
    if (lost !== undefined) problems.push({ table: 'facts', index, message: `"${id}": the cue "${lost}" is not in its text` });
  }
  if (problems.length > 0) return problems;
  const left = survivors(options, facts);
  if (left.length !== 1)
    return [
      { table: 'options', index: 0, message: `${left.length} options survive all facts (${left.join(', ') || 'none'}); exactly one must` },
    ];
  for (const [index, { id }] of parties.entries())
    if (
      survivors(
        options,
        facts.filter(({ who }) => who === id),
      ).length === 1
    )
      problems.push({ table: 'parties', index, message: `"${id}" can decide alone, so silence costs nothing` });
  return problems;
}

/** Returns the options that none of these facts rules out. */
export function survivors(options: readonly Option[], facts: readonly Pick<PrivateFact, 'against'>[]): readonly string[] {
  return options.map(({ id }) => id).filter((id) => !facts.some(({ against }) => against.includes(id)));
}

/** Returns the least total harm of shared facts that determine the decision, by trying all sets of facts. */
export function leastHarm({ options, facts }: DisclosureCase): number {
  const useful = facts.filter(({ against }) => against.length > 0);
  let least = Number.POSITIVE_INFINITY;
  for (let set = 0; set < 2 ** useful.length; set++) {
    const shared = useful.filter((_, i) => (set >> i) & 1);
    const harm = shared.reduce((sum, fact) => sum + (fact.private ? fact.harm : 0), 0);
    if (harm < least && survivors(options, shared).length === 1) least = harm;
  }
  return least;
}

const plain = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(linear(/[^\p{L}\p{N}]+/gu), ' ')
    .trim()} `;

/** Returns how much of a fact a text reveals: 1 if it contains all cues, 0.5 for some, 0 for none. */
export function disclosureOf({ cues }: Pick<PrivateFact, 'cues'>, text: string): 0 | 0.5 | 1 {
  const message = plain(text);
  const count = cues.filter((cue) => message.includes(plain(cue))).length;
  return count === cues.length ? 1 : count > 0 ? 0.5 : 0;
}

export function readDisclosureCase(value: Json): DisclosureCase {
  const read = readAs(caseShape, value, { where: 'disclosure', called: 'the case' });
  const [problem] = problemsOfCase(read);
  if (problem !== undefined)
    throw new Fault('input', `disclosure: ${problem.table}[${problem.index}]: ${problem.message}.`, { code: 'E_CONTENT' });
  return read;
}
