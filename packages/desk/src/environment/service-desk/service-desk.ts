/** @file The service desk: a built-in desk with a randomly generated shop, customer, and case, so training can use any number of cases. */

import { type Environment, parameter, type Rng, readTask, retries, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { deskCustomer } from '../customer.ts';
import type { DeskDocument } from '../document.ts';
import { type DeskState, deskRules } from '../engine.ts';
import { alwaysRefuse, doNothing } from '../scripts.ts';
import { drawCase, kinds, type ServiceCase, type ServiceKind } from './cases.ts';
import { alwaysAgree, gold, transferring } from './clerk.ts';
import { tools } from './policy.ts';

const share = (about: string) => parameter.number({ min: 0, max: 1, default: 0.4, description: about });

const parameters = {
  kind: parameter.choice({ options: ['any', ...kinds], default: 'any', description: 'the kind of request' }),
  number: parameter.integer({ min: -1, max: 2 ** 31 - 1, default: -1, description: 'the number of the case; −1 draws one per seed' }),
  customers: parameter.integer({ min: 2, max: 40, default: 4, description: 'customers in the database' }),
  orders: parameter.integer({
    min: 1,
    max: 6,
    default: 3,
    description: 'maximum number of orders per customer; the others are distractors',
  }),
  types: parameter.integer({ min: 4, max: 10, default: 5, description: 'product types, with six products each' }),
  requests: parameter.integer({ min: 2, max: 3, default: 2, description: 'number of requests, if a customer has several' }),
  forgetful: share('probability that the customer forgets the email, and the order number'),
  terse: share('probability that the customer gives details only when asked'),
  chatter: share('chance of small talk before the request'),
  insist: parameter.integer({ min: 0, max: 3, default: 1, description: 'how often a customer asks for an exception after a refusal' }),
  messages: parameter.integer({
    min: 4,
    max: 200,
    default: 60,
    description: 'maximum number of answers of both seats, including tool calls',
  }),
  errors: parameter.integer({ min: 1, max: 50, default: 10, description: 'failed calls after which the conversation ends' }),
  retries,
} as const;

export type ServiceTask = TaskOf<typeof parameters>;

export const serviceDesk: Environment<DeskState, ServiceTask> = {
  id: 'service-desk@3',
  about: {
    summary:
      'A built-in desk with a shop that is generated from the seed. The agent replies or calls one tool at a time. Tools execute any valid call; only scoring knows the policy. The agent earns 1 if the database ends in the expected state, all required facts were given, customers were identified and asked to confirm, and nothing forbidden was said or done; otherwise 0. An agent that does nothing earns 1 only if every request had to be refused.',
    tasks: [{}, { kind: 'multi-request', requests: 3 }, { kind: 'must-refuse' }, { kind: 'wrong-identity' }, { number: 7, messages: 20 }],
    turns: 60,
    words: tools.map(({ name }) => name),
  },
  parameters,
  task: (input) => readTask('service-desk', parameters, input),
  ...deskRules<ServiceTask>((task, dice) => {
    const { messages, errors } = task;
    return { ...serviceCaseOf(task, dice), messages, errors, retries: task.retries };
  }),
  scripts: {
    agent: gold,
    customer: deskCustomer,
    gold,
    'do-nothing': doNothing,
    'always-agree': alwaysAgree,
    'always-refuse': alwaysRefuse,
    transfer: transferring,
  },
};

const eachKind = 3;
let document: DeskDocument | null = null;

/** The desk in folder form: the first cases of every kind, each with its records. It is generated once, on demand. */
export function serviceDeskDocument(): DeskDocument {
  document ??= documentOf(
    kinds.flatMap((kind) =>
      Array.from({ length: eachKind }, (_, number) => serviceCaseOf(serviceDesk.task({ kind, number }), rng(number))),
    ),
  );
  return document;
}

function documentOf(serviceCases: readonly ServiceCase[]): DeskDocument {
  const tables = Object.fromEntries(Object.keys(serviceCases[0].desk.database).map((table) => [table, {}]));
  return {
    ...serviceCases[0].desk,
    database: tables,
    tasks: serviceCases.map(({ desk, case: current }) => ({ ...current, records: desk.database })),
  };
}

/** The case of a task: the one with its number, or one drawn with the episode's seed. */
export function serviceCaseOf(task: ServiceTask, dice: Rng): ServiceCase {
  const { number } = task;
  const sampledRng = number < 0 ? dice : rng(number, 'service-desk');
  const kind = task.kind === 'any' ? sampledRng.pick(kinds) : (task.kind as ServiceKind);
  return drawCase(kind, number < 0 ? kind : `${kind}-${number}`, task, sampledRng);
}
