/** @file Routes of taking a seat: worlds and who could play in them, beginning an episode, and a person's answers. */

import { Hono } from 'hono';
import { castable, standIn } from '../../../agents/kinds.ts';
import { type AnyEnvironment, Fault, type JsonObject, nameOf, parseJson, type Seat } from '../../../core/index.ts';
import { environmentNames } from '../../../environments/index.ts';
import { gallery } from '../../../personas/index.ts';
import { resolveEnvironment } from '../../../workspace/environments.ts';
import { ownPersonas } from '../../../workspace/user-documents.ts';
import type { EnvironmentShown, EnvironmentsShown, PlayRequest, StartedRun } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { bodyOf, textIn, wholeIn } from '../request.ts';
import { castIn, recordOf } from './episodes.ts';

/** Longer answers are nobody's own words. */
const mostTyped = 20_000;

export function seat({ live, place }: StudioContext): Hono {
  const app = new Hono();
  app.get('/worlds', async (call) => {
    const worlds = await Promise.all(
      environmentNames.map(async (name) => ({ name, summary: (await resolveEnvironment(name, place.cwd)).about.summary })),
    );
    const own = ownPersonas(place.cwd).flatMap(({ key, persona }) => (persona === null ? [] : [{ id: key, name: persona.name }]));
    const characters = [...own, ...Object.entries(gallery).map(([id, { name }]) => ({ id, name }))];
    return call.json({ worlds, characters } satisfies EnvironmentsShown);
  });
  app.get('/worlds/:name', async (call) => call.json(await worldShown(call.req.param('name'), place.cwd, call.req.query('task'))));
  app.post('/play', async (call) => call.json({ episode: await live.begin(playIn(await bodyOf(call))) } satisfies StartedRun));
  return app;
}

/** Beside the stage's routes, since it is an episode that is answered. */
export function answers({ store, live }: StudioContext): Hono {
  const app = new Hono();
  app.post('/:id/answer', async (call) => {
    const { id } = await recordOf(store, call);
    const body = await bodyOf(call);
    const turn = wholeIn(body['turn'], 'turn', { from: 0, to: 2 ** 31, otherwise: -1 });
    live.answer(id, { seat: textIn(body, 'seat'), text: textIn(body, 'text', mostTyped), turn });
    return call.json({});
  });
  return app;
}

/** The seats and the stand-ins that a task has: some worlds grow with theirs. */
async function worldShown(name: string, cwd: string, task: string | undefined): Promise<EnvironmentShown> {
  if (!environmentNames.includes(nameOf({ id: name }))) throw new Fault('input', `There is no environment "${name.slice(0, 80)}".`);
  const environment = await resolveEnvironment(name, cwd, 'folder');
  const seats = environment.seats(environment.task(task === undefined ? {} : parseJson(task)));
  const { id, about, knobs } = environment;
  const standIns = Object.fromEntries(seats.map((one) => [one, opponent(environment, one)]));
  return {
    name: nameOf(environment),
    id,
    summary: about.summary,
    knobs,
    seats,
    castable: castable(environment).filter((one) => one !== 'human' && one !== 'llm:MODEL'),
    standIns,
  };
}

/** Whoever gives the best game without a model: the stand-in of the seat, else the world's first player for any seat, else chance. */
function opponent(environment: AnyEnvironment, seat: Seat): string {
  const own = standIn(environment, seat);
  const [first] = Object.keys(environment.scripts ?? {});
  return own !== 'random' || first === undefined ? own : `scripted:${first}`;
}

function playIn(body: JsonObject): PlayRequest {
  const { task, seed, pace } = body;
  if (task !== undefined && (typeof task !== 'object' || task === null || Array.isArray(task)))
    throw new Fault('input', '"task" must be an object with the parameters of the world.');
  return {
    environment: textIn(body, 'environment'),
    cast: castIn(body['cast']),
    pace: wholeIn(pace, 'pace', { from: 0, to: 60_000, otherwise: 0 }),
    ...(task === undefined ? {} : { task: task as JsonObject }),
    ...(seed === undefined || seed === null ? {} : { seed: wholeIn(seed, 'seed', { from: 0, to: Number.MAX_SAFE_INTEGER, otherwise: 0 }) }),
  };
}
