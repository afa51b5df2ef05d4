/**
 * @file Experience from earlier play, stored in the spec as data: moves that were right in a situation, uses of a thing, and plans by their
 * goal. Each part can be switched on separately; recalled experience is logged.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { list, object, optional, record, required, type Shape, text, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import type { Recalled } from './recall.ts';
import { fittingTexts, type RecallEncoder } from './relevance.ts';

export type Experience = {
  /** `after` is the previous move, which distinguishes situations that look alike. */
  readonly actions: readonly { readonly at: string; readonly after?: string; readonly move: string }[];
  readonly affordances: Readonly<Record<string, readonly string[]>>;
  readonly plans: readonly { readonly name: string; readonly moves: readonly string[]; readonly leads: string }[];
};

export const experienceParts = ['actions', 'affordances', 'plans'] as const;

export const experienceShape: Shape<Experience> = object<Experience>({
  actions: withDefault(
    list(object<Experience['actions'][number]>({ at: required(words), after: optional(text), move: required(words) }), { to: 1000 }),
    [],
    'what was right, by what one was told',
  ),
  affordances: withDefault(record(list(words, { to: 32 })), {}, 'what can be done with a thing'),
  plans: withDefault(
    list(object({ name: required(words), moves: required(list(words, { from: 1, to: 16 })), leads: required(words) }), { to: 100 }),
    [],
    'moves that belong together, with what they lead to',
  ),
});

/** Recalls experience: moves and uses by the latest message; a plan by the goal. */
export async function experienceOf(
  { actions, affordances, plans }: Experience,
  { now, last = '', goal }: { readonly now: string; readonly last?: string; readonly goal: string },
  encoder?: RecallEncoder,
): Promise<readonly Recalled[]> {
  const out: Recalled[] = [];
  const nearest = (query: string, texts: readonly string[]) => fittingTexts(query, texts, { encoder, most: 1 });
  const same = actions.filter(({ at }) => at.trim() === now.trim());
  const action =
    same.find(({ after }) => (after ?? '') === last) ??
    same[0] ??
    actions[
      (
        await nearest(
          now,
          actions.map(({ at }) => at),
        )
      )[0] ?? -1
    ];
  if (action !== undefined) out.push({ id: 'x/action', text: `Where you were told much the same, ${action.move} was right.` });
  const named = Object.entries(affordances).filter(([object]) => termsOf(now).join(' ').includes(termsOf(object).join(' ')));
  const able = named.slice(0, mostThings).map(([object, verbs]) => `${object}: ${verbs.join(', ')}`);
  if (able.length > 0) out.push({ id: 'x/affordances', text: `What has worked with what you see: ${able.join('; ')}.` });
  const plan =
    plans[
      (
        await nearest(
          goal,
          plans.map(({ leads, name }) => `${leads} ${name}`),
        )
      )[0] ?? -1
    ];
  if (plan !== undefined) out.push({ id: 'x/plan', text: `What has led to "${plan.leads}" before: ${plan.moves.join(', then ')}.` });
  return out;
}

const mostThings = 8;
