/**
 * @file Character Cards V1, V2, and V3 as JSON.
 *
 * A card's prose is split into statements, one sentence each, and written back from them. Macros such as {{char}} stay as they are. Our own
 * exports contain the whole document in an extension, so a round trip through other programs loses nothing that they leave unchanged.
 */

import { equal, Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { parseDecorators } from '../lore/decorators.ts';
import { checkPersona, type PersonaInput, parsePersona, parseWithoutHash, withHash } from '../parse.ts';
import type { Asset, Lorebook, LoreEntry, Persona, Statement } from '../persona.ts';
import { contextLines, personalLines, relationLine, sentences, socialLines, spokenStatements, statementLine } from '../prose.ts';
import { absorb } from './absorb.ts';
import { readBook } from './book.ts';
import { carry } from './carry.ts';
import { readExamples, writeExamples } from './examples.ts';
import { numberIn, objectIn, present, secretIn, secretLine, textIn, textsIn } from './loose.ts';

export type CardVersion = 1 | 2 | 3;

/** The key of our own document in a card's extensions. */
export const extensionKey = 'ludus/persona';

const formats = { 1: 'card-v1', 2: 'card-v2', 3: 'card-v3' } as const;
const oldest = ['name', 'description', 'personality', 'scenario', 'first_mes', 'mes_example'] as const;
const newest = ['nickname', 'assets', 'source', 'creator_notes_multilingual', 'group_only_greetings', 'creation_date', 'modification_date'];
const backfillNote = 'This is a Character Card V3 loaded as V2; open it with a program that reads V3 to get all of it.';
const depthPrompt = 'depth_prompt';

/**
 * The version of a card, or null if it is not a card. Newer versions are read as the newest known one, and V1 cards may lack some texts.
 */
export function cardVersion(json: JsonObject): CardVersion | null {
  const spec = /^chara_card_v(\d+)$/.exec(textIn(json['spec']) ?? '');
  if (spec !== null) return !isObject(json['data']) ? null : Number(spec[1]) >= 3 ? 3 : 2;
  if (json['spec'] !== undefined || typeof json['name'] !== 'string') return null;
  return oldest.filter((key) => typeof json[key] === 'string').length >= 4 ? 1 : null;
}

export function importCard(card: JsonObject): Persona {
  const version = cardVersion(card);
  if (version === null)
    throw new Fault(
      'input',
      `Expected a character card: spec "chara_card_v2" or "chara_card_v3" with data, or the texts of V1 (${oldest.join(', ')}).`,
    );
  const embeddedPersona = objectIn(objectIn(card['data'])['extensions'])[extensionKey];
  if (embeddedPersona === undefined || checkPersona(embeddedPersona).length > 0)
    return parsePersona({ ...readCard(card), raw: { [formats[version]]: card } });
  const persona = parsePersona(embeddedPersona);
  const expected = exportCard(persona, version);
  if (equal(expected, card)) return persona;
  // Another program changed the card after our export: apply its changes.
  const merged = absorb(persona, parseWithoutHash(readCard(expected)), parseWithoutHash(readCard(card)));
  return parsePersona({ ...merged, raw: { ...persona.raw, [formats[version]]: card } });
}

export function exportCard(persona: Persona, version: CardVersion): JsonObject {
  const card = writtenCard(persona, version);
  return version === 3 && card !== persona.raw['card-v3'] ? withRequired(card) : card;
}

/** V3 requires `use_regex` in every entry of a book; it is added when an entry without it is exported. */
function withRequired(card: JsonObject): JsonObject {
  const data = objectIn(card['data']);
  const book = data['character_book'];
  if (!isObject(book) || !Array.isArray(book['entries'])) return card;
  const entries = book['entries'].map((entry) => (isObject(entry) ? { use_regex: false, ...entry } : entry));
  return { ...card, data: { ...data, character_book: { ...book, entries } } };
}

function writtenCard(persona: Persona, version: CardVersion): JsonObject {
  const from = ([version, 3, 2, 1] as const).find((number) => isObject(persona.raw[formats[number]]));
  if (from === undefined) return writeCard(persona, version);
  const original = persona.raw[formats[from]] as JsonObject;
  const untouched = importCard(original);
  if (from === version && untouched.hash === persona.hash) return original;
  const plain = withoutOwn(original);
  const card = carry(retargetCard(plain, from, version), writeCard(untouched, version), writeCard(persona, version)) as JsonObject;
  if (version === 1) return card;
  const data = objectIn(card['data']);
  // The original inside our document is stored without the document inside it, or each round trip would add a copy.
  const retainedPersona = withHash({ ...persona, raw: { ...persona.raw, [formats[from]]: plain } });
  const extensions = { ...objectIn(data['extensions']), [extensionKey]: retainedPersona };
  // Some programs repeat the V1 texts next to `data`; an outdated copy would contradict the edit.
  const repeated = oldest.filter((key) => Object.hasOwn(card, key)).map((key) => [key, data[key] ?? ''] as const);
  return { ...card, ...Object.fromEntries(repeated), data: { ...data, extensions } };
}

/** A V2 card for programs without V3, without our document: the second chunk of a PNG. */
export function backfillCard(persona: Persona): JsonObject {
  const card = withoutOwn(exportCard(persona, 2));
  return { ...card, data: { ...objectIn(card['data']), creator_notes: backfillNote } };
}

function readCard(card: JsonObject): PersonaInput {
  const data = isObject(card['data']) ? card['data'] : card;
  const name = textIn(data['name']) ?? 'Unnamed';
  const extensions = objectIn(data['extensions']);
  const lines = statementsIn(textIn(data['description']) ?? '');
  const talkative = numberIn(extensions['talkativeness']);
  return {
    name,
    ...present({ nickname: textIn(data['nickname']) }),
    version: semver(textIn(data['character_version'])),
    tags: textsIn(data['tags']),
    assets: assetsIn(data['assets']),
    provenance: present({
      creator: textIn(data['creator']),
      source: textsIn(data['source']),
      createdAt: dateIn(data['creation_date']),
      modifiedAt: dateIn(data['modification_date']),
    }),
    identity: { personal: present({ summary: textIn(data['personality']) }) },
    statements: lines.statements,
    secrets: lines.secrets.map((text) => ({ text })),
    voice: {
      greetings: [textIn(data['first_mes']) ?? '', ...textsIn(data['alternate_greetings'])].filter((text, i) => i > 0 || text !== ''),
      groupGreetings: textsIn(data['group_only_greetings']),
      examples: readExamples(textIn(data['mes_example']) ?? '', name),
    },
    lore: bookIn(data),
    policy: present({
      system: textIn(data['system_prompt']),
      postHistory: textIn(data['post_history_instructions']),
      scenario: textIn(data['scenario']),
      talkativeness: talkative !== undefined && talkative >= 0 && talkative <= 1 ? talkative : undefined,
    }),
  };
}

function writeCard(persona: Persona, version: CardVersion): JsonObject {
  const { voice, policy, provenance, lore } = persona;
  const first = {
    name: persona.name,
    description: description(persona),
    personality: persona.identity.personal.summary ?? '',
    scenario: policy.scenario ?? '',
    first_mes: voice.greetings[0] ?? '',
    mes_example: writeExamples(voice.examples),
  };
  if (version === 1) return first;
  const prompt = lore.entries.find((entry) => entry.id === depthPrompt);
  const book = {
    ...lore,
    entries: lore.entries.filter((entry) => entry !== prompt).map((entry) => (version === 2 ? plainEntry(entry) : entry)),
  };
  const data = {
    ...first,
    creator_notes: '',
    system_prompt: policy.system ?? '',
    post_history_instructions: policy.postHistory ?? '',
    alternate_greetings: voice.greetings.slice(1),
    tags: persona.tags,
    creator: provenance.creator ?? '',
    character_version: persona.version,
    extensions: present({
      talkativeness: policy.talkativeness,
      depth_prompt: prompt && {
        prompt: prompt.content,
        depth: prompt.extensions['depth'] ?? 4,
        role: roleNames[Number(prompt.extensions['role'])] ?? 'system',
      },
      [extensionKey]: persona as Json,
    }) as JsonObject,
    ...(isEmptyBook(book) ? {} : { character_book: book as Json }),
  };
  if (version === 2) return { spec: 'chara_card_v2', spec_version: '2.0', data };
  return {
    spec: 'chara_card_v3',
    spec_version: '3.0',
    data: {
      ...data,
      ...present({
        nickname: persona.nickname,
        assets: persona.assets.length > 0 ? persona.assets : undefined,
        source: provenance.source.length > 0 ? provenance.source : undefined,
        creation_date: secondsOf(provenance.createdAt),
        modification_date: secondsOf(provenance.modifiedAt),
      }),
      group_only_greetings: voice.groupGreetings,
    },
  };
}

const described = 'card#/description/';

const attribute = linear(/([\p{L}\p{N}][\p{L}\p{N} _/-]{0,60})\(\s*("[^"]*"(?:\s*[+,]\s*"[^"]*")*)\s*\)/gu);

