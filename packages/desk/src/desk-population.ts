/** @file Customers of a desk drawn from a population: each person brings a case, and their attributes are stored with the result. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { drawPeople } from '@ludus-agents/agents/internal/workspace/populations';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCase, DeskDocument, DeskPersona } from './environment/document.ts';

/** The desk with its population assigned to its cases; unchanged if it names none. Files are looked up in `folder`. */
export async function castPopulation(desk: DeskDocument, folder: string, trust: Trust): Promise<DeskDocument> {
  if (desk.population === undefined) return desk;
  const people = await drawPeople(desk.population, `The population of the desk ${desk.name}`, { cwd: folder, trust });
  return castPeople(desk, people);
}

/** Assigns the desk's own cases to people in turn, until every person has one and every case is played. Cases with a persona keep it. */
function castPeople(desk: DeskDocument, people: readonly Persona[]): DeskDocument {
  const isOpen = ({ persona, probe }: DeskCase) => persona === null && probe === 'task';
  const [open, rest] = [desk.tasks.filter(isOpen), desk.tasks.filter((task) => !isOpen(task))];
  if (open.length === 0)
    throw new Fault(
      'input',
      `The desk ${desk.name} has a population and ${count(rest.length, 'case')}, but every case already has a persona.`,
    );
  const customers = people.map((person, i) => ({ person, persona: toCustomer(person, i, desk.personas) }));
  const cases = Array.from({ length: Math.max(people.length, open.length) }, (_, i): DeskCase => {
    const [deskCase, { person, persona }] = [open[i % open.length], customers[i % customers.length]];
    return { ...deskCase, id: `${deskCase.id}-${i + 1}`.slice(-60), persona: persona.name, traits: traitsOf(person) };
  });
  return { ...desk, personas: [...desk.personas, ...customers.map(({ persona }) => persona)], tasks: [...cases, ...rest] };
}

/** A person as a customer. A person similar to one of the desk's own personas, such as "angry", talks and insists like that persona. */
function toCustomer(person: Persona, at: number, deskPersonas: readonly DeskPersona[]): DeskPersona {
  const like = deskPersonas.find(({ name }) => Object.values(traitsOf(person)).includes(name));
  const facts = person.statements.filter(({ kind, polarity }) => kind === 'fact' && polarity === 'must').map(({ text }) => text);
  const manner = [...new Set(facts)].map((text) => text.replaceAll(person.name, 'This customer')).join(' ');
  return {
    name: `${person.name} ${at + 1}`,
    manner: `What you are like: ${manner}${like === undefined ? '' : ` ${like.manner}`}`,
    ...{ opening: like?.opening ?? '', patience: like?.patience ?? 1 },
  };
}

const ages = [
  [30, 'under 30'],
  [50, '30 to 49'],
  [67, '50 to 66'],
] as const;

/** The attributes in which people differ: those they were drawn with, and ages in four groups. */
function traitsOf({ identity: { social } }: Persona): Readonly<Record<string, string>> {
  const { age, gender, residence, employment, education, extra } = social;
  const input = { gender, residence, employment, education, ...extra };
  const texts = Object.entries(input).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const band = age === undefined ? undefined : (ages.find(([below]) => age < below)?.[1] ?? '67 and over');
  return { ...Object.fromEntries(texts), ...(band === undefined ? {} : { age: band }) };
}
