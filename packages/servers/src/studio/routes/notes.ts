/** @file User annotations of runs and episodes: comments, marks, and reviews. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rubricKind } from '@ludus-agents/evaluation/internal/kinds';
import { loadRubric } from '@ludus-agents/evaluation/internal/loaders';
import { peopleAgreement } from '@ludus-agents/evaluation/internal/people-agreement';
import type { Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { addComment, type Comment, type Commented, readComments, removeComment } from '@ludus-agents/store/internal/comments';
import { putMarks } from '@ludus-agents/store/internal/marks';
import { putReviewShares, readReviewShares, shareOf } from '@ludus-agents/store/internal/review-shares';
import { addReview, blindPairs, readReviews, readTurnLabels, withdrawReview, withoutLabel } from '@ludus-agents/store/internal/reviews';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import { listKind } from '../../describe.ts';
import type { BlindText, JobsShown, ReviewShown, RubricShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { commentBody, commentRemoveBody, marksBody, reviewBody, reviewQuery, reviewSharesBody, reviewUndoBody } from '../requests.ts';

/** Routes of comments on a run, an episode, or a comparison, and of running and recently ended activities, for notices. */
export function comments({ store }: StudioContext) {
  return new Hono()
    .get('/:of/:id', async (call) => reply<readonly Comment[]>(call, await readComments(store, ...subjectOf(call))))
    .post('/:of/:id', commentBody, async (call) => {
      await addComment(store, ...subjectOf(call), { ...call.req.valid('json'), at: Date.now() });
      return reply<readonly Comment[]>(call, await readComments(store, ...subjectOf(call)));
    })
    .post('/:of/:id/remove', commentRemoveBody, async (call) => {
      await removeComment(store, call.req.valid('json').number);
      return reply<readonly Comment[]>(call, await readComments(store, ...subjectOf(call)));
    });
}

function subjectOf(call: HonoCall): readonly [Commented, string] {
  const [of, id] = [call.req.param('of') ?? '', call.req.param('id') ?? ''];
  if (of !== 'run' && of !== 'episode' && of !== 'comparison') throw new NotFound('Comments are about a run, an episode, or a comparison.');
  return [of, id];
}

/** Running activities, and those that ended since the server started. */
export function jobs({ jobs: all }: StudioContext) {
  return new Hono().get('/', (call) => reply<JobsShown>(call, { running: all.list(), ended: all.ended() }));
}

/** Routes of annotations of episodes and runs: star, tags, name, note, and archive. */
export function marks({ store }: StudioContext) {
  return new Hono().put('/:of/:id', marksBody, async (call) => {
    const [of, id] = [call.req.param('of'), call.req.param('id')];
    if (of !== 'run' && of !== 'episode') throw new NotFound('Marks belong to a run or an episode.');
    await putMarks(store, of, id, call.req.valid('json'));
    return reply(call, {});
  });
}

/** The number of newest episodes in a queue. */
const most = 500;

export function reviews({ store, place: { cwd } }: StudioContext) {
  return new Hono()
    .get('/', reviewQuery, async (call) => {
      const { by, run } = call.req.valid('query');
      return reply<ReviewShown>(call, await readQueue(store, by, run));
    })
    .post('/', reviewBody, async (call) => {
      await addReview(store, { ...call.req.valid('json'), at: Date.now() });
      return reply(call, {});
    })
    .post('/undo', reviewUndoBody, async (call) => {
      await withdrawReview(store, call.req.valid('json'));
      return reply(call, {});
    })
    .post('/shares', reviewSharesBody, async (call) => {
      await putReviewShares(store, call.req.valid('json'));
      return reply(call, {});
    })
    .get('/rubrics', async (call) =>
      reply<readonly string[]>(
        call,
        (await listKind(rubricKind, cwd)).map(({ name }) => name),
      ),
    )
    .get('/rubrics/:name', async (call) => reply<RubricShown>(call, await readRubric(call.req.param('name'), cwd)))
    .get('/text/:id', async (call) => reply<BlindText>(call, await textOf(store, call.req.param('id'))));
}

async function readRubric(name: string, cwd: string): Promise<RubricShown> {
  const { about, axes } = await loadRubric(name, cwd, Trust.request);
  const criteria = axes.map((axis) => ({
    name: axis.id,
    about: axis.about,
    questions: 'questions' in axis ? axis.questions.map(({ ask }) => ask) : [],
  }));
  return { about, criteria };
}

async function readQueue(store: Store, by: string, run: string | undefined): Promise<ReviewShown> {
  const [everything, spokenReviews, shares] = await Promise.all([
    store.episodes({ ...(run === undefined ? {} : { run }), limit: most }),
    readReviews(store),
    readReviewShares(store, run ?? ''),
  ]);
  const episodes = shareOf(everything, shares, by);
  const ids = new Set(everything.map(({ id }) => id));
  const labels = spokenReviews.filter(({ episode, against }) => against === undefined && ids.has(episode));
  const [agreement = null] = peopleAgreement(labels, new Map());
  const waiting = withoutLabel(episodes, spokenReviews, by);
  const [pair] = blindPairs(episodes, spokenReviews, by);
  return {
    waiting: waiting.length,
    looked: episodes.length,
    isMore: everything.length === most,
    queue: waiting.map(({ id }) => id),
    pair: pair === undefined ? null : [pair.episode.id, pair.against.id],
    labels: [
      ...new Set(['good', 'bad', 'unclear', ...spokenReviews.flatMap(({ against, label }) => (against === undefined ? [label] : []))]),
    ],
    reviews: (run === undefined ? spokenReviews : spokenReviews.filter(({ episode }) => ids.has(episode))).slice(-200).toReversed(),
    people: [...Map.groupBy(labels, (review) => review.by)].map(([by, reviews]) => ({ by, labeled: reviews.length })),
    agreement,
    shares,
  };
}

/** Messages and actions by seat, each text once, without names, thoughts, or prompts. */
async function textOf(store: Store, id: string): Promise<BlindText> {
  const record = await store.episode(id);
  if (record === null) throw new NotFound(`Episode "${id.slice(0, 80)}" not found in this store.`);
  const last = new Map<Seat, { readonly line: { text: string }; readonly move: string }>();
  const players = Object.keys(record.cast).filter((seat) => seat !== 'world');
  const lines = (await store.events(id)).flatMap((event, index) => {
    if (event.kind !== 'message' && event.kind !== 'action') return [];
    let to: readonly Seat[] = [];
    const { who, text } =
      event.kind === 'message' ? { who: event.from ?? '', text: event.text } : { who: event.seat, text: event.action.text };
    if (event.kind === 'message') {
      // A message without recipients is a note for scorers: it may contain the automatic verdict, which would bias the reviewer.
      const readers = event.to.filter((seat) => players.includes(seat));
      if (readers.length === 0) return [];
      if (players.some((seat) => seat !== event.from && !readers.includes(seat))) to = readers;
      // An answer is repeated in messages to the other seats, and may be passed on again. Of [speak "Hello."], only the words are shown.
      const answer = last.get(who);
      if (answer !== undefined && (answer.move === text || answer.move.endsWith(` "${text}"]`))) {
        answer.line.text = text;
        return [];
      }
    }
    const line = { who, to, text, event: index };
    if (event.kind === 'action') last.set(who, { line, move: text });
    return text === '' ? [] : [line];
  });
  return { id, environment: record.environment, lines: lines.slice(0, 2000), turns: await readTurnLabels(store, id) };
}
