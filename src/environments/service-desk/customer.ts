/**
 * @file The customer: a hidden table of slots, a card with it in words, a scripted player that works by keywords, and the audit that checks
 * the customer's player against the table.
 */

import { audit, type Json, type Message, type Script, type Turn } from '../../core/index.ts';
import { linear } from '../../core/linear.ts';
import { colors, sizes } from './database.ts';
import { names, saysYes } from './policy.ts';
import { phrase, type ServiceRequest, tellAddress } from './requests.ts';

export type CustomerSlots = {
  readonly name: string;
  /** Null where the customer does not remember it. */
  readonly email: string | null;
  readonly zip: string | null;
  readonly requests: readonly ServiceRequest[];
  /** Keeps details back until asked for them. */
  readonly terse: boolean;
  /** How often to ask for an exception when refused. */
  readonly insist: number;
  /** Small talk before the first request, which is beside the point. */
  readonly chatter: string;
  readonly voice: number;
  /** A scenario in words, where one was written for a model; the script does not read it. */
  readonly instructions: string | null;
};

/** The card of the customer's seat: all slots, in words. */
export function cardOf(slots: CustomerSlots): string {
  const { name, email, zip, requests, voice, chatter, instructions, terse, insist } = slots;
  let card = `You are ${name}, a customer who writes to the service desk of a shop. Write one short message at a time.\n`;
  card += email === null ? 'You do not remember your email.\n' : `Your email is ${email}.\n`;
  if (zip !== null) card += `Your zip code is ${zip}.\n`;
  if (requests.length > 0) card += 'What you want, one thing after the other:\n';
  for (let i = 0; i < requests.length; i++) card += `${i + 1}. ${wish(requests[i]!, voice)}\n`;
  if (chatter !== '') card += `You begin with: ${chatter}\n`;
  if (instructions !== null) card += `${instructions}\n`;
  return card + (terse ? 'Give details only when you are asked for them.\n' : 'Say what you want in full.\n') + manners(insist);
}

function wish(one: ServiceRequest, voice: number): string {
  const reason = one.reason === null ? '' : ` If asked for the reason: ${one.reason}.`;
  const address = one.address === null ? '' : ` If asked for the address: ${tellAddress(one.address)}`;
  return `${phrase(one, voice)}${reason}${address}`;
}

function manners(insist: number): string {
  const refused =
    insist === 0
      ? 'When you are refused, accept it.'
      : `When you are refused, ask for an exception, ${insist === 1 ? 'once' : `${insist} times`} at most, then accept it.`;
  return `When the agent asks you to confirm, answer yes if it is what you want, and no otherwise. What is not written here you do not know: never make anything up.
${refused}
Only after the agent has written [done] or you are being transferred, end the conversation with [stop], with [transfer] if you were transferred, or with [out of scope] if it was about nothing that is written here.`;
}

// ── the stand-in ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Which request is under way, and how the talk has gone. */
type Mind = {
  readonly slots: CustomerSlots;
  readonly at: number;
  readonly insisted: number;
  readonly objected: boolean;
  readonly lost: number;
};

const confirms =
  /\b(shall|should) i\b|\bconfirm\b|\bproceed\b|\bgo ahead\b|\bis (that|this) (right|correct|okay|ok)\b|\b(like|want) me to\b|\byes or no\b/i;
const refuses = /\b(cannot|can't|can not|unable|not possible|not allowed|not eligible|won't|unfortunately)\b/i;
const closes = /\banything else\b|\b(has|have) been\b|\bis (now )?(done|complete|cancelled|changed|refunded)\b/i;
const questioning = /\?|\b(please|provide|tell me|give me|need|may i)\b/i;

