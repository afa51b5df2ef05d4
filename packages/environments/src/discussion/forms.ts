/** @file How a member without a language model fills in the forms of protocols, from what it knows of a vault. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface FormFacts {
  /** The code as far as it is known, guesses for the rest. */
  readonly code: string;
  /** Does it know every digit, by itself or from others? */
  readonly sure: boolean;
  /** The other members, and those of them who have spoken. */
  readonly others: readonly string[];
  readonly spoke: readonly string[];
}

/** The lines that a form asks for; null where it is none of these. */
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

/** The next act on a graph of thoughts: split the question, solve what is open, make one of what is solved, answer. */
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

/** Does a told line hold one of these forms? */
export const formWords =
  /or say what you know|"(?:Weight MOVE|Guide MOVE|Well: yes|Do: |Part: |Block NAME|Solved NAME|Ask NAME|Goal: |Enough: yes|Step 1: )/;
