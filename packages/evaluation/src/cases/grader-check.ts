/** @file Checks a grader after a run: does it accept answers that only repeat the input, and does it grade the same answer the same way again? */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type Episode, rng, type Score, type Scorer } from '@ludus-agents/kernel/internal/core/index';
import { answerIn } from './scorers.ts';

/** An episode with the value that its answer was graded with. */
export interface GradedEpisode {
  readonly episode: Episode;
  readonly value: number | null;
}

/** How a grader did in its check. */
export interface GraderCheck {
  readonly grader: string;
  /** Answers that were graded again, and those of them with the same grade as before. */
  readonly answers: number;
  readonly same: number;
  /** Graded answers that only repeat the input, and their mean grade; null if none could be graded. */
  readonly echoes: number;
  readonly floor: number | null;
}

/** Grades each answer again, and the input in place of the answer: two calls for each episode. */
export async function checkGrader(grader: Scorer, graded: readonly GradedEpisode[], signal: AbortSignal): Promise<GraderCheck> {
  const grade = async (episode: Episode): Promise<Score | undefined> =>
    (await grader.score({ episodes: [episode], rng: rng(1, 'grader') }, signal))[0];
  const again = await Promise.all(graded.map(({ episode }) => grade(episode)));
  const echoes = (await Promise.all(graded.map(({ episode }) => grade(withEcho(episode))))).flatMap((score) => score?.value ?? []);
  const same = again.filter((score, i) => score?.value === graded[i]?.value).length;
  const floor = echoes.length === 0 ? null : echoes.reduce((sum, value) => sum + value, 0) / echoes.length;
  return { grader: grader.name.replace(/^grader=/, ''), answers: graded.length, same, echoes: echoes.length, floor };
}

/** The same in a sentence. */
export function graderCheckText({ grader, answers, same, echoes, floor }: GraderCheck): string {
  const echoText =
    floor === null
      ? 'answers that only repeat the input could not be graded'
      : `the mean grade of ${count(echoes, 'answer')} that only repeat the input is ${floor.toFixed(3)}`;
  return `Answers were graded by ${grader}. Asked again about ${count(answers, 'answer')} of the best, it gave ${same} the same grade; ${echoText}.`;
}

/** The episode as if its answer had been the input. */
function withEcho(episode: Episode): Episode {
  const input = answerIn(episode.events)?.one.input ?? '';
  const at = episode.events.findLastIndex(({ kind }) => kind === 'action');
  const events = episode.events.map((event, i) =>
    i === at && event.kind === 'action' ? { ...event, action: { ...event.action, text: input } } : event,
  );
  return { ...episode, events };
}
