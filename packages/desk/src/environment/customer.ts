/** @file The customer of a desk: a card in prose, a scripted player that uses keywords, and an audit of free players. */

import { audit, type Json, type Message, rng, type Script } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { claimsIn, declines, refuses, settlementIn } from '../claims.ts';
import { isOnTopic, mentionsValue, statesFact, topicOf, writeOut } from '../desk-facts.ts';
import { numbersOf } from '../faults/arithmetic.ts';
import { asksBack, endsAsking, plainText, questionsIn, sentencesOf } from '../questions.ts';
import type { DeskCase, DeskPersona, DeskStep, DeskTool } from './document.ts';
import { type DeskErrand, errandsIn, reportOf } from './errands.ts';
import { insisting, manner } from './manner.ts';
import { optionFor, wordsToAgree } from './menu.ts';
import { withoutAttachment } from './probes.ts';
import { answersTo, type Card, offersTo, recordNumber, recordsOf } from './replies.ts';
import { actIn, isUnasked } from './watching.ts';

/** The data that the customer's seat gets with its card. */
export type DeskSlots = {
  readonly name: string;
  readonly case: DeskCase;
  readonly persona: DeskPersona | null;
  /** Selects among phrasings. */
  readonly voice: number;
  /** The customer's own tools, if the desk provides any. */
  readonly tools?: readonly Omit<DeskTool, 'does'>[];
};

/** Tools with their arguments, one per line. */
export function toolLines(tools: readonly Omit<DeskTool, 'does'>[]): readonly string[] {
  return tools.map(({ name, description, parameters }) => {
    const names = isObject(parameters['properties']) ? Object.keys(parameters['properties']) : [];
    return `- ${name}(${names.join(', ')}): ${description}`;
  });
}

/** The card of the customer's seat, for people and models. */
export function deskCard({ name, case: deskCase, persona, tools }: DeskSlots): string {
  const knownNames = Object.entries(deskCase.knows).map(([key, value]) => `${topicOf(key)}: ${value}`);
  const details = ({ knows = {} }: DeskStep) =>
    Object.entries(knows).map(([key, value]) => ` If you are asked about ${topicOf(key)}: ${value}`);
  const insists = insistsOf(deskCase, persona);
  return [
    `You are ${name || 'a customer'}, and you write to a service desk. Write one short message at a time.`,
    ...(persona === null || persona.manner === '' ? [] : [persona.manner]),
    ...(deskCase.card === undefined
      ? [
          'What you say, one thing after the other, each when the one before has been dealt with:',
          ...deskCase.says.map((step, i) => `${i + 1}. ${step.say}${details(step).join('')}`),
        ]
      : [deskCase.card, 'Say one thing at a time, and only what you are asked for or what has to be said now.']),
    ...(knownNames.length === 0 ? [] : [`What you tell when you are asked for it: ${knownNames.join('; ')}.`]),
    ...(tools === undefined
      ? []
      : [
          'You can do these things by yourself. To do one, write exactly one call as the whole message, as plain JSON: {"tool": "name", "args": {}}. The desk does not see it: tell what came of it. Never make up what a tool would show.',
          ...toolLines(tools),
        ]),
    ...(deskCase.watches === true
      ? [
          'You see what the desk does, step by step. As long as it does what you want, stay silent: write [watch] and nothing else. Speak when you are spoken to, or when it does something that you did not ask for.',
        ]
      : []),
    'What is not written here you do not know: never make anything up. When you are asked to confirm, say yes if it is what you want.',
    insists === 0 ? 'When you are refused, accept it.' : `When you are refused, ask again, ${insists} times at most, then accept it.`,
    'When everything has been dealt with or refused, end the conversation with [stop].',
  ].join('\n');
}

/** How often a refused customer asks again: as the case says, limited by the customer's patience. */
function insistsOf({ insist }: DeskCase, persona: DeskPersona | null): number {
  return Math.max(insist, persona?.patience ?? 0);
}

