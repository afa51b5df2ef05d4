/** @file Routes of what people keep beside episodes and runs: a star, tags, another name, a note, out of the way. */

import { putMarks } from '@ludus-agents/store/internal/marks';
import { Hono } from 'hono';
import { NotFound } from '../../app.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { marksBody } from '../requests.ts';

export function marks({ store }: StudioContext) {
  return new Hono().put('/:of/:id', marksBody, async (call) => {
    const [of, id] = [call.req.param('of'), call.req.param('id')];
    if (of !== 'run' && of !== 'episode') throw new NotFound('Marks belong to a run or an episode.');
    await putMarks(store, of, id, call.req.valid('json'));
    return reply(call, {});
  });
}
