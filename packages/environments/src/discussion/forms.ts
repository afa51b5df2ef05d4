/** @file Fills in protocol forms for a member without a language model, from what it knows about a vault. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface FormFacts {
  /** The code, with guesses for unknown digits. */
  readonly code: string;
  /** Whether it knows every digit, from its own facts or from others. */
  readonly sure: boolean;
  /** The other members, and which of them have spoken. */
  readonly others: readonly string[];
  readonly spoke: readonly string[];
}

/** Returns the lines that a form asks for, or null if the observation contains no known form. */
export function fillForm(observation: string, { code, sure, others, spoke }: FormFacts): readonly string[] | null {
  if (observation.includes('"Weight MOVE')) return [`Weight ${code}: ${sure ? 1 : 0.0625}`, `Answer: ${code}`];
  if (observation.includes('"Guide MOVE')) return [`Guide ${code}: 1`];
  if (observation.includes('"Well: yes"')) return [`Well: ${sure && observation.includes(`The choice is ${code}.`) ? 'yes' : 'no'}`];
  if (observation.includes('"Do: ')) return [`Do: ${actOn(observation)}`];
  if (observation.includes('"Part: ')) return [1, 2, 3].map((place) => `Part: say which is digit ${place}.`);
  if (observation.includes('"Block NAME')) return [`Block digits: ask ${others.join(', ')}; say which digit you know.`];
  if (observation.includes('"Solved NAME')) return [`Solved digits: ${spoke.length === others.length ? 'yes' : 'no'}`, `Answer: ${code}`];
  if (observation.includes('or say what you know') && !sure) return [];
  if (observation.includes('"Ask NAME')) return others.map((name) => `Ask ${name}: say which digit you know.`);
  if (observation.includes('"Goal: ')) return ['Goal: say which digit you know.'];
  if (observation.includes('"Enough: yes"')) return [`Enough: ${sure ? 'yes' : 'no'}`];
  if (observation.includes('"Step 1: ')) return ['Step 1: say which digit I know.'];
  return null;
}

/** Returns the next action on a graph of thoughts: decompose the question, solve an open thought, aggregate solved ones, or answer. */
function actOn(observation: string): string {
  const thoughts = [...observation.matchAll(linear(/(\d+) (open|solved)(?: from ([\d ]*\d))?/g))].map(([, id, state, from]) => ({
    id: id,
    isOpen: state === 'open',
    from: from?.split(' ') ?? [],
  }));
  if (thoughts.length === 1 && thoughts[0]?.isOpen === true) return 'decompose 1';
  const open = thoughts.find(({ id, isOpen }) => isOpen && id !== '1');
  if (open !== undefined) return `solve ${open.id}`;
  const merged = new Set(thoughts.flatMap(({ from }) => from));
  const loose = thoughts.filter(({ id, isOpen }) => !isOpen && !merged.has(id));
  return loose.length > 1 ? `aggregate ${loose.map(({ id }) => id).join(' ')}` : `answer ${loose[0]?.id ?? 1}`;
}

/** Matches a message that contains one of these forms. */
export const formWords =
  /or say what you know|"(?:Weight MOVE|Guide MOVE|Well: yes|Do: |Part: |Block NAME|Solved NAME|Ask NAME|Goal: |Enough: yes|Step 1: )/;
