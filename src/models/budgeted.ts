/** @file A hard budget of calls, tokens and money: once it is spent, no call begins. One budget may stand before many models. */

import { type Budget, Fault, type Model, type ModelCall } from '../core/index.ts';

export type Allowance = Pick<Budget, 'calls' | 'tokens' | 'money'>;

/** What has been spent of an allowance. */
export class Purse {
  readonly allowance: Allowance;
  /** Calls count when they begin; tokens and money when it is known what they were. */
  calls = 0;
  tokens = 0;
  money = 0;
  #unpriced: string | undefined;

  constructor(allowance: Allowance) {
    this.allowance = allowance;
  }

  /** Counts a call that begins, or refuses it. */
  open(): void {
    for (const what of ['calls', 'tokens', 'money'] as const) {
      const most = this.allowance[what];
      if (most !== undefined && this[what] >= most)
        throw new Fault(
          'model',
          `The budget of ${what === 'money' ? `$${most}` : `${most} ${what}`} is spent; raise it to go on. No call was made.`,
        );
    }
    if (this.allowance.money !== undefined && this.#unpriced !== undefined)
      throw new Fault(
        'model',
        `A budget of $${this.allowance.money} cannot be kept with ${this.#unpriced}, whose price is not known; give its price or drop the budget. No call was made.`,
      );
    this.calls++;
  }

  close({ model, usage, cost }: ModelCall): void {
    this.tokens += usage.promptTokens + usage.completionTokens;
    if (cost === null) this.#unpriced = model;
    else this.money += cost;
  }
}

export function budgeted(model: Model, purse: Purse): Model {
  return {
    id: model.id,
    async complete(prompt, sampling, signal, onText) {
      signal.throwIfAborted();
      purse.open();
      const call = await model.complete(prompt, sampling, signal, onText);
      purse.close(call);
      return call;
    },
  };
}
