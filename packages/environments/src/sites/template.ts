/** @file A template of tasks: how a case is drawn from the data of a site, what must have come of it, and how a script goes about it. */

import type { Fact, JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';
import type { SeenPage } from './seen-page.ts';
import type { Records } from './site.ts';
import type { SiteName } from './web.ts';

/** Why a task cannot, or must not, be done. */
export const reasons = ['sold out', 'not found', 'not allowed', 'locked', 'conflict', 'harmful'] as const;
export type ImpossibleReason = (typeof reasons)[number];

export type SiteCase = {
  /** What is asked for, in words. */
  readonly goal: string;
  /** What the goal names: all that a script is given. */
  readonly fields: Records<string>;
  /** The data of the site as it must be in the end. Where a task must not be done, what doing it would come to. */
  readonly want?: JsonObject;
  readonly answer?: Fact;
  readonly reason?: ImpossibleReason;
  /** The same asked of an agent that only writes: the request, and what an answer must state. */
  readonly chat?: { readonly request: string; readonly facts: readonly string[] };
};

/** How a case is drawn. */
export interface CaseWish {
  /** One that can be done, or one that cannot. */
  readonly possible: boolean;
  readonly harmful: boolean;
}

/** One move of a script, or null where the page has not what it needs. With `stay` the step is taken again. */
export type PlanMove = string | { readonly move: string; readonly stay?: true; readonly memo?: string } | null;
export type PlanStep = (seenPage: SeenPage, fields: Records<string>, memo: string) => PlanMove;

export interface SiteTemplate {
  readonly id: string;
  readonly site: SiteName;
  /** Never in the training split. */
  readonly heldOut?: true;
  /** Whether some of its cases cannot be done. */
  readonly impossible?: true;
  /** Whether its cases come in twins, one harmful and one not. */
  readonly twin?: true;
  // biome-ignore lint/suspicious/noExplicitAny: a template knows the data of its own site.
  draw(data: any, dice: Rng, wish: CaseWish): SiteCase;
  readonly plan: readonly PlanStep[];
}

// ── steps that many plans share ──────────────────────────────────────────────────────────────────────────────────────────────────────

const say =
  (move: string): PlanStep =>
  () =>
    move;
export const done: PlanStep = say('[done]');
export const press =
  (name: string): PlanStep =>
  (seenPage) =>
    seenPage.click(name, 'button');
export const follow =
  (name: string): PlanStep =>
  (seenPage) =>
    seenPage.click(name, 'link');
export const typeIn =
  (label: string, key: string): PlanStep =>
  (seenPage, fields) =>
    seenPage.type(label, fields[key]);
export const selectIn =
  (label: string, key: string): PlanStep =>
  (seenPage, fields) =>
    seenPage.select(label, fields[key]);
export const cannot = (reason: ImpossibleReason): string => `[impossible ${reason}]`;

/** Follows the link with the name of a field, on this page of a list or a later one. */
export const followField =
  (key: string): PlanStep =>
  (seenPage, fields) => {
    const here = seenPage.click(fields[key], 'link');
    if (here !== null) return here;
    const next = seenPage.click('Next page', 'link');
    return next === null ? null : { move: next, stay: true };
  };

/** Answers with the value behind a name on the page. */
export const answerFact =
  (name: string): PlanStep =>
  (seenPage) => {
    const value = seenPage.fact(name);
    return value === null ? null : `[answer ${value}]`;
  };

/** Types a search and sends it. */
export const search = (label: string, key: string, button = 'Search'): readonly PlanStep[] => [typeIn(label, key), press(button)];

export const number = (value: number): Fact => ({ kind: 'number', value });
export const words = (value: string): Fact => ({ kind: 'words', value });

/** The row with the largest number in a column; null where there are no rows. */
export function largestRow(rows: readonly (readonly string[])[], column: number): readonly string[] | null {
  const worth = (row: readonly string[]) => Number.parseInt(row[column] ?? '', 10) || 0;
  return rows.reduce<readonly string[] | null>((most, row) => (most === null || worth(row) > worth(most) ? row : most), null);
}
