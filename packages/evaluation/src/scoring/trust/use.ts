/** @file The allowed uses of a judge: only grade A may train or rank, and any change voids a card. */

import { Fault, type Score } from '@ludus-agents/kernel/internal/core/index';
import type { Judge } from '../judges/judge.ts';
import { rubricHash, titleOf } from '../judges/rubric.ts';
import type { TrustCard } from './card.ts';

/** The parts of a stored card that are read. */
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
      throw new Fault(
        'input',
        `${who} may not rank: its grade is ${card.grade}, but grade A is required. ${card.reasons[0] ?? ''}`.trim(),
        { code: 'E_MISSING_OPTION' },
      );
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
    throw new Fault('input', `${who} may not train: its grade is ${card.grade}, but grade A is required. ${card.reasons[0] ?? ''}`.trim(), {
      code: 'E_MISSING_OPTION',
    });
}
