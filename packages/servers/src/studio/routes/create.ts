/** @file Routes of "Create": from a description to a draft of a persona or a scene, by a model or from templates. */

import { draftPersona, draftScene, gallery, parsePersona, readScene, slug } from '@ludus-agents/agents/internal/personas/index';
import { renamePersona, sceneTemplates, template } from '@ludus-agents/agents/internal/personas/templates';
import { deleteScene, ownScene, ownScenes, saveScene } from '@ludus-agents/agents/internal/workspace/user-documents';
import { Fault, type ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import { NotFound } from '../../app.ts';
import type { DraftRequest, DraftShown, SceneRead, SceneRequest, TemplatesShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { personaBy, sceneCast } from '../launch-scene.ts';
import { reply } from '../request.ts';
import { draftBody, sceneBody } from '../requests.ts';
import { standInKind } from '../seat-agents.ts';

export function create(studio: StudioContext) {
  const { place } = studio;
  return new Hono()
    .get('/templates', (call) => reply(call, templates()))
    .post('/persona', draftBody, async (call) => reply(call, await persona(studio, call.req.valid('json'), call.req.raw.signal)))
    .post('/scene', draftBody, async (call) => reply(call, await scene(studio, call.req.valid('json'), call.req.raw.signal)))
    .post('/scene/check', sceneBody, async (call) => reply(call, await checkScene(studio, call.req.valid('json'))))
    .get('/scenes', (call) => reply(call, ownScenes(place.cwd)))
    .get('/scenes/:key', (call) => {
      const ownedScene = ownScene(place.cwd, call.req.param('key'));
      if (ownedScene === null) throw new NotFound(`Scene "${call.req.param('key').slice(0, 60)}" not found.`);
      return reply(call, ownedScene);
    })
    .put('/scenes/:key', sceneBody, async (call) => {
      const wanted = call.req.valid('json').scene;
      await readScene(wanted, (name) => personaBy(studio.place.cwd, name));
      saveScene(place.cwd, call.req.param('key'), wanted);
      return reply(call, { key: call.req.param('key') });
    })
    .delete('/scenes/:key', (call) => {
      deleteScene(place.cwd, call.req.param('key'));
      return reply(call, {});
    });
}

function templates(): TemplatesShown {
  const personas = Object.entries(gallery).map(([key, { name, identity }]) => ({
    key,
    name,
    about: identity.social.occupation?.title ?? '',
  }));
  return {
    personas: [
      { key: blank, name: 'Blank', about: 'an empty form' },
      { key: '', name: 'Full example', about: 'every part of the form with an example to change' },
      ...personas,
    ],
    scenes: Object.entries(sceneTemplates).map(([key, jsonObject]) => ({
      key,
      name: String(jsonObject['name']),
      about: String(jsonObject['setting']),
    })),
  };
}

/** The empty template. */
const blank = 'blank';

async function persona(studio: StudioContext, request: DraftRequest, gone: AbortSignal): Promise<DraftShown> {
  const { model, name, like = '' } = request;
  if (model === undefined) {
    if (like === blank) return { document: parsePersona({ name: name ?? 'New character' }), by: null, calls: 0, cost: 0 };
    const original = Object.hasOwn(gallery, like) ? gallery[like]! : null;
    if (like !== '' && original === null) throw new NotFound(`Unknown persona "${like.slice(0, 60)}".`);
    const called = name ?? original?.name ?? 'Ann Archer';
    return { document: original === null ? template(called) : renamePersona(original, called), by: null, calls: 0, cost: 0 };
  }
  const description = `${descriptionIn(request)}${name === undefined ? '' : `\nThe name is ${name}.`}`;
  const draft = await draftPersona(await walletOf(studio.place).modelOf(model), description, { signal: gone });
  const named = name === undefined || draft.persona.name === name ? draft.persona : renamePersona(draft.persona, name);
  return { document: named, by: model, ...sumCost(draft.calls) };
}

async function scene(studio: StudioContext, request: DraftRequest, gone: AbortSignal): Promise<DraftShown> {
  const { model, like = Object.keys(sceneTemplates)[0]! } = request;
  if (model === undefined) {
    if (!Object.hasOwn(sceneTemplates, like)) throw new NotFound(`Unknown template "${like.slice(0, 60)}".`);
    return { document: sceneTemplates[like]!, by: null, calls: 0, cost: 0 };
  }
  const find = (name: string) => personaBy(studio.place.cwd, name);
  const draft = await draftScene(await walletOf(studio.place).modelOf(model), descriptionIn(request), find, { signal: gone });
  return { document: draft.scene, by: model, ...sumCost(draft.calls) };
}

/** A model writes from a description; a template needs none. */
function descriptionIn({ description }: DraftRequest): string {
  if (description === undefined)
    throw new Fault('input', 'The body: "description" must be a string of 1 to 8000 characters, but it is missing.');
  return description;
}

/** A scene as it would be played: by a model, or with the lines on each character's card. */
async function checkScene(studio: StudioContext, { scene: input, model }: SceneRequest): Promise<SceneRead> {
  const { name, task, personas } = await readScene(input, (wanted) => personaBy(studio.place.cwd, wanted));
  const people = Object.entries(personas);
  return {
    key: slug(name),
    seats: Object.fromEntries(people.map(([seat, { name: called }]) => [seat, called])),
    turns: task['turns'] as number,
    play: { environment: 'social-scene', task, cast: sceneCast(personas, model, standInKind), pace: model === undefined ? 600 : 0 },
  };
}

function sumCost(calls: readonly ModelCall[]): Pick<DraftShown, 'calls' | 'cost'> {
  const cost = calls.reduce<number | null>((sum, call) => (sum === null || call.cost === null ? null : sum + call.cost), 0);
  return { calls: calls.length, cost };
}
