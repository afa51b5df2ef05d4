/** @file The service desk: a built-in desk whose shop, customer and case are drawn from dice, so that there are as many as training needs. */

import { type Environment, knob, type Rng, readTask, retries, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { deskCustomer } from '../customer.ts';
import type { DeskDocument } from '../document.ts';
import { type DeskState, deskRules } from '../engine.ts';
import { alwaysRefuse, doNothing } from '../scripts.ts';
import { drawCase, kinds, type ServiceCase, type ServiceKind } from './cases.ts';
import { alwaysAgree, gold, transferring } from './clerk.ts';
import { tools } from './policy.ts';

const share = (about: string) => knob.number({ from: 0, to: 1, otherwise: 0.4, about });

const knobs = {
  kind: knob.one({ of: ['any', ...kinds], otherwise: 'any', about: 'what the customer wants' }),
  number: knob.whole({ from: -1, to: 2 ** 31 - 1, otherwise: -1, about: 'which case; −1 draws a new one for every seed' }),
  customers: knob.whole({ from: 2, to: 40, otherwise: 4, about: 'customers in the database' }),
  orders: knob.whole({ from: 1, to: 6, otherwise: 3, about: 'orders of a customer, at most; all but those asked about distract' }),
  types: knob.whole({ from: 4, to: 10, otherwise: 5, about: 'types of products, six products each' }),
  requests: knob.whole({ from: 2, to: 3, otherwise: 2, about: 'requests of a customer who has several' }),
  forgetful: share('chance that the customer does not remember the email; and the number of an order'),
  terse: share('chance that details must be asked for'),
  chatter: share('chance of small talk before the request'),
  insist: knob.whole({ from: 0, to: 3, otherwise: 1, about: 'how often a customer who is refused asks for an exception' }),
  messages: knob.whole({
    from: 4,
    to: 200,
    otherwise: 60,
    about: 'answers of both seats, calls included, before the conversation is cut off',
  }),
  errors: knob.whole({ from: 1, to: 50, otherwise: 10, about: 'calls that may fail before the conversation is cut off' }),
  retries,
} as const;

export type ServiceTask = TaskOf<typeof knobs>;

export const serviceDesk: Environment<DeskState, ServiceTask> = {
  id: 'service-desk@2',
  about: {
    summary:
      'A built-in desk with a shop that is drawn from the seed. The agent answers in words or calls one tool at a time; tools do what they are told, and only scoring knows the policy. The agent is paid 1 where the database ends as after the gold calls, every required fact was told, customers were identified and asked for a yes, and nothing forbidden was said or done; otherwise 0. An agent that does nothing is paid exactly where everything had to be refused.',
    tasks: [{}, { kind: 'multi-request', requests: 3 }, { kind: 'must-refuse' }, { kind: 'wrong-identity' }, { number: 7, messages: 20 }],
    turns: 60,
    words: tools.map(({ name }) => name),
  },
  knobs,
  task: (input) => readTask('service-desk', knobs, input),
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

/** The desk as its folder would be: the first cases of every kind, each with its records. It is drawn once, when it is needed. */
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

/** The case of a task: the one with its number, or one from the dice of the episode. */
export function serviceCaseOf(task: ServiceTask, dice: Rng): ServiceCase {
  const { number } = task;
  const sampledRng = number < 0 ? dice : rng(number, 'service-desk');
  const kind = task.kind === 'any' ? sampledRng.pick(kinds) : (task.kind as ServiceKind);
  return drawCase(kind, number < 0 ? kind : `${kind}-${number}`, task, sampledRng);
}
