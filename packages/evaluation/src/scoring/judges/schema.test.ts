import { ModelFault } from '@ludus-agents/agents/internal/models/fault';
import { type Model, rng, type Sampling, type ScoreInput } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { builtInRubric, rubricNames } from '../rubrics/index.ts';
import { createJudge } from './judge.ts';
import { episode, modelOf, persona, signal, validReply } from './judges.cases.ts';
import type { Rubric } from './rubric.ts';

const given = (rubric: Rubric): ScoreInput => ({
  episodes: rubric.form === 'pairwise' ? [episode, episode] : [episode],
  seat: 'host',
  persona,
  reference: {},
  rng: rng(1),
});

/** A model that keeps the settings of its calls, and refuses those with a schema if it is set to. */
function heard(rubric: Rubric, { refuses = false, ...more }: Partial<Model> & { readonly refuses?: boolean } = {}) {
  const settings: Sampling[] = [];
  const bare = modelOf(() => validReply(rubric));
  const model: Model = {
    ...bare,
    ...more,
    complete(prompt, sampling, ...rest) {
      settings.push(sampling);
      if (refuses && sampling.schema !== undefined) throw new ModelFault('no schemas here', { status: 400 });
      return bare.complete(prompt, sampling, ...rest);
    },
  };
  return { model, settings };
}

interface Shape {
  readonly type: string;
  readonly enum?: readonly unknown[];
  readonly maxLength: number;
  readonly maxItems: number;
  readonly items: Shape;
  readonly properties: Readonly<Record<string, Shape>>;
}

/** Does a value fit a schema of the kind that judges send? Fields that an answer may do without are not asked for. */
function fits(schema: Shape, value: unknown): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.type === 'integer') return Number.isInteger(value);
  if (typeof value === 'string') return schema.type === 'string' && value.length <= schema.maxLength;
  if (Array.isArray(value))
    return schema.type === 'array' && value.length <= schema.maxItems && value.every((item) => fits(schema.items, item));
  return Object.entries(value as object).every(([key, item]) => key in schema.properties && fits(schema.properties[key]!, item));
}

describe('the answer schema', () => {
  it.each(rubricNames)('of %s is sent with every question and a token limit, and valid answers fit it', async (name) => {
    const rubric = await builtInRubric(name);
    const { model, settings } = heard(rubric);
    await createJudge(rubric, { model, batch: 99 }).score(given(rubric), signal);
    expect(settings.length).toBeGreaterThan(0);
    for (const { schema, maxTokens, temperature } of settings) {
      expect(fits(schema as unknown as Shape, JSON.parse(validReply(rubric)))).toBe(true);
      expect(
        fits(schema as unknown as Shape, { axes: [{ axis: 'no such axis', flaws: [] }], answers: [{ item: 'none' }], axis: 'none' }),
      ).toBe(false);
      expect(maxTokens).toBeGreaterThan(200);
      expect(temperature).toBe(0);
    }
  });

  it('is omitted for a server that rejects it, and answers are read as before', async () => {
    const rubric = await builtInRubric('coser');
    const { model, settings } = heard(rubric, { refuses: true });
    const judge = createJudge(rubric, { model, batch: 99 });
    for (let i = 0; i < 2; i++) expect((await judge.score(given(rubric), signal))[0]!.status).toBe('ok');
    expect(settings.map(({ schema }) => schema !== undefined)).toEqual([true, false, false]);
    expect(judge.tally.failed).toBe(0);
  });

  it('leaves room for prompt and answer in a small context, and passes on other faults', async () => {
    const rubric = await builtInRubric('coser');
    const { model, settings } = heard(rubric, { context: async () => 1000, tokens: () => 350 });
    await createJudge(rubric, { model, batch: 99 }).score(given(rubric), signal);
    // Two messages of 350 tokens with 8 around each, and 16 for the whole.
    expect(settings[0]!.maxTokens).toBe(1000 - 2 * 358 - 16);
    const down = { ...model, complete: () => Promise.reject(new ModelFault('down', { status: 503 })) };
    expect((await createJudge(rubric, { model: down }).score(given(rubric), signal))[0]!.status).toBe('judge-failed');
  });
});
