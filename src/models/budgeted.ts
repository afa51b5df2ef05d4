/** @file A model with a hard budget of its own, besides the one that its calls are made under. One budget may stand before many models. */

import { type Allowance, charged, type Model, Purse } from '../core/index.ts';

export { type Allowance, Purse };

export function budgeted(model: Model, purse: Purse): Model {
  return charged(model, purse);
}
