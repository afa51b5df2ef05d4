/** @file `ludus persona make`: a persona of one real person from their own texts, or a character from a few choices. */

import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import {
  buildCharacter,
  derive,
  type InferredTrait,
  inferTraits,
  type Persona,
  personaFromTexts,
} from '@ludus-agents/agents/internal/personas/index';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { pretty, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { fitOfTexts, type IndividualFit } from '@ludus-agents/evaluation/internal/individual-fit';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type CommandRun, exits } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly from?: readonly string[];
  readonly speaker?: string;
  readonly consent?: string;
  readonly update?: string;
  readonly model?: string;
  readonly career?: string;
  readonly aspiration?: string;
  readonly trait?: readonly string[];
  readonly skill?: readonly string[];
  readonly emotion?: string;
  readonly age?: number;
  readonly scenes?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const make: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const name = (args[0] ?? '').trim();
    if (name === '') throw new Fault('input', 'The persona needs a name.');
    return options.from === undefined ? makeCharacter(name, options, terminal) : makeIndividual(name, options, terminal);
  }),
};

function writePersona(persona: Persona, { output }: Options, terminal: Terminal): string {
  const file = output ?? `${persona.id}.json`;
  writeOut(file, pretty(withSchema(persona, 'persona', dirname(resolve(terminal.cwd, file)))), terminal.cwd);
  return file;
}

async function makeIndividual(name: string, options: Options, terminal: Terminal): Promise<number> {
  const { from = [], speaker, consent = '', update, model } = options;
  const texts = from.flatMap((file) => textsIn(file, speaker, terminal));
  const previous = update === undefined ? undefined : (await resolvePersona(update, terminal)).persona;
  const about = { name, consent, source: from.map((file) => basename(file)).join(', ') };
  const individualReport = personaFromTexts(texts, { ...about, previous });
  const fit = fitOfTexts(texts, about);
  const inferred = model === undefined ? [] : await inferByModel(model, texts, terminal);
  const persona = withTraits(individualReport.persona, inferred);
  const file = writePersona(persona, options, terminal);
  const { added, retired } = individualReport;
  if (options.json === true)
    printJson(terminal, {
      file,
      id: persona.id,
      version: persona.version,
      hash: persona.hash,
      texts: texts.length,
      added,
      retired,
      fit,
      traits: inferred,
    });
  else
    print(
      terminal,
      `${file}, version ${persona.version}: ${count(added, 'statement')} from ${count(texts.length, 'text')}${retired.length === 0 ? '' : `, ${retired.length} retired`}.`,
      ...retired.map(({ text, by }) => `  retired: ${text}\n       by: ${by}`),
      fitText(fit),
      ...inferred.map(traitText),
    );
  return fit.fits === false ? exits.found : exits.fine;
}

function fitText({ likeness, floor, fits, heldOut }: IndividualFit): string {
  if (likeness === null) return 'Too few texts to hold some out, so the fit is unknown.';
  return `Fit: ${likeness.toFixed(2)} on ${count(heldOut, 'held-out text')}, best fit of other people's personas ${(floor as number).toFixed(2)}${fits ? '' : '; it is not specific to this person'}.`;
}

function traitText({ trait, byModel, byWords, score }: InferredTrait): string {
  const words = byWords === null ? 'no words for it' : `${byWords} by words`;
  return `  ${trait}: ${byModel ?? 'unread'} by the model, ${words}${score === null ? ': unsettled, not written' : ''}`;
}

async function inferByModel(name: string, texts: readonly string[], terminal: Terminal): Promise<readonly InferredTrait[]> {
  const { controller, release } = interruptible(terminal);
  return inferTraits(texts, await loadModel(name, terminal.cwd, terminal.trust), controller.signal).finally(release);
}

function withTraits(persona: Persona, inferred: readonly InferredTrait[]): Persona {
  const settled = inferred.flatMap(({ trait, score }) => (score === null ? [] : [[trait, { score }] as const]));
  if (settled.length === 0) return persona;
  const { identity } = persona;
  const bigFive = { ...identity.personal.bigFive, ...Object.fromEntries(settled) };
  return derive(persona, { identity: { ...identity, personal: { ...identity.personal, bigFive } } });
}

/** Paragraphs of a text, or the lines of one speaker in a chat. */
function textsIn(file: string, speaker: string | undefined, terminal: Terminal): readonly string[] {
  let text: string;
  try {
    text = readFileSync(resolve(terminal.cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The texts ${file} cannot be read: ${reasonOf(thrown)}.`);
  }
  if (!/\.jsonl?$/i.test(file))
    return text
      .split(/\r?\n\s*\r?\n/)
      .map((part) => part.replace(/\s+/g, ' ').trim())
      .filter((part) => part !== '');
  const rows = /\.jsonl$/i.test(file)
    ? text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line, i) => jsonFrom(line, `Line ${i + 1} of ${file}`))
    : [jsonFrom(text, `The chat ${file}`)];
  return rows.flatMap((row) => linesIn(row, speaker));
}

/** Lines of a chat in the forms that programs write: lists of messages, or one message. */
function linesIn(json: Json, speaker: string | undefined): readonly string[] {
  if (Array.isArray(json)) return json.flatMap((item: Json) => linesIn(item, speaker));
  if (typeof json === 'string') return speaker === undefined ? [json] : [];
  if (!isObject(json)) return [];
  const inner = json['messages'] ?? json['conversations'];
  if (Array.isArray(inner)) return linesIn(inner, speaker);
  const { text, content, value } = json as JsonObject;
  const speech = [text, content, value].find((item) => typeof item === 'string') as string | undefined;
  const by = [json['speaker'], json['role'], json['from'], json['name']].find((item) => typeof item === 'string');
  return speech === undefined || (speaker !== undefined && by !== speaker) ? [] : [speech];
}

function makeCharacter(name: string, options: Options, terminal: Terminal): number {
  const { age, career, aspiration, trait, skill, emotion } = options;
  if ([career, aspiration, trait, skill].every((item) => item === undefined))
    throw new Fault(
      'input',
      'Create a character --from texts, or from options: --career, --aspiration, --trait, --skill, --emotion, --age.',
    );
  const { persona, problems, scenes } = buildCharacter({ name, age, career, aspiration, traits: trait, skills: skill, emotion });
  if (problems.length > 0) throw new Fault('input', `${name} is inconsistent: ${problems.join(' ')} Nothing was written.`);
  const file = writePersona(persona, options, terminal);
  if (options.scenes !== undefined) writeOut(options.scenes, `${JSON.stringify(scenes, null, 2)}\n`, terminal.cwd);
  if (options.json === true)
    printJson(terminal, { file, id: persona.id, hash: persona.hash, scenes: options.scenes === undefined ? [] : scenes });
  else print(terminal, `${file}${options.scenes === undefined ? '' : `, and ${count(scenes.length, 'scene')} in ${options.scenes}`}.`);
  return exits.fine;
}
