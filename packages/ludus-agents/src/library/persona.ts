/** @file `persona`: creates, checks, imports, exports and samples personas. */

import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import type { ExportFormat, Imported, InferredTrait, Persona, PersonaSample } from '@ludus-agents/agents/internal/personas/index';
import {
  buildCharacter,
  checkPersona,
  derive,
  draftPersona,
  emotions,
  exportPersona,
  importPersona,
  inferTraits,
  losses,
  personaFromTexts,
  samplePopulation,
} from '@ludus-agents/agents/internal/personas/index';
import { type Backgrounds, writeBackgrounds } from '@ludus-agents/agents/internal/personas/population/background';
import { checkRules } from '@ludus-agents/agents/internal/personas/rules/check';
import { renamePersona, template } from '@ludus-agents/agents/internal/personas/templates';
import { loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { readBytes, resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { fitOfTexts, type IndividualFit } from '@ludus-agents/evaluation/internal/individual-fit';
import { findFlaws, type PersonaFlaw } from '@ludus-agents/evaluation/internal/persona-flaws';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, isFault, isObject, type Json, type Model, type ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { type CallOptions, type CallPlace, findDocument, findModel, findPersona, placeOf, type Ref, readText } from './refs.ts';

/** The options of `persona.check`. */
export interface PersonaCheckRequest extends CallOptions {
  /** A persona, a gallery name, or a file in any known format. */
  readonly persona: Ref<Persona>;
}

/** The problems of a persona; it is valid if there are none. */
export interface PersonaCheck {
  readonly format: string | null;
  readonly problems: readonly string[];
  /** One sentence about a valid persona. */
  readonly about: string;
  /** Inconsistencies in a valid document. */
  readonly flaws: readonly PersonaFlaw[];
}

/** Lists the problems of a persona, each with its field, and its inconsistencies. */
export async function check(request: PersonaCheckRequest, place: CallPlace = placeOf(request)): Promise<PersonaCheck> {
  const { persona } = request;
  if (typeof persona !== 'string') return describePersona(persona, 'persona');
  // A file is checked as it is, a gallery name by its document.
  if (persona === '-' || /[\\/.]/.test(persona) || existsSync(resolve(place.cwd, persona)))
    return inspectDocument(await readBytes(persona, place));
  const imported = await resolvePersona(persona, place);
  return describePersona(imported.persona, imported.format);
}

function describePersona(persona: Persona, format: string): PersonaCheck {
  const { name, statements, goals, secrets, rules } = persona;
  const parts = [count(statements.length, 'statement'), count(goals.length, 'goal'), count(secrets.length, 'secret')];
  return {
    format,
    about: `${name} is a valid persona${format === 'persona' ? '' : `, read as ${format}`}: ${parts.join(', ')}.`,
    problems: [...checkPersona(persona), ...(rules === undefined ? [] : checkRules(rules, emotions))],
    flaws: findFlaws(persona),
  };
}

/** A parsed document is validated again, which also checks the importers' results. */
function inspectDocument(bytes: Uint8Array): PersonaCheck {
  try {
    const { persona, format } = importPersona(bytes);
    return describePersona(persona, format);
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return { format: null, problems: problemsOf(bytes, thrown.message), about: '', flaws: [] };
  }
}

/** A document that is marked as a persona, or resembles nothing else, gets a list of all errors; others get one sentence. */
function problemsOf(bytes: Uint8Array, sentence: string): readonly string[] {
  if (!/^(This is not a valid persona|Unknown format)/.test(sentence)) return [sentence];
  try {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    const claims = (json as { schema?: Json }).schema === 'persona/1' || sentence.startsWith('Unknown format');
    const problems = claims ? checkPersona(json) : [];
    return problems.length > 0 ? problems : [sentence];
  } catch {
    return [sentence];
  }
}

/** The options of `persona.import`. */
export interface PersonaImportRequest extends CallOptions {
  /** A file in any known format, or a gallery name. */
  readonly from: string;
}

/** Reads a card, an agent or a profile of another program as a persona. */
export async function importFile(request: PersonaImportRequest, place: CallPlace = placeOf(request)): Promise<Imported> {
  return resolvePersona(request.from, place);
}

/** The options of `persona.export`. */
export interface PersonaExportRequest extends CallOptions {
  readonly persona: Ref<Persona>;
  readonly to: ExportFormat;
  /** A picture for formats that have one; by default, the persona's original picture. */
  readonly image?: string | undefined;
}

/** A persona in the format of another program, and the lost fields. */
export interface ExportedPersona {
  readonly content: ReturnType<typeof exportPersona>;
  readonly persona: Persona;
  readonly lost: readonly string[];
}

/** Writes a persona in the format of another program. */
export async function exportFile(request: PersonaExportRequest, place: CallPlace = placeOf(request)): Promise<ExportedPersona> {
  const { persona: named, to, image } = request;
  const imported: Imported = typeof named === 'string' ? await resolvePersona(named, place) : { persona: named, format: 'persona' };
  const { persona, original, assets } = imported;
  const picture = image === undefined ? original : await readBytes(image, place);
  const content = exportPersona(persona, to, { ...(picture !== undefined && { image: picture }), ...(assets !== undefined && { assets }) });
  // A card without a picture would get a plain square, which the caller should be told.
  const unpictured = to === 'png' && picture === undefined ? ['portrait (pass --image FILE)'] : [];
  return { content, persona, lost: [...unpictured, ...losses(persona, to)] };
}

/** The options of `persona.new`. */
export interface PersonaNewRequest extends CallOptions {
  readonly name?: string | undefined;
  /** A persona as a template. */
  readonly like?: Ref<Persona> | undefined;
  /** A description, from which a model drafts the persona. */
  readonly describe?: string | undefined;
  readonly model?: Ref<Model> | undefined;
}

/** A new persona, its template, and the model calls for drafting it. */
export interface NewPersona {
  readonly persona: Persona;
  readonly like?: string;
  readonly calls: readonly ModelCall[];
}

/** Creates a persona from a template, from another persona, or from a description. */
export async function create(request: PersonaNewRequest, place: CallPlace = placeOf(request)): Promise<NewPersona> {
  const { name, like, describe, model } = request;
  if (like !== undefined && describe !== undefined)
    throw new Fault('input', '--like and --describe cannot be combined. Remove one of them.', { code: 'E_CONFLICTING_OPTIONS' });
  if (model !== undefined && describe === undefined)
    throw new Fault('input', '--model is used to draft from --describe. Add --describe "…", or remove --model.');
  if (describe !== undefined) {
    if (model === undefined)
      throw new Fault('input', '--describe needs a model to draft with. Set it with --model; "ludus models" lists the available ones.');
    const wanted = name === undefined ? describe : `${describe}\nThe name is ${name}.`;
    const { persona, calls } = await draftPersona(await findModel(model, place), wanted, request.signal ? { signal: request.signal } : {});
    return { persona: name === undefined || persona.name === name ? persona : renamePersona(persona, name), calls };
  }
  if (name === undefined || name.trim() === '')
    throw new Fault('input', 'A persona needs a name, such as "ludus persona new \\"Ann Archer\\"", or a description to draft it from.');
  if (like === undefined) return { persona: template(name), calls: [] };
  const original = await findPersona(like, place);
  return { persona: renamePersona(original, name), like: original.name, calls: [] };
}

/** The options of `persona.make`: texts of a person, or choices for a character. */
export interface PersonaMakeRequest extends CallOptions {
  readonly name: string;
  /** Files with texts of the person. */
  readonly from?: readonly string[] | undefined;
  /** The speaker in chats. */
  readonly speaker?: string | undefined;
  /** The person's consent. */
  readonly consent?: string | undefined;
  /** An earlier version of the persona. */
  readonly update?: Ref<Persona> | undefined;
  /** A model that infers traits from the texts. */
  readonly model?: Ref<Model> | undefined;
  readonly age?: number | undefined;
  readonly career?: string | undefined;
  readonly aspiration?: string | undefined;
  readonly traits?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly emotion?: string | undefined;
}

/** A persona from texts with its goodness of fit, or a character from choices with scenes for it. */
export interface MadePersona {
  readonly persona: Persona;
  /** For a persona from texts: the number of texts, added and retired traits, the fit on held-out texts, and the inferred traits. */
  readonly individual?: Pick<ReturnType<typeof personaFromTexts>, 'added' | 'retired'> & {
    readonly texts: number;
    readonly fit: IndividualFit;
    readonly traits: readonly InferredTrait[];
  };
  /** For choices: scenes that show the character. */
  readonly scenes: ReturnType<typeof buildCharacter>['scenes'];
}

/** Makes a persona of a real person from their texts, or a character from a few choices. */
export async function make(request: PersonaMakeRequest, place: CallPlace = placeOf(request)): Promise<MadePersona> {
  const name = request.name.trim();
  if (name === '') throw new Fault('input', 'The persona needs a name.');
  const { from, age, career, aspiration, traits, skills, emotion } = request;
  if (from !== undefined) return makeIndividual(name, from, request, place);
  if ([career, aspiration, traits, skills].every((item) => item === undefined))
    throw new Fault(
      'input',
      'Create a character --from texts, or from options: --career, --aspiration, --trait, --skill, --emotion, --age.',
    );
  const { persona, problems, scenes } = buildCharacter({ name, age, career, aspiration, traits, skills, emotion });
  if (problems.length > 0) throw new Fault('input', `${name} is inconsistent: ${problems.join(' ')} Nothing was written.`);
  return { persona, scenes };
}

async function makeIndividual(name: string, from: readonly string[], request: PersonaMakeRequest, place: CallPlace): Promise<MadePersona> {
  const { speaker, consent = '', update, model, signal = new AbortController().signal } = request;
  const texts = (await Promise.all(from.map((file) => textsIn(file, speaker, place)))).flat();
  const previous = update === undefined ? undefined : await findPersona(update, place);
  const about = { name, consent, source: from.map((file) => basename(file)).join(', ') };
  const { persona, added, retired } = personaFromTexts(texts, { ...about, previous });
  const fit = fitOfTexts(texts, about);
  const traits = model === undefined ? [] : await inferTraits(texts, await findModel(model, place), signal);
  return { persona: withTraits(persona, traits), individual: { texts: texts.length, added, retired, fit, traits }, scenes: [] };
}

function withTraits(persona: Persona, inferred: readonly InferredTrait[]): Persona {
  const settled = inferred.flatMap(({ trait, score }) => (score === null ? [] : [[trait, { score }] as const]));
  if (settled.length === 0) return persona;
  const { identity } = persona;
  const bigFive = { ...identity.personal.bigFive, ...Object.fromEntries(settled) };
  return derive(persona, { identity: { ...identity, personal: { ...identity.personal, bigFive } } });
}

/** Paragraphs of a text, or the lines of one speaker in a chat. */
async function textsIn(file: string, speaker: string | undefined, place: CallPlace): Promise<readonly string[]> {
  const text = await readText(file, place, 'The texts');
  if (!/\.jsonl?$/i.test(file))
    return text
      .split(/\r?\n\s*\r?\n/)
      .map((part) => part.replace(/\s+/g, ' ').trim())
      .filter((part) => part !== '');
  if (!/\.jsonl$/i.test(file)) return linesIn(jsonFrom(text, `The chat ${file}`), speaker);
  const rows = text.split('\n').filter((row) => row.trim() !== '');
  return rows.flatMap((row, i) => linesIn(jsonFrom(row, `Line ${i + 1} of ${file}`), speaker));
}

/** Lines of a chat in the forms that programs write: lists of messages, or one message. */
function linesIn(json: Json, speaker: string | undefined): readonly string[] {
  if (Array.isArray(json)) return json.flatMap((item: Json) => linesIn(item, speaker));
  if (typeof json === 'string') return speaker === undefined ? [json] : [];
  if (!isObject(json)) return [];
  const inner = json['messages'] ?? json['conversations'];
  if (Array.isArray(inner)) return linesIn(inner, speaker);
  const speech = [json['text'], json['content'], json['value']].find((item) => typeof item === 'string');
  const by = [json['speaker'], json['role'], json['from'], json['name']].find((item) => typeof item === 'string');
  return typeof speech !== 'string' || (speaker !== undefined && by !== speaker) ? [] : [speech];
}

/** The options of `persona.sample`. */
export interface PersonaSampleRequest extends CallOptions {
  /** A population, its name, or its file. */
  readonly population: Ref<Json>;
  readonly number?: number | undefined;
  readonly seed?: number | undefined;
  /** Draw randomly; by default, the shares of the population are met exactly. */
  readonly chance?: boolean | undefined;
  /** A model that writes a background for each person. */
  readonly model?: Ref<Model> | undefined;
}

/** People of a population, with the target and achieved shares. */
export interface SampledPersonas extends PersonaSample {
  /** With a model: people without a background, and the number of calls. */
  readonly backgrounds?: Pick<Backgrounds, 'failed' | 'calls'>;
}

/** Draws people from a population. */
export async function sample(request: PersonaSampleRequest, place: CallPlace = placeOf(request)): Promise<SampledPersonas> {
  const { population, number = 10, seed = 0, chance, model, signal } = request;
  const isName = typeof population === 'string' && population !== '-';
  const people = isName
    ? await loadPopulation(population, place.cwd, place.trust)
    : await findDocument(population, place, 'The population');
  const sampled = samplePopulation(people, number, seed, { exact: chance !== true });
  if (model === undefined) return sampled;
  const { personas, failed, calls } = await writeBackgrounds(await findModel(model, place), sampled, {
    encoder: recallEncoder(place.env),
    ...(signal !== undefined && { signal }),
  });
  return { ...sampled, personas, backgrounds: { failed, calls } };
}

/** The folder of a file, in which its names are looked up. */
export function folderOf(file: string, { cwd }: CallPlace): string {
  return dirname(resolve(cwd, file));
}
