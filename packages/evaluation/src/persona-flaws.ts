/**
 * @file Finds flaws in a valid persona document: contradictory statements, secrets told where others can read them, an inconsistent voice,
 * traits that are claimed and contradicted by examples. Rules over words; each finding names both places.
 */

import { lexicalBigFive, type Persona, sentences, type Trait, traits, withNames } from '@ludus-agents/agents/internal/personas/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { nameStems, tellsIn } from './scoring/rules/telling.ts';
import { stemsOf, wordsOf } from './scoring/rules/text.ts';

export type PersonaFlawKind = 'contradiction' | 'secret-told' | 'voice' | 'trait';

/** A flaw in a persona: its kind, its place, and a description. */
export interface PersonaFlaw {
  readonly kind: PersonaFlawKind;
  /** The places, as paths in the document. */
  readonly at: readonly string[];
  readonly sentence: string;
}

/** Finds contradictions and gaps in a persona by rules over its words, without a model. */
export function findFlaws(document: Persona): readonly PersonaFlaw[] {
  const persona = withNames(document);
  return [...contradictions(persona), ...leakedSecrets(persona), ...voiceChanges(persona), ...traitClashes(persona)];
}

interface Said {
  readonly at: string;
  readonly text: string;
  /** Whether the document says that this is never so. */
  readonly never?: boolean;
}

/** A text, parsed once: its words without the persona's name, and the age that it states. */
interface Claim extends Said {
  readonly matter: ReadonlySet<string>;
  readonly years: number | null;
}

const denial = /\b(?:not|never|no|none|nobody|nothing|without|cannot|neither)\b|n['’]t\b/gi;

const opposites: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:loves?|likes?|adores?|enjoys?)\b/i, /\b(?:hates?|dislikes?|loathes?|despises?|detests?)\b/i],
  [/\balways\b/i, /\b(?:never|rarely|seldom)\b/i],
  [/\bmarried\b/i, /\b(?:unmarried|single|never married|a bachelor|widow(?:ed|er)?)\b/i],
  [/\b(?:trusts?)\b/i, /\b(?:distrusts?|mistrusts?)\b/i],
  [/\b(?:alive|lives)\b/i, /\b(?:dead|died)\b/i],
  [/\b(?:rich|wealthy)\b/i, /\b(?:poor|penniless|broke)\b/i],
  [/\b(?:only child)\b/i, /\b(?:brothers?|sisters?)\b/i],
];

function contradictions({ statements, identity, name }: Persona): readonly PersonaFlaw[] {
  const stems = stemsOf(name);
  const { age } = identity.social;
  const { likes, dislikes } = identity.context;
  const all: readonly Said[] = [
    // Speech style makes no claim: two sayings may contradict each other.
    ...statements
      .filter(({ kind }) => kind !== 'style')
      .map(({ id, text, polarity }) => ({ at: `statements.${id}`, text, never: polarity === 'must_not' })),
    ...(age === undefined ? [] : [{ at: 'identity.social.age', text: `${name} is ${age} years old.` }]),
    ...likes.map((text, i) => ({ at: `identity.context.likes.${i}`, text: `likes ${text}` })),
    ...dislikes.map((text, i) => ({ at: `identity.context.dislikes.${i}`, text: `dislikes ${text}` })),
  ];
  const claims = all.map((item): Claim => ({ ...item, matter: content(matterOf(item), stems), years: yearsIn(item.text, stems) }));
  return claims.flatMap((a, i) =>
    claims.slice(i + 1).flatMap((b): readonly PersonaFlaw[] => {
      const why = clash(a, b);
      return why === null
        ? []
        : [{ kind: 'contradiction', at: [a.at, b.at], sentence: `“${a.text}” and “${b.text}” cannot both be so: ${why}.` }];
    }),
  );
}

/** Words that express a stance. They are not part of the content that two sentences share. */
const stance = new Set(
  'like dislike love hate loath despi adore enjoy trust distr mistr alway alive dead'.split(' ').flatMap((word) => [...stemsOf(word)]),
);

function clash(a: Claim, b: Claim): string | null {
  const [left, right] = [a.matter, b.matter];
  const shared = [...left].filter((stem) => right.has(stem)).length;
  const most = Math.max(left.size, right.size);
  if (a.years !== null && b.years !== null && a.years !== b.years) return 'the ages differ';
  if (most === 0) return null;
  // Both sentences must be about the same subject only: long sentences share words by chance.
  const same = shared / most;
  for (const [item, other] of opposites) {
    const opposed = (item.test(a.text) && other.test(b.text)) || (other.test(a.text) && item.test(b.text));
    // "Never drunk" and "drinks" do not contradict each other: the negated word must be the subject itself.
    if (opposed && same > 0.67 && (isDenied(a) === isDenied(b) || /never|rarely|seldom/i.test(`${a.text}${b.text}`)))
      return 'they say the opposite of each other';
  }
  if (same < 0.75 || shared < 2) return null;
  if (isDenied(a) !== isDenied(b)) return 'one denies what the other says';
  return null;
}

