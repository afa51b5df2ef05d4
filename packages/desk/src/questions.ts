/** @file What a message asks for: which of its sentences want something of the customer, and whether that is a value, a choice, a yes, or the next request. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A value is told, a choice is one of what the question names, a yes confirms, and more is the next request: "Anything else?" */
type QuestionKind = 'value' | 'choice' | 'yes' | 'more';

interface Question {
  readonly sentence: string;
  readonly kind: QuestionKind;
}

const emphasis = linear(/\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__|`([^`\n]{1,200})`/g);
const heading = /^#{1,6} +/gm;
const signature = linear(
  /\n\s*(?:(?:kind|best|warm|kindest|warmest|many)? ?(?:regards|wishes|thanks)|(?:yours )?(?:sincerely|faithfully)|cheers)[,!.]?\s*(?:\n[^\n?]{0,60}){0,2}\s*$/i,
);

/** A message without what only shapes it: emphasis, headings, and a signature at the end. */
export function plainText(text: string): string {
  return text.replace(emphasis, '$1$2$3').replace(heading, '').replace(signature, '');
}

export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((item) => item.trim() !== '');
}

const requests = linear(
  /\b(?:(?:please|kindly) (?:\w+ )?(?:provide|tell|give|share|send|state|name|enter|type|say|confirm|specify|let me)|provide|tell me|give me|let me (?:know|have)|(?:i|we)(?:['’]ll| will| would)? (?:need|require)|need(?:ed)? (?:is|from you)|(?:may|can|could) (?:i|we) have|could you|(?:reply|answer|respond|type|text|send|press|enter|write|say)(?: with)? ["“'‘*]?yes)\b/i,
);
const finite =
  /\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|shall|should|may|must|cannot)\b|['’](?:s|re|m|ve|ll|d|t)\b/i;
const openers = /^(?:and |also |then |first |ok(?:ay)?,? |sure[,.!]? )?(?:your|which|what|whose)\b/i;
const listItem = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/;
const aside = linear(/^\s*\(.*\)\W*$/);
const bracketed = linear(/\s\([^()]{1,80}\)[.!]?$/);
const mark = linear(/\?\W*$/);

/** Does a sentence ask for something: as a question, as a request, or as the bare thing ("Your card number, please.")? */
export function asks(sentence: string): boolean {
  // What a question adds in brackets is no part of it: "Customer number, please (five digits)."
  const text = sentence.trim().replace(bracketed, '');
  if (mark.test(text) || requests.test(text)) return true;
  // An item of a list asks where it names something of the customer's: "- your student number".
  const item = listItem.exec(text)?.[1];
  if (item !== undefined) return /^(?:your|which|what|whose)\b/i.test(item) && !finite.test(item) && !/[:\d]/.test(item);
  // What ends with a colon is the head of what follows it.
  return text.split(/\s+/).length <= 8 && !finite.test(text) && !text.endsWith(':') && (openers.test(text) || /\bplease\W*$/i.test(text));
}

/** A head of a list whose items are what is asked for: "Still missing:", "To get started, I need:". */
function isAskingHead(sentence: string): boolean {
  return sentence.trim().endsWith(':') && (requests.test(sentence) || /\b(?:missing|needed|required|please)\b/i.test(sentence));
}

/** Names of things without a verb or a value: the items of a list that is asked for. */
function isBareItem(item: string): boolean {
  return !finite.test(item) && !/[:\d]/.test(item) && item.split(/\s+/).length <= 8;
}

const prepositions = '(?:(?:on|at|to|in|for|by|from|under|with|until|since|about|of|and|so|then|now|first|ok(?:ay)?|well|great)[ ,]+)*';
const openQuestion = linear(new RegExp(`^\\W*${prepositions}(?:what|which|who|whom|whose|when|where|how|why)\\b`, 'i'));
const closedQuestion = linear(
  new RegExp(
    `^\\W*${prepositions}(?:is|are|was|were|am|do|does|did|has|have|had|shall|should|may|might|can|could|will|would|must|isn['’]t|aren['’]t|don['’]t|doesn['’]t|won['’]t|wouldn['’]t|shouldn['’]t)\\b`,
    'i',
  ),
);
/** A request in the form of a question that could be answered with yes. */
const polite = linear(
  /\b(?:(?:may|can|could|might) (?:i|we) (?:\w+ ){0,2}(?:have|ask|get|know|see|take|note|trouble you)\b|(?:can|could|would|will) you (?:\w+ ){0,3}(?:tell|give|send|share|provide|name|state|say|type|enter|repeat|remind|let|specify|supply|spell|write|mind)\b|(?:do|did|would) you (?:\w+ ){0,2}(?:have|know|remember|recall) (?:your|the|its|an?)\b)/i,
);
const confirming = linear(
  /\bconfirm(?:ation)?\b|\b(?:yes|no) ?(?:or|\/) ?(?:yes|no)\b|\b(?:reply|answer|say|type|write)\b[^.?!]{0,12}\byes\b/i,
);
const nodding =
  /^\W*(?:(?:and|so|then|now|is|are|does|would)\b\W*(?:(?:that|this|it|you|everything|all)\b\W*)?)?(?:ok(?:ay)?|right|correct|agreed|all right|alright|fine|good|sounds? good|works?)\b/i;
