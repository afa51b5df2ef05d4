/** @file What the studio may spend on models and has spent since it was started: one purse for everything that a page sets going. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Allowance, BudgetCounter, Fault, type Json, type JsonObject } from '../../core/index.ts';
import { jsonFrom } from '../../core/outside.ts';
import { writeFileAtomicSync } from '../../files/atomic-file.ts';
import { type ModelOf, modelsWith } from '../../models/index.ts';
import type { WorkingFolder } from '../../workspace/stores.ts';
import { isTrainedName, loadTrainedModel } from '../../workspace/trained-agents.ts';

export interface BudgetSpent {
  readonly calls: number;
  readonly tokens: number;
  /** US dollars, of calls whose price is known. */
  readonly money: number;
  readonly unpriced: number;
}

const parts = ['money', 'calls', 'tokens'] as const;

export class StudioBudget {
  readonly modelOf: ModelOf;
  /** Everything that a page sets going is reserved here before it is sent. */
  readonly purse: BudgetCounter;
  readonly #file: string;
  /** The purse looks here before each call, so a new limit holds at once. */
  readonly #allowance: { money?: number; calls?: number; tokens?: number };

  constructor({ cwd, env }: WorkingFolder) {
    this.#file = resolve(cwd, '.ludus', 'budget.json');
    this.#allowance = existsSync(this.#file) ? readAllowance(jsonFrom(readFileSync(this.#file, 'utf8'), this.#file)) : {};
    // Whoever sits at a page sees a failure and decides; a run stops by itself.
    this.purse = new BudgetCounter(Object.assign(this.#allowance, { failures: Infinity }));
    const paid = modelsWith({ env, budget: this.purse });
    // What was trained in this folder answers for nothing.
    this.modelOf = (name) => (isTrainedName(name) ? loadTrainedModel(name, cwd) : paid(name));
  }

  get spent(): BudgetSpent {
    return this.purse.spent;
  }

  get allowance(): Allowance {
    return Object.fromEntries(parts.flatMap((part) => (this.#allowance[part] === undefined ? [] : [[part, this.#allowance[part]]])));
  }

  /** Other limits from now on; what was spent before counts against them. */
  allow(wanted: Json): void {
    const read = readAllowance(wanted);
    for (const part of parts) {
      const most = read[part];
      if (most === undefined) delete this.#allowance[part];
      else this.#allowance[part] = most;
    }
    this.purse.reopen();
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileAtomicSync(this.#file, `${JSON.stringify(this.allowance)}\n`);
  }
}

const wallets = new WeakMap<WorkingFolder, StudioBudget>();

/** The one wallet of a place. */
export function walletOf(place: WorkingFolder): StudioBudget {
  const studioBudget = wallets.get(place) ?? new StudioBudget(place);
  wallets.set(place, studioBudget);
  return studioBudget;
}

/** Limits from outside; null and what is left out mean no limit. */
function readAllowance(wanted: Json): { money?: number; calls?: number; tokens?: number } {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    throw new Fault('input', 'A budget is an object with money, calls or tokens, each a number or null.');
  const read: { money?: number; calls?: number; tokens?: number } = {};
  for (const [name, most] of Object.entries(wanted as JsonObject)) {
    const part = parts.find((one) => one === name);
    if (part === undefined) throw new Fault('input', `A budget has money, calls and tokens, but no "${name.slice(0, 40)}".`);
    if (most === null) continue;
    if (typeof most !== 'number' || !(most >= 0) || most > 1e12)
      throw new Fault('input', `The budget of ${part} must be a number of 0 or more, but came as ${JSON.stringify(most).slice(0, 40)}.`);
    read[part] = most;
  }
  return read;
}
