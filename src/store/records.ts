/**
 * @file Checks the form of stored records. Imports refuse a bad record, lists skip it, `ludus doctor` names it. Each function returns null,
 * or what was expected and what came.
 */

import type { EpisodeRecord, Json, JsonObject } from '../core/index.ts';

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Records are rarely nested deeply; a deeper one is refused, since it would overflow code that walks it. */
export const deepest = 200;

export function runProblem(run: unknown): string | null {
  if (!isJsonObject(run)) return expected('a run', 'an object', run);
  const { id, plan, episodes, work } = run;
  if (!isName(id)) return expected('"id" of a run', 'a text', id);
  if (!isCount(episodes)) return expected(`"episodes" of run "${brief(id)}"`, 'a whole number from 0', episodes);
  if (work !== undefined && (!isJsonObject(work) || typeof work['kind'] !== 'string'))
    return expected(`"work" of run "${brief(id)}"`, 'an object with a "kind"', work);
  const problem = planProblem(plan) ?? (work === undefined ? null : workProblem(work as JsonObject));
  return problem === null ? null : `${problem}, in run "${brief(id)}"`;
}

function planProblem(plan: unknown): string | null {
  if (!isJsonObject(plan)) return expected('"plan"', 'an object', plan);
  const { environments, seeds, casts } = plan;
  if (!Array.isArray(environments)) return expected('"plan.environments"', 'a list', environments);
  const odd = environments.find((one) => !isJsonObject(one) || typeof one['environment'] !== 'string' || !Array.isArray(one['tasks']));
  if (odd !== undefined) return expected('an environment of a plan', 'an object with "environment" and a list of "tasks"', odd);
  const counted = isJsonObject(seeds) && isCount(seeds['from']) && isCount(seeds['count']);
  if (!counted && !(Array.isArray(seeds) && seeds.every(isCount))) return expected('"plan.seeds"', 'seeds, or "from" and "count"', seeds);
  if (!Array.isArray(casts)) return expected('"plan.casts"', 'a list', casts);
  for (const cast of casts) {
    const problem = castProblem(cast);
    if (problem !== null) return problem;
  }
  return null;
}

/** A cast of specs and names, seat by seat. */
function castProblem(cast: unknown): string | null {
  if (!isJsonObject(cast)) return expected('a cast', 'an object with an agent for each seat', cast);
  for (const spec of Object.values(cast)) {
    const problem = typeof spec === 'string' ? null : specProblem(spec);
    if (problem !== null) return problem;
  }
  return null;
}

export function specProblem(spec: unknown): string | null {
  if (!isJsonObject(spec)) return expected('an agent', 'an object with "name" and "kind"', spec);
  for (const field of ['name', 'kind']) if (!isName(spec[field])) return expected(`"${field}" of an agent`, 'a text', spec[field]);
  for (const field of ['model', 'parent'])
    if (spec[field] !== undefined && typeof spec[field] !== 'string') return expected(`"${field}" of an agent`, 'a text', spec[field]);
  for (const field of ['tools', 'notes'])
    if (spec[field] !== undefined && !isTexts(spec[field])) return expected(`"${field}" of an agent`, 'a list of texts', spec[field]);
  const { texts, settings } = spec;
  if (texts !== undefined && !(isJsonObject(texts) && isTexts(Object.values(texts))))
    return expected('"texts" of an agent', 'an object of texts', texts);
  return settings === undefined || isJsonObject(settings) ? null : expected('"settings" of an agent', 'an object', settings);
}

/** What a page of a kind of work needs to be shown. */
function workProblem(work: JsonObject): string | null {
  if (work['kind'] === 'train') {
    const { recipe, name } = work;
    if (!isJsonObject(recipe) || typeof recipe['name'] !== 'string') return expected('"work.recipe"', 'an object with a "name"', recipe);
    return typeof name === 'string' ? null : expected('"work.name"', 'a text', name);
  }
  if (work['kind'] !== 'improve') return null;
  for (const field of ['recipe', 'engine']) if (typeof work[field] !== 'string') return expected(`"work.${field}"`, 'a text', work[field]);
  return isJsonObject(work['budget']) ? null : expected('"work.budget"', 'an object', work['budget']);
}

