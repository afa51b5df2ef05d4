/** @file `ludus persona make`: creates a persona of a real person from their texts, or a character from a few choices. */

import { dirname, resolve } from 'node:path';
import type { InferredTrait, Persona } from '@ludus-agents/agents/internal/personas/index';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import type { IndividualFit } from '@ludus-agents/evaluation/internal/individual-fit';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type MadePersona, make as makePersona, type PersonaMakeRequest } from '../../../library/persona.ts';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends Pick<PersonaMakeRequest, 'speaker' | 'consent' | 'career' | 'aspiration' | 'emotion' | 'age'> {
  readonly from?: readonly string[];
  readonly update?: string;
  readonly model?: string;
  readonly trait?: readonly string[];
  readonly skill?: readonly string[];
  readonly scenes?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const make: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { from, speaker, consent, update, model, age, career, aspiration, trait: traits, skill: skills, emotion } = options;
    const { controller, release } = interruptible(terminal);
    const request = {
      ...{ name: args[0] ?? '', from, speaker, consent, update, model, signal: controller.signal },
      ...{ age, career, aspiration, traits, skills, emotion },
    };
    const result = await makePersona(request, terminal).finally(release);
    return result.individual === undefined ? reportCharacter(result, options, terminal) : reportIndividual(result, options, terminal);
  }),
};

function writePersona(persona: Persona, { output }: Options, terminal: Terminal): string {
  const file = output ?? `${persona.id}.json`;
  writeOut(file, pretty(withSchema(persona, 'persona', dirname(resolve(terminal.cwd, file)))), terminal.cwd);
  return file;
}

function reportIndividual({ persona, individual }: MadePersona, options: Options, terminal: Terminal): number {
  if (individual === undefined) return exits.found;
  const { texts, added, retired, fit, traits: inferred } = individual;
  const file = writePersona(persona, options, terminal);
  if (options.json === true)
    printJson(terminal, {
      file,
      id: persona.id,
      version: persona.version,
      hash: persona.hash,
      texts,
      added,
      retired,
      fit,
      traits: inferred,
    });
  else
    print(
      terminal,
      `${file}, version ${persona.version}: ${count(added, 'statement')} from ${count(texts, 'text')}${retired.length === 0 ? '' : `, ${retired.length} retired`}.`,
      ...retired.map(({ text, by }) => `  retired: ${text}\n       by: ${by}`),
      fitText(fit),
      ...inferred.map(traitText),
    );
  return fit.fits === false ? exits.found : exits.fine;
}

function fitText({ likeness, floor, fits, heldOut }: IndividualFit): string {
  if (likeness === null) return 'Too few texts for a held-out test, so the fit is unknown.';
  return `Fit: ${likeness.toFixed(2)} on ${count(heldOut, 'held-out text')}, best fit of other people's personas ${(floor as number).toFixed(2)}${fits ? '' : '; it is not specific to this person'}.`;
}

function traitText({ trait, byModel, byWords, score }: InferredTrait): string {
  const lexicalLevel = byWords === null ? 'no cues in the text' : `${byWords} from the text`;
  return `  ${trait}: ${byModel ?? 'unread'} by the model, ${lexicalLevel}${score === null ? ': they disagree, so it is left out' : ''}`;
}

function reportCharacter({ persona, scenes }: MadePersona, options: Options, terminal: Terminal): number {
  const file = writePersona(persona, options, terminal);
  if (options.scenes !== undefined) writeOut(options.scenes, `${JSON.stringify(scenes, null, 2)}\n`, terminal.cwd);
  if (options.json === true)
    printJson(terminal, { file, id: persona.id, hash: persona.hash, scenes: options.scenes === undefined ? [] : scenes });
  else print(terminal, `${file}${options.scenes === undefined ? '' : `, and ${count(scenes.length, 'scene')} in ${options.scenes}`}.`);
  return exits.fine;
}
