import type { JsonObject, Store } from '@ludus-agents/kernel/internal/core/index';
import { cardText, DatasetCard } from '@ludus-agents/store/internal/exports/card';
import { csvLines, journalLines, scoreNames } from '@ludus-agents/store/internal/exports/csv';
import { messagesIn, whole } from '@ludus-agents/store/internal/exports/exports.cases';
import { choose, type EvalSplit, type ExportEpisode, type Filter, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { inspectLog } from '@ludus-agents/store/internal/exports/inspect';
import { otelRequests } from '@ludus-agents/store/internal/exports/otel';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleStore } from './samples.cases.ts';

let store: Store;

beforeAll(async () => {
  store = await sampleStore();
});

async function read(filter: Filter = {}, split: EvalSplit = whole): Promise<readonly ExportEpisode[]> {
  return Array.fromAsync(plays(store, await choose(store, filter), { filter, split }));
}

async function rows(format: string, filter: Filter = {}, split: EvalSplit = whole): Promise<readonly JsonObject[]> {
  const [table] = formats[format]?.open() ?? [];
  return (await read(filter, split)).flatMap((play) => [...(table?.rows(play, () => {}) ?? [])]);
}

describe('logs for viewers', () => {
  it('in atif have ordered steps, tool answers with their calls, and agent fields on agent steps only', async () => {
    for (const row of await rows('atif')) {
      expect(row['schema_version']).toBe('ATIF-v1.7');
      const steps = messagesIn(row, 'steps');
      expect(steps.map((step) => step['step_id'])).toEqual(steps.map((_, i) => i + 1));
      for (const step of steps) {
        expect(['user', 'agent', 'system']).toContain(step['source']);
        if (step['source'] !== 'agent') expect(Object.keys(step).sort()).toEqual(['message', 'source', 'step_id']);
      }
    }
    const [sold] = await rows('atif', { seats: ['seller'] });
    const steps = messagesIn(sold as JsonObject, 'steps');
    expect(steps).toHaveLength(6);
    expect(steps[2]).toMatchObject({ source: 'agent', is_copied_context: true });
    expect(steps[4]).toMatchObject({
      tool_calls: [{ tool_call_id: 'c1', function_name: 'lookup', arguments: { item: 'clock' } }],
      observation: { results: [{ source_call_id: 'c1', content: '40' }] },
      metrics: { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 1, cost_usd: 0.5, completion_token_ids: [7, 8] },
    });
    expect(sold).toMatchObject({ final_metrics: { total_prompt_tokens: 10, total_cost_usd: 1, total_steps: 6 }, extra: { return: 2 } });
  });

  it('in inspect are one JSON document with results before samples and mean scores', async () => {
    const filter = { query: { run: 'sold' } };
    const options = { name: 'sold', at: '2026-01-02T03:04:05.000Z', version: '0.1.0' };
    const episodes = async function* () {
      yield* await read(filter);
    };
    const text = (await Array.fromAsync(inspectLog(episodes, options))).join('');
    const log = JSON.parse(text);
    expect(Object.keys(log)).toEqual(['version', 'status', 'eval', 'plan', 'results', 'stats', 'samples']);
    expect(log).toMatchObject({
      version: 2,
      status: 'success',
      eval: { created: options.at, task: 'sale@1', config: {}, dataset: { samples: 2 } },
    });
    expect(log.results.scores).toEqual([
      { name: 'return', scorer: 'return', scored_samples: 2, unscored_samples: 0, metrics: { mean: { name: 'mean', value: 0.5 } } },
      { name: 'manners', scorer: 'manners', scored_samples: 1, unscored_samples: 1, metrics: { mean: { name: 'mean', value: 0.75 } } },
    ]);
    const [seller] = log.samples;
    expect(seller).toMatchObject({ id: 'sale-1/seller', epoch: 1, target: '', scores: { manners: { value: 0.75 }, return: { value: 2 } } });
    expect(seller.messages[4].tool_calls).toEqual([{ id: 'c1', function: 'lookup', arguments: { item: 'clock' }, type: 'function' }]);
    expect(seller.messages[5]).toMatchObject({ role: 'tool', tool_call_id: 'c1', function: 'lookup', content: '40' });
    expect(seller.model_usage['http://localhost/v1#policy']).toEqual({ input_tokens: 10, output_tokens: 4, total_tokens: 14 });
    expect(seller.metadata.provenance).toEqual({ manners: { judge: 'openai/judge', rubric: 'abc123' } });
  });

  it('in otel are one trace of nested spans with conventional names', async () => {
    const [play] = await read({ query: { run: 'sold' } });
    const [request, ...more] = [...otelRequests(play as ExportEpisode, 1_700_000_000_000, '0.1.0')];
    expect(more).toEqual([]);
    const spans = (request as unknown as { resourceSpans: { scopeSpans: { spans: Record<string, string>[] }[] }[] }).resourceSpans[0]
      ?.scopeSpans[0]?.spans as Record<string, string>[];
    expect(spans.map(({ name }) => name)).toEqual([
      'invoke_workflow sale@1',
      'invoke_agent =buyer',
      'chat http://localhost/v1#policy',
      'execute_tool lookup',
      'chat http://localhost/v1#policy',
      'invoke_agent program',
    ]);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { parentSpanId, traceId, spanId, startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(parentSpanId === undefined || ids.has(parentSpanId)).toBe(true);
      expect(BigInt(to as string) >= BigInt(from as string)).toBe(true);
    }
    expect(JSON.stringify(spans[2])).toContain('"gen_ai.usage.input_tokens","value":{"intValue":"5"}');
    expect(JSON.stringify(spans[0])).toContain('gen_ai.evaluation.result');
  });

  it('in csv have one row per seat, empty missing values, and no formulas', async () => {
    const all = async function* () {
      yield* await read({ query: { run: 'sold' } });
    };
    const lines = await Array.fromAsync(csvLines(all(), await scoreNames(all())));
    expect(lines).toEqual([
      'episode,run,environment,seed,status,turns,seat,agent,return,penalty,calls,prompt_tokens,completion_tokens,cost,score:manners',
      'sale-1,sold,sale@1,3,over,2,seller,program,2,0,2,10,4,1,0.75',
      `sale-1,sold,sale@1,3,over,2,buyer,'=buyer,-1,0,0,0,0,0,`,
    ]);
    expect([
      ...journalLines([
        { update: 1, loss: 0.5 },
        { update: 2, note: 'a "b", c' },
      ]),
    ]).toEqual(['update,loss,note', '1,0.5,', '2,,"a ""b"", c"']);
  });
});

