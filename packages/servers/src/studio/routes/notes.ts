/** @file What people write about runs and episodes: comments, marks, and reviews. */

import type { Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { addComment, type Comment, readComments, removeComment } from '@ludus-agents/store/internal/comments';
import { type Marked, putMarks } from '@ludus-agents/store/internal/marks';
import { addReview, blindPairs, readReviews, withdrawReview, withoutLabel } from '@ludus-agents/store/internal/reviews';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import type { BlindText, JobsShown, ReviewShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { commentBody, commentRemoveBody, marksBody, reviewBody, reviewQuery, reviewUndoBody } from '../requests.ts';

/** Routes of remarks about a run or an episode, and of what is running and has just ended, for a notice. */
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

function subjectOf(call: HonoCall): readonly [Marked, string] {
  const [of, id] = [call.req.param('of') ?? '', call.req.param('id') ?? ''];
  if (of !== 'run' && of !== 'episode') throw new NotFound('Comments are about a run or an episode.');
  return [of, id];
}

/** What goes on, and what has ended since the server was started. */
export function jobs({ jobs: all }: StudioContext) {
  return new Hono().get('/', (call) => reply<JobsShown>(call, { running: all.list(), ended: all.ended() }));
}

/** Routes of what people keep beside episodes and runs: a star, tags, another name, a note, out of the way. */
export function marks({ store }: StudioContext) {
  return new Hono().put('/:of/:id', marksBody, async (call) => {
    const [of, id] = [call.req.param('of'), call.req.param('id')];
    if (of !== 'run' && of !== 'episode') throw new NotFound('Marks belong to a run or an episode.');
    await putMarks(store, of, id, call.req.valid('json'));
    return reply(call, {});
  });
}

/** The newest so many wait in a queue. */
const most = 500;

/** Routes of the review page: what waits for a label, two episodes to choose between without knowing who played, and what was said. */
export function reviews({ store }: StudioContext) {
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
    .get('/text/:id', async (call) => reply<BlindText>(call, await textOf(store, call.req.param('id'))));
}

async function readQueue(store: Store, by: string, run: string | undefined): Promise<ReviewShown> {
  const [episodes, spokenReviews] = await Promise.all([
    store.episodes({ ...(run === undefined ? {} : { run }), limit: most }),
    readReviews(store),
  ]);
  const waiting = withoutLabel(episodes, spokenReviews, by);
  const [pair] = blindPairs(episodes, spokenReviews, by);
  return {
    waiting: waiting.length,
    looked: episodes.length,
    isMore: episodes.length === most,
    queue: waiting.map(({ id }) => id),
    pair: pair === undefined ? null : [pair.episode.id, pair.against.id],
    labels: [
      ...new Set(['good', 'bad', 'unclear', ...spokenReviews.flatMap(({ against, label }) => (against === undefined ? [label] : []))]),
    ],
    reviews: spokenReviews.slice(-200).toReversed(),
  };
}

/** What was said and done, by seats, each word once: nobody's name, no thought, no prompt. */
async function textOf(store: Store, id: string): Promise<BlindText> {
  const record = await store.episode(id);
  if (record === null) throw new NotFound(`Episode "${id.slice(0, 80)}" not found in this store.`);
  const last = new Map<Seat, string>();
  const lines = (await store.events(id)).flatMap((event) => {
    if (event.kind !== 'message' && event.kind !== 'action') return [];
    const { who, text } =
      event.kind === 'message' ? { who: event.from ?? '', text: event.text } : { who: event.seat, text: event.action.text };
    // What somebody answers is told to the others in the same words, and may be passed on to them once more.
    const isTold = event.kind === 'message' && last.get(who) === text;
    // A message that no player sees is a note for scorers: it may hold the automatic verdict, which would sway the reviewer.
    const isHidden = event.kind === 'message' && !event.to.some((seat) => Object.hasOwn(record.cast, seat) && seat !== 'world');
    if (event.kind === 'action') last.set(who, text);
    return isTold || isHidden || text === '' ? [] : [{ who, text }];
  });
  return { id, environment: record.environment, lines: lines.slice(0, 2000) };
}
