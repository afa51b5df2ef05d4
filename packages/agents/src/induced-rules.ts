/**
 * @file Rules of an environment as lines of text that can be wrong: in this situation, this move has this effect (CEL, arXiv 2509.25052).
 *
 * They are written after episodes, tested against every observed transition, and used to look ahead. A rule is removed the first time it is
 * violated.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** An observation, the action, and the next observation. */
export type SeenTransition = { readonly situation: string; readonly move: string; readonly effect: string };
export type InducedRule = SeenTransition & { readonly confirmed: number; readonly violated: number };

/** One thing that happened to a seat, in order: an observation or an action. */
export type TransitionPart = { readonly shown: string } | { readonly did: string };

/**
 * Pairs a seat's latest observation, its action, and the observations up to its next move; also returns its last action without a result
 * yet.
 */
export function pairTransitions(parts: readonly TransitionPart[]): {
  readonly transitions: readonly SeenTransition[];
  readonly situation: string;
  readonly open: string | null;
} {
  const transitions: SeenTransition[] = [];
  let [situation, move, news] = ['', null as string | null, [] as string[]];
  const close = () => {
    if (move !== null && news.length > 0) transitions.push({ situation, move, effect: news.join(' ') });
    situation = news.at(-1) ?? situation;
    news = [];
  };
  for (const part of parts)
    if ('did' in part) {
      close();
      move = part.did;
    } else news.push(newsIn(part.shown));
  const open = news.length === 0 ? move : null;
  close();
  return { transitions, situation, open };
}

/** The last line of a message, because new facts come after constant ones. */
function newsIn(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 120).toWellFormed();
}

const written = linear(/^When “(.*)”: ([^→]*) → “(.*)” \((\d+) times\)$/);

export function sentenceFor({ situation, move, effect, confirmed }: InducedRule): string {
  return `When “${situation}”: ${move} → “${effect}” (${confirmed} times)`;
}

export function readRule(line: string): InducedRule | null {
  const [, situation, move, effect, confirmed] = written.exec(line) ?? [];
  if (situation === undefined || move === undefined || effect === undefined) return null;
  return { situation, move, effect, confirmed: Number(confirmed), violated: 0 };
}

/** Parses a rule written by a person or a model; variants of quotation marks, arrows, and bullets are accepted. */
export function looseRule(line: string): SeenTransition | null {
  const match = linear(/when\s*["“„'](.+?)["”“']\s*[:,]\s*(.+?)\s*(?:→|->|=>)\s*["“„']?(.+?)["”“']?\s*(?:\(\d+ times\))?\s*\.?$/i).exec(
    line.trim(),
  );
  const [, situation, move, effect] = match ?? [];
  return situation === undefined || move === undefined || effect === undefined ? null : { situation, move, effect };
}

/** The effect of a last move that no observation follows. */
export function returnEffect(payment: number): string {
  return `a return of ${payment}`;
}

function isReturn(effect: string): boolean {
  return effect.startsWith('a return of ');
}

/** Whether a rule applies to this move here. */
export function covers(rule: SeenTransition, { situation, move }: Pick<SeenTransition, 'situation' | 'move'>): boolean {
  return situation.includes(rule.situation) && move === rule.move;
}

/** Old and new rules that fit the observations: confirmed at least once and never violated. */
export function testedRules(
  inducedRules: readonly InducedRule[],
  fresh: readonly SeenTransition[],
  seenTransitions: readonly SeenTransition[],
): readonly InducedRule[] {
  const all = [...inducedRules, ...fresh.map((rule): InducedRule => ({ ...rule, confirmed: 0, violated: 0 }))];
  const unique = all.filter(
    (rule, i) => all.findIndex((inducedRule) => inducedRule.situation === rule.situation && inducedRule.move === rule.move) === i,
  );
  return unique
    .map((rule) => {
      // If the episode ended without a message, no observation can contradict a rule about messages.
      const meets = seenTransitions.filter(
        (seenTransition) => covers(rule, seenTransition) && (isReturn(seenTransition.effect) ? isReturn(rule.effect) : true),
      );
      const violated = meets.filter(({ effect }) => !effect.includes(rule.effect)).length;
      return { ...rule, confirmed: rule.confirmed + meets.length - violated, violated };
    })
    .filter(({ confirmed, violated }) => violated === 0 && confirmed > 0)
    .toSorted((a, b) => b.confirmed - a.confirmed);
}
