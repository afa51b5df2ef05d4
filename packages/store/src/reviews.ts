/**
 * @file People's reviews of episodes: a label with a reason, or the better one of two, given without knowing the agents.
 *
 * Reviews are entries of a journal, so every store supports them, and none is overwritten: of one person's reviews of the same subject, the
 * last counts. The studio and the command line use the same journal.
 */

import { canonical, type EpisodeRecord, Fault, hash, type Store } from '@ludus-agents/kernel/internal/core/index';
import { object, optional, readAs, required, type ShapeValue, text, whole, words } from '@ludus-agents/kernel/internal/core/shape';
import { appendNote } from './marks.ts';

/** The possible labels of a pair. */
const pairLabels = ['episode', 'against', 'tie'] as const;

const reviewShape = object({
  episode: required(words, 'the episode'),
  against: optional(words, 'the other episode of a pair'),
  event: optional(whole(0), 'the turn that the label is about, by its event'),
  label: required(words, 'a label such as "good"; for a pair "episode", "against", or "tie"'),
  reason: optional(text, 'why'),
  by: required(words, 'the reviewer'),
  at: required(whole(0), 'when, in milliseconds since 1970'),
});

/** One person about one episode, or about two. */
export type Review = ShapeValue<typeof reviewShape>;

/** The journal that holds them; the run needs no record. */
const [run, journal] = ['studio', 'reviews'];

/** Keeps a review. Both episodes must be there, and a pair has two. */
export async function addReview(store: Store, inputReview: Review): Promise<void> {
  const review = readAs(reviewShape, inputReview, { where: 'The review', called: 'A review' });
  const { episode, against, event, label } = review;
  for (const id of against === undefined ? [episode] : [episode, against])
    if ((await store.episode(id)) === null)
      throw new Fault('input', `Episode "${id.slice(0, 80)}" not found in this store.`, { code: 'E_NOT_FOUND' });
  if (against !== undefined && event !== undefined) throw new Fault('input', 'A label is about a turn or about a pair, not both.');
  if (against === episode) throw new Fault('input', 'A pair needs two different episodes.');
  if (against !== undefined && !pairLabels.includes(label as never))
    throw new Fault('input', `The label of a pair must be one of ${pairLabels.join(', ')}, but got "${label.slice(0, 40)}".`);
  await appendNote(store, run, journal, review);
}

/** Withdraws a person's label of an episode or one of its turns, which is then unlabeled again. The journal keeps both entries. */
export async function withdrawReview(store: Store, { episode, by, event }: Pick<Review, 'episode' | 'by' | 'event'>): Promise<void> {
  const isIt = (review: Review) => review.episode === episode && review.by === by && review.event === event && review.against === undefined;
  if (!(await readAll(store)).some(isIt))
    throw new Fault('input', `"${by.slice(0, 60)}" has no label on episode "${episode.slice(0, 80)}".`);
  await appendNote(store, run, journal, { episode, by, ...(event === undefined ? {} : { event }), withdrawn: true });
}

/** The current reviews of episodes and pairs: of each person and subject only the last, ordered by the first. */
export async function readReviews(store: Store): Promise<readonly Review[]> {
  return (await readAll(store)).filter(({ event }) => event === undefined);
}

/** The current reviews of the turns of an episode. */
export async function readTurnLabels(store: Store, episode: string): Promise<readonly Review[]> {
  return (await readAll(store)).filter((review) => review.event !== undefined && review.episode === episode);
}

async function readAll(store: Store): Promise<readonly Review[]> {
  const matches = new Map<string, Review>();
  for (const entry of await store.notes(run, journal)) {
    const { withdrawn, ...review } = entry as Review & { readonly withdrawn?: boolean };
    const { by, episode, against, event = null } = review;
    const key = JSON.stringify([by, event, ...(against === undefined ? [episode] : [episode, against].sort())]);
    if (withdrawn === true) matches.delete(key);
    else matches.set(key, review);
  }
  return [...matches.values()];
}

const idle = ['random', 'scripted:do-nothing', 'scripted:always-refuse'];

/** Is there someone to speak of? The agents that an evaluation plays as its floor do not try. */
function isReviewable({ status, cast }: EpisodeRecord): boolean {
  const names = Object.values(cast);
  const guests = names.filter((name) => !name.startsWith('house:'));
  const isFloor = guests.length < names.length && guests.length > 0 && guests.every((name) => idle.includes(name));
  return status !== 'running' && !isFloor;
}

/** Episodes that this person has not labeled yet, as they came. */
export function withoutLabel(episodes: readonly EpisodeRecord[], reviews: readonly Review[], by: string): readonly EpisodeRecord[] {
  const statement = new Set(reviews.flatMap((review) => (review.by === by && review.against === undefined ? [review.episode] : [])));
  return episodes.filter((episode) => isReviewable(episode) && !statement.has(episode.id));
}

/** Two episodes of the same task with the same seed and different agents. Their order does not reveal the agents. */
export interface BlindPair {
  readonly episode: EpisodeRecord;
  readonly against: EpisodeRecord;
}

/** Pairs that this person has not judged yet: adjacent episodes of one environment, task, and seed whose casts differ. */
export function blindPairs(episodes: readonly EpisodeRecord[], reviews: readonly Review[], by: string): readonly BlindPair[] {
  const statement = new Set(
    reviews.flatMap((review) =>
      review.by === by && review.against !== undefined ? [[review.episode, review.against].sort().join(' ')] : [],
    ),
  );
  const cells = new Map<string, EpisodeRecord[]>();
  for (const episode of episodes) {
    if (!isReviewable(episode)) continue;
    const cell = canonical([episode.environment, episode.task, episode.seed]);
    cells.set(cell, [...(cells.get(cell) ?? []), episode]);
  }
  return [...cells.values()].flatMap((alike) => {
    const casts = new Map(alike.map((episodeRecord) => [canonical(episodeRecord.cast), episodeRecord]));
    const distinct = [...casts.values()];
    return distinct.slice(1).flatMap((episodeRecord, i) => {
      const sides = [distinct[i]!, episodeRecord].sort((a, b) => (hash([a.id, b.id]) < hash([b.id, a.id]) ? -1 : 1));
      const [episode, against] = sides as [EpisodeRecord, EpisodeRecord];
      return statement.has([episode.id, against.id].sort().join(' ')) ? [] : [{ episode, against }];
    });
  });
}