/** The content of a sentence: adverbs of frequency are ignored, but "not every evening" is a weaker denial than "not". */
function matterOf(statement: Said): string {
  return isDenied(statement)
    ? statement.text
    : statement.text.replace(linear(/\b(?:(?:every|each) \w+|often|daily|usually|regularly)\b/gi), '');
}

function content(text: string, ownEntry: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...stemsOf(text)].filter((stem) => !ownEntry.has(stem) && !stance.has(stem) && !/^\d+$/.test(stem)));
}

function isDenied({ text, never = false }: Said): boolean {
  const count = [...text.matchAll(denial)].length + (never ? 1 : 0);
  return count % 2 === 1;
}

/** The age of the persona, not of another person in the sentence. */
function yearsIn(text: string, ownEntry: ReadonlySet<string>): number | null {
  const subject = stemsOf(text.split(/\bis\b/, 1)[0]);
  if (subject.size === 0 || ![...subject].every((stem) => ownEntry.has(stem))) return null;
  const match = /\bis (\d{1,3}) years? old\b|\bis (\d{1,3})\.?$/i.exec(text);
  return match === null ? null : Number(match[1] ?? match[2]);
}

/** Texts that other people can hear or read: greetings, examples, posts, public statements, the scenario. */
function publicTexts({ voice, statements, policy, lore }: Persona): readonly Said[] {
  return [
    ...voice.greetings.map((text, i) => ({ at: `voice.greetings.${i}`, text })),
    ...voice.groupGreetings.map((text, i) => ({ at: `voice.groupGreetings.${i}`, text })),
    ...voice.posts.map((text, i) => ({ at: `voice.posts.${i}`, text })),
    ...voice.examples.flatMap(({ id, turns }) =>
      turns.flatMap(({ speaker, speech }) => (speaker === 'char' ? [{ at: `voice.examples.${id}`, text: speech }] : [])),
    ),
    ...statements.filter(({ visibility }) => visibility === 'public').map(({ id, text }) => ({ at: `statements.${id}`, text })),
    ...(policy.scenario === undefined ? [] : [{ at: 'policy.scenario', text: policy.scenario }]),
    ...lore.entries.filter(({ constant }) => constant === true).map(({ content: text }, i) => ({ at: `lore.entries.${i}`, text })),
  ];
}

function leakedSecrets(persona: Persona): readonly PersonaFlaw[] {
  const knownNames = nameStems(persona);
  return persona.secrets.flatMap(({ id, text: secret }) =>
    publicTexts(persona).flatMap(({ at, text }): readonly PersonaFlaw[] =>
      // Half of a secret already counts as told here.
      tellsIn(text, secret, knownNames) !== 'kept'
        ? [{ kind: 'secret-told', at: [`secrets.${id}`, at], sentence: `The secret “${secret}” is revealed in ${at}: “${text}”` }]
        : [],
    ),
  );
}

