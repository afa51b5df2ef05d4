/** @file Inference by cross-encoders in ONNX files. Sentence vectors are in `encoders` of the package agents. */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loadOnnxModel, type OnnxOptions } from '@ludus-agents/agents/internal/encoders/onnx';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { softmax } from '@ludus-agents/kernel/internal/core/mean';
import type { Entailment, Nli } from './small.ts';

/** Inference by a cross-encoder; `labels` are the meanings of its outputs, in their order. */
export async function onnxNli(options: OnnxOptions & { readonly labels: readonly (keyof Entailment)[] }): Promise<Nli> {
  const run = await loadOnnxModel(options);
  return {
    name: basename(options.folder),
    basis: 'model',
    classify: async (pairs) => {
      const rows = await run(pairs.map(({ premise, hypothesis }) => [premise, hypothesis]));
      return rows.map(({ tensor }) => {
        const odds = softmax(Array.from(tensor.data).slice(0, options.labels.length));
        return Object.fromEntries(options.labels.map((label, i) => [label, odds[i]])) as unknown as Entailment;
      });
    },
  };
}

/** The meanings of a model's outputs, by the names in its config.json: their order differs between models. */
export async function readNliLabels(folder: string): Promise<readonly (keyof Entailment)[]> {
  const file = join(folder, 'config.json');
  let named: unknown;
  try {
    named = (JSON.parse(await readFile(file, 'utf8')) as { readonly id2label?: unknown }).id2label;
  } catch (thrown) {
    throw new Fault('input', `${file} must list the model's labels in "id2label", but it cannot be read.`, { cause: thrown });
  }
  const labels = Object.entries((named ?? {}) as Readonly<Record<string, unknown>>)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, label]) => (typeof label === 'string' ? labelNames.find(([pattern]) => pattern.test(label))?.[1] : undefined));
  const matchingLabels = labels.filter((label) => label !== undefined);
  if (matchingLabels.length !== labels.length || new Set(matchingLabels).size !== 3)
    throw new Fault(
      'input',
      `${file} must have the labels entailment, neutral and contradiction in "id2label", but has ${JSON.stringify(named ?? null)}.`,
    );
  return matchingLabels;
}

const labelNames: readonly (readonly [RegExp, keyof Entailment])[] = [
  [/entail/i, 'entails'],
  [/neutral/i, 'neutral'],
  [/contradict/i, 'contradicts'],
];
