/**
 * @file The epistemic ledger: finds a fact stated by a seat that could not know it.
 *
 * Each private fact has an owner; who else has read it follows from the log, because a seat knows its view and nothing more. A seat that
 * states it without having read it has guessed, or has it from outside the episode.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { type Log, type Utterance, wordsBy } from './log.ts';
import { listedSecrets, nameStems, type Private, secretsOf, tellsIn, thresholds } from './telling.ts';

/** A private fact and the words in it that reveal nothing. A seat that is allowed to read it is taken to know it. */
interface Entry extends Private {
  readonly known: ReadonlySet<string>;
}

/** The first line in which a seat states a fact before it has read it, or null. */
export function findUnheardFact(log: Log, seat: Seat, fact: Pick<Entry, 'text' | 'known'>): Utterance | null {
  const utterance = wordsBy(log, seat).find(({ text }) => tellsIn(text, fact.text, fact.known) === 'told');
  return utterance === undefined || hasHeard(log.episode.events.slice(0, utterance.event), seat, fact) ? null : utterance;
}

/** Readers can combine two halves of a fact, so halves count as read. */
function hasHeard(events: readonly EpisodeEvent[], seat: Seat, { text, known }: Pick<Entry, 'text' | 'known'>): boolean {
  return events.some(
    (event) => event.kind === 'message' && event.to.includes(seat) && event.from !== seat && tellsIn(event.text, text, known) !== 'kept',
  );
}

/** The share of facts private to others that a seat did not utter unheard. */
export const ledger: ScoringRule = {
  name: 'ledger',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  /** A seat that says nothing states nothing. */
  floor: 1,
  settings: thresholds,
  find({ log, seat, personaOf, reference }) {
    const entries = [...entriesOf(log, seat, personaOf), ...ledgerEntries(reference).filter(({ allowed }) => !allowed.includes(seat))];
    if (entries.length === 0) return null;
    const matches = entries.map((entry) => ({ entry, line: findUnheardFact(log, seat, entry) })).filter(({ line }) => line !== null);
    const evidence = matches.flatMap(({ entry, line }) =>
      evidenceOf(log, line as Utterance, { supports: false, note: `could not know ${entry.id}` }),
    );
    return { value: 1 - matches.length / entries.length, parts: { facts: entries.length, unheard: matches.length }, evidence };
  },
};

/** The secrets of the other seats' personas. */
function entriesOf(log: Log, seat: Seat, personaOf: (seat: Seat) => Persona | null): readonly Entry[] {
  return log.seats.flatMap((owner) => {
    const persona = owner === seat ? null : personaOf(owner);
    if (persona === null) return [];
    const knownNames = nameStems(persona);
    const secrets = secretsOf(persona, log, personaOf).filter(({ allowed }) => !allowed.includes(seat));
    return secrets.map((secret) => ({ ...secret, id: `${owner}: ${secret.id}`, known: knownNames }));
  });
}

/** `reference.ledger` has the form of `reference.secrets`; "allowed" are the seats that know a fact from the beginning. */
function ledgerEntries(reference: JsonObject): readonly Entry[] {
  const json = reference['ledger'];
  return json === undefined ? [] : listedSecrets({ secrets: json }).map((fact) => ({ ...fact, known: new Set<string>() }));
}
