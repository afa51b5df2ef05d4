/**
 * @file A real chat model in every seat: `LUDUS_MODEL=./model.gguf npm run bench -- models [--json] [--only=chat,kuhn] [--replies=200] [--hands=50]
 * [--keep=FOLDER]`.
 *
 * Chats with characters of the gallery, games, a scene, a service desk, a questionnaire, a judge's trust card and one improvement, and what the
 * model does with eight calls in flight. Figures that are shares and counts hold on any machine; those in seconds are of this one. Every
 * episode is kept in the folder, with its words as text, and the figures so far after each part.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { type Model, type ModelCall, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { chats } from './_model-chats.ts';
import { exploitability, kuhn, tables, ticTacToe } from './_model-games.ts';
import { improvement, judge } from './_model-judge.ts';
import { throughput } from './_model-throughput.ts';
import { type Keeper, keeperIn } from './_model-transcripts.ts';
import type { Figure, Flags } from './run.ts';

export interface Bench {
  readonly name: string;
  readonly model: Model;
  /** Every call so far, with the choices it was held to and the part it was made in. */
  readonly calls: { readonly call: ModelCall; readonly choices: readonly string[]; readonly part: string }[];
  readonly replies: number;
  readonly hands: number;
  readonly keeper: Keeper;
}

/** The parts in the order in which they are worth their time. */
const parts: Readonly<Record<string, (bench: Bench) => Promise<readonly Figure[]>>> = {
  throughput,
  chat: chats,
  kuhn,
  exploit: exploitability,
  tables,
  'tic-tac-toe': ticTacToe,
  judge,
  improve: improvement,
};

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const isSmoke = flags['smoke'] === true;
  const name = process.env['LUDUS_MODEL'] ?? (isSmoke ? 'fake' : '');
  if (name === '') {
    process.stdout.write('Skipped: LUDUS_MODEL names no model; give it a GGUF file or any other model, e.g. LUDUS_MODEL=./model.gguf.\n');
    if (flags['json'] === true) process.stdout.write('[]\n');
    process.exit(0);
  }
  const bare = await createModel(name.replace(/^llm:/, ''));
  const calls: Bench['calls'][number][] = [];
  let now = '';
  const model: Model = {
    ...bare,
    async complete(prompt, sampling, signal, onText) {
      const call = await bare.complete(prompt, sampling, signal, onText);
      calls.push({ call, choices: sampling.choices ?? [], part: now });
      return call;
    },
  };
  const keeper = await keeperIn(typeof flags['keep'] === 'string' ? flags['keep'] : mkdtempSync(join(tmpdir(), 'ludus-models-')));
  process.stderr.write(`Episodes and figures are kept in ${keeper.folder}\n`);
  const bench: Bench = {
    name,
    model,
    calls,
    replies: number(flags['replies'], isSmoke ? 2 : 200),
    hands: number(flags['hands'], isSmoke ? 2 : 50),
    keeper,
  };
  const context = (await bare.context?.()) ?? null;
  const wanted = typeof flags['only'] === 'string' ? flags['only'].split(',') : isSmoke ? ['kuhn'] : Object.keys(parts);
  const figures: Figure[] = [];
  for (const part of wanted) {
    const run = parts[part];
    if (run === undefined) throw new Error(`Unknown part "${part}". Available: ${Object.keys(parts).join(', ')}.`);
    now = part;
    process.stderr.write(`${part} …\n`);
    const began = performance.now();
    // One part that fails leaves the others their figures.
    const results = await run(bench).catch((thrown: unknown): Figure[] => [
      { name: `models.${part}`, value: null, unit: '', note: sentenceOf(thrown) },
    ]);
    figures.push(...results, { name: `${part}.seconds`, value: (performance.now() - began) / 1000, unit: 's', note: 'on this machine' });
    keeper.file('figures.json', [...figures, ...overall(bench, context)]);
  }
  await keeper.close();
  return [...figures, ...overall(bench, context)];
}

function number(flag: string | true | undefined, usual: number): number {
  const value = typeof flag === 'string' ? Number(flag) : usual;
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`A count is a whole number above 0, but "${flag}" came.`);
  return value;
}

/** What holds over all calls of the run. */
function overall({ calls }: Bench, context: number | null): readonly Figure[] {
  const currentCalls = calls.filter(({ choices }) => choices.length > 0);
  const illegal = currentCalls.filter(({ call, choices }) => !choices.includes(call.text));
  const sum = (of: (usage: ModelCall['usage']) => number) => calls.reduce((total, { call }) => total + of(call.usage), 0);
  const prompts = sum(({ promptTokens }) => promptTokens);
  // Prompts that agents wrote: a judge reads whole conversations.
  const longest = Math.max(
    0,
    ...calls.filter(({ part }) => part !== 'judge' && part !== 'throughput').map(({ call }) => call.usage.promptTokens),
  );
  return [
    {
      name: 'models.illegal_share',
      value: currentCalls.length === 0 ? null : illegal.length / currentCalls.length,
      unit: 'of moves',
      goal: '0',
      note: `${currentCalls.length} moves held to their choices`,
    },
    {
      name: 'models.longest_prompt',
      value: context === null ? null : longest / context,
      unit: 'of the context',
      goal: '≤ 0.5',
      note: `${longest} of ${context ?? 'an unknown number of'} tokens`,
    },
    {
      name: 'models.prefix_kept',
      value: prompts === 0 ? null : sum(({ cachedTokens = 0 }) => cachedTokens) / prompts,
      unit: 'of tokens',
      note: `${calls.length} calls, ${prompts} prompt tokens, ${sum(({ completionTokens }) => completionTokens)} written`,
    },
  ];
}
