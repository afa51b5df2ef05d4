/** @file A saved scene, or one of the templates, as a plan: the same characters and setting, once for each seed. */

import { gallery, type Persona, readScene, slug } from '@ludus-agents/agents/internal/personas/index';
import { sceneTemplates } from '@ludus-agents/agents/internal/personas/templates';
import { ownPersona, ownScene, ownScenes } from '@ludus-agents/agents/internal/workspace/user-documents';
import { type AgentSpec, Fault, type Json, type Plan } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { NotFound } from '../app.ts';
import { standInKind } from './seat-agents.ts';

/** Scenes by name, the user's before the templates. */
export function listScenes(cwd: string): readonly { readonly name: string; readonly about: string }[] {
  const templates = Object.entries(sceneTemplates).map(([name, scene]) => ({ name, about: String(scene['setting']) }));
  return [...ownScenes(cwd).map((name) => ({ name, about: 'your scene' })), ...templates];
}

/** Of the gallery or the user's: a page has no business with other files of this machine. */
export async function personaBy(cwd: string, name: string): Promise<Persona> {
  const persona = Object.hasOwn(gallery, name) ? gallery[name] : ownPersona(cwd, slug(name));
  if (persona === null || persona === undefined)
    throw new Fault('input', `There is no persona "${name.slice(0, 60)}" here or in the gallery.`);
  return persona;
}

interface SceneWanted {
  readonly scene: string;
  readonly model: string | undefined;
  readonly seeds: number;
  readonly from: number;
}

export async function scenePlan(cwd: string, { scene, model, seeds, from }: SceneWanted): Promise<{ plan: Plan; title: string }> {
  const document = ownScene(cwd, scene) ?? (Object.hasOwn(sceneTemplates, scene) ? sceneTemplates[scene] : undefined);
  if (document === null || document === undefined)
    throw new NotFound(
      `There is no scene "${scene.slice(0, 60)}"; there are ${listScenes(cwd)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  const { name, task, personas } = await readScene(document, (wanted) => personaBy(cwd, wanted));
  const cast = sceneCast(personas, model);
  const written = { environments: [{ environment: 'social-scene', tasks: [task] }], seeds: { from, count: seeds }, casts: [cast] };
  return { plan: readPlan(written as unknown as Json, 'The form'), title: `The scene ${name}` };
}

/** Who plays the characters: a model, or each in the lines on its card. */
export function sceneCast(personas: Readonly<Record<string, Persona>>, model: string | undefined): Readonly<Record<string, AgentSpec>> {
  const people = Object.entries(personas);
  return Object.fromEntries(
    people.map(([seat, persona]): [string, AgentSpec] => {
      if (model === undefined) return [seat, { name: persona.name, kind: standInKind, persona }];
      const others = people.flatMap(([other, document]) => (other === seat ? [] : [document]));
      return [seat, { name: persona.name, kind: 'llm', model, persona, settings: { others } }];
    }),
  );
}
