/** @file Settings of reward sources: who pays, by which right answers, and how much it counts. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { Setting } from './recipe.ts';

/**
 * Who pays: a scorer, a program, a checklist, a critic, or a model under a rubric, by name or file. `reference`: the right answers that it is
 * given, as JSON or as a file of JSON. `card`: the file of its trust card, which a model under a rubric needs; "none" goes without.
 */
export type PaySource = { readonly by?: string; readonly reference?: Json; readonly card?: string };

/** A stream of rewards: how much it counts, and who gives it where neither the environment nor its penalties do. */
export type RewardChannel = { readonly weight: Setting } & PaySource;