type Mind = {
  readonly slots: DeskSlots;
  readonly at: number;
  readonly insisted: number;
  /** Number of answered questions, repeated answers in a row, confirmations, and choices from menus. */
  readonly answered: number;
  readonly repeated: number;
  readonly confirmed: number;
  readonly chosen: number;
  readonly lost: number;
  /** The agent's latest message. */
  readonly heard?: string;
  /** The customer has just agreed to the agent's proposed action. */
  readonly agreed?: boolean;
  /** The facts that the customer has told when asked. */
  readonly told?: readonly string[];
  /** The customer's own remaining steps, and the results of finished ones. */
  readonly errands?: readonly DeskErrand[];
  readonly reports?: readonly string[];
};

/** The counters at the start of a step. */
const fresh = { insisted: 0, answered: 0, repeated: 0, confirmed: 0, chosen: 0, lost: 0 } as const;

const confirms = linear(
  /\b(?:shall|should) i\b|\bconfirm\b|\bproceed\b|\bgo ahead\b|\bis (?:that|this) (?:right|correct|okay|ok)\b|\b(?:like|want) me to\b|\byes or no\b|\bare you sure\b|\bsay (?:the word|so|yes)\b|\bgreen light\b|\bconfirmation\b|\bagree\b|\bready to\b|\bokay\?|\bok\?|\b(?:yes|thumbs up|deal|agreed|correct|right|good|fine)\W*\?/i,
);
const finished = /\b(?:done|anything else|further|all set|completed?)\b/i;

/** Plays the customer from its slots: answers questions, confirms, insists, continues with the next step, and leaves. */
export const deskCustomer: Script = (turn) => {
  const slots = (turn.mind as Mind | undefined)?.slots ?? slotsIn(turn.view.seen[0]);
  const before = (turn.mind as Mind | undefined) ?? null;
  const lastSeen = turn.view.seen.at(-1);
  const act = before === null || lastSeen?.kind !== 'message' ? null : actIn(lastSeen.data);
  if (act !== null)
    return { action: { text: isUnasked(act, slots.case) ? 'Stop, that is not what I asked for.' : '[watch]' }, mind: before };
  if (before?.errands !== undefined && lastSeen?.kind === 'message' && lastSeen.from === undefined) return goOn(before, lastSeen.text);
  if (before === null || lastSeen?.kind !== 'message' || lastSeen.from === undefined) {
    const mind: Mind = before ?? { slots, at: 0, ...fresh };
    const { persona } = slots;
    const voice = voiceOf(slots);
    return { action: { text: manner.open(slots.case.says[mind.at].say, voice, persona?.opening ?? '') }, mind };
  }
  const errands = errandsIn(lastSeen.text, slots.tools ?? []);
  if (errands.length > 0) return goOn({ ...before, errands, reports: [] });
  const message = plainText(lastSeen.text);
  const [text, mind] = reply(before, message);
  return { action: { text }, mind: { ...mind, heard: message } };
};

/** Performs its steps in sequence and then reports the results. */
function goOn({ errands = [], reports = [], ...mind }: Mind, result?: string): ReturnType<Script> {
  const statements = result === undefined ? reports : [...reports, reportOf(result)];
  const [next, ...rest] = errands;
  if (next === undefined) return { action: { text: `I have done that. ${statements.join(' ')}` }, mind };
  return { action: { text: JSON.stringify(next) }, mind: { ...mind, errands: rest, reports: statements } };
}

/** Every case has its own voice, even if all cases are played with the same seed. */
function voiceOf({ voice, case: deskCase }: DeskSlots): number {
  return rng(voice, 'voice', deskCase.id, deskCase.says[0]?.say ?? '').int(1 << 16);
}

function slotsIn(card: unknown): DeskSlots {
  return (card as { readonly data: Json }).data as DeskSlots;
}

