/**
 * @file What a judge may be used for: only grade A trains or ranks, a card is void once anything changed, and a judge that trains never
 * reports.
 */

import { Fault, type Score } from '@ludus-agents/kernel/internal/core/index';
import type { Judge } from '../judges/judge.ts';
import { rubricHash, titleOf } from '../judges/rubric.ts';
import type { TrustCard } from './card.ts';

/** rank: leaderboards, tournaments, selection. report: a number shown with its card. */
export type TrustUse = 'train' | 'rank' | 'report';

/** What has changed since the card was made; null where nothing has. */
export function driftOf(card: TrustCard, judge: Judge): string | null {
  if (card.rubric !== titleOf(judge.rubric) || card.rubricHash !== rubricHash(judge.rubric)) return 'the rubric is another one';
  if (card.judge !== judge.model) return `the model is ${judge.model} and was ${card.judge}`;
  return card.judgeHash === judge.hash ? null : 'the prompt, the sampling or the reading of replies has changed';
}

/** Refuses, in a sentence, a use that the card does not carry. */
export function permit(card: TrustCard | undefined, judge: Judge, use: TrustUse): void {
  const who = `${judge.model} under ${titleOf(judge.rubric)}`;
  if (card === undefined) throw new Fault('scorer', `${who} may not ${use}: it has no trust card. Test it with "ludus judge trust" first.`);
  const drift = driftOf(card, judge);
  if (drift !== null)
    throw new Fault(
      'scorer',
      `${who} may not ${use}: ${drift}, so its trust card is no longer valid. Test it again with "ludus judge trust".`,
    );
  if (use !== 'report' && card.grade !== 'A')
    throw new Fault('scorer', `${who} may not ${use}: its grade is ${card.grade}, but grade A is required. ${card.reasons[0]}`);
}

/** What is read of a card that was kept. */
export type KeptCard = Pick<TrustCard, 'grade' | 'rubricHash' | 'judgeHash' | 'reasons'>;

/** Refuses to rank by scores that a judge gave before, unless the card is that very judge's and its grade A. */
export function permitRanking(card: KeptCard | undefined, scores: readonly Score[]): void {
  for (const { name, provenance = {} } of scores) {
    const who = `${provenance['judge'] ?? name} under ${provenance['rubric'] ?? name}`;
    if (card === undefined)
      throw new Fault(
        'input',
        `${who} may not rank without a trust card. Save the output of "ludus judge trust --json" and pass it with --card.`,
      );
    if (card.rubricHash !== provenance['rubricHash'] || card.judgeHash !== provenance['judgeHash'])
      throw new Fault(
        'input',
        `${who} may not rank: the card is for another judge, rubric, or prompt. Test this judge with "ludus judge trust".`,
      );
    if (card.grade !== 'A')
      throw new Fault('input', `${who} may not rank: its grade is ${card.grade}, but grade A is required. ${card.reasons[0] ?? ''}`.trim());
  }
}

/** Refuses to train by a judge without a card of grade A that is of this very judge. */
export function permitTraining(card: KeptCard | undefined, judge: Judge): void {
  const who = `${judge.model} under ${titleOf(judge.rubric)}`;
  if (card === undefined)
    throw new Fault(
      'input',
      `${who} may not train without a trust card. Save the output of "ludus judge trust --json" and set "card" next to "by" to that file, or set it to "none".`,
    );
  if (card.rubricHash !== rubricHash(judge.rubric) || card.judgeHash !== judge.hash)
    throw new Fault(
      'input',
      `${who} may not train: the card is for another judge, rubric, or prompt. Test this judge with "ludus judge trust".`,
    );
  if (card.grade !== 'A')
    throw new Fault('input', `${who} may not train: its grade is ${card.grade}, but grade A is required. ${card.reasons[0] ?? ''}`.trim());
}

export interface Appointment {
  readonly judge: Judge;
  readonly card: TrustCard | undefined;
}

/** Appoints judges to train (or select) and judges to report, or refuses: a model that trained an agent cannot measure it. */
export function appoint({ train, report }: { readonly train: readonly Appointment[]; readonly report: readonly Appointment[] }): void {
  for (const { judge, card } of train) permit(card, judge, 'train');
  for (const { judge, card } of report) permit(card, judge, 'report');
  const taught = new Set(train.map(({ judge }) => judge.model));
  const both = report.find(({ judge }) => taught.has(judge.model));
  if (both !== undefined)
    throw new Fault(
      'scorer',
      `${both.judge.model} is used for training, so it may not report under any rubric. Use another model to report.`,
    );
}
