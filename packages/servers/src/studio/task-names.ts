/** @file The display name of a task: its name, the first words of its question, its kind, or its index in the scene. */

import type { ScoreRow } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { type EpisodeRecord, readEpisodes, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/json';

interface TaskRows {
  readonly task: string;
  readonly scene: string;
  readonly own: readonly ScoreRow[];
}

/** One unique name for each task of a scene; a single task needs none. */
export async function nameTasks(tasks: readonly TaskRows[], store: Store): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [, ofScene] of Map.groupBy(tasks, ({ scene }) => scene)) {
    const titles = await Promise.all(
      ofScene.map(async ({ own }) => titleOf(own[0] === undefined ? null : ((await store.episode(own[0].episode))?.task ?? null))),
    );
    for (const [i, { task }] of ofScene.entries()) {
      const title = titles[i] ?? null;
      const same = titles.filter((other) => other === title).length;
      const place = titles.slice(0, i + 1).filter((other) => other === title).length;
      if (title === null) names.set(task, ofScene.length === 1 ? '' : `task ${place}`);
      else names.set(task, same === 1 ? title : `${title} (${place})`);
    }
  }
  return names;
}

/** The title of each episode: that of its task, else the first words said to the character, as in attacks and probes. */
export async function titleEpisodes(store: Store, records: readonly EpisodeRecord[]): Promise<ReadonlyMap<string, string | null>> {
  const titles = new Map(records.map(({ id, task }) => [id, titleOf(task)]));
  const talks = records.filter(({ id, environment }) => titles.get(id) === null && environment.startsWith('chat@'));
  const ids = talks.map(({ id }) => id);
  for (const [id, { events }] of await readEpisodes(store, ids, { events: true })) {
    const first = events.find((event) => event.kind === 'action' && event.seat === 'user');
    if (first?.kind === 'action' && first.action.text.trim() !== '') titles.set(id, firstWords(first.action.text.trim(), 24, 160));
  }
  return titles;
}

const [mostWords, mostLetters] = [8, 80];

function titleOf(task: Json): string | null {
  if (!isObject(task)) return null;
  const { world } = task;
  if (isObject(world) && isObject(world['source']) && isObject(world['task'])) {
    const { id } = world['task'];
    // Files number their conversations from 0, people from 1.
    return typeof id === 'number' ? `conversation ${id + 1}` : titleOf(world['task']);
  }
  const about = isObject(task['case']) ? task['case'] : task;
  const name = textIn(task, ['name', 'title', 'case']) ?? textIn(about, ['name', 'title', 'id']);
  // "task 4" or "case-4" is an index, not a name.
  if (name !== null && !/^(?:task|case)?[-_ #]?\d+$/i.test(name)) return name;
  const request = requestIn(about);
  if (request !== null) return firstWords(request);
  const kind = textIn(about, ['kind', 'level', 'map', 'world', 'customer']);
  if (kind === null) return name;
  return typeof about['number'] === 'number' ? `${kind} ${about['number'] + 1}` : kind;
}

function requestIn(about: JsonObject): string | null {
  const first = Array.isArray(about['says']) ? about['says'][0] : undefined;
  const opening = isObject(first) ? textIn(first, ['say'], 2000) : null;
  return opening ?? textIn(about, ['request', 'question', 'prompt', 'instruction', 'goal'], 2000);
}

function textIn(data: JsonObject, fields: readonly string[], longest = mostLetters): string | null {
  for (const field of fields) {
    const text = data[field];
    if (typeof text === 'string' && text.trim() !== '' && text.length <= longest) return text.trim();
  }
  return null;
}

function firstWords(text: string, most = mostWords, letters = mostLetters): string {
  const words = text.split(/\s+/);
  const start = words.slice(0, most).join(' ').slice(0, letters);
  return `“${start}${words.length > most ? ' …' : ''}”`;
}
