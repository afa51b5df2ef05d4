/**
 * @file Finds answers that contradict the expected one. A missing value proves little, since it may be paraphrased; a different value, a
 * denial, or a text about something else is evidence.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { denies } from '../claims.ts';
import { type DeskStepFacts, isOnTopic, statesFact } from '../desk-facts.ts';
import { numbersOf } from './arithmetic.ts';
import { type Dialogue, type DialogueLine, recordsIn } from './dialogue.ts';

const cell = linear(/"([\w ]+)":(?:"([^"]{2,60})"|(-?\d+(?:\.\d+)?))/g);

/** Does an answer state a wrong value: of the same column, of the record in question, or the answer to another question? */
export function statesOther({ facts, steps }: Dialogue, step: DeskStepFacts, { text }: DialogueLine): boolean {
  const right = step.tell.flatMap((fact) => String(fact).split('|'));
  const cells = (facts?.sources ?? '').split('\n').flatMap((row) => {
    const isMeant = recordsIn(step.say).some((name) => row.includes(name));
    return [...row.matchAll(cell)].map(([, column, word, number]) => ({
      column,
      value: word ?? number,
      isMeant,
      isWord: word !== undefined,
    }));
  });
  const columns = cells.filter(({ value }) => right.includes(value)).map(({ column }) => column);
  const others = [
    ...cells.filter(({ column, isMeant, isWord }) => (isWord && columns.includes(column)) || isMeant).map(({ value }) => value),
    ...steps.filter((other) => other.step !== step).flatMap((other) => other.step.tell.filter((fact) => typeof fact === 'string')),
  ];
  return !right.some((value) => statesFact(text, value)) && others.some((value) => !step.say.includes(value) && statesFact(text, value));
}

/** Does an answer contradict the expected one: another number or value, the opposite of yes or no, or nothing about it? */
export function saysOtherwise(dialogue: Dialogue, step: DeskStepFacts, line: DialogueLine): boolean {
  const right = step.tell.flatMap((fact) => String(fact).split('|'));
  const namedInQuestion = new Set(numbersOf(step.say));
  const isNumber = right.some((value) => /\d/.test(value));
  // Six in the evening is 18.
  const isRight = (number: number) => namedInQuestion.has(number) || right.some((value) => Number(value) === number + 12);
  const numbers = isNumber ? numbersOf(line.text) : [];
  if (numbers.length > 0) return numbers.some((number) => !isRight(number)) || statesOther(dialogue, step, line);
  const opening = /^\W*(yes|no)\b/i.exec(line.text)?.[1].toLowerCase();
  if (opening !== undefined && right.some((value) => /^(?:yes|no)$/i.test(value)) && !right.includes(opening)) return true;
  return statesOther(dialogue, step, line) || !isOnTopic(step, line.text);
}

/** Does an answer after the action show that it was not done: by another value, or by a denial? */
export function showsUndone(dialogue: Dialogue, step: DeskStepFacts, line: DialogueLine): boolean {
  return denies(line.text) || /\b(?:still|yet)\b/i.test(line.text) || saysOtherwise(dialogue, step, line);
}
