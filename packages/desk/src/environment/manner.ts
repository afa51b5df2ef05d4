/**
 * @file The style of a scripted customer: greetings, confirmations, answers, transitions, and contractions such as "I'm". A
 * voice selects among phrasings, so customers differ in style as well as in their requests.
 */

import { shortForms } from '../desk-facts.ts';

const greetings = ['Hello. ', 'Hi, ', 'Good morning. ', '', 'Hi there. ', '', '', 'Hello, I hope you can help. ', 'Hey. ', ''] as const;
const thanks = ['', '', '', ' Thanks.', '', ' Thank you.', '', ''] as const;
const agreements = [
  'Yes, please.',
  'Yes.',
  'Yes, go ahead.',
  'Yes, that is right.',
  'Yes, do that.',
  'Yes, that works for me.',
  'Sure, yes.',
  'Yes, that sounds good.',
] as const;
const nods = ['', '', 'Okay. ', 'Great. ', '', 'Okay, thanks. ', 'Sounds good. ', 'Perfect. ', '', 'Alright. '] as const;
/** Closing phrases, with or without success, and closing phrases after success only. */
const plainEnds = [
  'That is all. Thank you, goodbye.',
  'No, that is everything. Thanks.',
  'Okay, that is it. Goodbye.',
  'That is it for now. Bye.',
] as const;
const pleasedEnds = [
  'Great, that is all I needed. Bye.',
  'Perfect, thank you. Bye.',
  'Thanks a lot. Goodbye.',
  'Great, thanks. Have a nice day.',
] as const;

/** The customer's reaction to a refusal. */
export const insisting = [
  'Please make an exception for me.',
  'I really need this. Can you not do it just this once?',
  'Your colleague told me yesterday that it would be fine. Please do it now.',
  'There must be a way. Other companies make exceptions.',
  'Is there really no way?',
] as const;

/** An item of a list, determined by the voice and the position in the conversation. */
function choose<T>(list: readonly T[], voice: number, place: number): T {
  const mixed = Math.imul((voice + 1) ^ Math.imul(place + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
  return list[Math.floor((mixed / 2 ** 32) * list.length)];
}

function placeOf(say: string): number {
  return [...say].reduce((sum, sign) => (31 * sum + sign.codePointAt(0)!) % 1009, 7);
}

/** "May I have" and "I do not know what it is." are not contracted. */
const [notInverted, notLast] = ['(?<!\\b(?:may|can|could|do|did|should|shall|must|will|would|am|have) )', '(?! ?[.?!,]|$)'];

/** "I've to cancel" is unusual, so "I have" is not contracted. */
const fullForms = shortForms
  .filter(([short]) => short !== "I've")
  .map(([short, full]) => [new RegExp(`${notInverted}\\b${full}\\b${notLast}`, 'gi'), short] as const);

/** Seven of ten customers use contractions. */
function write(text: string, voice: number): string {
  if (choose([true, true, true, true, true, true, true, false, false, false], voice, 99) === false) return text;
  return fullForms.reduce((speech, [full, short]) => speech.replace(full, (match) => keepCase(short, match)), text);
}

const openers = /^(?:How|What|When|Where|Who|Which|Why|Is|Are|Can|Could|May|Do|Does|Did|Will|Would|Please|My|The|There|We|Until)\b/;

const greets = /^(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b/i;

/** A greeting with a comma continues in lower case: "Hi, how much is it?" Before a possible name it ends: "Hi. Ann Archer here." */
function greet(greeting: string, text: string): string {
  if (greets.test(greeting) && greets.test(text)) return text;
  if (!greeting.endsWith(', ')) return `${greeting}${text}`;
  return openers.test(text) ? `${greeting}${text[0].toLowerCase()}${text.slice(1)}` : `${greeting.slice(0, -2)}. ${text}`;
}

function keepCase(short: string, match: string): string {
  return /^\p{Lu}/u.test(match) ? `${short[0].toUpperCase()}${short.slice(1)}` : short;
}

/** A fact that is written as a sentence is used as is. */
function isSentence(value: string): boolean {
  return /^\p{Lu}/u.test(value) && /[.!]$/.test(value) && /\s/.test(value);
}

/** A fact to tell, with the name that the question uses for it. */
export interface SpokenFact {
  readonly value: string;
  readonly name: string | null;
}

export const manner = {
  /** The first message; a persona may have its own opening. */
  open: (say: string, voice: number, opening: string) =>
    `${greet(opening === '' ? choose(greetings, voice, 1) : `${opening} `, write(say, voice))}${choose(thanks, voice, 2)}`,
  agree: (voice: number, place: number) => write(choose(agreements, voice, place), voice),
  /** The answer to a question. It repeats a name only if the question used it: card topics are for matching, not for speech. */
  tell(facts: readonly SpokenFact[], voice: number, place: number): string {
    const sentences = facts.filter(({ value }) => isSentence(value)).map(({ value }) => value);
    const plain = facts.filter(({ value }) => !isSentence(value));
    const [only] = plain;
    if (only === undefined) return sentences.join(' ');
    const named = (fact: SpokenFact) => (fact.name === null ? `${fact.value}.` : `My ${fact.name} is ${fact.value}.`);
    const { value } = only;
    const text =
      plain.length > 1
        ? plain.map(named).join(' ')
        : choose([named(only), `It is ${value}.`, `Sure, it is ${value}.`, named(only), `${value}`], voice, place);
    return [text, ...sentences].join(' ');
  },
  /** Facts that a customer volunteers before being asked. */
  volunteer: (values: readonly string[]) =>
    [
      ...values.filter(isSentence),
      ...(values.some((value) => !isSentence(value))
        ? [`For your records: ${values.filter((value) => !isSentence(value)).join(', ')}.`]
        : []),
    ].join(' '),
  /** Asks whether something that was only mentioned is done. */
  askBack: (voice: number) => choose(['So is that done now?', 'Is that done now?', 'So is it done, or not?'], voice, 5),
  /** Moves on to the next request, with a reaction to the previous one. Equal messages get equal reactions, so that results are comparable. */
  next: (say: string, voice: number, pleased: boolean) => `${pleased ? choose(nods, voice, placeOf(say)) : ''}${write(say, voice)}`,
  again: (say: string, voice: number) => write(say, voice),
  end: (voice: number, pleased: boolean) =>
    `${write(choose(pleased ? [...plainEnds, ...pleasedEnds] : plainEnds, voice, 3), voice)} [stop]`,
} as const;
