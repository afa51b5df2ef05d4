/**
 * @file What stored records look like, as shapes. Imports refuse a record that does not, lists pass over it, `ludus doctor` names it. Each
 * function gives null, or what was expected and what came.
 *
 * Shapes of records are open: fields of later versions don't make a record unreadable.
 */

import { specFields } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { EpisodeRecord, Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Fields, Shape, ShapeProblem } from '@ludus-agents/kernel/internal/core/shape';
import {
  anything,
  choice,
  clausesOf,
  either,
  leaf,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  record,
  required,
  text,
  whole,
  withWords,
} from '@ludus-agents/kernel/internal/core/shape';

/** Records rarely nest deeply; a deeper value is not a record, and would overflow the stack of recursive code. */
export const deepest = 200;

const name: Shape<string> = leaf('a string', { type: 'string', minLength: 1 }, (value) => typeof value === 'string' && value !== '');
const anyObject: Shape<object> = leaf('an object', { type: 'object' }, isObject);
const texts = withWords('a list of strings', list(text));
const amounts = withWords('a number for each seat', record(number()));

type Open = Readonly<Record<string, unknown>>;

function open(fields: Readonly<Record<string, unknown>>): Shape<Open> {
  return object(fields as Fields<Open>, { open: true });
}

const spec = open({
  ...specFields,
  name: required(name),
  kind: required(name),
  tools: optional(texts),
  notes: optional(texts),
  texts: optional(withWords('an object of strings', record(text))),
});

const agent = either<unknown>('the name of an agent, or an object with "name" and "kind"', text, spec);
const cast = withWords('an object with an agent for each seat', record(agent));

const plan = open({
  environments: required(list(open({ environment: required(text), tasks: required(list(anything)) }))),
  seeds: required(
    either<unknown>('seeds, or "from" and "count"', list(whole(0)), open({ from: required(whole(0)), count: required(whole(0)) })),
  ),
  casts: required(list(cast)),
});

/** The fields that the page of each kind of work needs. */
const works: Readonly<Record<string, Shape<Open>>> = {
  train: open({ recipe: required(withWords('an object with a "name"', open({ name: required(text) }))), name: required(text) }),
  improve: open({ recipe: required(text), engine: required(text), budget: required(anyObject) }),
};

const anyWork = withWords('an object with a "kind"', open({ kind: required(text) }));
const work: Shape<unknown> = {
  ...anyWork,
  read(value, problems) {
    const { kind } = anyWork.read(value, problems) as { readonly kind?: string };
    return Object.hasOwn(works, kind ?? '') ? works[kind ?? '']?.read(value, problems) : value;
  },
};

const run = open({
  id: required(name),
  episodes: required(withWords('a non-negative integer', whole(0))),
  plan: required(plan),
  work: optional(work),
});

const score = open({ name: required(name), value: optional(withWords('a number or null', orNull(number()))) });

const versions = open({ environment: required(text), agents: required(withWords('a string for each seat', record(text))) });

const played = open({
  episode: required(name),
  environment: required(name),
  task: required(anything),
  seed: required(whole(0)),
  pace: required(number()),
  fork: optional(open({ episode: required(text), at: required(whole(0)) })),
  cast: required(cast),
});

const reasons: readonly EpisodeRecord['status'][] = ['over', 'limit', 'error', 'abort'];

const event = choice<object>('kind', {
  start: open({ environment: required(name), seats: required(texts), cast: required(withWords('an agent for each seat', record(text))) }),
  message: open({ to: required(withWords('a list of seats', list(text))), text: required(text) }),
  reward: open({ rewards: required(amounts) }),
  turn: open({ asks: required(list(open({ seat: required(text) }))) }),
  action: open({ seat: required(text), action: required(open({ text: required(text) })), calls: optional(list(anyObject)) }),
  end: open({
    reason: required(one(...reasons)),
    returns: required(amounts),
    turns: required(withWords('a non-negative integer', whole(0))),
  }),
});

export function runProblem(value: unknown): string | null {
  const problem = firstProblem(run, value, 'a run');
  const id = isObject(value) ? value['id'] : undefined;
  return problem === null || typeof id !== 'string' ? problem : `${problem}, in run "${id.slice(0, 80)}"`;
}

export function specProblem(value: unknown): string | null {
  return firstProblem(spec, value, 'an agent', 'an agent: ');
}

export function scoreProblem(value: unknown): string | null {
  return firstProblem(score, value, 'a score', 'a score: ');
}

/** The fingerprints of an episode. */
export function versionsProblem(value: unknown): string | null {
  return firstProblem(versions, value, 'the versions of an episode', 'the versions of an episode: ');
}

/** One event of a log, at its index. */
export function eventProblem(value: unknown, index: number): string | null {
  const kind = isObject(value) && typeof value['kind'] === 'string' ? `${value['kind'].slice(0, 40)}: ` : '';
  const problem = firstProblem(event, value, 'an event', kind);
  return problem === null ? null : `event ${index}: ${problem}`;
}

/** Whether a value certainly is an event. Handwritten, and several times as fast as by its shape; if it returns false, `eventProblem` decides. */
export function isUsualEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const event = value as Open;
  switch (event['kind']) {
    case 'start':
      return (
        isText(event['environment']) && event['environment'] !== '' && isListOf(event['seats'], isText) && isRecordOf(event['cast'], isText)
      );
    case 'message':
      return isText(event['text']) && isListOf(event['to'], isText);
    case 'turn':
      return isListOf(event['asks'], (ask) => isObject(ask) && isText(ask['seat']));
    case 'action':
      return (
        isText(event['seat']) &&
        isObject(event['action']) &&
        isText(event['action']['text']) &&
        (event['calls'] === undefined || isListOf(event['calls'], isObject))
      );
    case 'reward':
      return isRecordOf(event['rewards'], Number.isFinite);
    case 'end':
      return (
        reasons.includes(event['reason'] as EpisodeRecord['status']) &&
        isRecordOf(event['returns'], Number.isFinite) &&
        Number.isSafeInteger(event['turns']) &&
        (event['turns'] as number) >= 0
      );
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (!fits(value[i])) return false;
  return true;
}

function isRecordOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (!fits(value[key])) return false;
  return true;
}

/** Entries of the journals that pages and commands read. Unknown journals may contain any JSON. */
export function entryProblem(kind: string | undefined, journal: string, entry: Json): string | null {
  const text = `${kind ?? ''}/${journal}`;
  const called = `an entry of the journal "${journal}"`;
  if (text === 'studio/episodes') return firstProblem(played, entry, called, `${called}: `);
  if (!['train/metrics', 'train/weights', 'improve/candidates', 'improve/trials', 'improve/tried'].includes(text)) return null;
  return firstProblem(anyObject, entry, called);
}

/** True if a value nests deeper than a record may, checked on its JSON text: walking the parsed value takes many times as long. */
export function isTextTooDeep(json: string): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === quote) i = endOfText(json, i);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the text that opens at a place of some JSON closes: at a quote after an even number of backslashes. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return json.length;
}

/** The first problem, or null. `called` names the whole; `before` precedes positions inside it. */
function firstProblem(shape: Shape<unknown>, value: unknown, called: string, before = ''): string | null {
  const problems: ShapeProblem[] = [];
  shape.read(value, problems);
  const [clause] = clausesOf(problems.slice(0, 1), called);
  return clause === undefined ? null : `${problems[0]?.path.length === 0 ? '' : before}${clause}`;
}
