/** @file Rules about an environment's declarations: its name, its facts, and the tasks it must reject. */

import { type AnyEnvironment, equal, isFault, type Json, sentenceOf, type TaskParameter } from '../../core/index.ts';
import type { CheckContext, RuleBreach } from './bench.ts';

export function* identity({ environment }: CheckContext): Iterable<RuleBreach> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*@[1-9][0-9]*$/.test(environment.id))
    yield { message: `The id should look like "name@1" in lower case, but is "${environment.id}".` };
}

export function* facts({ environment }: CheckContext): Iterable<RuleBreach> {
  const { summary, tasks, turns } = environment.about;
  if (summary.trim() === '') yield { message: 'about.summary is empty. Describe the environment.' };
  if (tasks.length === 0) yield { message: 'about.tasks is empty. Add at least one task, such as {}.' };
  if (!Number.isSafeInteger(turns) || turns < 1) yield { message: `about.turns should be a positive integer, but is ${turns}.` };
  for (const task of tasks) {
    try {
      const read: Json = environment.task(task);
      if (!equal(environment.task(read), read)) yield { message: 'Parsing a parsed task gives a different task.', task };
      const seats = environment.seats(read);
      if (seats.length === 0 || new Set(seats).size < seats.length || seats.some((seat) => seat === ''))
        yield { message: `The seats should have unique names, but are ${JSON.stringify(seats)}.`, task };
    } catch (thrown) {
      yield { message: `A task of about.tasks is refused: ${sentenceOf(thrown)}`, task };
    }
  }
}

export function* refusals({ environment }: CheckContext): Iterable<RuleBreach> {
  const parameters = Object.entries(environment.parameters);
  for (const [name, parameter] of parameters) {
    const problem = refusal(environment, { [name]: parameter.default });
    if (problem !== 'none')
      yield { message: `The default of "${name}" is not accepted: ${problem ?? 'it throws something that is not a Fault'}.` };
  }
  const nonsense: readonly Json[] = ['nonsense', 7, true, [], ['x'], { 'no such parameter': 1 }];
  for (const input of [
    ...nonsense,
    ...parameters.flatMap(([name, parameter]) => wrongValues(parameter).map((value) => ({ [name]: value }))),
  ]) {
    const problem = refusal(environment, input);
    if (problem === 'none') yield { message: `task accepts ${JSON.stringify(input)}; it should reject it with a Fault.` };
    if (problem === null)
      yield { message: `task throws something that is not a Fault on ${JSON.stringify(input)}. Use throw new Fault('input', …).` };
  }
}

/** The error message for an input; 'none' if it is accepted, null if something other than a fault is thrown. */
function refusal(environment: AnyEnvironment, input: Json): string | null {
  try {
    environment.task(input);
    return 'none';
  } catch (thrown) {
    return isFault(thrown) ? thrown.message : null;
  }
}

function wrongValues(parameter: TaskParameter): readonly Json[] {
  if (parameter.kind === 'integer') return [parameter.min - 1, parameter.max + 1, parameter.min + 0.5, 'text', {}];
  if (parameter.kind === 'number') return [parameter.min - 1, parameter.max + 1, 'text'];
  if (parameter.kind === 'boolean') return ['yes', 1];
  if (parameter.kind === 'choice') return ['no such name', 0];
  return parameter.kind === 'string' ? [5, []] : [];
}