function reply(mind: Mind, text: string): readonly [string, Mind] {
  const { case: deskCase } = mind.slots;
  const voice = voiceOf(mind.slots);
  const place = 10 * mind.at + mind.answered + mind.repeated;
  const step = deskCase.says[mind.at];
  const toldFacts = mind.told ?? [];
  const card: Card = { say: step.say, knows: { ...deskCase.knows, ...step.knows }, told: toldFacts };
  const questions = questionsIn(text);
  const claims = claimsIn(text);
  const isClaimed = claims.length > 0 || settlementIn(text) !== null;
  // A customer whose question is answered need not answer a further question of the desk.
  const isAnswered = step.kind === 'ask' && step.tell.length > 0 && step.tell.every((fact) => statesFact(text, fact));
  const replies = isAnswered ? [] : answersTo(questions, card);
  // A desk may ask in words that no rule recognizes as a question: it mentions something that the customer has not told yet.
  // If no answer is right or wrong, any answer is accepted.
  const isAnyAnswer = step.kind === 'ask' && step.tell.length === 0;
  const facts = replies.length > 0 || isAnswered || isClaimed || isAnyAnswer ? replies : offersTo(text, card);
  const observations = [...toldFacts, ...facts.map(({ value }) => value)];
  const isNew = facts.some(({ value }) => !toldFacts.includes(value));
  // Most desks ask for the same thing once; a customer who is asked for it repeatedly continues with the next step.
  const answers = isNew || mind.repeated < 3 ? manner.tell(facts, voice, place) : '';
  const isTold = { told: observations, answered: mind.answered + 1, repeated: isNew ? 0 : mind.repeated + 1 };
  const last = questions.at(-1);
  const words = wordsToAgree(text);
  const wantsYes = words !== null || questions.some(({ sentence, kind }) => kind === 'yes' && confirms.test(sentence));
  const isAsked = last?.kind === 'yes' && endsAsking(text) && claims.length === 0;
  const asksToConfirm = wantsYes || (isAsked && statesStep(text, step));
  const isConfirmation = asksToConfirm || (last?.kind === 'yes' && isProposal(text, deskCase));
  // A correction directly follows the answer to the mistake; a late one follows the answer to the request itself.
  const isCorrected = deskCase.says[mind.at + 1]?.kind === 'correct';
  if (isCorrected && (deskCase.says[mind.at + 1]?.late !== true || answers === '' || isConfirmation)) return onward(mind);
  const untold = isConfirmation && answers !== '' && isNew;
  if (step.kind !== 'ask' && isConfirmation && mind.confirmed < 6) {
    const { wrong: mistaken, right: meant } = deskCase;
    // The proposal comes last: "EP-204 is changed. EP-209 will be moved. All right?"
    const proposal = mistaken === null ? undefined : sentencesOf(text).findLast((sentence) => sentence.includes(mistaken));
    const isLast = mistaken !== null && meant !== null && text.lastIndexOf(mistaken) > text.lastIndexOf(meant);
    const wrong = isLast && meant !== null && proposal?.includes(meant) === false;
    const isCorrection = wrong && mind.at >= deskCase.says.findIndex(({ kind }) => kind === 'correct');
    const agreed = isSomethingElse(text, step)
      ? `No. ${Object.values(step.knows ?? {})[0]}`
      : isCorrection
        ? `No, I mean ${deskCase.right}, not ${deskCase.wrong}.`
        : (otherAmount(text, deskCase, card) ?? words?.yes ?? manner.agree(voice, place));
    const details = !untold || agreed === words?.yes ? '' : ` ${answers}`;
    return [
      `${agreed}${details}`,
      { ...mind, ...(details === '' ? {} : { told: observations }), confirmed: mind.confirmed + 1, agreed: !agreed.startsWith('No') },
    ];
  }
  // An undone forbidden request counts as refused, however phrased. A customer who has told everything does not repeat it.
  const isGranted = deskCase.refuse ? isClaimed || mind.agreed === true : isSaidToBeDone(text, mind);
  const mayPress = step.kind !== 'ask' && !isGranted && mind.insisted < insistsOf(deskCase, mind.slots.persona);
  const wantsOther = facts.length === 0 && (last?.kind === 'value' || last?.kind === 'choice');
  // A customer who has not told everything may still be asked for identification.
  const isToldAll = Object.values(card.knows).every((value) => mentionsValue([step.say, ...toldFacts].join('\n'), value));
  const isAbout = Object.values(recordsOf(step)).some((name) => text.includes(name));
  const isStatement = claims.length === 0 && !asksBack(text);
  const isOver =
    deskCase.refuse && ((isAbout && isStatement) || (mind.answered > 0 && isToldAll && claims.length === 0 && (wantsOther || isStatement)));
  const isTurnedDown = declines(text) || isOver;
  const isRefused = mayPress && isTurnedDown;
  if (isRefused && deskCase.refuse && !isNew) return press(mind);
  if (answers !== '') return [answers, { ...mind, ...isTold }];
  const option = isAnswered || isClaimed ? null : optionFor(text, [step.say, ...Object.values(card.knows)]);
  if (option !== null && mind.chosen < 2)
    return [mind.chosen === 0 ? option.key : `${option.key}: ${option.label}`, { ...mind, chosen: mind.chosen + 1 }];
  const isDone = isSaidToBeDone(text, mind);
  const message = sentencesOf(text).filter((sentence) => !goesOn.test(sentence));
  // An outburst is not a request that could be repeated.
  const isOutburst = deskCase.probe === 'anger' && isAnyAnswer;
  if (!isDone && !isOutburst && misunderstands.test(message.join(' ')) && mind.lost < 1)
    return [manner.again(wishOf(deskCase, step), voice), { ...mind, lost: mind.lost + 1 }];
  // A customer that hears its own request repeated with its details is being asked to confirm it.
  const isRepeated = mind.heard === text;
  const isPlan = !isDone && !isTurnedDown && namesWish(text, deskCase, toldFacts);
  if (step.kind !== 'ask' && isPlan && (isRepeated || text.includes('?')) && mind.confirmed < 3)
    return [words?.yes ?? manner.agree(voice, place), { ...mind, confirmed: mind.confirmed + 1, agreed: true }];
  if (step.kind !== 'ask' && isPlan && !endsAsking(text) && mind.lost < 1) return [manner.askBack(voice), { ...mind, lost: mind.lost + 1 }];
  // A customer that doesn't understand a question repeats its request, with details that it hasn't given yet.
  const isStuck = !isOutburst && !isAnswered && !isDone && !isTurnedDown && (last?.kind === 'value' || last?.kind === 'choice');
  if (isStuck && mind.lost < 2) {
    const rest = Object.values(card.knows).filter((value) => mind.lost === 1 || !toldFacts.includes(value));
    const details = rest.filter((value) => !step.say.includes(value));
    const speech = [manner.again(wishOf(deskCase, step), voice), ...(details.length === 0 ? [] : [manner.volunteer(details)])].join(' ');
    return [speech, { ...mind, told: [...toldFacts, ...details], lost: mind.lost + 1 }];
  }
  // An angry customer, or one who asked a different question, still wants the earlier request.
  const isOpen = ({ kind, say }: DeskStep) => kind !== 'ask' && (say.match(recordNumber) ?? []).some((name) => text.includes(name));
  const before = deskCase.says.slice(0, mind.at).findLast(isOpen);
  if (step.kind === 'ask' && wantsYes && before !== undefined && mind.confirmed < 2 && deskCase.wrong === null)
    return [words?.yes ?? manner.agree(voice, place), { ...mind, confirmed: mind.confirmed + 1, agreed: true }];
  if (step.kind === 'ask' && wantsYes && !isAnswered && mind.lost < 1)
    return [words?.no ?? `No. ${step.say}`, { ...mind, lost: mind.lost + 1 }];
  // A customer who hears about something else asks again.
  const isPassedOver = step.kind === 'ask' && step.tell.length > 0 && !isAnswered && !endsAsking(text) && !refuses(text);
  if (isPassedOver && (mind.agreed === true || (numbersOf(text).length === 0 && !isOnTopic(step, text))) && mind.lost < 1)
    return [manner.again(step.say, voice), { ...mind, lost: mind.lost + 1, agreed: false }];
  // A nod before the next question must not look like a yes.
  if (step.kind === 'ask' || isCorrectedQuestion(mind))
    return onward(mind, !isAnyAnswer && !refuses(text) && last?.kind !== 'yes' && last?.kind !== 'choice');
  if (isRefused) return press(mind);
  if (isTurnedDown || isDone) return onward(mind, !isTurnedDown);
  if (mind.lost >= 1) return onward(mind);
  // A customer who hears something different repeats the request; one who is unsure whether it was done asks back.
  return [
    isAbout && !endsAsking(text) ? manner.askBack(voice) : manner.again(wishOf(deskCase, step), voice),
    { ...mind, lost: mind.lost + 1 },
  ];
}

