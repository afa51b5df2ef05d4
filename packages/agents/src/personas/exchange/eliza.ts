/** @file eliza character files: bio, lore, topics, adjectives, styles and example messages. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { PersonaInput } from '../parse.ts';
import type { Example, ExampleTurn, Persona, Statement } from '../persona.ts';
import { objectIn, present, secretIn, secretLine, textIn, textsIn } from './loose.ts';
import { distinct, gather, joinJson, pathOf, scatter } from './pointers.ts';

const format = 'eliza';

export function isEliza(json: JsonObject): boolean {
  const ownItems = [
    'bio',
    'lore',
    'messageExamples',
    'postExamples',
    'adjectives',
    'topics',
    'style',
    'modelProvider',
    'plugins',
    'system',
  ];
  return typeof json['name'] === 'string' && ownItems.filter((key) => Object.hasOwn(json, key)).length >= 2;
}

export function readEliza(character: JsonObject): PersonaInput {
  const name = textIn(character['name']) ?? 'Unnamed';
  const username = textIn(character['username']);
  const style = objectIn(character['style']);
  const statementsAt = (kind: Statement['kind'], ...path: readonly string[]) =>
    gather(path.length === 1 ? character[path[0]!] : style[path[1]!], path, { format, kind });
  const statements = distinct([
    ...statementsAt('fact', 'bio'),
    ...statementsAt('fact', 'lore'),
    ...statementsAt('trait', 'adjectives'),
    ...statementsAt('style', 'style', 'all'),
    ...statementsAt('style', 'style', 'chat'),
    ...statementsAt('style', 'style', 'post'),
  ]);
  return {
    name,
    ...present({ aliases: username === undefined || username === name ? undefined : [username] }),
    identity: { context: { interests: textsIn(character['topics']) } },
    statements: statements.filter((statement) => secretIn(statement.text) === undefined),
    secrets: statements.flatMap((statement) => secretIn(statement.text) ?? []).map((text) => ({ text })),
    voice: {
      examples: examplesIn(character['messageExamples'], name),
      posts: textsIn(character['postExamples']),
    },
    knowledge: { knows: topicsIn(character['knowledge']).map((topic) => ({ topic })) },
    policy: present({ system: textIn(character['system']) }),
  };
}

export function writeEliza(persona: Persona): JsonObject {
  const homeless = persona.statements.filter((statement) => pathOf(statement, format) === null);
  const ofKind = (...kinds: readonly Statement['kind'][]) =>
    homeless.filter((statement) => kinds.includes(statement.kind)).map((statement) => statement.text);
  const knownNames = {
    name: persona.name,
    ...present({ username: persona.aliases[0], system: persona.policy.system }),
    bio: [],
    lore: [],
    topics: persona.identity.context.interests,
    adjectives: [],
    style: { all: [], chat: [], post: [] },
    messageExamples: persona.voice.examples.map((example) => example.turns.map((turn) => messageOf(turn, persona.name))),
    postExamples: persona.voice.posts,
    knowledge: persona.knowledge.knows.map((know) => know.topic),
  };
  const added = {
    bio: ofKind('fact', 'relation'),
    lore: [...ofKind('belief', 'trait'), ...persona.secrets.map((secret) => secretLine(secret.text))],
    style: { all: ofKind('style', 'rule', 'boundary') },
  };
  return joinJson(joinJson(knownNames, scatter(persona, format)), added) as JsonObject;
}

/** Conversations are lists of {user or name, content: {text, action}}. */
function examplesIn(value: Json | undefined, name: string): readonly Example[] {
  return (Array.isArray(value) ? value : [])
    .map((conversation: Json) => (Array.isArray(conversation) ? conversation : []).filter(isObject).map((message) => turnIn(message, name)))
    .filter((turns) => turns.length > 0)
    .map((turns, i) => ({ id: `e${i + 1}`, turns, tags: [] }));
}

function turnIn(message: JsonObject, name: string): ExampleTurn {
  const text = textIn(message['user']) ?? textIn(message['name']) ?? 'user';
  const content = objectIn(message['content']);
  const action = textIn(content['action']) ?? textsIn(content['actions'])[0];
  return {
    speaker: text === name ? 'char' : /^\{\{(?:user|name)1?\}\}$/.test(text) ? 'user' : text,
    speech: textIn(content['text']) ?? '',
    ...present({ action }),
  };
}

function messageOf({ speaker, speech, action }: ExampleTurn, name: string): Json {
  const user = speaker === 'char' ? name : speaker === 'user' ? '{{user1}}' : speaker;
  return { user, content: action === undefined ? { text: speech } : { text: speech, action } };
}

/** Only knowledge given as text is imported; files and folders for a running agent are ignored. */
function topicsIn(value: Json | undefined): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((item: Json) => typeof item === 'string' && item.trim() !== '') as string[];
}
