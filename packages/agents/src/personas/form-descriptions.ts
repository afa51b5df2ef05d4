/**
 * @file The meaning of each field of a character file, in the order of the form. Editors show these texts, and the reference is generated
 * from them.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

/** Texts by path; list items have the path of their list. */
export const fieldTexts: Readonly<Record<string, string>> = {
  schema: 'the version of this format',
  id: 'a short name for files and relations (default: from the name)',
  kind: 'sampled, written, or a portrait of one person',
  version: 'the version of this document',
  hash: 'computed from the content; leave it out',
  parent: 'the document that this one was made from',
  lang: 'the language, such as en',
  tags: 'words to find the character by',
  provenance: 'creator, license, sources, dates, basis, and consent',
  name: 'the full name',
  nickname: 'the name used in conversation',
  aliases: 'other names',
  pronouns: 'such as she/her',
  assets: 'portraits, voices, and other files',
  identity: 'who the character is',
  'identity.social': 'age, gender, occupation, and other facts',
  'identity.social.extra': 'any other attributes',
  'identity.personal': 'personality',
  'identity.personal.bigFive': 'scores from 0 to 100 for O, C, E, A, and N',
  'identity.personal.values': 'Schwartz values, from 1 (unlike me) to 6 (like me)',
  'identity.personal.mbti': 'a type such as INTJ',
  'identity.personal.moral': 'moral level from 1 (paragon) to 4 (villain), with traits',
  'identity.personal.decisionStyle': 'how the character decides',
  'identity.personal.summary': 'the personality in a few sentences',
  'identity.context': 'daily life',
  'identity.context.routines': 'habits by time, such as morning or weekend',
  'identity.context.likes': 'likes',
  'identity.context.dislikes': 'dislikes',
  'identity.context.interests': 'interests',
  'identity.context.skills': 'skills',
  'identity.context.beliefs': 'beliefs',
  'identity.context.habits': 'habits',
  'identity.context.health': 'health',
  'identity.context.history': 'what happened before, one event per item',
  statements: 'claims that must hold, one each; plain texts are enough',
  'statements.text': 'the claim',
  'statements.kind': 'what the claim is about',
  'statements.weight': 'how much it counts in scores',
  'statements.polarity': 'whether it must hold or must not hold',
  'statements.visibility': 'who may know it',
  'statements.keys': 'words that make it relevant',
  'statements.source': 'where an import found it',
  voice: 'how the character speaks',
  'voice.register': 'such as formal, or dockside slang',
  'voice.sentenceLen': 'the most words in a sentence',
  'voice.lexicon': 'words to use and words to avoid',
  'voice.quirks': 'habits of speech',
  'voice.languages': 'languages it speaks',
  'voice.greetings': 'first messages of a chat',
  'voice.groupGreetings': 'first messages in a group',
  'voice.examples': 'example conversations',
  'voice.posts': 'example posts for networks',
  goals: 'what the character wants; plain texts are enough',
  'goals.horizon': 'how far the goal reaches',
  'goals.priority': 'importance, from 0 to 100',
  'goals.visibility': 'who may know it',
  'goals.success': 'how to decide whether it was reached',
  'goals.conflictsWith': 'ids of goals that rule it out',
  secrets: 'what the character must not tell; plain texts are enough',
  'secrets.severity': 'how bad it is to tell, from 1 to 3',
  'secrets.mayRevealTo': 'who may be told',
  'secrets.revealWhen': 'when it may be told',
  knowledge: 'what the character knows and cannot know',
  'knowledge.horizon': 'the point in time after which it knows nothing',
  'knowledge.knows': 'topics it knows, and how well',
  'knowledge.cannotKnow': 'topics it cannot know, and why',
  'knowledge.mustRefuse': 'topics it must refuse, and how',
  'knowledge.onUnknown': 'what it does when it does not know',
  'knowledge.canaries': 'questions whose answers show a leak; never in a prompt',
  lore: 'a lorebook in the form of Character Card V3',
  relations: 'other people',
  'relations.to': 'id or name of the other person',
  'relations.role': 'such as sister or landlord',
  'relations.kind': 'the kind of relation',
  'relations.affinity': 'dislike to liking, from -1 to 1',
  'relations.trust': 'from -1 to 1',
  'relations.power': 'who is above, from -1 to 1',
  'relations.text': 'the relation in words',
  'relations.knowsOf': 'who may know of it',
  affect: 'moods and emotions',
  'affect.baseline': 'pleasure, arousal, and dominance at rest, each from -1 to 1',
  'affect.reactivity': 'how strongly events move it, from 0 to 1',
  'affect.halfLifeTurns': 'turns until an emotion or a mood has halved',
  'affect.thresholds': 'strength from 0 to 10 at which an emotion shows',
  policy: 'instructions for a model that plays the character',
  'policy.system': 'text of the system message',
  'policy.postHistory': 'text after the conversation',
  'policy.scenario': 'the situation at the start',
  'policy.actions': 'actions it may take in scenes',
  'policy.talkativeness': 'how often it speaks in a group, from 0 to 1',
  'policy.safety': 'how much villainy is allowed',
  rules: 'rules that answer without a model',
  raw: 'fields of the imported format, kept for export',
  ext: 'your own fields',
};

/** The schema with a description at each field that has a text. */
export function describeFields(schema: JsonObject, texts: Readonly<Record<string, string>>, path = ''): JsonObject {
  const described = Object.entries(schema).map(([key, value]): readonly [string, Json] => {
    if (key === 'properties' && isObject(value)) return [key, describeProperties(value, texts, path)];
    if (key === 'items' && isObject(value)) return [key, describeFields(value, texts, path)];
    if (key === 'anyOf' && Array.isArray(value))
      return [key, value.map((option) => (isObject(option) ? describeFields(option, texts, path) : option))];
    return [key, value];
  });
  return Object.fromEntries(described);
}

function describeProperties(properties: JsonObject, texts: Readonly<Record<string, string>>, path: string): JsonObject {
  const entries = Object.entries(properties).map(([name, field]): readonly [string, Json] => {
    const at = path === '' ? name : `${path}.${name}`;
    if (!isObject(field)) return [name, field];
    const inner = describeFields(field, texts, at);
    return [name, Object.hasOwn(texts, at) ? { ...inner, description: texts[at]! } : inner];
  });
  return Object.fromEntries(entries);
}
