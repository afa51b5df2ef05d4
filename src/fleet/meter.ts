/**
 * @file Counts what one worker spends on a run and, where there is a budget, asks the ledger before every call whether it may: no call begins
 * once the budget of all workers together is spent, and none begins while the ledger cannot be reached. Calls that ask at the same time ask together.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Ledger, Model, ModelCall, Prompt, Sampling, Spending } from '../core/index.ts';
import { named } from '../models/kinds.ts';
import { isFileModel } from '../workspace/models.ts';

/** What a place gives in a minute to all workers together. */
export interface SharedPace {
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
}

export interface MeterOptions {
  readonly ledger: Ledger;
  readonly run: string;
  readonly worker: string;
  readonly pace: SharedPace;
  /** Called when the ledger says that the budget is spent. */
  readonly stop: () => void;
}

export class Meter {
  readonly #options: MeterOptions;
  readonly #total = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  #said: Spending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  /** Calls that wait to hear whether they may begin. */
  #asking: ((may: boolean) => void)[] = [];
  #talking: Promise<void> | null = null;
  /** Whether there is a budget, by what the ledger said last. Without one nobody waits for it. */
  #bounded = true;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  get total(): Spending {
    return { ...this.#total };
  }

  /** A model whose calls are asked for, paced and counted. */
  metered(name: string, model: Model): Model {
    // Models of one file share limits as those of one server do.
    const place = isFileModel(name) ? name : named(name).place;
    return {
      ...model,
      complete: async (prompt, sampling, signal, onText) => {
        await this.#admitted(signal);
        await this.#paced(place, mayUse(prompt, sampling), signal);
        const call = await model.complete(prompt, sampling, signal, onText);
        this.#count(call);
        return call;
      },
    };
  }

  /** Says what was spent if it has not been said; looks in any case whether the run is to be stopped. */
  async report(): Promise<void> {
    const { ledger, run, worker } = this.#options;
    const total = this.total;
    const known = Object.keys(total).every((what) => total[what as keyof Spending] === this.#said[what as keyof Spending]);
    const account = known ? await ledger.account(run) : await ledger.spend(run, worker, total);
    this.#said = total;
    this.#hear(account);
  }

  async #admitted(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#bounded) {
      this.#total.calls++;
      return;
    }
    const may = await new Promise<boolean>((resolve) => {
      this.#asking.push(resolve);
      this.#talking ??= this.#talk();
    });
    if (!may) this.#options.stop();
    signal.throwIfAborted();
    if (!may) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  async #talk(): Promise<void> {
    while (this.#asking.length > 0) {
      const asking = this.#asking;
      this.#asking = [];
      this.#total.calls += asking.length;
      const may = await this.#ask(asking.length);
      this.#total.calls -= asking.length - may;
      asking.forEach((answer, i) => {
        answer(i < may);
      });
    }
    this.#talking = null;
  }

  /** How many of so many calls may begin. The ledger is asked until it answers. */
  async #ask(calls: number): Promise<number> {
    const { ledger, run, worker } = this.#options;
    for (;;) {
      try {
        const total = this.total;
        const account = await ledger.spend(run, worker, total);
        this.#said = total;
        this.#bounded = account.bounded;
        if (account.stopped === null) return calls;
        return account.stopped === 'calls' ? Math.max(0, calls - account.over) : 0;
      } catch {
        await sleep(500);
      }
    }
  }

  #hear(account: Account): void {
    this.#bounded = account.bounded;
    if (account.stopped !== null) this.#options.stop();
  }

  async #paced(place: string, tokens: number, signal: AbortSignal): Promise<void> {
    const { ledger, pace } = this.#options;
    const waits: number[] = [];
    if (pace.calls !== undefined) waits.push(await ledger.pace(`${place} calls`, pace.calls, 1));
    if (pace.tokens !== undefined) waits.push(await ledger.pace(`${place} tokens`, pace.tokens, tokens));
    const wait = Math.max(0, ...waits);
    if (wait > 0) await sleep(wait, undefined, { signal });
  }

  #count({ usage, cost }: ModelCall): void {
    this.#total.tokens += usage.promptTokens + usage.completionTokens;
    if (cost === null) this.#total.unpriced++;
    else this.#total.money += cost;
  }
}

/** Four characters to a token is near enough for a pace. */
function mayUse({ messages }: Prompt, { maxTokens = 256 }: Sampling): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4) + maxTokens;
}
