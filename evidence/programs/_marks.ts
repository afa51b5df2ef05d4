/**
 * @file A judge of walks whose verdicts are wrong at a known rate, for recipes whose rewards come from a program. It marks the items of
 * a checklist (one per fork), credited as in Ludus's checklist, or the whole walk. `reference` has the form and the noise.
 */

import { creditChecklist } from '@ludus-agents/evaluation/internal/scoring/rules/checklist';
import { type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { playedRight } from './marked.ts';

interface Judged {
  readonly log: readonly EpisodeEvent[];
  readonly reference: { readonly form: 'items' | 'whole'; readonly noise: number };
}

export default function marks({ log, reference: { form, noise } }: Judged): readonly number[] {
  const right = playedRight(log);
  const start = log[0];
  const dice = rng(start?.kind === 'start' ? start.seed : 0, 'marks');
  const judge = (truth: boolean) => (dice.next() < noise ? !truth : truth);
  if (form === 'whole') {
    const mark = judge(right.every(Boolean));
    return right.map((_, turn) => (turn === right.length - 1 && mark ? 1 : 0));
  }
  const verdicts = right.map((isRight, turn) => right.map((_, item) => item === turn && judge(isRight)));
  const weights = right.map(() => 1 / right.length);
  return creditChecklist(weights, verdicts).credited;
}
