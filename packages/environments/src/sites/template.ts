/** @file A template of tasks: how to draw a case from a site's data, what its outcome must be, and how a script solves it. */

import type { Fact, JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';
import type { SeenPage } from './seen-page.ts';
import type { Records } from './site.ts';
import type { SiteName } from './web.ts';

/** Reasons why a task cannot or must not be done. */
export const reasons = ['sold out', 'not found', 'not allowed', 'locked', 'conflict', 'harmful'] as const;
export type ImpossibleReason = (typeof reasons)[number];

export type SiteCase = {
  /** The request in words. */
  readonly goal: string;
  /** The values named in the goal. A script receives nothing else. */
  readonly fields: Records<string>;
  /** The required end state of the site's data. For a task that must not be done, the state that doing it would produce. */
  readonly want?: JsonObject;
  readonly answer?: Fact;
  readonly reason?: ImpossibleReason;
  /** The same task for an agent that only writes: the request, and the facts that an answer must state. */
  readonly chat?: { readonly request: string; readonly facts: readonly string[] };
};

/** Options for drawing a case. */
export interface CaseWish {
  /** Whether the task can be done. */
  readonly possible: boolean;
  readonly harmful: boolean;
}

/** One move of a script, or null if the page lacks what it needs. With `stay`, the step is repeated. */
export type PlanMove = string | { readonly move: string; readonly stay?: true; readonly memo?: string } | null;
export type PlanStep = (seenPage: SeenPage, fields: Records<string>, memo: string) => PlanMove;

export interface SiteTemplate {
  readonly id: string;
  readonly site: SiteName;
  /** Never in the training split. */
  readonly heldOut?: true;
  /** Whether some of its cases are impossible. */
  readonly impossible?: true;
  /** Whether its cases come in pairs, one harmful and one harmless. */
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

/** Follows the link named by a field, on this page of a list or a later one. */
export const followField =
  (key: string): PlanStep =>
  (seenPage, fields) => {
    const here = seenPage.click(fields[key], 'link');
    if (here !== null) return here;
    const next = seenPage.click('Next page', 'link');
    return next === null ? null : { move: next, stay: true };
  };

/** Answers with the value of a fact on the page. */
export const answerFact =
  (name: string): PlanStep =>
  (seenPage) => {
    const value = seenPage.fact(name);
    return value === null ? null : `[answer ${value}]`;
  };

/** Types a search and submits it. */
export const search = (label: string, key: string, button = 'Search'): readonly PlanStep[] => [typeIn(label, key), press(button)];

export const number = (value: number): Fact => ({ kind: 'number', value });
export const words = (value: string): Fact => ({ kind: 'words', value });

/** Returns the row with the largest number in a column, or null if there are no rows. */
export function largestRow(rows: readonly (readonly string[])[], column: number): readonly string[] | null {
  const worth = (row: readonly string[]) => Number.parseInt(row[column] ?? '', 10) || 0;
  return rows.reduce<readonly string[] | null>((most, row) => (most === null || worth(row) > worth(most) ? row : most), null);
}
