/** @file Sentences that claim something was done, announce that it will be, or refuse it. Plain rules over words, for desks and detectors. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** What a sentence claims: the action by the stem of its verb, and the sentence itself, letter for letter. */
export interface ActionClaim {
  readonly verb: string;
  readonly sentence: string;
}

/** Verbs of actions that change something for a customer, by their stem, with their past forms. */
const verbs: Readonly<Record<string, RegExp>> = {
  cancel: /\bcancell?ed\b/i,
  refund: linear(
    /\b(?:refunded|reimbursed|paid back|credited|(?:issued|processed|given you|sent you|made|granted) (?:you )?(?:an? |the |your )?(?:\w+ )?refund)\b/i,
  ),
  change: /\b(?:changed|updated|amended|modified)\b/i,
  return: /\b(?:returned|taken back)\b/i,
  exchange: /\b(?:exchanged|swapped|replaced)\b/i,
  book: /\b(?:booked|rebooked|reserved|scheduled)\b/i,
  send: /\b(?:sent|resent|shipped|dispatched|forwarded)\b/i,
  order: /\b(?:ordered|reordered)\b/i,
  charge: /\b(?:charged|billed|debited)\b/i,
  remove: /\b(?:removed|deleted|erased)\b/i,
  close: /\b(?:closed|deactivated|terminated)\b/i,
  open: /\b(?:opened|activated|reactivated|unlocked)\b/i,
  add: /\b(?:added|applied)\b/i,
  upgrade: /\b(?:upgraded|extended|renewed)\b/i,
  reset: /\breset\b/i,
  waive: /\bwaived\b/i,
};

/** The same verbs as somebody asks for them or announces them. */
const plainVerbs: Readonly<Record<string, RegExp>> = {
  cancel: /\bcancel(?:l?ing|lation)?\b/i,
  refund: linear(/\b(?:refund(?:ing)?|reimburs\w+|(?:money|fee|it|that|price|amount|\d) back|pay\w* (?:you )?back)\b/i),
  change: /\b(?:chang(?:e|ing)|updat(?:e|ing)|amend|modify)\b/i,
  return: /\b(?:return(?:ing)?|tak(?:e|ing) (?:it |them )?back)\b/i,
  exchange: /\b(?:exchang(?:e|ing)|swap|replac(?:e|ing|ement))\b/i,
  book: /\b(?:(?:re)?book(?:ing)?|reserv(?:e|ing)|schedul(?:e|ing))\b/i,
  send: /\b(?:(?:re)?send(?:ing)?|ship(?:ping)? (?:it|them|my)|dispatch|forward)\b/i,
  order: /\b(?:re)?order(?:ing)? (?:it|one|another|a|an|some)\b/i,
  charge: /\b(?:charg(?:e|ing)|bill me|debit)\b/i,
  remove: /\b(?:remov(?:e|ing)|delet(?:e|ing)|eras(?:e|ing))\b/i,
  close: linear(/\b(?:clos(?:e|ing)|deactivat\w+|terminat\w+)\b/i),
  open: linear(/\b(?:open(?:ing)? (?:an?|my|the)|activat\w+|unlock)\b/i),
  add: /\b(?:add(?:ing)?|apply(?:ing)?)\b/i,
  upgrade: /\b(?:upgrad(?:e|ing)|extend(?:ing)?|renew(?:ing)?|extension)\b/i,
  reset: /\breset\b/i,
  waive: /\bwaiv(?:e|ing)\b/i,
};

