/**
 * @file How far people agree with each other about episodes, and with every score: Krippendorff's alpha over episodes, with its bootstrap
 * interval. Labels are names; against a score only good and bad count, and a score is good in the upper half of its scale.
 */

import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { krippendorffAlpha } from './scoring/statistics/agreement.ts';
import { bootstrap } from './scoring/statistics/bootstrap.ts';

export interface PeopleAgreement {
  /** "people", or the name of a score. */
  readonly with: string;
  readonly episodes: number;
  /** The share of pairs of labels that are equal. */
  readonly raw: number;
  /** Null if all people give the same answer: alpha is then undefined. */
  readonly alpha: number | null;
  readonly interval: readonly [number, number] | null;
}

export interface PersonLabel {
  readonly episode: string;
  readonly by: string;
  readonly label: string;
}

type Unit = readonly (number | null)[];

export function peopleAgreement(labels: readonly PersonLabel[], scores: ReadonlyMap<string, readonly Score[]>): readonly PeopleAgreement[] {
  const people = [...new Set(labels.map(({ by }) => by))];
  const names = [...new Set(labels.map(({ label }) => label.toLowerCase()))];
  const byEpisode = [...Map.groupBy(labels, ({ episode }) => episode)];
  const among = byEpisode.map(([, personLabels]): Unit => {
    const labelBy = (person: string) => personLabels.find(({ by }) => by === person)?.label.toLowerCase();
    return people.map((person) => (labelBy(person) === undefined ? null : names.indexOf(labelBy(person)!)));
  });
  const peopleAgreements = [agreementOf('people', among)];
  const scored = new Set([...scores.values()].flatMap((list) => list.map(({ name }) => name)));
  for (const name of [...scored].sort()) {
    const units = byEpisode.flatMap(([episode, personLabels]): Unit[] => {
      const score = (scores.get(episode) ?? []).findLast((score) => score.name === name && score.value !== null);
      const votes = personLabels.flatMap(({ label }) => goodness(label) ?? []);
      const mean = votes.reduce((sum, vote) => sum + vote, 0) / votes.length;
      // Divided people give no label that a score could agree with.
      return score === undefined || votes.length === 0 || mean === 0.5 ? [] : [[mean > 0.5 ? 1 : 0, isGood(score) ? 1 : 0]];
    });
    peopleAgreements.push(agreementOf(name, units));
  }
  return peopleAgreements.flatMap((peopleAgreement) => peopleAgreement ?? []);
}

export function goodness(label: string): number | null {
  if (/^(?:good|pass(?:ed)?|fine|yes|ok|right)$/i.test(label)) return 1;
  return /^(?:bad|fail(?:ed)?|poor|no|wrong)$/i.test(label) ? 0 : null;
}

export function isGood({ name, value, scale }: Score): boolean {
  const [low, high] = scale ?? [0, 1];
  const upper = (value ?? 0) > (low + high) / 2;
  return name.startsWith('fault-') ? !upper : upper;
}

function agreementOf(name: string, units: readonly Unit[]): PeopleAgreement | null {
  const rated = units.map((unit) => unit.filter((item) => item !== null)).filter((unit) => unit.length >= 2);
  if (rated.length === 0) return null;
  const pairs = rated.flatMap((unit) => unit.flatMap((a, i) => unit.slice(i + 1).map((b) => (a === b ? 1 : 0))));
  const raw = pairs.reduce<number>((sum, same) => sum + same, 0) / pairs.length;
  const differ = (sample: readonly Unit[]) => new Set(sample.flat()).size > 1;
  if (!differ(rated)) return { with: name, episodes: rated.length, raw, alpha: null, interval: null };
  // A resample in which all labels are equal has no alpha; it counts as perfect agreement.
  const alpha = (sample: readonly Unit[]) => (differ(sample) ? krippendorffAlpha(sample, 'nominal') : 1);
  const { value, interval } =
    rated.length < 2 ? { value: alpha(rated), interval: null } : bootstrap(rated, alpha, { seed: 1, draws: 1000, method: 'percentile' });
  return { with: name, episodes: rated.length, raw, alpha: value, interval };
}
