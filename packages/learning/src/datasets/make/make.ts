/**
 * @file Runs a pipeline: attempts in waves until enough items are accepted; steps in the journal are reused, others are run.
 *
 * Attempts are numbered, and a wave has as many as items are missing, so the result does not depend on interruptions or concurrency.
 */

import { repeatedText } from '@ludus-agents/agents/internal/encoders/repeats';
import type { RecallEncoder } from '@ludus-agents/agents/internal/mind/relevance';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { readReply } from '@ludus-agents/evaluation/internal/probes/read-reply';
import type { ChatMessage, Json, Model, ModelCall, Prompt, Sampling, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import type { Made, MadeItem, MakeSteps, Pipeline, PipelineSource, StepOptions } from '../../pipelines/pipeline.ts';
import { ConcurrencyLimit } from '../../prompts/concurrency-limit.ts';
import type { StepRecord } from './step-journal.ts';

/** The storage of steps: a file, or the memory of a pilot. */
export interface Steps {
  find(item: number, step: string): StepRecord | undefined;
  add(record: StepRecord): void;
}

export interface MakeOptions {
  readonly pipeline: Pipeline;
  readonly source: PipelineSource;
  /** Null means the pipeline's scripted stand-in. */
  readonly model: Model | null;
  /** The judges; without any, the model itself judges three times. */
  readonly judges: readonly Model[];
  readonly items: number;
  /** The maximum number of attempts in total. */
  readonly attempts: number;
  readonly seed: Seed;
  readonly steps: Steps;
  readonly concurrency?: number;
  /** Finds items that say the same in other words; without it, only the same words count. */
  readonly encoder?: RecallEncoder | undefined;
  readonly signal: AbortSignal;
  readonly onStep?: (record: StepRecord) => void;
}

export interface MakeResult {
  readonly items: readonly MadeItem[];
  readonly attempts: number;
  /** The number of refused attempts, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Whether the work was aborted before enough items were accepted. */
  readonly stopped: boolean;
}

/** The default number of times that a model judges its own output. */
const ownVotes = 3;

export async function makeItems(options: MakeOptions): Promise<MakeResult> {
  const limit = new ConcurrencyLimit(options.concurrency ?? 4);
  const results: Made[] = [];
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  // Questions that were given may be alike; those that a model wrote must not.
  const saved = new KeptItems(options.source.kind !== 'questions', options.encoder);
  while (saved.items.length < options.items && results.length < options.attempts) {
    const wave = Math.min(options.items - saved.items.length, options.attempts - results.length);
    const ended = await Promise.allSettled(
      Array.from({ length: wave }, (_, i) =>
        limit
          .run(() => attempt(results.length + i, { ...options, signal }))
          .catch((thrown: unknown) => {
            // A failure ends the wave: the journal is kept, and no further calls are made.
            failure.abort(thrown);
            throw thrown;
          }),
      ),
    );
    if (options.signal.aborted) return { ...saved, attempts: results.length, stopped: true };
    const broken = ended.find((item) => item.status === 'rejected');
    if (broken !== undefined) throw failure.signal.reason;
    for (const item of ended)
      if (item.status === 'fulfilled') {
        results.push(item.value);
        await saved.add(item.value);
      }
  }
  return { ...saved, attempts: results.length, stopped: false };
}

/** Accepts items in the order of their attempts; refuses those with the key of an earlier one, and those that say the same as one. */
class KeptItems {
  readonly items: MadeItem[] = [];
  readonly refused: Record<string, number> = {};
  readonly #isWritten: boolean;
  readonly #encoder: RecallEncoder | undefined;
  readonly #texts: string[] = [];

  constructor(isWritten: boolean, encoder: RecallEncoder | undefined) {
    this.#isWritten = isWritten;
    this.#encoder = encoder;
  }

  async add(attempted: Made): Promise<void> {
    const why = 'refused' in attempted ? attempted.refused : await this.#repetition(attempted.kept);
    if (why !== null) this.refused[why] = (this.refused[why] ?? 0) + 1;
    else if ('kept' in attempted) {
      this.items.push(attempted.kept);
      this.#texts.push(questionOf(attempted.kept));
    }
  }

  async #repetition(item: MadeItem): Promise<string | null> {
    if (this.items.some(({ key }) => key === item.key)) return 'an identical item exists';
    const question = questionOf(item);
    if (!this.#isWritten || question === '' || (await repeatedText(question, this.#texts, this.#encoder)) < 0) return null;
    return `an earlier item says the same (${this.#encoder?.name ?? 'by its words'})`;
  }
}

/** The last message of a user. */
function questionOf({ messages }: MadeItem): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
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
  /** Whether several answers are requested, so that the result is a list. */
  readonly many: boolean;
}

interface Called extends Pick<MakeOptions, 'pipeline' | 'seed' | 'signal'>, StepOptions {
  readonly item: number;
  readonly step: string;
  /** The number of the judge. */
  readonly number: number;
}

/** The default maximum tokens of an answer: a small model may not stop by itself, and the cost estimate assumes short answers. */
const longestAnswer = 1000;

async function callModel(model: Model | null, prompt: Prompt, call: Called): Promise<ModelCall> {
  const { pipeline, seed, item, step, number, facts = {}, signal } = call;
  // Judges that are the same model must not repeat the same answer.
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
