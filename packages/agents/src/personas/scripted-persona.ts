/** @file Scripted personas, for playing offline: they say the lines on their cards. */

import { type Agent, type AnyEnvironment, type Script, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { defaultUser, expandMacros, mayKnow, type Persona, type Statement, sentences } from './index.ts';

/**
 * A character of a scene: greets in its own words, then pursues its goal like the environment's own script, and otherwise says its lines.
 */
export function createScriptedPersona(environment: AnyEnvironment, persona: Persona, company: Company = {}): Agent {
  const characterScript = environment.scripts?.['character'] as Script;
  const names = { char: persona.nickname || persona.name, user: company.user ?? defaultUser };
  const { greetings, groupGreetings } = persona.voice;
  const first = company.group === true && groupGreetings.length > 0 ? groupGreetings : greetings;
  const [greeting, ...lines] = [...first.slice(0, 1), ...spokenLines(persona)].map((line) => expandMacros(line, names));
  const agent = scripted(`${persona.name} (script)`, (turn: Turn) => {
    const acted = turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
    if (acted.length === 0 && greeting !== undefined) return { text: speech(greeting) };
    const answer = characterScript(turn);
    if ('action' in answer || answer.text !== '[none]') return answer;
    const next = lines.map(speech).find((line) => !acted.includes(line));
    return next === undefined ? answer : { text: next };
  });
  return { ...agent, persona: persona.hash };
}

/** The character's company: the replacement of {{user}}, and whether there may be several others. */
export interface Company {
  readonly user?: string;
  /** Whether group greetings of a card come first. */
  readonly group?: boolean;
}

const quotation = linear(/["“„]([^"“”„]*)["”]/g);

/** A text as the move that says it. Inner quotation marks become single, and unpaired ones are dropped. */
function speech(text: string): string {
  return `[speak "${text
    .replace(quotation, '‘$1’')
    .replace(/["“”„]/g, '')
    .replace(/[[\]]/g, '')
    .replace(/\s+/g, ' ')}"]`;
}

/** The persona's earlier lines: the examples on the card, then its writing, sentence by sentence. */
function spokenLines({ voice }: Persona): string[] {
  const examples = voice.examples.flatMap(({ turns }) =>
    turns.flatMap(({ speaker, speech }) => (speaker === 'char' && speech !== '' ? [speech] : [])),
  );
  return [...examples, ...voice.posts.flatMap(sentences)];
}

/** The lines of a persona without a model: its examples, then its public facts. */
export function linesFor(persona: Persona): readonly { readonly id: string; readonly cue: string; readonly says: string }[] {
  const examples = persona.voice.examples.flatMap(({ id, turns }) =>
    turns.flatMap(({ speaker, speech }, i) =>
      speaker === 'char' && speech !== '' ? [{ id, cue: turns[i - 1]?.speech ?? '', says: speech }] : [],
    ),
  );
  const facts = persona.statements
    .filter(({ visibility, polarity, kind }) => mayKnow(visibility, {}, 'acquaintance') && polarity === 'must' && kind !== 'style')
    .map((statement) => ({ id: statement.id, cue: (statement.keys ?? []).join(' '), says: firstPerson(statement, persona) }));
  const wishes = persona.goals
    .filter(({ visibility }) => visibility === 'public')
    .map(({ id, text }) => ({ id, cue: 'want wish hope goal', says: `What I want? ${text}` }));
  return [...examples, ...facts, ...wishes, ...selfLines(persona)];
}

/** Answers to a stranger's first questions. The cues match those in the conversation scripts. */
function selfLines(persona: Persona): readonly { readonly id: string; readonly cue: string; readonly says: string }[] {
  const { name, nickname, identity, statements } = persona;
  const { age, occupation, residence } = identity.social;
  // A card without these fields states them in a sentence.
  const open = statements.filter(({ visibility, polarity }) => mayKnow(visibility, {}, 'acquaintance') && polarity === 'must');
  const stated = (cue: string, ...patterns: readonly RegExp[]) => {
    const statement = patterns.flatMap((pattern) => open.filter(({ text }) => pattern.test(text)))[0];
    return statement === undefined ? [] : [{ id: statement.id, cue, says: firstPerson(statement, persona) }];
  };
  const calling = nickname ? ` People call me ${nickname}.` : '';
  const work = occupation?.title;
  return [
    { id: 'name', cue: 'whoareyou', says: `I am ${name}${work === undefined ? '' : `, ${work}`}.${calling}` },
    ...(age === undefined ? stated('howold', statedAge) : [{ id: 'age', cue: 'howold', says: `I am ${age}.` }]),
    ...(work === undefined
      ? stated('whatdoyoudo', statedTrade, workStated)
      : [{ id: 'work', cue: `whatdoyoudo ${work}`, says: `My work? ${capital(work)}.` }]),
    ...(residence === undefined
      ? stated('wheredoyoulive', homeStated)
      : [{ id: 'home', cue: `wheredoyoulive ${residence}`, says: `I live in ${residence}.` }]),
  ];
}

/** An age, a trade, or a home in a sentence, with its words in a group. */
export const statedAge = linear(/(?:\b(?:is|aged?|turned|turns) |\bage: ?|, |\()(\d{1,3})\b(?![%$.,]\d)|\b(\d{1,3})[- ]years?[- ]old\b/i);
export const statedTrade = linear(
  /^(?:job|occupation|profession): ?(\S.*)|(?:\bis|,) an? (?:[\p{L}\d-]+ ){0,4}?((?:(?!old\b)\p{L}+ )?\p{L}+(?:er|or|ist|ian|man|woman|smith|wright|nun|priest|nurse|clerk|cook|guard))\b/iu,
);
export const statedHome = linear(/\b(?:lives?|resides?) (?:in|on|at|near) (\p{Lu}[\p{L}’'-]*(?: \p{Lu}[\p{L}’'-]*)*)/u);
const workStated = linear(/\b(?:works?|working|keeps|runs|repairs|mends|sells|teaches|drives|owns|job|trade)\b/iu);
const homeStated = linear(/\b(?:lives?|living|resides?|home|hails from|comes from|is from)\b|\b(?:in|at) [A-Z]/);

const irregular: Readonly<Record<string, string>> = {
  is: 'am',
  has: 'have',
  does: 'do',
  goes: 'go',
  was: 'was',
  "isn't": 'am not',
  "doesn't": "don't",
};
const auxiliary = /^(?:can|cannot|can't|could|will|won't|would|must|may|might|should)$/i;
/** Adverbs between a subject and its verb: "Maud never forgets" is "I never forget". */
const adverb = /^(?:(?:never|always|often|rarely|seldom|sometimes|usually|still|also|now|secretly|once) )+/i;

const labeled = linear(/^(\p{L}[\p{L} ]{0,30}): ?(\S.*)$/su);
const labels: readonly (readonly [RegExp, (value: string) => string])[] = [
  [/^(?:name|character|age)$/i, (value) => `I am ${value}.`],
  [/^(?:job|occupation|profession)$/i, (value) => `My work? ${capital(value)}.`],
  [/^(?:likes|loves)$/i, (value) => `I like ${value}.`],
  [/^(?:dislikes|hates)$/i, (value) => `I do not like ${value}.`],
];

/** A statement in the first person: "Dock runs the ferry" is "I run the ferry". Others are quoted unchanged. */
function firstPerson({ text }: Statement, { name, nickname }: Persona): string {
  const [, label, value] = labeled.exec(text) ?? [];
  const says = label === undefined ? undefined : labels.find(([pattern]) => pattern.test(label))?.[1];
  if (says !== undefined) return says((value ?? '').replace(/\.$/, ''));
  const subjects = [name, nickname ?? '', '{{char}}', 'He', 'She'].filter((subject) => subject !== '');
  const subject = subjects.find((subject) => text.startsWith(`${subject} `));
  if (subject === undefined) return text.replace(/^(?:His|Her)(?= \p{L})/u, 'My');
  const predicate = text.slice(subject.length + 1).replace(/^\(\d{1,3}\) /, '');
  const adverbs = adverb.exec(predicate)?.[0] ?? '';
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/s.exec(predicate.slice(adverbs.length)) ?? [];
  const speech = irregular[verb] ?? (auxiliary.test(verb) ? verb : plainVerb(verb));
  if (speech === null) return `They say of me: ${text}`;
  const ownText = rest
    .replace(/\b(?:his|her|their)(?= \p{L})/gu, 'my')
    .replaceAll(`${name}’s`, 'my')
    .replaceAll(`${name}'s`, 'my')
    .replace(linear(/\band ([a-z]+s)(?= (?:the|an?|my|to|in|at|for|with)\b)/g), (whole, second: string) => {
      const plain = plainVerb(second);
      return plain === null ? whole : `and ${plain}`;
    });
  return `I ${adverbs}${speech}${ownText}`;
}

/** The verb without its third-person ending; the past tense unchanged; null if the word does not look like a verb. */
function plainVerb(verb: string): string | null {
  if (/^[a-z]+ies$/.test(verb)) return verb.replace(/ies$/, 'y');
  if (/^[a-z]+(?:sh|ch|ss|x|zz)es$/.test(verb)) return verb.replace(/es$/, '');
  if (/^[a-z]+[^s]s$/.test(verb)) return verb.slice(0, -1);
  return /^[a-z]+ed$/.test(verb) ? verb : null;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