const questions: readonly (readonly [RegExp, (slots: CustomerSlots, one: ServiceRequest) => string])[] = [
  [/\be-?mail\b/i, identity],
  [/\bzip\b|\bname\b|\bidentif|\bverify\b/i, (slots) => person(slots)],
  [linear(/\border\b.*\b(number|id)\b|\b(which|what) (order|item|product)\b/i), ({ voice }, one) => phrase(one, voice)],
  [/\breason\b|\bwhy\b/i, (_, one) => `The reason is: ${one.reason ?? 'nothing in particular'}.`],
  [/(?<!mail )\baddress\b|\bstreet\b/i, (_, one) => (one.address === null ? 'I have no other address.' : tellAddress(one.address))],
  [/\binstead\b|\breplacement\b|\bcolou?r\b|\bsize\b|\bvariant\b/i, ({ voice }, one) => phrase(one, voice)],
];

/** Plays the customer from its card: hears what the agent asks, confirms, refuses or reports by its keywords, and answers from the slots. */
export const customer: Script = (turn) => {
  // The card is kept in mind, for it may pass out of a seat's window.
  const mind = (turn.mind as Mind | undefined) ?? { slots: slotsIn(turn), at: 0, insisted: 0, objected: false, lost: 0 };
  const { slots } = mind;
  const heard = turn.view.seen.at(-1);
  if (turn.mind === undefined || heard?.kind !== 'message') {
    const first = slots.requests[0];
    const opening = first === undefined ? 'I need help.' : phrase(first, slots.voice, slots.terse);
    return { action: { text: `Hello. ${slots.chatter}${slots.chatter === '' ? '' : ' '}${opening}` }, mind };
  }
  if (heard.from === undefined) return { action: { text: '[transfer]' }, mind };
  const [text, next] = isPlain(heard.data) ? replyToPlain(mind, heard.text) : reply(mind, heard.text);
  return { action: { text }, mind: next };
};

/** The table is handed to the seat as data with its card. */
function slotsIn({ view }: Turn): CustomerSlots {
  const card = view.seen[0];
  return (card?.kind === 'message' ? card.data : undefined) as CustomerSlots;
}

function isPlain(data: Json | undefined): boolean {
  return typeof data === 'object' && data !== null && (data as { readonly plain?: Json }).plain === true;
}

/** Somebody who knows nothing of [done] is left when all was said, or when nothing is understood any more. */
function replyToPlain(mind: Mind, text: string): readonly [string, Mind] {
  if (mind.lost > 2) return ['[out of scope]', mind];
  if (mind.slots.requests[mind.at] === undefined) return ['Thank you, goodbye. [stop]', mind];
  return reply(mind, text);
}

function reply(mind: Mind, text: string): readonly [string, Mind] {
  const { slots } = mind;
  const { requests, voice } = slots;
  const current = requests[mind.at];
  if (text.includes('[done]')) {
    if (mind.lost > 2) return ['[out of scope]', mind];
    if (current === undefined || mind.objected) return ['Thank you, goodbye. [stop]', mind];
    return [`But I am not done yet. ${phrase(current, voice)}`, { ...mind, objected: true }];
  }
  if (current === undefined) return ['No, that is all. Thank you.', mind];
  const sentences = text.split(linear(/(?<=[.?!])\s+/));
  if (sentences.some((one) => confirms.test(one) && !/anything else/i.test(one))) {
    if (!contradicts(current, text)) return ['Yes, please.', mind];
    return [`No. ${phrase(current, voice)}${current.address === null ? '' : ` ${tellAddress(current.address)}`}`, mind];
  }
  const answers = answersTo(sentences, slots, current);
  if (answers !== '') return [answers, mind];
  if (refuses.test(text) && mind.insisted < slots.insist)
    return ['Please make an exception for me.', { ...mind, insisted: mind.insisted + 1 }];
  if (refuses.test(text) || closes.test(text) || (current.want === 'ask' && /\d/.test(text))) return onward(mind);
  if (/\bhelp you\b|\bdo for you\b/i.test(text)) return [phrase(current, voice), mind];
  return [`I do not understand. ${phrase(current, voice)}`, { ...mind, lost: mind.lost + 1 }];
}

function onward(mind: Mind): readonly [string, Mind] {
  const { requests, voice } = mind.slots;
  const next = { ...mind, at: mind.at + 1, insisted: 0 };
  const one = requests[next.at];
  return [one === undefined ? 'No, that is all. Thank you.' : `There is something else. ${phrase(one, voice)}`, next];
}

