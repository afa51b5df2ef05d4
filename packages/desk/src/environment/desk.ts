/** @file The desk environment: a user's desk as data, or a built-in one by its name. */

import { type Environment, Fault, parameter, readTask, retries, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { builtInDesk, builtInDeskNames } from './built-in.ts';
import { deskCustomer } from './customer.ts';
import { type Desk, type DeskCase, deskCaseShape, deskShape } from './document.ts';
import { type DeskState, deskRules } from './engine.ts';
import { probesOf } from './probes.ts';
import { sampleDesk } from './sample.ts';
import { alwaysRefuse, doNothing } from './scripts.ts';

export const parameters = {
  case: parameter.json({
    default: null,
    description: 'one case as data, or the id of a case of the desk',
  }),
  desk: parameter.json({
    default: null,
    description:
      'policy, tools, and database as data, or the name of a built-in desk: pharmacy, house, code-host, newspaper, letting, or service-desk (default: a small bicycle shop)',
  }),
  messages: parameter.integer({
    min: 4,
    max: 200,
    default: 60,
    description: 'maximum number of answers of both seats, including tool calls',
  }),
  retries,
} as const;

export type DeskTask = TaskOf<typeof parameters>;

export const deskEnvironment: Environment<DeskState, DeskTask> = {
  id: 'desk@3',
  about: {
    summary:
      'Your desk: a policy in text, a database, tools, and customers with one or more requests. The agent replies or calls one tool at a time. It earns 1 if it gave all required information, said and did nothing forbidden, and left the database in the expected state. Agents without tool calls are judged by their text alone.',
    tasks: [{}, { case: 'cancel-shipped' }, { case: 'correction-1' }, { case: 'planted-text-1', messages: 20 }],
    turns: 60,
  },
  parameters,
  task(input) {
    const task = readTask('desk', parameters, input);
    caseOf(task, deskOf(task));
    return task;
  },
  ...deskRules<DeskTask>((task) => {
    const desk = deskOf(task);
    return { desk, case: caseOf(task, desk), messages: task.messages, retries: task.retries };
  }),
  scripts: { agent: doNothing, customer: deskCustomer, 'do-nothing': doNothing, 'always-refuse': alwaysRefuse },
};

/** The desk of a task: given in full, built in, or the sample. */
function deskOf({ desk }: DeskTask): Desk & { readonly tasks?: readonly DeskCase[] } {
  if (desk === null) return sampleDesk;
  if (typeof desk !== 'string') return readAs(deskShape, desk, { where: 'The desk of the task', called: 'a desk' });
  const document = builtInDesk(desk);
  if (document === null)
    throw new Fault('input', `desk: "${desk}" is not a built-in desk. Use one of ${builtInDeskNames.join(', ')}, or pass a desk as data.`);
  return document;
}

function caseOf({ case: input }: DeskTask, desk: Desk & { readonly tasks?: readonly DeskCase[] }): DeskCase {
  const deskCases = desk.tasks ?? sampleDesk.tasks;
  const matchingCase =
    input === null
      ? deskCases[0]
      : typeof input === 'string'
        ? [...deskCases, ...probesOf({ ...desk, tasks: deskCases })].find(({ id }) => id === input)
        : input;
  if (matchingCase === undefined)
    throw new Fault('input', `desk: unknown case ${JSON.stringify(input)}. Available: ${deskCases.map(({ id }) => id).join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  return readAs(deskCaseShape, matchingCase, { where: 'The case of the task', called: 'a case' });
}
