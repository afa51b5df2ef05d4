/** @file The shape of a plan. Short forms are allowed: an environment may be its name, `seeds` a count. */

import { specShape } from '../core/agent-spec.ts';
import type { AgentSpec, Budget, Cast, Limits, Plan } from '../core/index.ts';
import {
  above,
  anything,
  boolean,
  either,
  list,
  object,
  optional,
  pattern,
  record,
  required,
  type Shape,
  short,
  text,
  whole,
  withDefault,
  withRule,
  withWords,
} from '../core/shape.ts';

type PlanScene = Plan['environments'][number];

const scene: Shape<PlanScene> = short(
  object<PlanScene>({
    environment: required(withWords('the name of an environment', text), 'a name, a file, or a package'),
    tasks: withDefault(withWords('a list of tasks like [{}]', list(anything, { from: 1 })), [{}], 'parameters of the environment'),
  }),
  text.schema,
  (input) => (typeof input === 'string' ? { environment: input } : input),
);

const count = whole(1);
const seeds: Shape<Plan['seeds']> = short(
  either<Plan['seeds']>(
    'a count like 100, a list like [1, 2, 3], or {"from": 0, "count": 100}',
    list(whole(0), { from: 1 }),
    object<{ from: number; count: number }>({ from: required(whole(0)), count: required(count) }),
  ),
  count.schema,
  (input) => (Number.isSafeInteger(input) && (input as number) > 0 ? { from: 0, count: input } : input),
);

const agent = either<AgentSpec | string>(
  'the name of an agent, or a spec with "name" and "kind"',
  text as Shape<AgentSpec | string>,
  specShape,
);

/** The agent on each seat. */
const castShape: Shape<Cast> = withRule('an agent for each seat, or for "*"', record(agent), (cast) => Object.keys(cast).length > 0);

const money = withWords('a number above 0', above(0));
const amount = withWords('a positive integer', count);

export const planShape: Shape<Plan> = object<Plan>(
  {
    name: optional(
      pattern('up to 80 letters, digits, dots, colons, or dashes', /^[\w.:-]{1,80}$/),
      'runs with the same name are merged (default: the hash of the plan)',
    ),
    environments: required(withWords('a list like ["kuhn-poker"]', list(scene, { from: 1 })), 'the environments to play'),
    seeds: withDefault(seeds, { from: 0, count: 1 }, 'the seeds: every cast plays every task once per seed'),
    casts: withDefault(withWords('a list like [{"*": "random"}]', list(castShape, { from: 1 })), [{ '*': 'random' }], 'who plays'),
    swap: optional(boolean, 'play each cast in every rotation of the seats'),
    seedPerCast: optional(boolean, 'every cast plays on different seeds; needs seeds as a count'),
    limits: optional(
      object<Limits>({
        turns: optional(amount),
        calls: optional(amount),
        tokens: optional(amount),
        money: optional(money, 'US dollars'),
        seconds: optional(money),
      }),
      'of one episode',
    ),
    budget: optional(
      object<Budget>({
        calls: optional(amount),
        tokens: optional(amount),
        money: optional(money, 'US dollars'),
        seconds: optional(money),
        episodes: optional(amount),
        failures: optional(amount, 'consecutive failed calls of one model after which the run stops'),
      }),
      'limits on the entire run',
    ),
  },
  { document: true },
);