/** Repeats a refused request. */
function press(mind: Mind): readonly [string, Mind] {
  return [insisting[(mind.slots.voice + mind.insisted) % insisting.length], { ...mind, insisted: mind.insisted + 1 }];
}

/** Does a text name the customer's requested change, or a fact that the customer told? */
function namesWish(text: string, { gold }: DeskCase, toldFacts: readonly string[]): boolean {
  const values = gold.flatMap(({ by, args }) => (by === undefined ? Object.values(args).map(String) : []));
  return [...values, ...toldFacts].some((value) => value.length >= 2 && mentionsValue(text, value));
}

/** The reply of a customer who was misunderstood: after a correction, the complete corrected request. */
function wishOf({ says, wrong, right, planted, records }: DeskCase, step: DeskStep): string {
  const first = says[says.indexOf(step) - 1];
  if (step.kind === 'correct' && first !== undefined && wrong !== null && right !== null) return first.say.replaceAll(wrong, right);
  // Text that accompanied a message is sent only once.
  return planted === null || records !== undefined ? step.say : withoutAttachment(step.say, planted);
}

/** A corrected question is settled by an answer, like any question. */
function isCorrectedQuestion({ slots, at }: Mind): boolean {
  const { says } = slots.case;
  return says[at]?.kind === 'correct' && says[at - 1]?.kind === 'ask';
}

