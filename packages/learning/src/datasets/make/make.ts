/**
 * @file Runs a pipeline: attempts in waves until enough items are kept, every step from the journal where it is there and made where it is not.
 *
 * Attempts are numbered, and a wave has as many as are still missing, so that the same items come out however often the work was interrupted
 * and however many of them are made at once.
 */

import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { readReply } from '@ludus-agents/evaluation/internal/probes/read-reply';
import {
  type ChatMessage,
  Fault,
  type Json,
  type Model,
  type ModelCall,
  type Prompt,
  rng,
  type Sampling,
  type Seed,
} from '@ludus-agents/kernel/internal/core/index';
import type { Made, MadeItem, MakeSteps, Pipeline, PipelineSource, StepOptions } from '../../pipelines/pipeline.ts';
import { ConcurrencyLimit } from '../../prompts/concurrency-limit.ts';
import type { StepRecord } from './step-journal.ts';

/** Where steps are kept: a file, or the memory of a pilot. */
export interface Steps {
  find(item: number, step: string): StepRecord | undefined;
  add(record: StepRecord): void;
}

export interface MakeOptions {
  readonly pipeline: Pipeline;
  readonly source: PipelineSource;
  /** Null stands for the pipeline's scripted stand-in. */
  readonly model: Model | null;
  /** Who judges; without any, the model itself, three times. */
  readonly judges: readonly Model[];
  readonly items: number;
  /** Attempts in all, at most. */
  readonly attempts: number;
  readonly seed: Seed;
  readonly steps: Steps;
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  readonly onStep?: (record: StepRecord) => void;
}

export interface MakeResult {
  readonly items: readonly MadeItem[];
  readonly attempts: number;
  /** How often an attempt was refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** True where the work was called off before enough items were kept. */
  readonly stopped: boolean;
}

/** The default number of times that a model judges its own output. */
const ownVotes = 3;

export async function makeItems(options: MakeOptions): Promise<MakeResult> {
  const limit = new ConcurrencyLimit(options.concurrency ?? 4);
  const results: Made[] = [];
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let saved = keepItems(results);
  while (saved.items.length < options.items && results.length < options.attempts) {
    const wave = Math.min(options.items - saved.items.length, options.attempts - results.length);
    const ended = await Promise.allSettled(
      Array.from({ length: wave }, (_, i) =>
        limit
          .run(() => attempt(results.length + i, { ...options, signal }))
          .catch((thrown: unknown) => {
            // One failure ends the wave: what is in the journal stays, and nothing more is paid for.
            failure.abort(thrown);
            throw thrown;
          }),
      ),
    );
    if (options.signal.aborted) return { ...saved, attempts: results.length, stopped: true };
    const broken = ended.find((item) => item.status === 'rejected');
    if (broken !== undefined) throw failure.signal.reason;
    for (const item of ended) if (item.status === 'fulfilled') results.push(item.value);
    saved = keepItems(results);
  }
  return { ...saved, attempts: results.length, stopped: false };
}

/** Items in the order of their attempts; what has the key of an earlier one is refused. */
function keepItems(results: readonly Made[]): Pick<MakeResult, 'items' | 'refused'> {
  const items = new Map<string, MadeItem>();
  const refused: Record<string, number> = {};
  for (const item of results) {
    const why = 'refused' in item ? item.refused : items.has(item.kept.key) ? 'an identical item exists' : null;
    if (why !== null) refused[why] = (refused[why] ?? 0) + 1;
    else if ('kept' in item) items.set(item.kept.key, item.kept);
  }
  return { items: [...items.values()], refused };
}

function attempt(item: number, options: MakeOptions): Promise<Made> {
  const { pipeline, source, seed, signal } = options;
  const voters = options.judges.length > 0 ? options.judges : Array.from({ length: ownVotes }, () => options.model);
  const askModel = async (step: string, prompt: string | readonly ChatMessage[], more: StepOptions & Asking) => {
    const before = options.steps.find(item, step);
    if (before !== undefined) return before.value;
    signal.throwIfAborted();
    const messages: readonly ChatMessage[] = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt;
    const calls = await Promise.all(
      more.models.map((model, i) => callModel(model, { messages }, { ...options, item, step, number: i, ...more })),
    );
    const texts = calls.map(({ text }) => text);
    return keep({ item, step, value: more.models.length === 1 && !more.many ? texts[0] : texts, ...sumSpending(calls) });
  };
  const keep = (record: StepRecord): Json => {
    options.steps.add(record);
    options.onStep?.(record);
    return record.value;
  };
  const poll: MakeSteps['poll'] = async (step, prompt, more = {}) =>
    (await askModel(step, prompt, { ...more, models: voters, many: true })) as readonly string[];
  return pipeline.make({
    ...{ item, source, poll, judges: options.judges.length, reads: (reply) => readReply(reply) },
    dice: rng(seed, 'make', pipeline.name, item),
    ask: async (step, prompt, more = {}) => (await askModel(step, prompt, { ...more, models: [options.model], many: false })) as string,
    async agree(step, prompt, more) {
      const votes = await poll(step, prompt, more);
      return 2 * votes.filter((vote) => /^\W*yes\b/i.test(vote)).length > votes.length;
    },
    async run(step, code) {
      const before = options.steps.find(item, step);
      if (before !== undefined) return before.value as { ok: boolean; text: string };
      const { runCode } = await import('@ludus-agents/agents/internal/tools/sandbox');
      const result = await runCode(code, null, {}, signal);
      const value = { ok: result.ok, text: result.ok ? JSON.stringify(result.value) : result.problem };
      return keep({ item, step, value, calls: 0, tokens: 0, cost: 0 }) as typeof value;
    },
  });
}

interface Asking {
  readonly models: readonly (Model | null)[];
  /** Several are asked, so that the answer is a list. */
  readonly many: boolean;
}

interface Called extends Pick<MakeOptions, 'pipeline' | 'seed' | 'signal'>, StepOptions {
  readonly item: number;
  readonly step: string;
  /** Which of the judges it is. */
  readonly number: number;
}

/** Tokens of an answer at most, unless a pipeline says otherwise: a small model may not find an end by itself, and the price is told for short answers. */
const longestAnswer = 1000;

async function callModel(model: Model | null, prompt: Prompt, call: Called): Promise<ModelCall> {
  const { pipeline, seed, item, step, number, facts = {}, signal } = call;
  // Judges that are one model must not give one answer three times.
  const sampling: Sampling = { maxTokens: longestAnswer, seed: rng(seed, 'make', item, step, number).int(2 ** 31), ...call.sampling };
  if (model !== null) return model.complete(prompt, sampling, signal);
  if (pipeline.standIn === undefined)
    throw new Fault('input', `The pipeline ${pipeline.name} has no scripted stand-in. Choose a model, or add a function standIn to it.`);
  const text = pipeline.standIn({ step, facts, dice: rng(seed, 'stand-in', item, step, number) });
  return fakeModel({ answers: [text] }).complete(prompt, sampling, signal);
}

function sumSpending(calls: readonly ModelCall[]): Pick<StepRecord, 'calls' | 'tokens' | 'cost'> {
  return {
    calls: calls.length,
    tokens: calls.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0),
    cost: calls.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}
