/**
 * @file A suite is a benchmark as data: scenes (environment, tasks, the seat under test, its opponents), seeds, scorers, and null agents.
 *
 * Null agents do not try: their score is the floor, and it is played, not assumed. In a log, the agents that a suite puts on the other
 * seats are named "house:…", so the log alone shows which agents were under test.
 */

import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { type AgentSpec, type Cast, Fault, hash, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  either,
  list,
  number,
  object,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  text,
  whole,
  withDefault,
  withRule,
  withWords,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';

export type SuiteScene = {
  /** Names the scene in tables; the environment's name by default. */
  readonly name: string;
  readonly environment: string;
  readonly tasks: readonly Json[];
  /** The seats that are tested one after the other; the same agent takes all seats of a nested list. */
  readonly seats: readonly (Seat | readonly Seat[])[];
  /** The agents on the other seats; "*" means all unnamed ones. */
  readonly others: Readonly<Record<Seat, string>>;
  /** The scorer that decides. */
  readonly score: string;
  /** Its values that count as 0 and as 1. */
  readonly scale: readonly [number, number];
  /** An episode passes from this value on. */
  readonly pass: number;
  /**
   * Which kind of agent plays under a name in this environment, where that is not its own: null agents, and "scripted" where it could be
   * several.
   */
  readonly kinds: Readonly<Record<string, string>>;
  /** A persona by the id of one in the gallery, or in full; agents that can, play it. A list of them is played one after the other. */
  readonly personas: Readonly<Record<Seat, Json>>;
  /** Other scorers whose values are also shown. */
  readonly also: readonly string[];
  /** Additional data for the scorers. */
  readonly reference: Json;
};

/** A benchmark: scenes with their tasks, seats and scorers, and trivial baselines. */
export type Suite = {
  readonly name: string;
  readonly version: number;
  readonly about: string;
  /** The number of tries of every task by every agent on every tested seat. */
  readonly seeds: number;
  /** The number of tries that must all succeed, for pass^k. */
  readonly k: readonly number[];
  /** The null agents. */
  readonly nulls: readonly string[];
  readonly scenes: readonly SuiteScene[];
};

/** A scene as written; omitted fields have defaults. */
export type SceneInput = Pick<SuiteScene, 'environment' | 'seats'> & Partial<SuiteScene>;
export type SuiteInput = Pick<Suite, 'name' | 'about' | 'nulls'> &
  Partial<Omit<Suite, 'scenes'>> & { readonly scenes: readonly SceneInput[] };

/** The default number of tries that must all succeed. */
export const usualTries: readonly number[] = [1, 2, 4];

const name = pattern('letters, digits, dots, or dashes', /^[\w.-]{1,60}$/);
const count = withWords('a positive integer', whole(1));
const seat = either<Seat | readonly Seat[]>('a seat, or a list of seats', words, list(words, { from: 1 }));
const scale = withWords(
  'two numbers, the lower first',
  withRule('two numbers, the lower first', list(number(), 2), ([low, high]) => (low as number) < (high as number)),
) as Shape<SuiteScene['scale']>;
const persona = either<Json>('the name of a persona, or a persona document', words, record(anything));

/** Without a scale, a scene passes at 1. */
function usualPass({ scale: input }: JsonObject): Json {
  return Array.isArray(input) && typeof input[1] === 'number' ? input[1] : 1;
}

const scene: Shape<SuiteScene> = object<SuiteScene>({
  name: withDefault(words, ({ environment }) => environment ?? '', 'the name of the scene in tables (default: the environment)'),
  environment: required(withWords('the name of an environment', words), 'a name, a file, or a package'),
  tasks: withDefault(withWords('a list of tasks like [{}]', list(anything, { from: 1 })), [{}]),
  seats: required(
    withWords('the seats under test, like ["first", "second"]', list(seat, { from: 1 })),
    'the seats to test, one after the other',
  ),
  others: withDefault(
    withWords('an agent for each seat, or for "*"', record(words)),
    {},
    'agents for the other seats; "*" means all others',
  ),
  score: withDefault(withWords('the name of a scorer', words), 'return', 'the scorer of the result'),
  scale: withDefault(scale, [0, 1], 'the values of the score that count as 0 and as 1'),
  pass: withDefault(number(), usualPass, 'the lowest value that counts as passed'),
  kinds: withDefault(withWords('a kind of agent for each name', record(words)), {}, 'the kind of agent behind a name, if it differs'),
  personas: withDefault(withWords('a persona for each seat that has one', record(persona)), {}, 'personas that agents play, by seat'),
  also: withDefault(withWords('names of scorers', list(words)), [], 'scorers whose values are also shown'),
  reference: withDefault(anything, {}, 'reference data for the scorers'),
});

export const suiteShape: Shape<Suite> = object<Suite>(
  {
    name: required(name),
    version: withDefault(count, 1),
    about: withDefault(text, ''),
    seeds: withDefault(count, 20, 'number of seeds: how often each agent plays each task on each tested seat'),
    k: withDefault(
      withWords('a list like [1, 2, 4]', list(count, { from: 1 })),
      usualTries,
      'values of k for pass^k, where all k tries must succeed',
    ),
    nulls: required(
      withWords('a list like ["random"]: at least one trivial agent', list(words, { from: 1 })),
      'trivial agents; the best of their scores is the floor',
    ),
    scenes: required(withWords('a list of scenes', list(scene, { from: 1 }))),
  },
  { document: true },
);

/** Parses an external suite and fills in its defaults. */
export function readSuite(input: Json, where = 'The suite'): Suite {
  const read = readAs(suiteShape, input, { where, called: 'a suite' });
  const names = read.scenes.map((scene) => scene.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Fault('input', `${where} has two scenes named ${JSON.stringify(twice)}. Give each a unique "name".`);
  for (const { name: called, pass, scale } of read.scenes)
    if (pass <= scale[0] || pass > scale[1])
      throw new Fault(
        'input',
        `${where} has a scene ${JSON.stringify(called)} with "pass" ${pass}, but its scores go from ${scale[0]} to ${scale[1]} ("scale"): ${pass > scale[1] ? 'no' : 'every'} episode would pass. "pass" is a value of the score, not a share of the scale.`,
      );
  return read;
}

/** A suite with its defaults filled in. */
export function suite(input: SuiteInput): Suite {
  return readSuite(input);
}

/** The run for a suite. More seeds or other agents add to it; another wording of the suite is another run. */
export function suiteRun(played: Suite): string {
  const { seeds: _, k: __, about: ___, ...decides } = played;
  return `${played.name}-${hash(decides).slice(0, 8)}`;
}

/** The persona documents of a scene, with gallery names resolved. */
export function personasOf({ personas }: SuiteScene): Readonly<Record<Seat, Json>> {
  return Object.fromEntries(
    Object.entries(personas).map(([seat, input]) => {
      if (typeof input !== 'string') return [seat, input];
      const persona = Object.hasOwn(gallery, input) ? gallery[input] : undefined;
      if (persona === undefined)
        throw new Fault(
          'input',
          `Unknown persona "${input}". The gallery has ${Object.keys(gallery).join(', ')}.${didYouMean(input, Object.keys(gallery))}`,
          { code: 'E_UNKNOWN_NAME' },
        );
      return [seat, persona];
    }),
  );
}

const house = 'house:';

/** Does the name belong to an agent that a suite assigned to a seat? */
export function isBuiltInAgent(agent: string): boolean {
  return agent.startsWith(house);
}

/** The casts of a scene: each candidate on each tested seat, the suite's own agents on the others. */
export function castsOf(scene: SuiteScene, candidates: readonly AgentSpec[]): readonly Cast[] {
  const personas = personasOf(scene);
  const others = Object.fromEntries(Object.entries(scene.others).map(([seat, kind]) => [seat, { name: `${house}${kind}`, kind }]));
  return candidates.flatMap((candidate) =>
    scene.seats.flatMap((place): readonly Cast[] => {
      const seats = typeof place === 'string' ? [place] : place;
      const mine = { ...candidate, kind: scene.kinds[candidate.name] ?? candidate.kind };
      const people = Math.max(1, ...seats.map((seat) => (Array.isArray(personas[seat]) ? personas[seat].length : 1)));
      return Array.from({ length: people }, (_, i): Cast => {
        const seated = seats.map((seat) => {
          const persona = Array.isArray(personas[seat]) ? personas[seat][i % personas[seat].length] : personas[seat];
          return [seat, persona === undefined ? mine : { ...mine, persona }];
        });
        return { ...others, ...Object.fromEntries(seated) };
      });
    }),
  );
}