const more = linear(
  /\b(?:else|another|any other|other \w+s|anything (?:more|further)|something more|further|next|(?:help|assist) (?:you|with)|do for you|of (?:help|service|assistance)|you (?:\w+ ){0,2}help|know more)\b/i,
);

/** The part of a sentence that is the question: the last one that opens like one. */
function questionPart(sentence: string): string | null {
  const parts = sentence.split(
    /(?:[,;:–—]|\s-)\s+|(?<=\s)(?=(?:and|but|so) (?:what|which|who|when|where|how|is|are|do|shall|should|may|can|could|would)\b)/i,
  );
  return parts.findLast((part) => openQuestion.test(part) || closedQuestion.test(part)) ?? null;
}

function kindOf(sentence: string): QuestionKind {
  const text = sentence.trim();
  if (confirming.test(text) && !/\bconfirm (?:your|me)\b/i.test(text)) return 'yes';
  const isMarked = mark.test(text);
  const part = isMarked ? questionPart(text) : null;
  const isOpen = part !== null && openQuestion.test(part);
  if (isMarked && more.test(text) && (!isOpen || /\b(?:help|do for|else|next)\b/i.test(text))) return 'more';
  if (!isMarked || isOpen || polite.test(text)) return 'value';
  const isPlain = part !== null || finite.test(text);
  if (isPlain && linear(/\bor\b(?! not\b)[^?]*\?/i).test(text)) return 'choice';
  // "Change the plate of P-2201 to KL 555 ZZ?" says what would be done; "Your email?" is the bare thing.
  const tail = text.split(/[:;]\s+/).at(-1) ?? '';
  const isBare = linear(/^\W*(?:[a-z]+ ){1,3}(?:it|them|that|this|both)(?: (?:now|then|anyway|for you|please|too))?\W*$/i).test(text);
  const isProposal = tail.split(/\s+/).length > 6 && /\d/.test(tail) && !openers.test(tail);
  return isPlain || nodding.test(text) || isProposal || isBare ? 'yes' : 'value';
}

/** Everything that a message asks, in its order. What stands in brackets belongs to the sentence before it. */
export function questionsIn(text: string): readonly Question[] {
  const questions: Question[] = [];
  let head: 'asking' | 'question' | null = null;
  for (const sentence of sentencesOf(text)) {
    if (aside.test(sentence)) {
      const last = questions.at(-1);
      if (last !== undefined && confirming.test(sentence)) questions.splice(-1, 1, { ...last, kind: 'yes' });
      continue;
    }
    const item = listItem.exec(sentence)?.[1];
    if (item === undefined) {
      head = isAskingHead(sentence) ? 'asking' : mark.test(sentence.trim()) ? 'question' : null;
      if (asks(sentence) && !(head === 'asking' && sentence.trim().endsWith(':'))) questions.push({ sentence, kind: kindOf(sentence) });
    } else if (head === 'asking' ? isBareItem(item) : head === null && asks(sentence))
      questions.push({ sentence, kind: head === 'asking' ? 'value' : kindOf(item) });
    else if (head === 'question' && item.endsWith('?')) questions.push({ sentence, kind: 'choice' });
  }
  return questions;
}

/** Does a text end with something that is asked for? Brackets, and a list under a question, are part of it. */
export function endsAsking(text: string): boolean {
  const sentences = sentencesOf(text).filter((sentence) => !aside.test(sentence));
  const last = sentences.at(-1) ?? '';
  if (!listItem.test(last)) return asks(last);
  const head = sentences.findLast((sentence) => !listItem.test(sentence)) ?? '';
  return asks(last) || mark.test(head.trim()) || (isAskingHead(head) && isBareItem(listItem.exec(last)?.[1] ?? ''));
}

const fillers =
  /\b(?:so|to|in order|before|because|since|and (?:i|we|then)|then|as|we|i|you|should|would|is|are|do|does|did|can|could|will|shall|must|may|for|on|at)\b/i;

/** The words of a question that name what it asks for: "which day" of "Which day should the lesson be moved to?" */
export function wishIn({ sentence, kind }: Question): string {
  if (kind !== 'value') return '';
  // What follows a comma may be asked for as well: "your email, your name and your zip code".
  const part = sentence.slice(sentence.indexOf(questionPart(sentence) ?? sentence));
  const named = linear(/\b(?:what|which|whose|how (?:many|much|long))\b(.*)$/is).exec(part);
  if (named !== null && openQuestion.test(part)) {
    const rest = named[1].replace(/^\s*(?:(?:is|are|was|would be|'s|’s)\s+)+/i, '');
    return `${part.slice(0, part.length - named[1].length)} ${rest.split(fillers, 1)[0].trim()}`;
  }
  if (openQuestion.test(part)) return part.split(/\s+/).slice(0, 3).join(' ');
  const wanted = linear(
    /\b(?:have|ask(?: you)?(?: for)?|get|know|see|take|note|tell|give|send|share|provide|name|state|say|type|enter|repeat|confirm|specify|supply|spell|write|remember|recall|need|require|missing)\b(?: me| us)?(.*)$/is,
  ).exec(part);
  return (wanted?.[1] ?? part).split(
    linear(/\b(?:so|in order|before|because|since|and (?:i|we|then)|to (?:find|look|check|see|help))\b/i),
    1,
  )[0];
}
