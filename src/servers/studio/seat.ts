/** @file Routes of taking a seat: worlds and who could play in them, beginning an episode, and a person's answers. */

import { Hono } from 'hono';
import { castable, standIn } from '../../agents/index.ts';
import { ownPersonas } from '../../company/own.ts';
import { worldOf } from '../../company/worlds.ts';
import { type AnyEnvironment, Fault, type JsonObject, nameOf, parseJson, type Seat } from '../../core/index.ts';
import { environmentNames } from '../../environments/index.ts';
import { gallery } from '../../personas/index.ts';
import { bodyOf, textIn, wholeIn } from './asked.ts';
import type { Studio } from './index.ts';
import { castIn, recordOf } from './stage.ts';
import type { Begun, PlayWanted, WorldShown, WorldsShown } from './wire.ts';

/** Longer answers are nobody's own words. */
const mostTyped = 20_000;

export function seat({ live, place }: Studio): Hono {
  const app = new Hono();
  app.get('/worlds', async (call) => {
    const worlds = await Promise.all(
      environmentNames.map(async (name) => ({ name, summary: (await worldOf(name, place.cwd)).about.summary })),
    );
    const own = ownPersonas(place.cwd).flatMap(({ key, persona }) => (persona === null ? [] : [{ id: key, name: persona.name }]));
    const characters = [...own, ...Object.entries(gallery).map(([id, { name }]) => ({ id, name }))];
    return call.json({ worlds, characters } satisfies WorldsShown);
  });
  app.get('/worlds/:name', async (call) => call.json(await worldShown(call.req.param('name'), place.cwd, call.req.query('task'))));
  app.post('/play', async (call) => call.json({ episode: await live.begin(playIn(await bodyOf(call))) } satisfies Begun));
  return app;
}

/** Beside the stage's routes, since it is an episode that is answered. */
export function answers({ store, live }: Studio): Hono {
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
async function worldShown(name: string, cwd: string, task: string | undefined): Promise<WorldShown> {
  if (!environmentNames.includes(nameOf({ id: name }))) throw new Fault('input', `There is no environment "${name.slice(0, 80)}".`);
  const world = await worldOf(name, cwd, 'folder');
  const seats = world.seats(world.task(task === undefined ? {} : parseJson(task)));
  const { id, about, knobs } = world;
  const standIns = Object.fromEntries(seats.map((one) => [one, opponent(world, one)]));
  return {
    name: nameOf(world),
    id,
    summary: about.summary,
    knobs,
    seats,
    castable: castable(world).filter((one) => one !== 'human' && one !== 'llm:MODEL'),
    standIns,
  };
}

/** Whoever gives the best game without a model: the stand-in of the seat, else the world's first player for any seat, else chance. */
function opponent(world: AnyEnvironment, seat: Seat): string {
  const own = standIn(world, seat);
  const [first] = Object.keys(world.scripts ?? {});
  return own !== 'random' || first === undefined ? own : `scripted:${first}`;
}

function playIn(body: JsonObject): PlayWanted {
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
