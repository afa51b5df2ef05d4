/** @file The studio's budget for models and its spending since the start: one budget for everything started on a page. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ModelOf, modelsWith } from '@ludus-agents/agents/internal/models/index';
import { findModel } from '@ludus-agents/agents/internal/workspace/models';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type Allowance, BudgetCounter, charged, type Model } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { type Fields, number, object, optional, readAs } from '@ludus-agents/kernel/internal/core/shape';
import { isTrainedName, loadTrainedModel } from '@ludus-agents/learning/internal/training/trained-agents';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { useEndpoints } from './endpoints.ts';

export interface BudgetSpent {
  readonly calls: number;
  readonly tokens: number;
  /** US dollars, of calls whose price is known. */
  readonly money: number;
  readonly unpriced: number;
  /** Calls without a token count, such as interrupted ones: they count with their full allowance. */
  readonly uncounted: number;
}

/** The maximum spending; omitted fields have no limit. */
export interface StudioLimits {
  readonly money?: number;
  readonly calls?: number;
  readonly tokens?: number;
}

const limit = optional(number(0, 1e12));
export const limitFields: Fields<StudioLimits> = { money: limit, calls: limit, tokens: limit };

const parts = ['money', 'calls', 'tokens'] as const;

export class StudioBudget {
  readonly modelOf: ModelOf;
  /** All work started on a page is reserved here before it is sent. */
  readonly purse: BudgetCounter;
  readonly #file: string;
  /** The budget is checked before each call, so a new limit applies immediately. */
  readonly #allowance: { -readonly [K in keyof StudioLimits]: StudioLimits[K] };

  constructor({ cwd, env }: WorkingFolder) {
    this.#file = resolve(cwd, '.ludus', 'budget.json');
    this.#allowance = existsSync(this.#file)
      ? readAs(object(limitFields), jsonFrom(readFileSync(this.#file, 'utf8'), this.#file), { where: this.#file, called: 'a budget' })
      : {};
    // A person at a page sees a failure and decides; a run stops by itself.
    this.purse = new BudgetCounter(Object.assign(this.#allowance, { failures: Infinity }));
    const budgetedModels = modelsWith({ env, budget: this.purse });
    // Models trained in this folder are free.
    this.modelOf = async (name) => {
      if (isTrainedName(name)) return loadTrainedModel(name, cwd);
      let model: Model | undefined;
      const matchingModel = await findModel(name, cwd, Trust.request, async (called) => {
        // The last reader of the configuration may have registered only its own names.
        useEndpoints({ cwd, env });
        model = await budgetedModels(called);
        return model;
      });
      // Charged once: a model created here reserves by itself, one exported by a file does not.
      return matchingModel === model ? matchingModel : charged(matchingModel, this.purse);
    };
  }

  get spent(): BudgetSpent {
    return { ...this.purse.spent, uncounted: this.purse.atBound };
  }

  get allowance(): Allowance {
    return Object.fromEntries(parts.flatMap((part) => (this.#allowance[part] === undefined ? [] : [[part, this.#allowance[part]]])));
  }

  /** Sets new limits; earlier spending counts against them. */
  allow(wanted: StudioLimits): void {
    for (const part of parts) {
      const most = wanted[part];
      if (most === undefined) delete this.#allowance[part];
      else this.#allowance[part] = most;
    }
    this.purse.reopen();
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileAtomicSync(this.#file, `${JSON.stringify(this.allowance)}\n`);
  }
}

const wallets = new WeakMap<WorkingFolder, StudioBudget>();

/** The budget of a folder. */
export function walletOf(place: WorkingFolder): StudioBudget {
  const studioBudget = wallets.get(place) ?? new StudioBudget(place);
  wallets.set(place, studioBudget);
  return studioBudget;
}