/** The entries of a line in W++, such as `Likes("rum" + "thunder")`; null for other lines, and none for a line of brackets. */
function attributesIn(line: string): readonly string[] | null {
  if (line.trim() !== '' && !/[\p{L}\p{N}]/u.test(line)) return [];
  if (/[\p{L}\p{N}]/u.test(line.replaceAll(attribute, ''))) return null;
  const entries = [...line.matchAll(attribute)].map(([, name = '', values = '']) => {
    const quoted = [...values.matchAll(linear(/"([^"]*)"/g))].map(([, value = '']) => value.trim());
    return `${name.trim()}: ${quoted.filter((value) => value !== '').join(', ')}`;
  });
  return entries.length === 0 ? null : entries;
}

/** The description as statements, one per sentence, each with its line; lines marked as secret are separated. */
function statementsIn(text: string): {
  readonly statements: readonly Pick<Statement, 'id' | 'text' | 'source'>[];
  readonly secrets: readonly string[];
} {
  const secrets: string[] = [];
  const statements = text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .flatMap((line, i) => {
      const parts = secretIn(line.trim()) === undefined ? (attributesIn(line) ?? sentences(line)) : [line.trim()];
      // A mark inside a line makes the rest of the line a secret.
      const marked = parts.findIndex((part) => secretIn(part) !== undefined);
      if (marked >= 0) secrets.push(secretIn(parts.slice(marked).join(' ')) as string);
      const open = marked < 0 ? parts : parts.slice(0, marked);
      return open.map((sentence, j) => ({ id: `d${i + 1}.${j + 1}`, text: sentence, source: `${described}${i}` }));
    });
  return { statements, secrets };
}

/** A persona's prose for a card: the original description, then everything that has no field in a card. */
function description(persona: Persona): string {
  const lines = new Map<string, string>();
  const others: string[] = [];
  for (const statement of spokenStatements(persona)) {
    const text = statementLine(statement);
    if (!statement.source?.startsWith(described)) others.push(text);
    else lines.set(statement.source, lines.has(statement.source) ? `${lines.get(statement.source)} ${text}` : text);
  }
  const { summary: _, ...personal } = persona.identity.personal;
  return [
    ...lines.values(),
    ...socialLines(persona.identity.social),
    ...personalLines({ ...persona.identity, personal }),
    ...contextLines(persona.identity),
    ...others,
    ...persona.relations.map(relationLine),
    ...persona.goals.map((goal) => `Goal: ${goal.text}`),
    ...persona.secrets.map((secret) => secretLine(secret.text)),
  ].join('\n');
}

/** The same card in the format of another version, with everything that the other version supports. */
function retargetCard(card: JsonObject, from: CardVersion, to: CardVersion): JsonObject {
  if (from === to) return card;
  const data = from === 1 ? card : objectIn(card['data']);
  if (to === 1) return Object.fromEntries(oldest.map((key) => [key, data[key] ?? '']));
  const empty = {
    creator_notes: '',
    system_prompt: '',
    post_history_instructions: '',
    alternate_greetings: [],
    tags: [],
    creator: '',
    character_version: '',
    extensions: {},
  };
  const full = { ...empty, ...data };
  if (to === 3) return { spec: 'chara_card_v3', spec_version: '3.0', data: { group_only_greetings: [], ...full } };
  const older = Object.fromEntries(Object.entries(full).filter(([key]) => !newest.includes(key)));
  const book = older['character_book'];
  const entries = isObject(book) && Array.isArray(book['entries']) ? book['entries'].filter(isObject).map(plainEntry) : undefined;
  const plainBook = entries === undefined ? {} : { character_book: { ...objectIn(book), entries } };
  return { spec: 'chara_card_v2', spec_version: '2.0', data: { ...older, ...plainBook } };
}

/** V2 does not support decorators and would show them as text. */
function plainEntry<T extends JsonObject | LoreEntry>(entry: T): T {
  const content = entry['content'];
  return typeof content === 'string' && content.includes('@@') ? { ...entry, content: parseDecorators(content).content } : entry;
}

const roleNames = ['system', 'user', 'assistant'] as const;

/** The card's book, with SillyTavern's depth prompt as a constant entry. */
function bookIn(data: JsonObject): Lorebook {
  const book = isObject(data['character_book']) ? readBook(data['character_book']) : { extensions: {}, entries: [] };
  const jsonObject = objectIn(objectIn(data['extensions'])[depthPrompt]);
  const content = textIn(jsonObject['prompt']);
  if (content === undefined) return book;
  const role = Math.max(0, roleNames.indexOf(jsonObject['role'] as (typeof roleNames)[number]));
  const extensions = { position: 4, depth: numberIn(jsonObject['depth']) ?? 4, role, selectiveLogic: 0 };
  return {
    ...book,
    entries: [...book.entries, { id: depthPrompt, keys: [], content, extensions, enabled: true, insertion_order: 100, constant: true }],
  };
}

function isEmptyBook({ extensions, entries, ...rest }: Lorebook): boolean {
  return entries.length === 0 && Object.keys(rest).length === 0 && Object.keys(extensions).length === 0;
}

function assetsIn(value: Json | undefined): readonly Asset[] {
  const text = (item: JsonObject, key: string) => (typeof item[key] === 'string' ? item[key] : '');
  return (Array.isArray(value) ? value : [])
    .filter(isObject)
    .map((item) => ({ type: text(item, 'type'), uri: text(item, 'uri'), name: text(item, 'name'), ext: text(item, 'ext') }));
}

function withoutOwn(card: JsonObject): JsonObject {
  const data = objectIn(card['data']);
  const extensions = objectIn(data['extensions']);
  if (!Object.hasOwn(extensions, extensionKey)) return card;
  const { [extensionKey]: _, ...others } = extensions;
  return { ...card, data: { ...data, extensions: others } };
}

function semver(text: string | undefined): string {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text?.trim() ?? '');
  return match === null ? '1.0.0' : `${match[1]}.${match[2] ?? 0}.${match[3] ?? 0}`;
}

/** Cards count seconds since 1970; 0 means unknown. */
function dateIn(value: Json | undefined): string | undefined {
  const seconds = numberIn(value);
  return seconds === undefined || seconds <= 0 || seconds > 8.64e12 ? undefined : new Date(seconds * 1000).toISOString();
}

function secondsOf(date: string | undefined): number | undefined {
  const milliseconds = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
