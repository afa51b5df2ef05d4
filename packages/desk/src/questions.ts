/** @file Parses the questions of a message: which sentences ask for a value, a choice, a yes, or the next request. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A value answers, a choice names an option, a yes confirms, and "more" is the next request: "Anything else?" */
type QuestionKind = 'value' | 'choice' | 'yes' | 'more';

interface Question {
  readonly sentence: string;
  readonly kind: QuestionKind;
}

const emphasis = linear(/\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__|`([^`\n]{1,200})`/g);
const heading = /^#{1,6} +/gm;
const signature = linear(
  /\n\s*(?:(?:with )?(?:my |our )?(?:very )?(?:kind|best|warm|kindest|warmest|many|friendly|good)? ?(?:regards|wishes|thanks|greetings)|(?:yours )?(?:sincerely|faithfully|truly)|yours|cheers|all the best|take care|warmly|respectfully)[,!.]?\s*(?:\n[^\n?]{0,60}){0,2}\s*$/i,
);

/** A message without formatting: emphasis, headings, and a signature. */
export function plainText(text: string): string {
  return text.replace(emphasis, '$1$2$3').replace(heading, '').replace(signature, '');
}

export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|approx|incl|Mr|Mrs|Ms|Dr)\.)\s+|\n+/).filter((item) => item.trim() !== '');
}

const requests = linear(
  /\b(?:(?:please|kindly) \w+ (?:me|us) your\b|(?:please|kindly) (?:\w+ )?(?:provide|tell|give|share|send|state|name|enter|type|say|confirm|specify|let me)|provide|tell me|give me|let me (?:know|have)|(?:i|we)(?:['’]ll| will| would)? (?:need|require)|need(?:ed)? (?:is|from you)|(?:may|can|could) (?:i|we) have|could you|(?:reply|answer|respond|type|text|send|press|enter|write|say)(?: with)? ["“'‘*]?yes)\b/i,
);
const finite =
  /\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|shall|should|may|must|cannot)\b|['’](?:s|re|m|ve|ll|d|t)\b/i;
const openers = /^(?:and |also |then |first |ok(?:ay)?,? |sure[,.!]? )?(?:your|which|what|whose)\b/i;
const listItem = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/;
const aside = linear(/^\s*\(.*\)\W*$/);
const bracketed = linear(/\s\([^()]{1,80}\)[.!]?$/);
/** An empty form field: "Room:", "New day: ____", "Bag tag …" */
const field = linear(/^\W*(?!https?)(?:\p{L}[\p{L}'’/-]* ?){1,5}(?:\([^()\n]{1,60}\) ?)?(?::|…|\.{3})[\s_.…[\]]*$/u);
const blank = linear(/(?:\.{3}|…|_{2,})\s*\?\W*$/);
const mark = linear(/\?\W*$/);

/** A statement of missing data: "I'm still missing your plate.", "The only thing left is the day.", "You haven't told me the size yet." */
const lacking = linear(
  /\b(?:(?:still|only) (?:\w+ ){0,2}(?:missing|lacking|open|outstanding|needed|required)|(?:i['’]m|i am|we['’]re|we are|what['’]s|what is) (?:still )?missing|(?:only|last|one) (?:\w+ )?thing (?:left|missing|open|i need|we need|remaining)|(?:has|have) not (?:yet )?been (?:stated|given|named|provided|specified|entered|told|mentioned|indicated)|(?:is|are) (?:hereby |kindly )?(?:requested|asked for)|you (?:haven['’]t|have not|didn['’]t|did not) (?:\w+ )?(?:tell|told|give|given|say|said|mention|mentioned|name|named|state|stated|enter|entered|specif\w+)|(?:is|are) (?:required|needed|necessary|missing|mandatory)\b|(?:i|we)(?:['’]d| would) (?:\w+ )?(?:have to|like to|want to) (?:know|hear|have|see|ask)|(?:i|we) (?:\w+ )?(?:have to|must|should) (?:know|ask)|without (?:it|that|this|your|an?|the) (?:\w+ ){0,3}(?:i|we) (?:cannot|can['’]t|can not))/i,
);
/** An instruction to enter something: "Enter your PIN", "Select a size", "Choose:", "let us have the address". */
const order = linear(
  /(?:^|[,;:.–—-]\s+|\b(?:please|then|now|kindly|and|first|next|just|to) )(?:(?:enter|type in|choose|select|specify|provide|fill in)(?![-\w])|(?:let (?:us|me) have|tell (?:us|me)|give (?:us|me)|send (?:us|me)|drop (?:us|me)|(?:state|name|pick|supply|share|quote|indicate|pop in|hand over|repeat)(?= (?:your|the|a|an|which|what|whether|how|when|where|it|one)\b)))/i,
);
/** A question without a question mark: "what is the number on your plate", "shall i do that". */
const unmarked = linear(
  /^\W*(?:(?:ok(?:ay)?|and|so|then|now|well|right|alright|great|sure|hi|hey|first|next|but|or)[ ,]+)*(?:(?:what|who|whose|where|when|how)(?:['’]?s| is| are| was| would| do| does| did| should| shall| can| could| will| many| much| long| old| big)\b|(?:which|what|whose) (?:\w+ ){1,4}(?:is|are|was|would|do|does|did|should|shall|can|could|will)\b|(?:shall|may|can|could|do|does|did|would|will|are|is|have|has) (?:i|we|you|it|that|this|there|they)\b|should (?:i|we|it|that|this)\b)|[,;:–—-]\s+(?:(?:shall|should|may|can) (?:i|we)|(?:do|would) you (?:want|like|agree)|is (?:that|this) (?:right|correct|ok(?:ay)?|fine))\b/i,
  // The nested repetition can match a text in only one way, so the built-in regex engine stays fast.
  256,
);
/** Waits for a yes without asking: "Just say the word", "if you agree, I will …", "a short confirmation that". */
const awaiting = linear(
  /\b(?:(?:just )?say (?:the word|so|yes|when)\b|(?:short|brief|quick|explicit|final) (?:\w+ )?(?:confirmation|okay|ok|approval|go-ahead)\b|(?:need|await\w*|wait\w* for|require|grateful for|ask(?: you)? for|appreciate) (?:(?:a|an|your|the) )?(?:\w+ )?(?:confirmation|okay|ok|approval|go-ahead|consent|yes)\b|if (?:you agree|(?:that|this)(?:['’]s| is) (?:ok(?:ay)?|right|fine|correct|what you (?:want|wish))|(?:that|this) (?:suits|works for) you)|let (?:me|us) know (?:if|whether) (?:that|this|it|you (?:agree|want (?:me|us)|would like (?:me|us))|(?:i|we) (?:should|may|can))|ready to \w+|to (?:confirm|proceed|agree|go ahead|continue),|green light|(?:consent|approval|agreement|confirmation|go-ahead)\b[^.?!]{0,120}\b(?:requested|required|needed|awaited|asked for)|(?:needs?|requires?|has) (?:to be confirmed|your confirmation))/i,
);
const passed = /\b(?:thanks? (?:you )?for|as (?:you )?(?:asked|requested|confirmed)|has been|have been|was|were|will be|after)\b/i;

/** Does a sentence wait for a yes without asking for it? */
function awaitsYes(text: string): boolean {
  return awaiting.test(text) && !passed.test(text);
}

const sender = linear(/\b(?:team|desk|service|support|staff|office|crew|bot|assistant|reception|company|department|family|friends?)\W*$/i);

const startsWithYour = linear(/^\W*your\b/i);

/** Does a sentence ask for something: as a question, as a request, or as a noun ("Your card number, please.")? */
export function asks(sentence: string): boolean {
  // Remarks in brackets are not part of the question: "Customer number, please (five digits)."
  const text = sentence.trim().replace(bracketed, '');
  if (mark.test(text) || requests.test(text) || unmarked.test(text) || lacking.test(text) || awaitsYes(text)) return true;
  if (order.test(text) && !/\b(?:you can|you may|you could|can be|may be)\b/i.test(text)) return true;
  // A list item asks if it names something of the customer's: "- your student number".
  const item = listItem.exec(text)?.[1];
  if (item !== undefined) return /^(?:your|which|what|whose)\b/i.test(item) && !finite.test(item) && !/[:\d]/.test(item);
  // Text that ends with a colon introduces the following text.
  // "Your donor care team" at the end of a letter is who writes it.
  const isSender = sender.test(text) && startsWithYour.test(text);
  return (
    !isSender &&
    text.split(/\s+/).length <= 8 &&
    !finite.test(text) &&
    !text.endsWith(':') &&
    (openers.test(text) || /\bplease\W*$/i.test(text))
  );
}

/** The heading of a list of requested items: "Still missing:", "To get started, I need:". */
function isAskingHead(sentence: string): boolean {
  return (
    sentence.trim().endsWith(':') &&
    (requests.test(sentence) || order.test(sentence) || lacking.test(sentence) || /\b(?:missing|needed|required|please)\b/i.test(sentence))
  );
}

/** Names without a verb or a value: the items of a requested list. */
function isBareItem(item: string): boolean {
  return !finite.test(item) && !/:.|\d/.test(item) && item.split(/\s+/).length <= 8;
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

/** The question within a sentence: the last part that starts like one. */
function questionPart(sentence: string): string | null {
  const parts = sentence.split(
    /(?:[,;:–—]|\s-)\s+|(?<=\s)(?=(?:and|but|so) (?:what|which|who|when|where|how|is|are|do|shall|should|may|can|could|would)\b)/i,
  );
  return parts.findLast((part) => openQuestion.test(part) || closedQuestion.test(part)) ?? null;
}

/** A question that ends with the expected answer: "…, yes?", "Thumbs up?", "Deal?" */
const nod = linear(/\b(?:yes|thumbs up|deal|agreed|ok(?:ay)?|all ?right|good|fine|correct|right|approved?|go)\W*\?\W*$/i);

/** "Let me know if you need anything else" asks for nothing but the next request. */
const offering = linear(
  /\b(?:let (?:me|us) know|tell (?:me|us)|just (?:ask|write|shout|say so)|feel free|do not hesitate|don['’]t hesitate|reach out|get in touch)\b[^?]*\b(?:if|should|when(?:ever)?) (?:you (?:need|have|ever|think)|you (?:want|(?:would|['’]d) like)(?! (?:me|us)\b)|there|anything)/i,
);

const bareChoice = linear(/^\W*(?:[\p{L}\d'’-]+ ?){1,3}(?:(?:\/|,| or) ?(?:[\p{L}\d'’-]+ ?){1,3}){1,6}\W*$/iu);

const choiceInQuestion = linear(/\bor\b(?! not\b)[^?]*\?/i);

const bareDeed = linear(/^\W*(?:[a-z]+ ){1,3}(?:it|them|that|this|both)(?: (?:now|then|anyway|for you|please|too))?\W*$/i);

function kindOf(sentence: string): QuestionKind {
  const text = sentence.trim();
  if (offering.test(text)) return 'more';
  if (confirming.test(text) && !/\bconfirm (?:your|me|the)\b/i.test(text)) return 'yes';
  if (blank.test(text)) return 'value';
  if (nod.test(text)) return 'yes';
  if (awaitsYes(text)) return 'yes';
  const isMarked = mark.test(text) || unmarked.test(text);
  const part = isMarked ? questionPart(text) : null;
  const isOpen = part !== null && openQuestion.test(part);
  if (isMarked && more.test(text) && (!isOpen || /\b(?:help|do for|else|next)\b/i.test(text))) return 'more';
  if (!isMarked || isOpen || polite.test(text)) return 'value';
  const isPlain = part !== null || finite.test(text);
  if (!isPlain && bareChoice.test(text) && /\/|\bor\b/.test(text)) return 'choice';
  if (isPlain && choiceInQuestion.test(text)) return 'choice';
  // "Change the plate of P-2201 to KL 555 ZZ?" announces an action; "Your email?" is a bare noun.
  const tail = text.split(/[:;]\s+/).at(-1) ?? '';
  const isBare = bareDeed.test(text);
  const isProposal = tail.split(/\s+/).length > 6 && /\d/.test(tail) && !openers.test(tail);
  return isPlain || nodding.test(text) || isProposal || isBare ? 'yes' : 'value';
}

/** A list of the desk's abilities is not part of its question: "Please tell me what it is about: I can help with the number of people." */
const offer = /: (?:i|we) can .*/i;

/** All questions of a message, in order. Text in brackets belongs to the preceding sentence. */
export function questionsIn(text: string): readonly Question[] {
  const questions: Question[] = [];
  let head: 'asking' | 'question' | null = null;
  const sentences = sentencesOf(text).map((sentence) => sentence.replace(offer, ''));
  for (const [i, sentence] of sentences.entries()) {
    if (aside.test(sentence)) {
      const last = questions.at(-1);
      if (last !== undefined && confirming.test(sentence)) questions.splice(-1, 1, { ...last, kind: 'yes' });
      continue;
    }
    const item = listItem.exec(sentence)?.[1];
    const isLast = i === sentences.length - 1;
    if (field.test(sentence) && (head === 'asking' || isLast) && !isAskingHead(sentence)) questions.push({ sentence, kind: 'value' });
    else if (item === undefined) {
      head = isAskingHead(sentence) ? 'asking' : mark.test(sentence.trim()) ? 'question' : null;
      // A heading without items is itself a question: "Enter your number:"
      const isHead = head === 'asking' && sentence.trim().endsWith(':') && !isLast;
      if ((asks(sentence) || (head === 'asking' && isLast)) && !isHead) questions.push({ sentence, kind: kindOf(sentence) });
    } else if (head === 'asking' ? isBareItem(item) : head === null && asks(sentence))
      questions.push({ sentence, kind: head === 'asking' ? 'value' : kindOf(item) });
    else if (head === 'question' && item.endsWith('?')) questions.push({ sentence, kind: 'choice' });
  }
  return questions;
}

/** Does a text end with a question, or contain one on the way? Brackets, and a list under a question, are part of it. */
export function endsAsking(text: string): boolean {
  const sentences = sentencesOf(text).filter((sentence) => !aside.test(sentence));
  const last = sentences.at(-1) ?? '';
  if (questionsIn(text).some(({ kind }) => kind !== 'more')) return true;
  if (!listItem.test(last)) return asks(last);
  const head = sentences.findLast((sentence) => !listItem.test(sentence)) ?? '';
  return asks(last) || mark.test(head.trim()) || (isAskingHead(head) && isBareItem(listItem.exec(last)?.[1] ?? ''));
}

const closing = linear(/\b(?:else|another|other|further|more|of (?:any )?(?:help|service|assistance))\b/i);

/** Does a text wait for an answer to its question? "Is there anything else?" only closes an answer. */
export function asksBack(text: string): boolean {
  const ends = questionsIn(text).flatMap(({ sentence, kind }) => (kind === 'more' && closing.test(sentence) ? [sentence] : []));
  const rest = sentencesOf(text).filter((sentence) => !ends.includes(sentence));
  return rest.length === 0 ? ends.length > 0 : endsAsking(rest.join('\n'));
}

const fillers =
  /\b(?:so|to|in order|before|because|since|and (?:i|we|then)|then|as|we|i|you|should|would|is|are|do|does|did|can|could|will|shall|must|may|for|on|at)\b/i;

const namedByQuestion = linear(/\b(?:what|which|whose|how (?:many|much|long))\b(.*)$/is);

const wantedThing = linear(
  /\b(?:have|ask(?: you)?(?: for)?|get|know|see|take|note|tell|give|send|share|provide|name|state|say|type|enter|repeat|confirm|specify|supply|spell|write|remember|recall|need|require|missing)\b(?: me| us)?(.*)$/is,
);

const purpose = linear(/\b(?:so|in order|before|because|since|and (?:i|we|then)|to (?:find|look|check|see|help))\b/i);

/** The words of a question that name the requested value: "which day" of "Which day should the lesson be moved to?" */
export function wishIn({ sentence, kind }: Question): string {
  if (kind !== 'value') return '';
  // Text after a comma may be requested as well: "your email, your name and your zip code".
  const part = sentence.slice(sentence.indexOf(questionPart(sentence) ?? sentence));
  const named = namedByQuestion.exec(part);
  if (named !== null && openQuestion.test(part)) {
    const rest = named[1].replace(/^\s*(?:(?:is|are|was|would be|'s|’s)\s+)+/i, '');
    return `${part.slice(0, part.length - named[1].length)} ${rest.split(fillers, 1)[0].trim()}`;
  }
  if (openQuestion.test(part)) return part.split(/\s+/).slice(0, 3).join(' ');
  const wanted = wantedThing.exec(part);
  return (wanted?.[1] ?? part).split(purpose, 1)[0];
}
