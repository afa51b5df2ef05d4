/**
 * @file Training as a proposal: it changes the weights of a spec.
 *
 * Lessons are groups of episodes of the same tasks, under several texts; advantages are computed once for each task, over all texts, and
 * one step follows the policy gradient. Proposals are stored in the ledger and weights in the checkpoint journal, so training is not
 * repeated.
 */

import { canonical, type Json, type Learner, type Lesson, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { CheckpointJournal } from '../checkpoint-journal.ts';
import type { Proposer } from '../engine.ts';
import { acrossTexts } from '../fast-slow.ts';

export function trainWith(shelf: CheckpointJournal, rate: number): Proposer {
  return {
    name: 'train',
    improver: () => ({
      name: 'train',
      async improve(spec, lessons) {
        const learner = await shelf.learner(spec.model);
        await step(learner, lessons, rate);
        return [{ ...spec, model: await shelf.keep(learner) }];
      },
    }),
  };
}

async function step(learner: Learner, lessons: readonly Lesson[], rate: number): Promise<void> {
  const problems: string[] = lessons.map(taskOf);
  const advantages = acrossTexts(
    lessons.map(({ scores }, i) => ({ problem: problems.indexOf(problems[i]), reward: scores[0]?.value ?? 0 })),
  );
  const batch = lessons.flatMap((lesson, i) => rowsOf(lesson, advantages[i]));
  await learner.forwardBackward(batch, 'cross_entropy');
  await learner.optimStep({ rate });
}

/** A key that is equal for plays of the same task. */
function taskOf({ episode: { events } }: Lesson): string {
  const start = events[0];
  return canonical((start?.kind === 'start' ? start.task : null) as Json);
}

/** The tokens sampled in a play, each weighted by the play's advantage. */
function rowsOf({ episode: { events }, seat }: Lesson, advantage: number): readonly TokenRow[] {
  return events.flatMap((event) => {
    if (event.kind !== 'action' || event.seat !== seat) return [];
    return (event.calls ?? []).flatMap(({ promptTokenIds: read, tokenIds: written }): TokenRow[] => {
      if (read === undefined || written === undefined) return [];
      const over = (before: number, after: number) => [...read.map(() => before), ...written.map(() => after)];
      return [{ tokens: [...read, ...written], mask: over(0, 1), weights: over(0, advantage) }];
    });
  });
}
