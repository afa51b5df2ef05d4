/**
 * @file A desk folder as an environment to play and train in: `./shop` is the environment "desk" with this desk in every task. Logs
 * contain the whole desk, so they replay without the folder.
 */

import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { type Agent, type AnyEnvironment, Fault, type Json, nameOf, type Seat, scripted } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { voicedName } from './desks.ts';
import { deskEnvironment } from './environment/desk.ts';
import type { DeskDocument } from './environment/document.ts';
import { goldClerk } from './environment/gold-clerk.ts';

/** The environment of a desk, and the tasks that play each of its cases once. */
export interface FolderEnvironment extends AnyEnvironment {
  readonly cases: readonly Json[];
}

export function createFolderEnvironment(document: DeskDocument): FolderEnvironment {
  const { tasks, customerAgent: _agent, ...desk } = document;
  const withDesk = (input: Json): Json => {
    const task = isObject(input) ? input : {};
    const { case: wanted = tasks[0]?.id } = task;
    const match = typeof wanted === 'string' ? tasks.find(({ id }) => id === wanted) : undefined;
    return { ...task, desk: task['desk'] ?? desk, case: (match ?? wanted ?? null) as Json };
  };
  return {
    ...(deskEnvironment as AnyEnvironment),
    about: { ...deskEnvironment.about, summary: `${document.name}: ${document.about}`, tasks: tasks.map(({ id }) => ({ case: id })) },
    task: (input: Json) => deskEnvironment.task(withDesk(input)),
    scripts: { ...deskEnvironment.scripts, gold: goldClerk(document) },
    cases: tasks.map(({ id }) => ({ case: id })),
  };
}

/** The tasks of an environment made of cases; undefined for other environments. */
export function casesOf(environment: AnyEnvironment): readonly Json[] | undefined {
  return (environment as Partial<FolderEnvironment>).cases;
}

/** The default players of a desk folder: the clerk that makes the gold calls, and the customers named in desk.json. */
export async function deskAgent(
  document: DeskDocument,
  {
    name,
    seat,
    environment,
    place,
  }: { readonly name: string; readonly seat: Seat; readonly environment: AnyEnvironment; readonly place: NamingPlace },
): Promise<Agent> {
  if (!/^(service-)?desk$/.test(nameOf(environment)))
    throw new Fault(
      'input',
      `${name} is a desk: it plays the seats "agent" and "customer" of desks, not those of ${nameOf(environment)}.`,
      {
        code: 'E_UNSUPPORTED',
        details: { name, seat, environment: nameOf(environment) },
      },
    );
  if (seat === 'agent') return scripted(name, goldClerk(document));
  return loadAgent(voicedName(document.customerAgent) ?? 'scripted:customer', seat, environment, place);
}
