/** @file Messages of the models page: providers, keys, runtimes, prices, and the budget. */

import type { Price } from '@ludus-agents/agents/internal/models/priced';
import type { Reach } from '@ludus-agents/agents/internal/models/reachable';
import type { RuntimeState } from '@ludus-agents/agents/internal/runtimes/runtime-states';
import type { KeyState } from '@ludus-agents/agents/internal/workspace/keys';
import type { Budget } from '@ludus-agents/kernel/internal/core/index';
import type { BudgetSpent } from './budget.ts';

export interface ModelsShown {
  readonly kinds: readonly { readonly kind: string; readonly about: string }[];
  readonly keys: readonly KeyState[];
  /** Runtimes for models in this process, installed or not. */
  readonly runtimes: readonly RuntimeState[];
  readonly prices: Readonly<Record<string, Price>>;
  readonly priceDate: string;
  readonly priceSource: string;
  readonly spent: BudgetSpent;
  readonly budget: Budget;
}

/** A callable model; `url` is the address of an endpoint named here. */
export interface ReachShown extends Reach {
  readonly url: string | null;
  /** The default protocol of its models. */
  readonly sampling?: { readonly temperature?: number; readonly topP?: number };
}

export interface EndpointRequest {
  readonly url: string;
  /** Stored by the origin of the address, and never shown. */
  readonly key?: string;
  /** The default model. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** US dollars per million tokens. */
  readonly price?: { readonly prompt: number; readonly completion: number };
}

export type { BudgetSpent, KeyState, Price, Reach };