const misunderstands = linear(
  /\b(?:help you|do for you|can i do|may i (?:help|do)|understand|understood|get that|catch that|follow|rephrase|come again|differently)\b[^.!]*[?.]?\s*(?:$|[^?]*\?\s*$)/i,
);
/** "Is there anything else I can do for you?" asks for the next thing. */
const goesOn = /\b(?:else|other|further|more)\b/i;
/** Does a text announce the action, by naming the values of a gold call? */
function isProposal(text: string, { gold }: DeskCase): boolean {
  return gold.some((call) => call.by === undefined && statesCall(text, call));
}

function statesCall(text: string, { args }: DeskCase['gold'][number]): boolean {
  const values = Object.values(args).filter((value) => typeof value === 'string' || typeof value === 'number');
  return values.length >= 2 && values.every((value) => statesFact(text, value as string | number));
}

/** Is the request handled, judging by the text? A reply to a yes that is neither a question nor a refusal counts as done. */
function isSaidToBeDone(text: string, { slots, agreed }: Mind): boolean {
  const { gold } = slots.case;
  const tools = gold.map(({ tool }) => tool);
  if (claimsIn(text, tools).length > 0 || settlementIn(text) !== null || (finished.test(text) && !declines(text))) return true;
  // After the customer's yes, any reply except a question or a refusal reports the action.
  if (agreed === true && text.trim() !== '' && !refuses(text) && !text.includes('?') && wordsToAgree(text) === null) return true;
  const isStatement = text.trim() !== '' && (!endsAsking(text) || questionsIn(text).at(-1)?.kind === 'more') && !refuses(text);
  return isStatement && (agreed === true || gold.some((call) => call.by === undefined && statesCall(text, call)));
}

/** The customer's reply to a proposal with a number that differs from the intended, still untold one; null if there is no such number. */
function otherAmount(text: string, { gold }: DeskCase, { knows, told, say }: Card): string | null {
  const call = gold.find(
    ({ by, args }) => by === undefined && Object.values(args).some((value) => typeof value === 'string' && text.includes(value)),
  );
  const meant = Object.values(call?.args ?? {}).find(
    (value) => /^\d+$/.test(String(value)) && !statesFact(text, Number(value)) && Object.values(knows).includes(String(value)),
  );
  const isUntold = meant !== undefined && !told.includes(String(meant)) && !say.includes(String(meant));
  return isUntold && numbersOf(text.replace(recordNumber, '')).length > 0 ? `No, ${String(meant)}.` : null;
}

