/**
 * @file Rule induction (CEL, arXiv 2509.25052): derives falsifiable rules from observations and moves: in this situation, this move has
 * this effect. A rule that is violated once is removed.
 *
 * The rules are lines of the text itself with their count, so the next induction continues from there. Differs: a rule is (situation, move,
 * effect) word for word, found without a model; predictions are tested, not requested.
 */

import type { InducedRule, SeenTransition, TransitionPart } from '@ludus-agents/agents/internal/induced-rules';
import { pairTransitions, readRule, returnEffect, sentenceFor } from '@ludus-agents/agents/internal/induced-rules';
import type { Episode, Lesson, Seat } from '@ludus-agents/kernel/internal/core/index';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';

export class RuleBook {
  readonly #rules = new Map<string, InducedRule>();

  constructor(rules: readonly InducedRule[] = []) {
    for (const rule of rules) this.#rules.set(keyOf(rule), rule);
  }

  /** A transition confirms the rule for its situation and move, violates it, or creates one. */
  observe(seenTransition: SeenTransition): void {
    const inducedRule = this.#rules.get(keyOf(seenTransition));
    if (inducedRule === undefined) this.#rules.set(keyOf(seenTransition), { ...seenTransition, confirmed: 1, violated: 0 });
    else if (inducedRule.effect === seenTransition.effect)
      this.#rules.set(keyOf(seenTransition), { ...inducedRule, confirmed: inducedRule.confirmed + 1 });
    else this.#rules.set(keyOf(seenTransition), { ...inducedRule, violated: inducedRule.violated + 1 });
  }

  /** The predicted effect of a move; null without a rule or if the rule was violated. */
  predict({ situation, move }: Pick<SeenTransition, 'situation' | 'move'>): string | null {
    const inducedRule = this.#rules.get(keyOf({ situation, move }));
    return inducedRule === undefined || inducedRule.violated > 0 ? null : inducedRule.effect;
  }

  get rules(): readonly InducedRule[] {
    return [...this.#rules.values()];
  }

  /** Rules confirmed at least `times` times and never violated, most confirmed first. */
  sure(times: number): readonly InducedRule[] {
    return this.rules
      .filter(({ confirmed, violated }) => violated === 0 && confirmed >= times)
      .toSorted((a, b) => b.confirmed - a.confirmed || (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

function keyOf({ situation, move }: Pick<SeenTransition, 'situation' | 'move'>): string {
  return JSON.stringify([situation, move]);
}

/** A seat's last observation, its move, and its next observation; at the end, its return. */
export function transitionsIn({ events }: Episode, seat: Seat): readonly SeenTransition[] {
  const parts = events.flatMap((event): TransitionPart[] => {
    if (event.kind === 'action' && event.seat === seat) return [{ did: event.action.text }];
    return event.kind === 'message' && event.to.includes(seat) ? [{ shown: event.text }] : [];
  });
  const { transitions, situation, open } = pairTransitions(parts);
  const end = events.at(-1);
  if (open === null || end?.kind !== 'end') return transitions;
  return [...transitions, { situation, move: open, effect: returnEffect(end.returns[seat] ?? 0) }];
}

/** Writes rules into the first open component: those confirmed at least `times` times, up to the edit limit. */
export function inducing(times = 2): Proposer {
  return {
    name: 'induce',
    improver: ({ components, edits }) => ({
      name: 'induce',
      async improve(spec, lessons) {
        const name = components[0];
        if (name === undefined) return [];
        const lines = (componentsOf(spec)[name] ?? '').split('\n');
        const book = new RuleBook(lines.flatMap((line) => readRule(line) ?? []));
        for (const lesson of lessons) for (const seenTransition of transitionsSeen(lesson)) book.observe(seenTransition);
        const others = lines.filter((line) => readRule(line) === null);
        const retained = book.sure(times).slice(0, edits).map(sentenceFor);
        return [withComponents(spec, { ...componentsOf(spec), [name]: [...others, ...retained].join('\n') })];
      },
    }),
  };
}

function transitionsSeen({ episode, seat }: Lesson): readonly SeenTransition[] {
  return transitionsIn(episode, seat);
}