/** Ways of speaking that do not fit the same speaker. */
const registers: Readonly<Record<string, RegExp>> = {
  archaic: /\b(?:thee|thou|thy|hath|doth|ere|wherefore|forsooth|methinks|prithee)\b|[’']tis\b/i,
  slang: /\b(?:gonna|wanna|dude|lol|yeah|bro|ain['’]t|cuz|gotta|omg|kinda|nah|yo|awesome)\b/i,
  office: /\b(?:furthermore|regarding|kindly|per our|synergy|stakeholders?|deliverables?|leverage|going forward|please find|herewith)\b/i,
  assistant: /\b(?:as an ai|language model|happy to (?:help|assist)|let me know if|great question)\b/i,
};

function voiceChanges({ voice }: Persona): readonly PersonaFlaw[] {
  const spoken: readonly Said[] = [
    ...voice.greetings.map((text, i) => ({ at: `voice.greetings.${i}`, text })),
    ...voice.examples.flatMap(({ id, turns }) =>
      turns.flatMap(({ speaker, speech }) => (speaker === 'char' && speech !== '' ? [{ at: `voice.examples.${id}`, text: speech }] : [])),
    ),
    ...voice.posts.map((text, i) => ({ at: `voice.posts.${i}`, text })),
  ];
  const personaFlaws: PersonaFlaw[] = [];
  const note = (at: readonly string[], sentence: string) => personaFlaws.push({ kind: 'voice', at, sentence });
  const messages = Object.entries(registers).flatMap(([register, marks]) => {
    const item = spoken.find(({ text }) => marks.test(text));
    return item === undefined ? [] : [{ register, ...item }];
  });
  const [first, second] = messages;
  if (first !== undefined && second !== undefined)
    note([first.at, second.at], `It has two voices: ${first.register} in “${first.text}”, ${second.register} in “${second.text}”`);
  for (const { at, text } of spoken) {
    const words = wordsOf(text);
    const avoided = voice.lexicon.avoid.find((word) =>
      wordsOf(word).length > 1 ? text.toLowerCase().includes(word.toLowerCase()) : words.includes(word.toLowerCase()),
    );
    if (avoided !== undefined) note(['voice.lexicon.avoid', at], `It never says “${avoided}”, and says it in “${text}”`);
    const most = voice.sentenceLen?.max;
    // For texts written by a person, the limit is their usual length, so a single longer sentence is no contradiction.
    const long =
      most === undefined || at.startsWith('voice.posts.')
        ? undefined
        : sentences(text).find((sentence) => wordsOf(sentence).length > 1.5 * most);
    if (long !== undefined)
      note(['voice.sentenceLen', at], `Its sentences have at most ${most} words, but “${long}” has ${wordsOf(long).length}.`);
  }
  return personaFlaws;
}

/** First-person words that indicate a pole: high, then low. */
const polePatterns: Readonly<Record<Trait, readonly [RegExp, RegExp]>> = {
  O: [
    /\b(?:i wonder|imagine if|let us try something new|i have an idea)\b/i,
    /\b(?:why change|as we always have|new-?fangled|i want nothing new|stick to what i know|no time for (?:books|art|ideas))\b/i,
  ],
  C: [
    /\b(?:to the minute|i keep a list|in its place|i checked it twice|by the book)\b/i,
    /\b(?:i forgot|lost it somewhere|i'?ll do it later|tomorrow will do|who cares when|never on time|i lose track)\b/i,
  ],
  E: [
    /\b(?:the more the merrier|come, join|let us dance|i love a crowd|meet everyone)\b/i,
    /\b(?:leave me (?:alone|be)|i keep to myself|i would rather be alone|crowds tire me|i hardly talk to)\b/i,
  ],
  A: [
    /\b(?:how can i help you|let me carry|you poor|take mine|i forgive)\b/i,
    /\b(?:not my problem|get out of my way|serves (?:you|him|her|them) right|i trample|what is in it for me|fools?, all of)\b/i,
  ],
  N: [
    /\b(?:i worry|i am afraid|my hands shake|i cannot sleep|what if it all|i panic)\b/i,
    /\b(?:nothing shakes me|i sleep soundly|no cause for alarm|i never worry|calm as)\b/i,
  ],
};

/** A trait counts as claimed at this distance from the middle. */
const claimed = 25;

function traitClashes({ identity, voice, statements }: Persona): readonly PersonaFlaw[] {
  const { bigFive, moral } = identity.personal;
  const spoken = [
    ...voice.greetings,
    ...voice.posts,
    ...voice.examples.flatMap(({ turns }) => turns.flatMap(({ speaker, speech }) => (speaker === 'char' ? [speech] : []))),
  ];
  // A belief is about others.
  const stated = statements
    .filter(({ kind, polarity }) => kind !== 'style' && kind !== 'belief' && polarity === 'must')
    .map(({ text }) => text);
  const estimate = lexicalBigFive([...stated, ...moral.traits].join('. '));
  const flaws = traits.flatMap((trait): readonly PersonaFlaw[] => {
    const score = bigFive?.[trait]?.score;
    if (score === undefined || Math.abs(score - 50) < claimed) return [];
    const high = score > 50;
    const [up, down] = polePatterns[trait];
    const [mine, against] = high ? [up, down] : [down, up];
    const supports = spoken.filter((text) => mine.test(text)).length;
    const line = spoken.find((text) => against.test(text));
    const { high: highs, low: lows } = estimate.traits[trait];
    const [ownItems, other] = high ? [highs, lows] : [lows, highs];
    if (line !== undefined && supports === 0) return [flawOf(trait, score, `it says “${line}”`, 'voice.examples')];
    const about = new Set(other.filter((word) => isSaidOfSomebody(word, stated)));
    return about.size > 1 && ownItems.length === 0
      ? [flawOf(trait, score, `its statements call it ${[...about].join(', ')}`, 'statements')]
      : [];
  });
  const kind = lexicalBigFive(moral.traits.join('. ')).traits.A;
  if (moral.level === 1 && kind.low.length > kind.high.length)
    flaws.push({
      kind: 'trait',
      at: ['identity.personal.moral'],
      sentence: `Moral level 1 is a paragon, but its traits are ${kind.low.join(', ')}.`,
    });
  if (moral.level === 4 && kind.high.length > kind.low.length)
    flaws.push({
      kind: 'trait',
      at: ['identity.personal.moral'],
      sentence: `Moral level 4 is a villain, but its traits are ${kind.high.join(', ')}.`,
    });
  return flaws;
}

/** "Traditional values" and "late into the night" describe an object or an hour; "traditional and calm" describes a person. */
function isSaidOfSomebody(word: string, texts: readonly string[]): boolean {
  const after = 'and|or|but|nor|with|about|at|to|by|when|as|man|woman|person|boy|girl|fellow|soul|character';
  const statement = linear(new RegExp(`\\b${word}\\b(?!\\s{1,20}(?!(?:${after})\\b)\\p{L})`, 'iu'));
  return texts.some((text) => statement.test(text));
}

function flawOf(trait: Trait, score: number, why: string, at: string): PersonaFlaw {
  return { kind: 'trait', at: [`identity.personal.bigFive.${trait}`, at], sentence: `${trait} is ${score} of 100, but ${why}.` };
}