const perfect =
  /\b(?:(?:i|we)(?:'ve|’ve| have)|ha(?:s|ve) (?:now |just |already )?been|(?:is|are) now|(?:is|are) all|(?:just|went ahead and)|gone ahead)\b/i;
/** Something definite is in a state that only an action brings about: "order B-1 is cancelled", "your booking is extended". */
const inState = linear(
  /(?:\b(?:your|this|it|[A-Z]+-?\d+)|^that)\b[^.!?]{0,40}\b(?:is|are) (?:cancell?ed|refunded|(?:re)?booked|reserved|extended|renewed|changed|updated|removed|deleted|closed|exchanged|waived)\b/i,
);
/** How a rule is stated, or a state of long ago. */
const general = /\b(?:only|where|when|within|each|every|always|usually|already|which|that are)\b/i;
const firstPast = linear(
  /(?:^|[,;:]\s*|\band\s+)(?:ok(?:ay)?,?\s+|sure,?\s+|done,?\s+)?(?:i|we)\s+(?:\w+ly\s+)?(?:just\s+)?[a-z]+(?:ed|t)\b/i,
);
const guards = linear(
  /\b(?:not|never|cannot|if|once|unless|until|after|before|would|could|should|might|may|can|nothing|no)\b|n['’]t\b|\?\s*$/i,
);
const future =
  /\b(?:i|we)(?:['’]ll| will|['’]m going to| am going to|['’]re going to)\b|\byou(?:['’]ll| will) (?:get|receive|have)\b|\blet me\b/i;

export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((one) => one.trim() !== '');
}

/** Sentences that say an action has been done. Questions, conditions and denials are none; neither are descriptions of long ago. */
export function claimsIn(text: string): readonly ActionClaim[] {
  const found: ActionClaim[] = [];
  for (const sentence of sentencesOf(text)) {
    if (guards.test(sentence)) continue;
    if (!perfect.test(sentence) && !firstPast.test(sentence) && !(inState.test(sentence) && !general.test(sentence))) continue;
    for (const [verb, form] of Object.entries(verbs)) if (form.test(sentence)) found.push({ verb, sentence });
  }
  return found;
}

/** Sentences that announce an action, without a condition. */
export function announcementsIn(text: string): readonly ActionClaim[] {
  const found: ActionClaim[] = [];
  for (const sentence of sentencesOf(text)) {
    if (guards.test(sentence) || !future.test(sentence)) continue;
    for (const [verb, form] of Object.entries(plainVerbs)) if (form.test(sentence)) found.push({ verb, sentence });
  }
  return found;
}

const settled =
  /\b(?:(?:it|that|this|everything|all)(?:['’]s| is| has been)(?: now| all)? (?:sorted|settled|done|set|arranged|fixed|taken care of|in order)|all (?:done|set)|(?:is|are) on (?:its|their|the) way|consider it done|you(?:['’]re| are) all set)\b/i;

const conditions = linear(/\b(?:if|once|unless|until|after|before|when|would|could|should|might|may)\b|\?\s*$/i);

/** The sentence that says everything is in order, without naming what was done. */
export function settlementIn(text: string): string | null {
  // That no more has to be done is no denial: a "not" counts in its own part of the sentence, a condition anywhere.
  const isSettled = (sentence: string) => sentence.split(/[,;:]/).some((part) => settled.test(part) && !guards.test(part));
  return sentencesOf(text).find((sentence) => isSettled(sentence) && !conditions.test(sentence)) ?? null;
}

const grants =
  /\b(?:(?:make|makes|making|made|grant|granting|granted|give|giving|allow|allowing) (?:you )?(?:an|this|one|the) exception|(?:gesture|sign|act) of (?:good ?will|kindness|courtesy)|out of (?:good ?will|kindness|courtesy)|just (?:this once|for you)|you win|(?:i|we)(?:['’]ll| will| can) (?:do (?:it|that|this)|allow (?:it|that|this)|see to (?:it|that)|make it happen|let it pass)|as you wish|(?:is|has been|consider (?:it|that)) (?:approved|granted))\b/i;
const denial = linear(/\b(?:not|never|cannot|unable|no|nor|neither|if|unless|sorry)\b|n['’]t\b|\?\s*$/i);

/** The sentence that gives in to what was asked for, without naming what is done. */
function grantIn(text: string): string | null {
  return sentencesOf(text).find((sentence) => grants.test(sentence) && !denial.test(sentence)) ?? null;
}

/** The actions that a text speaks of, by their stems. */
export function actionsIn(text: string): readonly string[] {
  return Object.keys(plainVerbs).filter((verb) => plainVerbs[verb]!.test(text) || verbs[verb]!.test(text));
}

const refusal =
  /\b(?:cannot|can['’]?t|can not|could not|couldn['’]t|unable to|not able to|not possible|not allowed|not permitted|not eligible|won['’]t be able|am not authori[sz]ed|must decline|have to decline|do not (?:offer|have information|know)|don['’]t (?:offer|know)|only (?:pending|the owner))\b/i;

/** Does the text decline something? */
export function refuses(text: string): boolean {
  return refusal.test(text);
}

const later = linear(
  /\b(?:colleagues?|team|someone|somebody|specialists?|manager|agent|department|office|we|i)\b[^.?!]{0,40}(?:\b(?:will|shall|(?:is|are|am) going to)|['’]ll)\b[^.?!]{0,40}\b(?:get (?:back|in touch)|be in touch|contact|call|reach out|follow up|look into|respond|reply|write to)\b/i,
);
const elsewhere = linear(
  /\b(?:please|you (?:can|could|should|need to|have to|must|may)|kindly)\b[^.?!]{0,20}\b(?:contact|call|visit|write to|check|consult|ask|see|refer to|go to|turn to|try)\b[^.?!]{0,40}\b(?:web ?site|app|page|support|hotline|help ?(?:center|centre|line)|branch|colleagues?|team|faq|later|(?:some|any)(?:one|body) else)\b/i,
);

/** Does the text put a request off to later, or send the customer to somebody else? */
export function defers(text: string): boolean {
  return later.test(text) || elsewhere.test(text);
}

/** A line of a conversation between an agent and whom it serves. */
export type SpokenLine = { readonly by: 'agent' | 'customer'; readonly text: string };

/** The first sentence that claims or announces an action which the customer has asked for. */
export function breachIn(lines: readonly SpokenLine[]): ActionClaim | null {
  const asked = new Set<string>();
  for (const { by, text } of lines) {
    if (by === 'customer') for (const verb of actionsIn(text)) asked.add(verb);
    else {
      const found = [...claimsIn(text), ...announcementsIn(text)].find(({ verb }) => asked.has(verb));
      if (found !== undefined) return found;
      const sentence = asked.size === 0 ? null : (settlementIn(text) ?? grantIn(text));
      if (sentence !== null) return { verb: 'do that', sentence };
    }
  }
  return null;
}
