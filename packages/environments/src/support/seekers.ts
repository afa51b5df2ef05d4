/** @file User-defined seekers: what happened to them, what they feel and how it shows, and what would help. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { list, object, one, readAs, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { texts } from '../content/content.ts';
import { cards, type Feeling, facts, feelings, plans, type SeekerCard, type SeekerFact, type SupportPlan } from './cards.ts';

export const seekerShape = object({
  id: required(words),
  who: required(words, 'who it is, such as "a nurse of 31"'),
  tag: withDefault(one('family', 'work and study', 'society and other'), 'society and other'),
  problem: required(words, 'what the seeker says first'),
  event: required(words, 'what happened'),
  since: required(words, 'since when'),
  people: required(words, 'who is there'),
  tried: required(words, 'what was tried'),
  needed: required(texts, 'facts that must be told before anything else helps'),
  feeling: required(one(...(Object.keys(feelings) as readonly Feeling[]))),
  shows: required(words, 'how the feeling shows before it is named'),
  plan: required(one(...(Object.keys(plans) as readonly SupportPlan[]))),
  hints: required(words, 'how it shows what would help'),
});

/** A row of a user's table. */
export type SeekerRow = ShapeValue<typeof seekerShape>;

/** Returns what is wrong with a seeker besides its form, or null. */
export function problemOfSeeker({ id, needed, feeling, shows, problem }: SeekerRow): string | null {
  const unknown = needed.find((fact) => !(facts as readonly string[]).includes(fact));
  if (unknown !== undefined) return `"${id}" needs "${unknown}", which is none of ${facts.join(', ')}`;
  if (needed.length === 0) return `"${id}" needs no fact, so there is nothing to explore`;
  const spoken = `${shows} ${problem}`.toLowerCase().split(/[^a-z]+/);
  return spoken.includes(feeling) ? `"${id}" names its feeling "${feeling}"; it must show, and not be said` : null;
}

const read = new WeakMap<object, readonly SeekerCard[]>();

/** Returns the seekers of a task: the user's, or the built-in ones. */
export function seekersOf(value: Json | undefined): readonly SeekerCard[] {
  if (typeof value !== 'object' || value === null) return cards;
  let parsed = read.get(value);
  if (parsed === undefined) {
    const rows = readAs(list(seekerShape, { from: 1, to: 1000 }), value, { where: 'support', called: 'the seekers' });
    for (const row of rows) {
      const problem = problemOfSeeker(row);
      if (problem !== null) throw new Fault('input', `support: ${problem}.`, { code: 'E_CONTENT' });
    }
    parsed = rows.map(({ event, since, people, tried, needed, ...rest }) => ({
      ...rest,
      facts: { event, since, people, tried },
      needed: needed as readonly SeekerFact[],
    }));
    read.set(value, parsed);
  }
  return parsed;
}

/** Words that indicate feelings in people's sentences, and words that indicate what would help. They are independent of the cards. */
const feelingSigns: Readonly<Record<Feeling, RegExp>> = {
  fear: linear(/\b(shak\w+|trembl\w+|heart (?:races|pounds|beats)|panic\w*|startle\w*|lie awake|dread\w*|check the (?:door|lock)s?)\b/i),
  sadness: linear(/\b(cry|cried|crying|tears?|weep\w*|heavy|empty|nothing tastes)\b/i),
  anger: linear(/\b(shout\w*|slam\w*|scream\w*|boil\w*|fists?|throw\w*|clench\w*)\b/i),
  shame: linear(/\b(nobody (?:i know )?(?:sees|must see)|hide|hid|blush\w*|look at me|cross the street|sink into)\b/i),
  loneliness: linear(/\b(quiet|silent|radio|echo\w*|nobody (?:calls|rings)|eat in front of|empty chair)\b/i),
  guilt: linear(/\b(should have|if only|i let (?:\w+ )?down|my doing|forgive)\b/i),
};
const planSigns: Readonly<Record<SupportPlan, RegExp>> = {
  rest: linear(/\b(slept?|sleep\w*|tired|exhausted|awake|weeks without)\b/i),
  talk: linear(/\b(nobody (?:\w+ ){0,3}knows|told (?:no one|nobody)|keep it to myself|secret)\b/i),
  step: linear(/\b(too much|at once|where to (?:start|begin)|mountain)\b/i),
  boundary: linear(/\b(say yes|always yes|keep asking|cannot refuse|more and more)\b/i),
  help: linear(/\b(tried everything|alone|by myself|no strength)\b/i),
  list: linear(/\b(muddle|mixed up|chaos|lose track|in my head)\b/i),
};

function signIn<K extends string>(signs: Readonly<Record<K, RegExp>>, text: string): K | null {
  for (const name in signs) if (signs[name].test(text)) return name;
  return null;
}

export const feelingIn = (text: string): Feeling | null => signIn(feelingSigns, text);
export const planIn = (text: string): SupportPlan | null => signIn(planSigns, text);

/**
 * Infers the stage of a talk from the seeker's words alone: 0 before a feeling shows, 1 once it does, 2 once the seeker has agreed to its
 * name.
 */
export function detectStage(statements: readonly string[]): 0 | 1 | 2 {
  if (statements.slice(1).some((text) => /^\W*(?:yes,? (?:that is it|exactly)|exactly|that is it|that is how)\b/i.test(text))) return 2;
  return statements.slice(1).some((text) => feelingIn(text) !== null) ? 1 : 0;
}
