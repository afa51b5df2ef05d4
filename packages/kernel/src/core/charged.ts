/** @file Wraps a model so that every call is reserved in the current budget before it begins. */

import type { CallBound, CallBudget, Reservation } from './budget-counter.ts';
import { BudgetFault } from './budget-fault.ts';
import { type Attempt, currentAttempt, currentBudget, withAttempt } from './budget-scope.ts';
import type { ChoiceScores, Model, ModelCall, ModelPrice, Prompt, Sampling } from './model.ts';

/** The default answer limit if a budget requires one. */
export const usualAnswer = 1024;

/**
 * The `complete` functions of charged calls. The function is marked rather than its model, because a copy of a model may have another one.
 */
const charging = new WeakSet<Model['complete']>();

/**
 * Charges a model's calls to the surrounding budget, and to an additional one if given. A model that is already charged stays unchanged.
 */
export function charged(model: Model, callBudget?: CallBudget): Model {
  if (charging.has(model.complete) && callBudget === undefined) return model;
  /** The budgets of a call that begins now. */
  const around = async (): Promise<readonly CallBudget[]> => {
    const outer = currentAttempt();
    // Inside another reserved call, this is its request, or one more.
    if (outer?.used === true) await outer.again();
    if (outer !== undefined) outer.used = true;
    const current = outer === undefined ? currentBudget() : undefined;
    const isIncluded = callBudget !== undefined && current?.isWithin?.(callBudget) === true;
    return [current, isIncluded ? undefined : callBudget].filter((budget) => budget !== undefined);
  };
  const { score } = model;
  return asCharged({
    ...modelFacts(model),
    ...(score === undefined
      ? {}
      : {
          score: async (prompt: Prompt, texts: readonly string[], signal: AbortSignal): Promise<ChoiceScores> =>
            scoreWithin({ ...model, score }, await around(), { prompt, texts, signal }),
        }),
    complete: async (prompt, sampling, signal, onText) => {
      const budgets = await around();
      if (budgets.length === 0) return model.complete(prompt, sampling, signal, onText);
      return completeWithin(model, budgets, { prompt, sampling, signal, onText });
    },
  });
}

/** Marks a model whose requests are all charged, each one separately. */
export function asCharged(model: Model): Model {
  charging.add(model.complete);
  return model;
}

/** A model's properties, for a wrapper around it. */
export function modelFacts(model: Model): Omit<Model, 'complete'> {
  const { id, price, specialTokens, context, slots, thinks, sees, usual, form, score } = model;
  return {
    id,
    ...(model.tokens === undefined ? {} : { tokens: (text: string) => (model.tokens as (text: string) => number)(text) }),
    ...(price === undefined ? {} : { price }),
    ...(specialTokens === undefined ? {} : { specialTokens }),
    ...(context === undefined ? {} : { context }),
    ...(slots === undefined ? {} : { slots }),
    ...(thinks === undefined ? {} : { thinks }),
    ...(sees === undefined ? {} : { sees }),
    ...(usual === undefined ? {} : { usual }),
    ...(form === undefined ? {} : { form }),
    ...(score === undefined ? {} : { score }),
  };
}

