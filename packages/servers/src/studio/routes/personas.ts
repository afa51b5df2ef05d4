/** @file Routes of the personas page: the gallery and the user's personas, import, export, check, and samples from a population. */

import {
  activateLore,
  checkPersona,
  customers,
  derive,
  type ExportFormat,
  exportPersona,
  gallery,
  importPersona,
  losses,
  type Persona,
  parsePersona,
  samplePopulation,
  traits,
} from '@ludus-agents/agents/internal/personas/index';
import { populationKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { deletePersona, freshKey, ownPersona, portraitOf, savePersona } from '@ludus-agents/agents/internal/workspace/user-documents';
import { equal, Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import { listKind } from '../../describe.ts';
import type { LoreFired, PersonaCard, PersonaShown, PersonaSource, SampleRequest, SampleShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { listOwnPersonas } from '../own-files.ts';
import { reply } from '../request.ts';
import { formatQuery, loreBody, personaBody, personaSaveBody, sampleBody } from '../requests.ts';

export function personas(studio: StudioContext) {
  const { cwd } = studio.place;
  return new Hono()
    .get('/', (call) => reply(call, cards(cwd)))
    .post('/check', personaBody, (call) => reply(call, { problems: checkPersona(call.req.valid('json').persona) }))
    .post('/lore', loreBody, (call) => reply<LoreFired>(call, findFired(call.req.valid('json'))))
    .post('/import', async (call) => reply(call, importFile(cwd, new Uint8Array(await call.req.arrayBuffer()))))
    .post('/sample', sampleBody, (call) => reply(call, samplePeople(call.req.valid('json'))))
    .get('/populations', async (call) => reply(call, await populations(cwd)))
    .post('/own', personaBody, (call) => reply(call, createPersona(cwd, call.req.valid('json').persona)))
    .put('/own/:key', personaSaveBody, (call) => {
      return reply(call, saveDraft(cwd, call.req.param('key'), call.req.valid('json')));
    })
    .delete('/own/:key', (call) => {
      deletePersona(cwd, call.req.param('key'));
      return reply(call, {});
    })
    .get('/own/:key/portrait', (call) => picture(call, portraitOf(cwd, call.req.param('key'))))
    .get('/:source/:key', (call) => reply(call, readPersona(cwd, ...placeOf(call))))
    .get('/:source/:key/export', formatQuery, (call) => exportFile(call, cwd, call.req.valid('query').to))
    .get('/:source/:key/losses', formatQuery, (call) => {
      const persona = personaAt(cwd, ...placeOf(call));
      return reply(call, { lost: losses(persona, call.req.valid('query').to) });
    });
}

/** The lorebook entries that these words activate, as in a chat with a fixed seed. */
function findFired({ persona: input, said }: { readonly persona: Json; readonly said: string }): LoreFired {
  const { lore, name, tags } = parsePersona(input);
  const messages = said.split('\n').filter((line) => line.trim() !== '');
  const { placed, dropped } = activateLore(lore, { messages, turn: messages.length, seed: 0, scene: 'trial', name, tags });
  return {
    entries: placed.map(({ id, text, reason, key }) => ({ id, text, reason, ...(key === undefined ? {} : { key }) })),
    dropped: dropped.length,
  };
}

/** Every population by its name, the user's first. */
async function populations(cwd: string): Promise<Readonly<Record<string, Json>>> {
  const names = (await listKind(populationKind, cwd)).map(({ name }) => name);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await loadPopulation(name, cwd, Trust.request)])));
}

function placeOf(call: HonoCall): readonly [PersonaSource, string] {
  const { source = '', key = '' } = call.req.param() as Record<string, string>;
  if (source !== 'gallery' && source !== 'own') throw new NotFound('Personas are in "gallery" or are your "own".');
  return [source, key];
}

function cards(cwd: string): readonly PersonaCard[] {
  const personaCards = listOwnPersonas(cwd).map(({ key, persona, problem }): PersonaCard => {
    if (persona === null) return { ...blank(key), problem };
    return cardOf(persona, { source: 'own', key, portrait: portraitOf(cwd, key) !== null });
  });
  return withDistinctNames([
    ...personaCards,
    ...Object.entries(gallery).map(([key, persona]) => cardOf(persona, { source: 'gallery', key, portrait: false })),
  ]);
}

/** Makes character names in a list unique: duplicates get a number, or a note that they are from the gallery. */
function withDistinctNames(all: readonly PersonaCard[]): readonly PersonaCard[] {
  const counts = new Map<string, number>();
  return all.map((card) => {
    const count = (counts.get(card.name) ?? 0) + 1;
    counts.set(card.name, count);
    return count === 1 ? card : { ...card, name: `${card.name} (${card.source === 'gallery' ? 'gallery' : count})` };
  });
}

function blank(key: string): PersonaCard {
  return { source: 'own', key, portrait: false, name: key, line: '', tags: [], version: '', statements: 0, secrets: 0, problem: null };
}

function cardOf(persona: Persona, place: Pick<PersonaCard, 'source' | 'key' | 'portrait'>): PersonaCard {
  const { name, identity, tags, version, statements, secrets } = persona;
  const { age, occupation, residence } = identity.social;
  const line = [occupation?.title, age, residence].filter((part) => part !== undefined && part !== '').join(' · ');
  return { ...place, name, line, tags, version, statements: statements.length, secrets: secrets.length, problem: null };
}

