/** @file A model with a hard budget of its own, besides the one that its calls are made under. One budget may stand before many models. */

import { type Allowance, BudgetCounter, charged, type Model } from '../core/index.ts';

export { type Allowance, BudgetCounter };

export function budgeted(model: Model, purse: BudgetCounter): Model {
  return charged(model, purse);
}