interface Asked {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

async function completeWithin(model: Model, budgets: readonly CallBudget[], request: Asked): Promise<ModelCall> {
  const { prompt, signal, onText } = request;
  signal.throwIfAborted();
  for (const budget of budgets) budget.know(model.id);
  const bounded = (await Promise.all(budgets.map((budget) => budget.isBounded()))).includes(true);
  const imposed = bounded && request.sampling.maxTokens === undefined;
  const sampling = imposed ? { ...request.sampling, maxTokens: usualAnswer } : request.sampling;
  const bound = callBound(model, prompt, sampling);
  let charge = await reserveAll(budgets, bound, signal);
  const outer = currentAttempt();
  const attempt: Attempt = {
    used: false,
    again: async (usage) => {
      const before = charge;
      charge = nothing;
      if (usage === undefined) before.fail(new Error('The call was repeated.'), true);
      else
        before.settle({
          model: model.id,
          prompt,
          text: '',
          finish: 'stop',
          usage,
          cost: costBound(model.price, usage.promptTokens, usage.completionTokens),
        });
      await outer?.again(usage);
      charge = await reserveAll(budgets, bound, signal);
    },
  };
  try {
    const call = await withAttempt(attempt, () => model.complete(prompt, sampling, signal, onText));
    charge.settle(call);
    return imposed ? { ...call, notes: [...(call.notes ?? []), imposedNote] } : call;
  } catch (thrown) {
    charge.fail(thrown, signal.aborted);
    throw thrown;
  }
}

async function scoreWithin(
  model: Model & Required<Pick<Model, 'score'>>,
  budgets: readonly CallBudget[],
  { prompt, texts, signal }: { readonly prompt: Prompt; readonly texts: readonly string[]; readonly signal: AbortSignal },
): Promise<ChoiceScores> {
  signal.throwIfAborted();
  for (const budget of budgets) budget.know(model.id);
  // Every text is read as an answer, including its end.
  const maxTokens = texts.reduce((sum, text) => sum + bytesOf(text) + 1, 0);
  const charge = budgets.length === 0 ? nothing : await reserveAll(budgets, callBound(model, prompt, { maxTokens }), signal);
  try {
    const scores = await model.score(prompt, texts, signal);
    charge.settle(scores.call);
    return scores;
  } catch (thrown) {
    charge.fail(thrown, signal.aborted);
    throw thrown;
  }
}

const imposedNote = `The budget needs a limit, but none was set, so the answer was limited to ${usualAnswer} tokens. Set another limit with "maxTokens".`;

const nothing: Reservation = { settle: () => {}, fail: () => {}, release: () => {} };

/** Reserves the call in all budgets or in none. */
async function reserveAll(budgets: readonly CallBudget[], bound: CallBound, signal: AbortSignal): Promise<Reservation> {
  const reservations: Reservation[] = [];
  try {
    for (const budget of budgets) reservations.push(await budget.reserve(bound, signal));
  } catch (thrown) {
    for (const reservation of reservations) reservation.release();
    if (thrown instanceof BudgetFault) for (const budget of budgets) budget.refuse(thrown);
    throw thrown;
  }
  if (reservations.length === 1) return reservations[0]!;
  return {
    settle: (call) => {
      for (const reservation of reservations) reservation.settle(call);
    },
    fail: (thrown, cancelled) => {
      for (const reservation of reservations) reservation.fail(thrown, cancelled);
    },
    release: () => {
      for (const reservation of reservations) reservation.release();
    },
  };
}

/** Reserves a call that another component makes and whose maximum tokens it knows. */
export function reserveCall(
  budget: CallBudget,
  { id, price }: Pick<Model, 'id' | 'price'>,
  { read, written }: { readonly read: number; readonly written: number },
  signal: AbortSignal,
): Promise<Reservation> {
  budget.know(id);
  return reserveAll([budget], { model: id, tokens: read + written, money: costBound(price, read, written) }, signal);
}

/** Reserves a message to a program that may call models itself, in the surrounding budget, if any. */
export function reserveMessage(to: string, isLocal: boolean, signal: AbortSignal): Promise<Reservation> {
  const budget = currentBudget();
  if (budget === undefined) return Promise.resolve(nothing);
  budget.know(to);
  return reserveAll([budget], { model: to, tokens: 0, money: 0, isOpen: true, isLocal }, signal);
}

function callBound(model: Model, prompt: Prompt, sampling: Sampling): CallBound {
  const read = promptBound(prompt, sampling, model.tokens);
  const written = sampling.maxTokens ?? usualAnswer;
  return { model: model.id, tokens: read + written, money: costBound(model.price, read, written) };
}

function costBound(price: ModelPrice | null | undefined, read: number, written: number): number | null {
  if (price === undefined || price === null || read > (price.upTo ?? Infinity)) return null;
  return (read * Math.max(price.prompt, price.cached ?? 0) + written * price.completion) / 1e6;
}

/** Tokens that chat templates add to messages and tools: roles, separators, a date, their own system prompt. */
const aroundPrompt = 256;
const aroundMessage = 16;
const aroundTools = 512;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/**
 * The most tokens that a prompt can be. A token is at least one byte, so without the model's own tokenizer the byte count is the bound.
 * That is about four times what English needs; the unused part is returned when the call is settled.
 */
export function promptBound({ messages, tools = [] }: Prompt, { schema }: Sampling, tokens: (text: string) => number = bytesOf): number {
  let sum = aroundPrompt;
  for (const { content, name = '', toolCalls = [], toolCallId = '' } of messages) {
    sum += aroundMessage + tokens(content) + bytesOf(name) + bytesOf(toolCallId);
    for (const call of toolCalls) sum += aroundMessage + bytesOf(JSON.stringify(call));
  }
  if (tools.length > 0) sum += aroundTools + 2 * bytesOf(JSON.stringify(tools));
  if (schema !== undefined) sum += bytesOf(JSON.stringify(schema));
  return sum;
}