describe('the dataset card', () => {
  it('lists its contents, its judges, and its licenses', async () => {
    const provenance = new DatasetCard();
    for (const play of await read({ query: { run: 'sold' } })) provenance.take(play);
    const facts = {
      name: 'sold',
      format: 'openai',
      about: 'Messages',
      notes: ['A note.'],
      at: '2026-01-02T03:04:05.000Z',
      version: '0.1.0',
      filter: {},
      split: whole,
      files: [{ path: 'data/train-00000-of-00001.jsonl', rows: 2, split: 'train' }],
      left: { 'too close': 3 },
    };
    const card = provenance.card(facts, await store.specs());
    expect(card).toMatchObject({
      episodes: 1,
      worlds: [{ world: 'sale@1', episodes: 1, tasks: 1 }],
      runs: [{ run: 'sold', episodes: 1 }],
      scores: [
        {
          score: 'manners',
          judges: [{ judge: 'openai/judge', rubric: 'abc123', scores: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        },
      ],
      split: { by: 'task', tasks: { train: 1, eval: 0 } },
    });
    const text = cardText(card);
    expect(text).toMatch(/^---\ntags: \[ludus\]\nconfigs:\n- config_name: default\n/);
    for (const words of ['CC0-1.0 (fictional)', 'manners', '3 × too close', 'http\\://localhost/v1\\#policy', 'A note.'])
      expect(text).toContain(words);
  });
});
