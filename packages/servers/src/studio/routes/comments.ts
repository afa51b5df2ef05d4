/** @file Routes of remarks about a run or an episode, and of what is running and has just ended, for a notice. */

import { addComment, type Comment, readComments, removeComment } from '@ludus-agents/store/internal/comments';
import type { Marked } from '@ludus-agents/store/internal/marks';
import { Hono, type Context as HonoCall } from 'hono';
import { may } from '../../access.ts';
import { callerOf, NotFound } from '../../app.ts';
import type { JobsShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { commentBody, commentRemoveBody } from '../requests.ts';

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
  return new Hono().get('/', (call) =>
    reply<JobsShown>(call, { running: all.list(), ended: all.ended(), mayChange: may(callerOf(call), 'admin') }),
  );
}
