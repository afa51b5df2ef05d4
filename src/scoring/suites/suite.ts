/**
 * @file A suite is a benchmark as data: scenes (environment, tasks, the seat under test, its opponents), seeds, scorers, and null agents.
 *
 * Null agents do not try: what they get is the floor, and it is played, not assumed. In a log the agents that a suite puts on the other
 * seats are named "house:…", so that the log alone shows who was under test.
 */

import { type AgentSpec, type Cast, Fault, hash, type Json, type JsonObject, type Seat } from '../../core/index.ts';
import { gallery } from '../../personas/index.ts';

export type SuiteScene = {
  /** Names the scene in tables; the environment's name by default. */
  readonly name: string;
  readonly environment: string;
  readonly tasks: readonly Json[];
  /** The places that are tested one after the other; a list of seats is taken by the same agent together. */
  readonly seats: readonly (Seat | readonly Seat[])[];
  /** The agents on the other seats; "*" means all not named. */
  readonly others: Readonly<Record<Seat, string>>;
  /** The scorer that decides. */
  readonly score: string;
  /** The values of it that count as 0 and as 1. */
  readonly scale: readonly [number, number];
  /** From this value of it on, an episode is passed. */
  readonly pass: number;
  /**
   * Which kind of agent plays under a name in this environment, where that is not its own: null agents, and "scripted" where it could be
   * several.
   */
  readonly kinds: Readonly<Record<string, string>>;
  /** A persona by the id of one in the gallery, or in full; agents that can, play it. */
  readonly personas: Readonly<Record<Seat, Json>>;
  /** Other scorers whose values are shown too. */
  readonly also: readonly string[];
  /** What the scorers may know besides. */
  readonly reference: Json;
};

/** A benchmark: scenes with their tasks, seats and scorers, and the agents that do not try. */
export type Suite = {
  readonly name: string;
  readonly version: number;
  readonly about: string;
  /** How often every task is played by every agent on every tested place. */
  readonly seeds: number;
  /** Tries of which all must succeed, for pass^k. */
  readonly k: readonly number[];
  /** Agents that do not try. */
  readonly nulls: readonly string[];
  readonly scenes: readonly SuiteScene[];
};

/** A scene as it is written: what is left out has a default. */
export type SceneInput = Pick<SuiteScene, 'environment' | 'seats'> & Partial<SuiteScene>;
export type SuiteInput = Pick<Suite, 'name' | 'about' | 'nulls'> &
  Partial<Omit<Suite, 'scenes'>> & { readonly scenes: readonly SceneInput[] };

/** Tries of which all must succeed, by default. */
export const usualTries: readonly number[] = [1, 2, 4];

/** A suite with its defaults filled in. */
export function suite(input: SuiteInput): Suite {
  const { version = 1, seeds = 20, k = usualTries, scenes, ...rest } = input;
  return { version, seeds, k, ...rest, scenes: scenes.map(sceneOf) };
}

function sceneOf(input: SceneInput): SuiteScene {
  const scale = input.scale ?? [0, 1];
  const filled = { tasks: [{}], others: {}, score: 'return', pass: scale[1], kinds: {}, personas: {}, also: [], reference: {} };
  return { name: input.environment, ...filled, ...input, scale };
}

const suiteFields = ['name', 'version', 'about', 'seeds', 'k', 'nulls', 'scenes'];
const sceneFields = 'name environment tasks seats others score scale pass kinds personas also reference'.split(' ');

/** Reads a suite from outside; a mistake is reported in a sentence with its place. */
export function readSuite(input: Json): Suite {
  const given = fields(input, 'a suite', suiteFields);
  need(typeof given['name'] === 'string' && /^[\w.-]{1,60}$/.test(given['name']), 'name', 'letters, digits, dots or dashes', given['name']);
  need(given['about'] === undefined || typeof given['about'] === 'string', 'about', 'a text', given['about']);
  for (const field of ['seeds', 'version'])
    need(given[field] === undefined || isCount(given[field]), field, 'a whole number above 0', given[field]);
  need(given['k'] === undefined || isList(given['k'], isCount), 'k', 'a list like [1, 2, 4]', given['k']);
  need(isList(given['nulls'], isText), 'nulls', 'a list like ["random"]: at least one agent that does not try', given['nulls']);
  need(isList(given['scenes'], isThing), 'scenes', 'a list of scenes', given['scenes']);
  for (const [i, scene] of (given['scenes'] as readonly Json[]).entries()) checkScene(scene, `scenes[${i}]`);
  const names = (given['scenes'] as readonly JsonObject[]).map(({ name, environment }) => name ?? environment);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new Fault('input', `The suite has two scenes named ${JSON.stringify(twice)}; give each a "name" of its own.`);
  return suite({ about: '', ...given } as unknown as SuiteInput);
}

