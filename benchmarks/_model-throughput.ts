/** @file What a model does with eight calls in flight: tokens written a second, and answers a second where prompts begin alike. */

import type { Model, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import type { Bench } from './models.ts';
import type { Figure } from './run.ts';

const many = 8;
const never = new AbortController().signal;
const rules = Array.from({ length: 14 }, (_, i) => `Rule ${i + 1}: be kind to the guest of room ${i + 1} and name the price first.`).join(
  ' ',
);

/** A prompt of a short question, after rules that are the same for all or after a word that makes them differ from the start. */
function ask(model: Model, i: number, { apart, maxTokens }: { readonly apart: string; readonly maxTokens: number }): Promise<ModelCall> {
  const messages = [
    { role: 'system' as const, content: `${apart}You keep an inn. ${rules}` },
    { role: 'user' as const, content: `Guest ${i} asks what there is for supper.` },
  ];
  return model.complete({ messages }, { maxTokens, temperature: 0.7, seed: i }, never);
}

async function timeCalls(
  run: () => Promise<readonly ModelCall[]>,
): Promise<{ readonly seconds: number; readonly calls: readonly ModelCall[] }> {
  const began = performance.now();
  const calls = await run();
  return { seconds: (performance.now() - began) / 1000, calls };
}

const countWrittenTokens = (calls: readonly ModelCall[]) => calls.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
const indexes = Array.from({ length: many }, (_, i) => i);

export async function throughput({ model }: Bench): Promise<readonly Figure[]> {
  // Everyone knows the rules before the clock runs: what is compared is writing.
  await Promise.all(indexes.map((i) => ask(model, i, { apart: '', maxTokens: 1 })));
  const long = { apart: '', maxTokens: 48 };
  const item = await timeCalls(async () => [await ask(model, 0, long)]);
  const eight = await timeCalls(() => Promise.all(indexes.map((i) => ask(model, i, long))));
  const alone = countWrittenTokens(item.calls) / item.seconds;
  const total = countWrittenTokens(eight.calls) / eight.seconds;
  // One after the other, each from the beginning; then all at once, with what they share read once.
  const short = 8;
  const apart = await timeCalls(async () => {
    const calls: ModelCall[] = [];
    for (const i of indexes) calls.push(await ask(model, i, { apart: `House ${100 + i}. `, maxTokens: short }));
    return calls;
  });
  const shared = await timeCalls(() => Promise.all(indexes.map((i) => ask(model, i, { apart: 'House 7. ', maxTokens: short }))));
  const read = (calls: readonly ModelCall[]) => calls.reduce((sum, { usage }) => sum + usage.promptTokens - (usage.cachedTokens ?? 0), 0);
  return [
    { name: 'throughput.one', value: alone, unit: 'tokens/s' },
    {
      name: 'throughput.eight',
      value: total,
      unit: 'tokens/s',
      note: `${countWrittenTokens(eight.calls)} tokens in ${eight.seconds.toFixed(1)} s`,
    },
    { name: 'throughput.gain', value: total / alone, unit: '×', goal: '≥ 1.5' },
    {
      name: 'throughput.shared_prefix',
      value: apart.seconds / shared.seconds,
      unit: '× answers/s',
      goal: '≥ 3',
      note: `${read(apart.calls)} tokens read one by one, ${read(shared.calls)} with the beginning shared`,
    },
  ];
}
