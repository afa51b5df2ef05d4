/** @file `makeDataset`: sets up a pipeline by name or file with its source, models, journal and output; and estimates its cost. */

import { resolve } from 'node:path';
import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { CostEstimate, Taken } from '@ludus-agents/evaluation/internal/estimate';
import { estimateCalls } from '@ludus-agents/evaluation/internal/estimate-calls';
import { BudgetCounter, Fault, hash, type Model, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { version } from '@ludus-agents/store/internal/version';
import { loadPipeline } from '../../loaders.ts';
import type { Pipeline, PipelineSource } from '../../pipelines/pipeline.ts';
import { writeMade } from './made-files.ts';
import { madeFormats } from './made-formats.ts';
import { makeItems, type Steps } from './make.ts';
import { sourceOf } from './sources.ts';
import { StepJournal, type StepRecord } from './step-journal.ts';

/** A request for `makeDataset`, in the user's terms: a pipeline, a source, a model, and a number of items. */
export interface MakeRequest {
  readonly pipeline: string;
  /** A persona, a file of questions or a text; `maths` or nothing means problems with exact answers. */
  readonly source?: string | undefined;
  /** A model; `fake` is the pipeline's scripted stand-in, if it has one. */
  readonly model: string;
  readonly judges?: readonly string[] | undefined;
  readonly items: number;
  readonly attempts?: number | undefined;
  readonly seed?: number | undefined;
  readonly format?: string | undefined;
  readonly output: string;
  readonly concurrency?: number | undefined;
}

/** The context of the work, and its abort signal. */
export interface MakeServices {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly at: Date;
  readonly onStep?: (record: StepRecord) => void;
}

/** The accepted items, the rejected items with reasons, and the cost. */
export interface MakeReport {
  readonly file: string;
  readonly cards: readonly string[];
  readonly items: number;
  readonly attempts: number;
  readonly refused: Readonly<Record<string, number>>;
  /** The calls of the whole work, and of this invocation only. */
  readonly calls: number;
  readonly newCalls: number;
  readonly tokens: number;
  readonly cost: number | null;
  readonly stopped: boolean;
}

/** A request for `makeDataset` whose pipeline, source, and models are loaded. */
export interface MakeWork {
  readonly request: MakeRequest;
  readonly pipeline: Pipeline;
  readonly source: PipelineSource;
  readonly model: Model | null;
  readonly judges: readonly Model[];
}

/** Loads the inputs of a request without calling a model. */
export async function prepareMake(request: MakeRequest, cwd: string, trust: Trust): Promise<MakeWork> {
  const { format = 'openai', judges = [] } = request;
  if (!Object.hasOwn(madeFormats, format))
    throw new Fault('input', `Unknown format "${format}". Available: ${Object.keys(madeFormats).join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  const pipeline = await loadPipeline(request.pipeline, cwd, trust);
  const source = await sourceOf(pipeline, request.source, cwd, trust);
  const standsIn = request.model === 'fake' && pipeline.standIn !== undefined;
  const model = standsIn ? null : await loadModel(request.model, cwd, trust);
  return { request, pipeline, source, model, judges: await Promise.all(judges.map((name) => loadModel(name, cwd, trust))) };
}

const pilots = 3;

/** Estimates the calls, tokens, and cost of a request by making a few items with a fake model, priced as the real one. */
export async function estimateMake(work: MakeWork, env: Readonly<Record<string, string | undefined>>): Promise<CostEstimate> {
  const { request, pipeline, source } = work;
  const used: Taken[] = [];
  const signal = new AbortController().signal;
  const steps: Steps = { find: () => undefined, add: ({ calls, tokens }) => void pilot.push({ calls, tokens }) };
  let pilot: { calls: number; tokens: number }[] = [];
  for (let seed = 0; seed < pilots; seed++) {
    pilot = [];
    const model = pipeline.standIn === undefined ? fakeModel({ answers: ['Yes.'] }) : null;
    // The estimate is not charged to the budget.
    const free = new BudgetCounter({}, {});
    await withBudget(free, () => makeItems({ pipeline, source, model, judges: [], items: 1, attempts: 1, seed, steps, signal }));
    const calls = pilot.reduce((sum, item) => sum + item.calls, 0);
    // The stand-in's answers are short, so nearly all counted tokens are prompts.
    used.push({ [request.model]: { calls, prompt: pilot.reduce((sum, item) => sum + item.tokens, 0), completion: 0 } });
  }
  const most = Math.max(1, ...used.map((item) => 3 * (item[request.model]?.calls ?? 0)));
  return estimateCalls({ what: `make ${pipeline.name}`, models: [request.model], taken: used, items: request.items, most }, { env });
}

/** Generates the missing items and writes the dataset. Repeating a request generates no item twice. */
export async function makeDataset(work: MakeWork, services: MakeServices): Promise<MakeReport> {
  const { request, pipeline, source, model, judges } = work;
  const { seed = 0, format = 'openai', items, output, concurrency } = request;
  const out = resolve(services.cwd, output);
  const journal = StepJournal.open(`${out}.journal`, {
    ...{ kind: 'ludus-make', pipeline: pipeline.name, source: hash(source), model: request.model, seed },
    judges: [...(request.judges ?? [])],
  });
  const before = journal.steps.reduce((sum, { calls }) => sum + calls, 0);
  try {
    const result = await makeItems({
      ...{ pipeline, source, model, judges, items, seed, steps: journal, signal: services.signal },
      attempts: request.attempts ?? 4 * items,
      encoder: recallEncoder(),
      ...(concurrency !== undefined && { concurrency }),
      ...(services.onStep !== undefined && { onStep: services.onStep }),
    });
    const spent = totalOf(journal.steps);
    const written = writeMade(out, {
      ...{ pipeline, seed, format, version, ...spent, items: result.items, attempts: result.attempts, refused: result.refused },
      source: request.source ?? 'maths',
      model: model === null ? `the scripted stand-in of ${pipeline.name}` : model.id,
      judges: judges.length === 0 ? [`${model === null ? 'the stand-in' : model.id} itself, three times`] : judges.map(({ id }) => id),
      at: services.at.toISOString(),
    });
    const { attempts, refused, stopped } = result;
    return { ...written, items: result.items.length, attempts, refused, ...spent, newCalls: spent.calls - before, stopped };
  } finally {
    journal.close();
  }
}

function totalOf(steps: readonly StepRecord[]): Pick<MakeReport, 'calls' | 'tokens' | 'cost'> {
  return {
    calls: steps.reduce((sum, { calls }) => sum + calls, 0),
    tokens: steps.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: steps.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}
