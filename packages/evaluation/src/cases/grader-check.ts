/** @file Checks a grader after a run: does it accept answers that only repeat the input, and does it grade the same answer the same way again? */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type Episode, rng, type Score, type Scorer } from '@ludus-agents/kernel/internal/core/index';
import { answerIn } from './scorers.ts';

/** An episode with the value that its answer was graded with. */
export interface GradedEpisode {
  readonly episode: Episode;
  readonly value: number | null;
}

/** Grades each answer again, and the input in place of the answer: two calls for each episode. Returns the results as sentences. */
export async function checkGrader(grader: Scorer, graded: readonly GradedEpisode[], signal: AbortSignal): Promise<readonly string[]> {
  const grade = async (episode: Episode): Promise<Score | undefined> => (await grader.score({ episodes: [episode], rng: rng(1, 'grader') }, signal))[0];
  const again = await Promise.all(graded.map(({ episode }) => grade(episode)));
  const echoes = await Promise.all(graded.map(({ episode }) => grade(withEcho(episode))));
  const same = again.filter((score, i) => score?.value === graded[i]?.value).length;
  const floor = echoes.flatMap((score) => score?.value ?? []);
  const mean = floor.reduce((sum, value) => sum + value, 0) / floor.length;
  const floorText = floor.length === 0 ? 'could not be graded' : `${floor.length === 1 ? 'gets' : 'get'} ${mean.toFixed(3)} on average`;
  return [
    `Answers were graded by ${grader.name.replace(/^grader=/, '')}. Asked again about ${count(graded.length, 'answer')} of the best, it gave ${same} the same grade; ${count(floor.length, 'answer')} that only repeat the input ${floorText}.`,
  ];
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
