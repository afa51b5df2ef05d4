/**
 * @file A trained language model answers questions from the notes that a mechanism selects. Options: ground, by (the arm of that
 * ground), hops, server ("URL#MODEL" or "transformer"), seed. Prints the share of right answers, the share of notes that contain the
 * answer, and how often the mechanism acted.
 */

import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { choiceItems, layerItems, traitItems } from './_characters.ts';
import { completeShare, type ReadingItem, type ReadingItems, rightShare } from './_reading.ts';
import { searchItems } from './_tool-window.ts';
import { digestItems } from './digests.ts';
import { chronicleItems } from './entities.ts';
import { moodItems } from './moods.ts';
import { profileItems } from './profile.ts';
import { routingItems } from './routing.ts';
import { planItems } from './task-graph.ts';

interface Ground {
  /** The arms that the reader is taught on. */
  readonly arms: readonly string[];
  /** Items of an arm; a lesson's size or a test's. */
  readonly items: (random: Rng, by: string, size: 'lesson' | 'test', hops: number) => ReadingItems | Promise<ReadingItems>;
}

const grounds: Readonly<Record<string, Ground>> = {
  chronicle: {
    arms: ['graph', 'register', 'words'],
    items: (random, by, size, hops) => chronicleItems(random, { by, hops, count: size === 'lesson' ? 4 : 100 }),
  },
  profile: { arms: ['profile', 'latest'], items: (random, by, size) => profileItems(random, { by, users: size === 'lesson' ? 1 : 10 }) },
  routing: {
    arms: ['routed', 'window', 'random'],
    items: (random, by, size) => routingItems(random, { by, trials: size === 'lesson' ? 1 : 25 }),
  },
  digests: {
    arms: ['digests', 'cut', 'random'],
    items: (random, by, size) => digestItems(random, { by, count: size === 'lesson' ? 2 : 60 }),
  },
  moods: {
    arms: ['mood', 'topic', 'shuffled mood'],
    items: (random, by, size) => moodItems(random, { by, count: size === 'lesson' ? 4 : 60 }),
  },
  plans: { arms: ['marks', 'edges'], items: (random, by, size) => planItems(random, { view: by, plans: size === 'lesson' ? 1 : 30 }) },
  layers: {
    arms: ['all', 'social', 'personal', 'context'],
    items: (random, by, size) => layerItems(random, { by, people: size === 'lesson' ? 1 : 30 }),
  },
  choices: { arms: ['full', 'without'], items: (random, by, size) => choiceItems(random, { by, people: size === 'lesson' ? 1 : 30 }) },
  traits: { arms: ['inferred'], items: (random, by, size) => traitItems(random, { by, writers: size === 'lesson' ? 1 : 24 }) },
  search: { arms: ['results', 'turns'], items: (random, by, size) => searchItems(random, { by, searches: size === 'lesson' ? 1 : 30 }) },
};

export default async function run({ ground = 'chronicle', by = 'graph', hops = 2, server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const { items, acted } = await grounds[String(ground)].items(rng(Number(seed), 'reader test', ground), String(by), 'test', Number(hops));
  const material = () => lessonMaterial(rng(Number(seed), 'reader lessons'));
  const right = await rightShare(items, { server: String(server), seed: Number(seed), material });
  return { right, complete: completeShare(items), acted };
}

/** Items of all grounds and arms. */
async function lessonMaterial(random: Rng): Promise<readonly ReadingItem[]> {
  const list = Object.values(grounds);
  const material: ReadingItem[] = [];
  for (let i = 0; i < 100 * list.length; i++) {
    const { arms, items } = list[i % list.length];
    material.push(...(await items(random, random.pick(arms), 'lesson', 1 + random.int(2))).items);
  }
  return material;
}