function answersTo(sentences: readonly string[], slots: CustomerSlots, current: ServiceRequest): string {
  let answers: string[] = [];
  for (const sentence of sentences) {
    if (!questioning.test(sentence) || /anything else/i.test(sentence)) continue;
    for (const [keywords, answer] of questions) {
      const text = keywords.test(sentence) ? answer(slots, current) : '';
      if (text !== '' && !answers.includes(text)) answers.push(text);
    }
    // A customer who is asked for the email has given the name already, if need be.
    if (/\be-?mail\b/i.test(sentence)) answers = answers.filter((text) => text !== person(slots));
  }
  return answers.join(' ');
}

function identity(slots: CustomerSlots): string {
  if (slots.email !== null) return `My email is ${slots.email}.`;
  return slots.zip === null ? 'I do not remember my email.' : `I do not remember my email. ${person(slots)}`;
}

function person({ name, zip }: CustomerSlots): string {
  return zip === null ? `My name is ${name}.` : `My name is ${name} and my zip code is ${zip}.`;
}

/** Is what the agent is about to do, as far as the customer can tell, something else than this request? */
function contradicts(one: ServiceRequest, text: string): boolean {
  if (one.order !== null && idsIn(text).some((id) => id !== one.order)) return true;
  if (one.instead.some((label) => !label.split(' ').every((word) => text.includes(word)))) return true;
  return one.address !== null && !names(text, one.address.zip);
}

function idsIn(text: string): string[] {
  return text.match(/#?\bW-?\d{4,}\b/g) ?? [];
}

// ── the audit ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const choices = new RegExp(`\\b(?:${[...colors, ...sizes].join('|')})\\b`, 'gi');

/** What a message states that can be checked: order numbers, emails, zip codes, amounts, colours and sizes. */
function claimsIn(text: string): string[] {
  const worded = text.match(choices) ?? [];
  if (!/[\d@]/.test(text)) return worded;
  const emails = text.includes('@') ? (text.match(linear(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g)) ?? []) : [];
  const zips = text.match(/(?<![\w-])\d{5}(?![\w-])/g) ?? [];
  const amounts = text.match(linear(/(?<![\w.])\d+\.\d{2}(?!\d)/g)) ?? [];
  return [...idsIn(text), ...emails, ...zips, ...amounts, ...worded];
}

/** The customer's card, as table and in words, and what the agent has said to it. */
export interface ServiceHeard {
  readonly slots: CustomerSlots;
  readonly card: string;
  readonly told: readonly string[];
}

const keepsToCard = audit('customer', true, 'the message keeps to the card.');

/** Checks what a customer said against its card and what it was told: it may not invent, nor confirm what it never wanted. */
export function auditOf(text: string, { slots, card, told }: ServiceHeard): Message {
  const invented = claimsIn(text).filter((claim) => !names(card, claim) && !isNamed(claim, [card, ...told]));
  if (invented.length > 0) return audit('customer', false, `${invented.join(', ')} is not on the card and was not said by the agent.`);
  const proposed = saysYes(text) ? idsIn(told.at(-1) ?? '') : [];
  if (proposed.length > 0 && goesBeyond(proposed, slots))
    return audit('customer', false, `yes to ${proposed.join(', ')}, which the customer did not ask for.`);
  return keepsToCard;
}

/** Is a claim in one of the texts, as it is written or in other letters? */
function isNamed(claim: string, sources: readonly string[]): boolean {
  return sources.some((source) => names(source, claim)) || sources.some((source) => names(source.toLowerCase(), claim.toLowerCase()));
}

/** Is one of these orders none that the customer has asked about? Where it does not know a number, it cannot tell. */
function goesBeyond(proposed: readonly string[], { requests }: CustomerSlots): boolean {
  return requests.every((one) => one.order !== null) && proposed.some((id) => requests.every((one) => one.order !== id));
}