function checkScene(input: Json, where: string): void {
  const scene = fields(input, where, sceneFields);
  const check = (field: string, fine: (value: Json) => boolean, expected: string) => {
    const value = scene[field];
    need(value === undefined || fine(value), `${where}.${field}`, expected, value);
  };
  need(isText(scene['environment']), `${where}.environment`, 'the name of an environment', scene['environment']);
  const seat = (value: Json) => isText(value) || isList(value, isText);
  need(isList(scene['seats'], seat), `${where}.seats`, 'the seats under test, like ["first", "second"]', scene['seats']);
  check('name', isText, 'a text');
  check('tasks', (value) => isList(value, () => true), 'a list of tasks like [{}]');
  check('others', (value) => isThing(value) && Object.values(value as JsonObject).every(isText), 'an agent for each seat, or for "*"');
  check('kinds', (value) => isThing(value) && Object.values(value as JsonObject).every(isText), 'a kind of agent for each name');
  check('personas', isThing, 'a persona for each seat that has one');
  check('score', isText, 'the name of a scorer');
  check('also', (value) => Array.isArray(value) && value.every(isText), 'names of scorers');
  check('pass', isNumber, 'a number');
  check('scale', (value) => isList(value, isNumber) && isSpan(value as readonly number[]), 'two numbers, the lower first');
}

function fields(input: Json | undefined, where: string, known: readonly string[]): JsonObject {
  need(isThing(input), where, 'an object', input);
  const unknown = Object.keys(input as JsonObject).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Fault('input', `The suite has an unknown field "${unknown}" in ${where}; it may have ${known.join(', ')}.`);
  return input as JsonObject;
}

function need(fine: boolean, where: string, expected: string, found: Json | undefined): void {
  const came = found === undefined ? 'is missing' : `is ${JSON.stringify(found).slice(0, 80)}`;
  if (!fine) throw new Fault('input', `The suite needs ${expected} at ${where}, but it ${came}.`);
}

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: Json | undefined): boolean => typeof value === 'number';
const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const isThing = (value: Json | undefined): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isSpan = ([low, high, more]: readonly number[]): boolean => high !== undefined && more === undefined && (low as number) < high;

function isList(value: Json | undefined, each: (item: Json) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(each);
}

/** The run that a suite is played into. More seeds or other agents add to it; another wording of the suite is another run. */
export function suiteRun(played: Suite): string {
  const { seeds: _, k: __, about: ___, ...decides } = played;
  return `${played.name}-${hash(decides as unknown as Json).slice(0, 8)}`;
}

/** The persona documents of a scene, those of the gallery looked up. */
export function personasOf({ personas }: SuiteScene): Readonly<Record<Seat, Json>> {
  return Object.fromEntries(
    Object.entries(personas).map(([seat, given]) => {
      if (typeof given !== 'string') return [seat, given];
      const persona = Object.hasOwn(gallery, given) ? gallery[given] : undefined;
      if (persona === undefined)
        throw new Fault('input', `There is no persona "${given}" in the gallery; there are ${Object.keys(gallery).join(', ')}.`);
      return [seat, persona as unknown as Json];
    }),
  );
}

const house = 'house:';

/** Does the name belong to an agent that a suite put on a seat? */
export function isBuiltInAgent(agent: string): boolean {
  return agent.startsWith(house);
}

/** The casts of a scene: each candidate on each tested seat, the suite's own agents on the others. */
export function castsOf(scene: SuiteScene, candidates: readonly AgentSpec[]): readonly Cast[] {
  const personas = personasOf(scene);
  const others = Object.fromEntries(Object.entries(scene.others).map(([seat, kind]) => [seat, { name: `${house}${kind}`, kind }]));
  return candidates.flatMap((candidate) =>
    scene.seats.map((place): Cast => {
      const seats = typeof place === 'string' ? [place] : place;
      const mine = { ...candidate, kind: scene.kinds[candidate.name] ?? candidate.kind };
      const seated = seats.map((seat) => [seat, personas[seat] === undefined ? mine : { ...mine, persona: personas[seat] as Json }]);
      return { ...others, ...Object.fromEntries(seated) };
    }),
  );
}