/** Entries of the journals that pages and commands read. Unknown journals may hold any JSON. */
export function entryProblem(work: string | undefined, journal: string, entry: Json): string | null {
  const known = `${work ?? ''}/${journal}`;
  if (known === 'studio/episodes') return playedProblem(entry);
  if (!['train/metrics', 'train/weights', 'improve/candidates', 'improve/trials', 'improve/tried'].includes(known)) return null;
  return isJsonObject(entry) ? null : expected(`an entry of the journal "${journal}"`, 'an object', entry);
}

function playedProblem(entry: Json): string | null {
  if (!isJsonObject(entry)) return expected('an entry of the journal "episodes"', 'an object', entry);
  const { episode, environment, task, seed, cast, pace, fork } = entry;
  for (const [name, value] of Object.entries({ episode, environment }))
    if (!isName(value)) return expected(`"${name}" of a played episode`, 'a text', value);
  if (!isCount(seed) || typeof pace !== 'number' || task === undefined)
    return expected('a played episode', 'an object with "task", "seed" and "pace"', entry);
  if (fork !== undefined && !(isJsonObject(fork) && typeof fork['episode'] === 'string' && isCount(fork['at'])))
    return expected('"fork" of a played episode', 'an object with "episode" and "at"', fork);
  return castProblem(cast);
}

export function scoreProblem(score: unknown): string | null {
  if (!isJsonObject(score)) return expected('a score', 'an object', score);
  if (!isName(score['name'])) return expected('"name" of a score', 'a text', score['name']);
  const { value } = score;
  return value === undefined || value === null || Number.isFinite(value) ? null : expected('"value" of a score', 'a number or null', value);
}

const reasons: readonly string[] = ['over', 'limit', 'error', 'abort'] satisfies EpisodeRecord['status'][];

/** One event of a log, at its index. */
export function eventProblem(event: unknown, index: number): string | null {
  const problem = isJsonObject(event) ? bodyProblem(event) : expected('an event', 'an object', event);
  return problem === null ? null : `event ${index}: ${problem}`;
}

function bodyProblem(event: JsonObject): string | null {
  switch (event['kind']) {
    case 'start': {
      const { environment, seats, cast } = event;
      if (!isName(environment)) return expected('"environment"', 'a text', environment);
      if (!isTexts(seats)) return expected('"seats"', 'a list of texts', seats);
      return isJsonObject(cast) && isTexts(Object.values(cast)) ? null : expected('"cast"', 'an agent for each seat', cast);
    }
    case 'message':
      if (!isTexts(event['to'])) return expected('"to" of a message', 'a list of seats', event['to']);
      return typeof event['text'] === 'string' ? null : expected('"text" of a message', 'a text', event['text']);
    case 'reward':
      return isAmounts(event['rewards']) ? null : expected('"rewards"', 'a number for each seat', event['rewards']);
    case 'turn': {
      const { asks } = event;
      const fine = Array.isArray(asks) && asks.every((ask) => isJsonObject(ask) && typeof ask['seat'] === 'string');
      return fine ? null : expected('"asks" of a turn', 'a list of objects with a "seat"', asks);
    }
    case 'action': {
      const { seat, action, calls } = event;
      if (typeof seat !== 'string') return expected('"seat" of an action', 'a text', seat);
      if (!isJsonObject(action) || typeof action['text'] !== 'string') return expected('"action"', 'an object with a "text"', action);
      return calls === undefined || (Array.isArray(calls) && calls.every(isJsonObject)) ? null : expected('"calls"', 'a list', calls);
    }
    case 'end': {
      const { reason, returns, turns } = event;
      if (!reasons.includes(reason as string)) return expected('"reason" of an end', `one of ${reasons.join(', ')}`, reason);
      if (!isAmounts(returns)) return expected('"returns"', 'a number for each seat', returns);
      return isCount(turns) ? null : expected('"turns"', 'a whole number from 0', turns);
    }
    default:
      return expected('"kind" of an event', 'start, message, reward, turn, action or end', event['kind']);
  }
}

/** True when a value nests deeper than a record may; walked without recursion. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function expected(what: string, wanted: string, came: unknown): string {
  const text = isTooDeep(came) ? 'something nested too deep' : (JSON.stringify(came) ?? 'nothing');
  return `${what} must be ${wanted}, but came as ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isAmounts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((one) => Number.isFinite(one));
}

function brief(id: unknown): string {
  return String(id).slice(0, 80);
}
