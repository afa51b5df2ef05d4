/** @file A saved scene or template as a plan: the same characters and setting for each seed. */

import { addresseeText, gallery, type Persona, parsePersona, readScene, slug } from '@ludus-agents/agents/internal/personas/index';
import { sceneTemplates } from '@ludus-agents/agents/internal/personas/templates';
import { ownPersona, ownScene, ownScenes } from '@ludus-agents/agents/internal/workspace/user-documents';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AgentSpec, Fault, type Plan } from '@ludus-agents/kernel/internal/core/index';
import { readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import { NotFound } from '../app.ts';
import { ownDocument, ownFiles } from './own-files.ts';

/** Scenes by name; the user's override the templates. */
export function listScenes(cwd: string): readonly { readonly name: string; readonly about: string }[] {
  const templates = Object.entries(sceneTemplates).map(([name, scene]) => ({ name, about: String(scene['setting']) }));
  return [...ownScenes(cwd).map((name) => ({ name, about: 'your scene' })), ...ownFiles(cwd).scenes, ...templates];
}

/** A gallery character, a user's character, or a file that the folder lists: a page must not access other files of this machine. */
export async function personaBy(cwd: string, name: string): Promise<Persona> {
  const document = ownDocument(cwd, 'personas', name);
  const persona = document !== null ? parsePersona(document) : Object.hasOwn(gallery, name) ? gallery[name] : ownPersona(cwd, slug(name));
  if (persona === null || persona === undefined)
    throw new Fault('input', `Unknown persona "${name.slice(0, 60)}".`, { code: 'E_UNKNOWN_NAME' });
  return persona;
}

interface SceneWanted {
  readonly scene: string;
  readonly model: string | undefined;
  readonly seeds: number;
  readonly from: number;
}

export async function scenePlan(cwd: string, { scene, model, seeds, from }: SceneWanted): Promise<{ plan: Plan; title: string }> {
  const document =
    ownDocument(cwd, 'scenes', scene) ?? ownScene(cwd, scene) ?? (Object.hasOwn(sceneTemplates, scene) ? sceneTemplates[scene] : undefined);
  if (document === null || document === undefined)
    throw new NotFound(
      `Unknown scene "${scene.slice(0, 60)}". Available: ${listScenes(cwd)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  const { name, task, personas } = await readScene(document, (wanted) => personaBy(cwd, wanted));
  const cast = sceneCast(personas, model, 'scripted:character');
  const environment = await builtInEnvironment('social-scene');
  // A scene may have a narrator without a card.
  const seats = environment.seats(environment.task(task)).filter((seat) => !Object.hasOwn(cast, seat));
  const others = Object.fromEntries(seats.map((seat) => [seat, 'scripted:narrator']));
  const written = {
    environments: [{ environment: 'social-scene', tasks: [task] }],
    seeds: { from, count: seeds },
    casts: [{ ...cast, ...others }],
  };
  const plan = readPlan(written, 'The form');
  // The run is listed under the name of its scene.
  return { plan: { name: `scene-${slug(name)}-${runId(plan).slice(0, 8)}`, ...plan }, title: `The scene ${name}` };
}

/** The players of the characters: a model, or an agent of the given kind with the lines on each card. */
export function sceneCast(
  personas: Readonly<Record<string, Persona>>,
  model: string | undefined,
  kind: string,
): Readonly<Record<string, AgentSpec>> {
  const people = Object.entries(personas);
  return Object.fromEntries(
    people.map(([seat, persona]): [string, AgentSpec] => {
      const others = people.flatMap(([other, document]) => (other === seat ? [] : [document]));
      const user = addresseeText(others);
      if (model === undefined) return [seat, { name: persona.name, kind, persona, settings: { user, group: true } }];
      return [seat, { name: persona.name, kind: 'llm', model, persona, settings: { others, user } }];
    }),
  );
}