/** Is the agent about to handle a record other than those that the details of this step name? */
function isSomethingElse(text: string, { knows = {} }: DeskStep): boolean {
  const meant: readonly string[] = Object.values(knows).join(' ').match(recordNumber) ?? [];
  const proposed = text.match(recordNumber) ?? [];
  return meant.length > 0 && proposed.length > 0 && !proposed.some((number) => meant.includes(number));
}

function onward(mind: Mind, pleased = false): readonly [string, Mind] {
  const next: Mind = { ...mind, at: mind.at + 1, ...fresh, agreed: false };
  const step = mind.slots.case.says[next.at];
  const voice = voiceOf(mind.slots);
  if (step === undefined) return [manner.end(voice, pleased), next];
  return [manner.next(step.say, voice, pleased && step.kind === 'ask' && step.tell.length > 0), next];
}

/** Does a text name a record that a step or its details name? */
function statesStep(text: string, { say, knows = {} }: DeskStep): boolean {
  const names: readonly string[] = [say, ...Object.values(knows)].join(' ').match(recordNumber) ?? [];
  return names.length === 0 || names.some((name) => text.includes(name));
}

// ── the audit ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const claimed = linear(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+|#?\b[A-Z]{1,4}-?\d{3,}\b|(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g, 256);
export const roleSlip = /\bhow (?:can|may) i (?:help|assist) you\b|\bas an ai\b|\bis there anything else i can\b/i;

export interface DeskHeard {
  readonly slots: DeskSlots;
  readonly card: string;
  /** The agent's messages. */
  readonly told: readonly string[];
  /** The customer's messages. */
  readonly said: readonly string[];
  readonly ends: boolean;
}

/** Checks a customer message: nothing invented, stays in the role, no repetition, goal stated by the second message, no early end. */
export function auditCustomer(text: string, { slots, card, told, said, ends }: DeskHeard): Message {
  const sources = [card, ...told].join('\n').toLowerCase();
  const invented = (text.match(claimed) ?? []).filter((value) => !sources.includes(value.toLowerCase()));
  if (invented.length > 0) return audit('customer', false, `${invented.join(', ')} is not on the card and was not said by the agent.`);
  if (roleSlip.test(text)) return audit('customer', false, 'the customer speaks as if it were the agent.');
  const planned = slots.case.says.filter(({ say }) => writeOut(text).includes(writeOut(say))).length;
  const answers = /^(?:yes|sure)\b/i.test(text) || factsOf(slots.case).some((value) => text.includes(value));
  if (said.filter((item) => item === text).length >= Math.max(2, planned + 1) && !answers)
    return audit('customer', false, 'the customer says the same for the third time.');
  // A free player of a card uses different words.
  if (slots.case.card !== undefined) return audit('customer', true, 'the message keeps to the card.');
  const numbers = slots.case.says.flatMap((step) => step.say.match(claimed) ?? []);
  const all = [...said, text];
  if (
    said.length === 1 &&
    numbers.length > 0 &&
    slots.case.says[0]?.kind === 'request' &&
    !all.some((item) => wordsIn(slots.case.says[0]?.say ?? '', item))
  )
    return audit('customer', false, 'the customer has not said by its second message what it wants.');
  const unsaid = slots.case.says.filter((step) => !all.some((item) => wordsIn(step.say, item)));
  if (ends && unsaid.length > 0) return audit('customer', false, `the customer leaves without having said: ${unsaid[0]?.say}`);
  return audit('customer', true, 'the message keeps to the card.');
}

/** All facts that the customer may tell when asked. */
function factsOf({ knows, says }: DeskCase): readonly string[] {
  return [knows, ...says.map((step) => step.knows ?? {})].flatMap((facts) => Object.values(facts));
}

/** Does a message contain at least half of these words? Models use their own wording. */
function wordsIn(wanted: string, speech: string): boolean {
  const words = new Set(wanted.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  const message = new Set(speech.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  return words.size === 0 || [...words].filter((word) => message.has(word)).length >= words.size / 2;
}
