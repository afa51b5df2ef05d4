/**
 * @file Scenes drafted by a language model from recalled facts. It was trained on the form of a draft with other places, with and
 * without facts. Options: facts ("own", "none", or "other": those of another place), model ("taught", or "expert" for a ceiling),
 * server, seed. Prints the share of requested facts that the scene states correctly, and the number of recalled passages.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFault, type Json, type Model, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { draft } from '../../packages/ludus-agents/src/library/characters.ts';
import type { ProgramOptions } from '../arms.ts';
import { apprenticeModel, expertModel } from './_apprentice.ts';
import { type Lesson, taught } from './_taught.ts';

const objects =
  'bell well gate bridge mill tower clock harbor market inn road chapel fountain school bakery stable garden wall barn quay orchard forge'.split(
    ' ',
  );
const states = 'cracked dry red flooded haunted closed golden crooked new burned hidden empty guarded silent painted broken'.split(' ');
const syllables = ['ar', 'bel', 'cor', 'dun', 'el', 'fen', 'gar', 'hol', 'ir', 'jar', 'kel', 'lo', 'mun', 'nor'];

interface Place {
  readonly name: string;
  readonly state: ReadonlyMap<string, string>;
  readonly wanted: readonly string[];
}

export default async function run({ facts = 'own', model = 'taught', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-scenes-'));
  try {
    const random = rng(Number(seed), 'fresh places');
    const places = Array.from({ length: 60 }, () => placeOf(random));
    const lessons = () => practice(rng(Number(seed), 'places'), folder);
    const apprentice =
      model === 'expert'
        ? null
        : apprenticeModel(
            await taught({ key: 'scenes', server: String(server), seed: Number(seed), lessons, steps: 120, answer: 160 }),
            scenePrompt,
          );
    const scenes = await Promise.all(
      places.map(async (place, i) => {
        const source = facts === 'none' ? null : facts === 'other' ? places[(i + 1) % places.length] : place;
        return sceneFor(place, source, folder, apprentice ?? expertFor(place, source, random, []));
      }),
    );
    const right = scenes.reduce((sum, scene) => sum + scene.right, 0) / (3 * scenes.length);
    const recalledCount = scenes.reduce((sum, { recalled }) => sum + recalled, 0);
    return { right, recalled: recalledCount, drafted: scenes.filter(({ drafted }) => drafted).length / scenes.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function placeOf(random: Rng): Place {
  const name = Array.from({ length: 3 }, () => random.pick(syllables)).join('');
  return {
    name: `${name[0].toUpperCase()}${name.slice(1)}`,
    state: new Map(objects.map((object) => [object, random.pick(states)])),
    wanted: random.shuffle(objects).slice(0, 3),
  };
}

async function practice(random: Rng, folder: string): Promise<readonly Lesson[]> {
  const lessons: Lesson[] = [];
  for (let i = 0; i < 500; i++) {
    const place = placeOf(random);
    const source = i % 2 === 0 ? place : null;
    await sceneFor(place, source, folder, expertFor(place, source, random, lessons));
  }
  return lessons;
}

/** Writes what the facts say of the things that are wanted, and invents where they say nothing. */
function expertFor({ name, wanted }: Place, source: Place | null, random: Rng, lessons: Lesson[]): Model {
  const sentences = wanted.map((object) => `The ${object} is ${source?.state.get(object) ?? random.pick(states)}.`);
  const scene = {
    name: `Quarrel in ${name}`,
    setting: `They meet in ${name}. ${sentences.join(' ')}`,
    topic: `the ${wanted.join(', the ')}`,
    characters: [{ persona: 'villain' }, { persona: 'innkeeper' }],
  };
  return expertModel(() => JSON.stringify(scene), lessons, scenePrompt);
}

/** The JSON Schema in the system's message is longer than what the model can read. */
function scenePrompt({ messages }: Prompt): Prompt {
  return { messages: messages.filter(({ role }) => role !== 'system') };
}

async function sceneFor({ name, state, wanted }: Place, source: Place | null, folder: string, model: Model) {
  const file = `${source?.name ?? 'none'}.md`;
  if (source !== null)
    writeFileSync(join(folder, file), [...source.state].map(([object, now]) => `- The ${object} of ${source.name} is ${now}.`).join('\n'));
  const about = `A quarrel about the ${wanted.join(', the ')} of ${name}`;
  const request = { about, cast: ['villain', 'innkeeper'], facts: source === null ? [] : [file], most: 6, model, cwd: folder };
  try {
    const { scene, recalled } = await draft(request);
    const setting = String(scene['setting']);
    const right = wanted.filter((object) => setting.includes(`The ${object} is ${state.get(object)}.`)).length;
    return { right, recalled: recalled.filter(({ kind }) => kind === 'fact').length, drafted: true };
  } catch (thrown) {
    if (!isFault(thrown) || thrown.boundary !== 'model') throw thrown;
    return { right: 0, recalled: 0, drafted: false };
  }
}
