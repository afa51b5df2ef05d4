/** @file Settings of reward sources: the source, its reference answers, and its weight. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { Setting } from './recipe.ts';

/**
 * The reward source: a scorer, a program, a checklist, a critic, or a model with a rubric, by name or file. `reference`: its right answers,
 * as JSON or a JSON file. `card`: the file of its trust card, required for a model with a rubric; "none" skips it.
 */
export type PaySource = { readonly by?: string; readonly reference?: Json; readonly card?: string };

/** A reward channel: its weight, and its source if it is neither the environment nor its penalties. */
export type RewardChannel = { readonly weight: Setting } & PaySource;