export function personaAt(cwd: string, source: PersonaSource, key: string): Persona {
  const persona = source === 'own' ? ownPersona(cwd, key) : Object.hasOwn(gallery, key) ? gallery[key] : undefined;
  if (persona === null || persona === undefined)
    throw new NotFound(`Unknown persona "${key.slice(0, 60)}" ${source === 'own' ? 'among your personas' : 'in the gallery'}.`);
  return persona;
}

function readPersona(cwd: string, source: PersonaSource, key: string): PersonaShown {
  const persona = personaAt(cwd, source, key);
  return { source, key, persona, portrait: source === 'own' && portraitOf(cwd, key) !== null };
}

/** A new document of the user. A copy of someone else's already contains its parent. */
function createPersona(cwd: string, json: Json): PersonaShown {
  const persona = parsePersona(json);
  const key = freshKey(cwd, persona.id);
  const ownPersona = persona.id === key ? persona : parsePersona({ ...persona, id: key });
  savePersona(cwd, key, ownPersona);
  return { source: 'own', key, persona: ownPersona, portrait: false };
}

/** The next version of a user's document; rejected if another page has saved one since it was loaded. */
function saveDraft(cwd: string, key: string, { persona, base }: { readonly persona: Json; readonly base: Json }): PersonaShown {
  const before = personaAt(cwd, 'own', key);
  if (base !== before.hash)
    throw new Fault('input', `${before.name} was changed elsewhere since this page was loaded. Reload it, or save a copy.`, {
      code: 'E_STALE',
    });
  const wanted = parsePersona(persona);
  const without = ({ hash: _, version: __, parent: ___, ...rest }: Persona) => rest as Json;
  const portrait = portraitOf(cwd, key) !== null;
  if (equal(without(before), without(wanted))) return { source: 'own', key, persona: before, portrait };
  const next = derive(before, () => wanted);
  savePersona(cwd, key, next);
  return { source: 'own', key, persona: next, portrait };
}

/** Converts a card, agent, or profile of another program to a user's document, with its own key. The same card twice is one character. */
function importFile(cwd: string, bytes: Uint8Array): PersonaShown {
  const { persona, format, image } = importPersona(bytes);
  const existing = listOwnPersonas(cwd).find(
    ({ key, persona: ownPersona }) => ownPersona?.hash === persona.hash && hasPortrait(cwd, key, image),
  );
  if (existing !== undefined) return { ...readPersona(cwd, 'own', existing.key), format, isKnown: true };
  const key = freshKey(cwd, persona.name);
  savePersona(cwd, key, persona, image);
  return { source: 'own', key, persona, format, portrait: image !== undefined };
}

function hasPortrait(cwd: string, key: string, image: Uint8Array | undefined): boolean {
  const portrait = portraitOf(cwd, key);
  return portrait === null || image === undefined ? portrait === null && image === undefined : Buffer.compare(portrait, image) === 0;
}

function picture(call: HonoCall, bytes: Uint8Array<ArrayBuffer> | null): Response {
  if (bytes === null) throw new NotFound('This persona has no picture.');
  // Served as a picture only, regardless of its bytes.
  call.header('content-type', 'image/png');
  call.header('x-content-type-options', 'nosniff');
  call.header('content-security-policy', "default-src 'none'; sandbox");
  return call.body(bytes);
}

function exportFile(call: HonoCall, cwd: string, to: ExportFormat): Response {
  const [source, key] = placeOf(call);
  const persona = personaAt(cwd, source, key);
  const image = source === 'own' ? portraitOf(cwd, key) : null;
  const written = exportPersona(persona, to, image === null ? {} : { image });
  const binary = written instanceof Uint8Array;
  call.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(key)}.${endingOf(to)}`);
  call.header('content-type', binary ? 'application/octet-stream' : 'application/json');
  call.header('x-content-type-options', 'nosniff');
  return binary ? call.body(new Uint8Array(written)) : call.body(`${JSON.stringify(written, null, 2)}\n`);
}

function endingOf(to: ExportFormat): string {
  return to === 'png' || to === 'charx' ? to : `${to}.json`;
}

const listed = 200;

/** People drawn from a population: the first of them by name, and the distributions of all. */
function samplePeople({
  specification = customers,
  count,
  seed,
}: Partial<SampleRequest> & Omit<SampleRequest, 'specification'>): SampleShown {
  const { personas: people, attributes, report } = samplePopulation(specification, count, seed);
  const spread = traits.map((trait) => ({
    trait,
    bins: people.reduce((bins, { identity }) => {
      const score = identity.personal.bigFive?.[trait]?.score;
      if (score === undefined) return bins;
      const bin = Math.min(19, Math.floor(score / 5));
      return bins.with(bin, bins[bin]! + 1);
    }, new Array<number>(20).fill(0)),
  }));
  return {
    count: people.length,
    people: people.slice(0, listed).map((persona, i) => ({ name: persona.name, attributes: attributes[i] ?? {} })),
    report,
    traits: spread.filter(({ bins }) => bins.some((n) => n > 0)),
    first: people[0] ?? null,
  };
}
