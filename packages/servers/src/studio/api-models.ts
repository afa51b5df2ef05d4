/** @file What the models page is told: providers, keys, runtimes, prices and the budget. */

import type { Price } from '@ludus-agents/agents/internal/models/priced';
import type { Reach } from '@ludus-agents/agents/internal/models/reachable';
import type { RuntimeState } from '@ludus-agents/agents/internal/runtimes/runtime-states';
import type { KeyState } from '@ludus-agents/agents/internal/workspace/keys';
import type { Budget } from '@ludus-agents/kernel/internal/core/index';
import type { BudgetSpent } from './budget.ts';

export interface ModelsShown {
  readonly kinds: readonly { readonly kind: string; readonly about: string }[];
  readonly keys: readonly KeyState[];
  /** What runs models in this process, installed or not. */
  readonly runtimes: readonly RuntimeState[];
  readonly prices: Readonly<Record<string, Price>>;
  readonly priceDate: string;
  readonly priceSource: string;
  readonly spent: BudgetSpent;
  readonly budget: Budget;
}

/** What can be called; `url` is that of an endpoint that was given a name here. */
export interface ReachShown extends Reach {
  readonly url: string | null;
  /** How its models are called where a call does not say. */
  readonly sampling?: { readonly temperature?: number; readonly topP?: number };
}

export interface EndpointRequest {
  readonly url: string;
  /** Kept by the origin of the address, and never shown. */
  readonly key?: string;
  /** The model of who names none. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** US dollars per million tokens. */
  readonly price?: { readonly prompt: number; readonly completion: number };
}

export type { BudgetSpent, KeyState, Price, Reach };
