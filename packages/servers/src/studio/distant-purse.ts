/**
 * @file The studio's budget for its child processes: every model call there is reserved here before it starts. So parallel
 * trainings share one budget, and a process that dies leaves no call uncounted.
 */

import { BudgetFault, type BudgetPart, requirePrice } from '@ludus-agents/kernel/internal/core/budget-fault';
import type { CallBound, CallBudget, Model, ModelCall, Reservation } from '@ludus-agents/kernel/internal/core/index';
import type { WorkerSpending } from '@ludus-agents/kernel/internal/core/jobs';

type UsedCall = Pick<ModelCall, 'model' | 'finish' | 'usage' | 'cost'>;

/** The process's messages about its calls. */
export type PurseWord =
  | { readonly purse: 'bounded'; readonly id: number }
  | { readonly purse: 'reserve'; readonly id: number; readonly bound: CallBound }
  | { readonly purse: 'cancel'; readonly id: number }
  | { readonly purse: 'settle'; readonly id: number; readonly call: UsedCall }
  | { readonly purse: 'fail'; readonly id: number; readonly failure: CallFailure; readonly cancelled: boolean }
  | { readonly purse: 'release'; readonly id: number }
  | { readonly purse: 'know'; readonly model: string }
  | { readonly purse: 'cached' }
  | { readonly purse: 'include'; readonly spending: WorkerSpending };

type CallFailure = { readonly message: string; readonly isUnsent?: boolean; readonly status?: number };

/** The answers to them. */
export type PurseAnswer =
  | { readonly purse: 'bounded'; readonly id: number; readonly isBounded: boolean }
  | { readonly purse: 'granted'; readonly id: number }
  | { readonly purse: 'refused'; readonly id: number; readonly refusal: Refusal };

type Refusal = { readonly message: string; readonly part?: BudgetPart; readonly isPriceUnknown?: boolean };

/** In the process: a budget that asks the studio. */
export class DistantPurse implements CallBudget {
  readonly #say: (word: PurseWord) => void;
  readonly #money: number | undefined;
  readonly #questions = new Map<number, (answer: PurseAnswer) => void>();
  readonly #underWay = new Set<number>();
  #ids = 0;
  #wake: () => void = () => {};

  constructor(say: (word: PurseWord) => void, money: number | undefined) {
    this.#say = say;
    this.#money = money;
  }

  take(answer: PurseAnswer): void {
    this.#questions.get(answer.id)?.(answer);
    this.#questions.delete(answer.id);
  }

  /** Resolves when no call is running, or after a time limit. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
  }

  async isBounded(): Promise<boolean> {
    const answer = await this.#ask((id) => ({ purse: 'bounded', id }));
    return answer.purse === 'bounded' && answer.isBounded;
  }

  async reserve(bound: CallBound, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted();
    let call = 0;
    const leave = () => this.#say({ purse: 'cancel', id: call });
    const asking = this.#ask((id) => {
      call = id;
      return { purse: 'reserve', id, bound };
    });
    signal.addEventListener('abort', leave, { once: true });
    const answer = await asking.finally(() => signal.removeEventListener('abort', leave));
    if (answer.purse === 'refused') throw signal.aborted ? signal.reason : faultOf(answer.refusal);
    this.#underWay.add(call);
    const end = (word: PurseWord) => {
      this.#say(word);
      this.#underWay.delete(call);
      if (this.#underWay.size === 0) this.#wake();
    };
    if (signal.aborted) {
      end({ purse: 'release', id: call });
      throw signal.reason;
    }
    return {
      settle: ({ model, finish, usage, cost }) => end({ purse: 'settle', id: call, call: { model, finish, usage, cost } }),
      fail: (thrown, cancelled) => end({ purse: 'fail', id: call, failure: failureOf(thrown), cancelled }),
      release: () => end({ purse: 'release', id: call }),
    };
  }

  admitModel(model: Pick<Model, 'id' | 'price'>): void {
    requirePrice(model, this.#money);
  }

  /** The studio has refused it. */
  refuse(): void {}

  know(model: string): void {
    this.#say({ purse: 'know', model });
  }

  countCached(): void {
    this.#say({ purse: 'cached' });
  }

  include(spending: WorkerSpending): void {
    this.#say({ purse: 'include', spending });
  }

  #ask(question: (id: number) => PurseWord): Promise<PurseAnswer> {
    const id = ++this.#ids;
    return new Promise((resolve) => {
      this.#questions.set(id, resolve);
      this.#say(question(id));
    });
  }
}

/** In the studio: reserves calls of one process in the budget. */
export class PurseDesk {
  readonly #purse: CallBudget;
  readonly #answer: (answer: PurseAnswer) => void;
  readonly #waiting = new Map<number, AbortController>();
  readonly #reservations = new Map<number, Reservation>();
  #isClosed = false;

  constructor(purse: CallBudget, answer: (answer: PurseAnswer) => void) {
    this.#purse = purse;
    this.#answer = answer;
  }

  async take(word: PurseWord): Promise<void> {
    if (word.purse === 'know') return this.#purse.know(word.model);
    if (word.purse === 'cached') return this.#purse.countCached?.();
    if (word.purse === 'include') return this.#purse.include?.(word.spending);
    const { id } = word;
    if (word.purse === 'bounded') return this.#answer({ purse: 'bounded', id, isBounded: await this.#purse.isBounded() });
    if (word.purse === 'cancel') return this.#waiting.get(id)?.abort();
    if (word.purse === 'reserve') return this.#reserve(id, word.bound);
    const reservation = this.#reservations.get(id);
    this.#reservations.delete(id);
    if (word.purse === 'settle') reservation?.settle({ ...word.call, prompt: { messages: [] }, text: '' });
    else if (word.purse === 'fail') reservation?.fail(Object.assign(new Error(word.failure.message), word.failure), word.cancelled);
    else reservation?.release();
  }

  /** The process has ended. The results of its calls are unknown, so they count with their full reservation. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) waiting.abort();
    for (const reservation of this.#reservations.values()) reservation.fail(new Error('The process that made the call has ended.'), true);
    this.#reservations.clear();
  }

  async #reserve(id: number, bound: CallBound): Promise<void> {
    const controller = new AbortController();
    this.#waiting.set(id, controller);
    try {
      const reservation = await this.#purse.reserve(bound, controller.signal);
      // It will not be sent again.
      if (this.#isClosed) return reservation.release();
      this.#reservations.set(id, reservation);
      this.#answer({ purse: 'granted', id });
    } catch (thrown) {
      this.#answer({ purse: 'refused', id, refusal: refusalOf(thrown) });
    } finally {
      this.#waiting.delete(id);
    }
  }
}

function refusalOf(thrown: unknown): Refusal {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return thrown instanceof BudgetFault ? { message, part: thrown.part, isPriceUnknown: thrown.isPriceUnknown } : { message };
}

function faultOf({ message, part, isPriceUnknown = false }: Refusal): Error {
  return part === undefined ? new Error(message) : new BudgetFault(part, message, isPriceUnknown);
}

function failureOf(thrown: unknown): CallFailure {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { isUnsent, status }: Error & { readonly isUnsent?: unknown; readonly status?: unknown } = thrown;
  return { message: thrown.message, ...(isUnsent === true && { isUnsent }), ...(typeof status === 'number' && { status }) };
}
