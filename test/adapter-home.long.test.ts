/**
 * @file An adapter comes home with the same figure: a tiny random Llama is trained through the server in python/ludus_gpu, exported, and asked inside
 * this process by llama.cpp. Skipped where Python has no PyTorch, or node-llama-cpp is not installed.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { optionalPackagePath } from '@ludus-agents/agents/internal/runtimes/optional-package';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { distance, gameTree } from '@ludus-agents/environments/internal/solve/index';
import { chancesFrom } from '@ludus-agents/evaluation/internal/exploit';
import { chatOf, rng } from '@ludus-agents/kernel/internal/core/index';
import type { Tinker } from '@ludus-agents/learning/internal/learners/tinker/index';
import { loadTrainedModel } from '@ludus-agents/learning/internal/training/trained-agents';
import { afterAll, describe, expect, it } from 'vitest';
import { folder as at, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { type Tensor, writeGguf } from './fixtures/tiny-llama/gguf.ts';

const python = process.env['LUDUS_PYTHON'] ?? 'python3';
const able =
  spawnSync(python, ['-c', 'import torch, numpy, safetensors, gguf']).status === 0 && optionalPackagePath('node-llama-cpp') !== null;
if (!able) console.log(`Skipped: ${python} has no torch, numpy, safetensors and gguf, or node-llama-cpp is not installed.`);
const here = mkdtempSync(join(tmpdir(), 'adapter-home-'));
const cwd = at();
let server: ChildProcess | undefined;
afterAll(() => {
  server?.kill();
  rmSync(here, { recursive: true, force: true });
});

/** A Llama of two layers with weights from dice, as it is written for llama.cpp. */
function randomLlama(): Uint8Array {
  const [width, inner, layers] = [64, 96, 2];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const letters = [
    '▁',
    'c',
    'h',
    'e',
    'k',
    'b',
    't',
    '[',
    ']',
    'ch',
    'ck',
    'be',
    'bet',
    'che',
    'check',
    '[check',
    '[bet',
    '[check]',
    '[bet]',
  ];
  const pieces = ['<unk>', '<s>', '</s>', ...bytes, ...letters];
  const tensors = new Map<string, Tensor>();
  const add = (name: string, ...shape: number[]) => {
    const dice = rng(5, name);
    const size = shape.reduce((product, value) => product * value, 1);
    const draw = () => (shape.length === 1 ? 1 : (dice.next() - 0.5) * 0.25);
    tensors.set(`${name}.weight`, { shape, data: Float32Array.from({ length: size }, draw) });
  };
  add('token_embd', width, pieces.length);
  add('output', width, pieces.length);
  add('output_norm', width);
  for (let layer = 0; layer < layers; layer++) {
    for (const norm of ['attn_norm', 'ffn_norm']) add(`blk.${layer}.${norm}`, width);
    for (const square of ['attn_q', 'attn_output']) add(`blk.${layer}.${square}`, width, width);
    for (const grouped of ['attn_k', 'attn_v']) add(`blk.${layer}.${grouped}`, width, width / 2);
    for (const wide of ['ffn_gate', 'ffn_up']) add(`blk.${layer}.${wide}`, width, inner);
    add(`blk.${layer}.ffn_down`, inner, width);
  }
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': 1024,
    'llama.embedding_length': width,
    'llama.block_count': layers,
    'llama.feed_forward_length': inner,
    'llama.rope.dimension_count': width / 4,
    'llama.attention.head_count': 4,
    'llama.attention.head_count_kv': 2,
    'llama.attention.layer_norm_rms_epsilon': 0.00001,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': pieces,
    'tokenizer.ggml.scores': pieces.map((_, i) => (i < 259 ? 0.5 : i - 300.5)),
    'tokenizer.ggml.token_type': [2, 3, 3, ...bytes.map(() => 6), ...letters.map(() => 1)],
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.chat_template':
      "{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + eos_token + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}",
  };
  return writeGguf(metadata, tensors, 'f32');
}

async function start(base: string): Promise<string> {
  const args = [
    '-m',
    'ludus_gpu.server',
    '--open',
    '--model',
    base,
    '--port',
    '0',
    '--device',
    'cpu',
    '--state',
    join(here, 'state'),
    '--cache',
    join(here, 'c'),
  ];
  server = spawn(python, args, { cwd: join(import.meta.dirname, '../python/ludus_gpu'), stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    server?.stdout?.once('data', (data: Buffer) => resolve(String(data)));
    server?.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return line.match(/http:\S+/)?.[0] ?? line;
}

describe.skipIf(!able)('an adapter trained on a server', () => {
  it('has the same probabilities and exploitability in llama.cpp as on the server', async () => {
    const base = join(here, 'base.gguf');
    writeFileSync(base, randomLlama());
    const url = await start(base);
    const warmUp = ['games=16', 'steps=3', 'rows=8'].flatMap((item) => ['--set', `training.warmUp.${item}`]);
    const small = [
      '--set',
      'training.batch=4',
      '--set',
      'training.games=8',
      '--set',
      'training.rate.from=0.01',
      ...warmUp,
      '--name',
      'home',
    ];
    const learning = ['--learner', 'tinker', '--url', url, '--base', 'base', '--rank', '4'];
    const trained = await ludus(cwd, ['train', 'kuhn-lm', ...learning, ...small, '--json']);
    expect(trained.code, trained.err).toBe(0);
    const file = join(cwd, 'out.gguf');
    expect((await ludus(cwd, ['train', 'home', '--export-adapter', file])).code).toBe(0);

    const model = await createModel(`gguf:${base}+${file}`, { env: { LUDUS_SEQUENCES: '1', LUDUS_THREADS: '1' } });
    const learner = (await loadTrainedModel('local/home@best', cwd)) as Tinker;
    const never = new AbortController().signal;
    const tree = gameTree(kuhnPoker, {});
    const far: number[] = [];
    const strategy: number[][] = [];
    for (const { view, choices } of tree.sets) {
      const rows = choices.map((choice) => learner.rowOf({ view } as never, choice));
      const there = (await learner.logprobs(rows)).map((row, i) =>
        Array.from(row).reduce((sum, value, at) => sum + (rows[i]!.mask[at] === 1 ? value : 0), 0),
      );
      strategy.push(chancesFrom(there).chances);
      const { logprobs } = await model.score!({ messages: chatOf(view) }, choices, never);
      far.push(...logprobs.map((value, i) => Math.abs(value - there[i]!)));
    }
    // Whole answers of several tokens; llama.cpp keeps keys and values in half precision, which random weights feel.
    expect(Math.max(...far)).toBeLessThan(3e-2);
    const outcome = await ludus(cwd, [
      'env',
      'exploit',
      `gguf:${base}+${file}`,
      'kuhn-poker',
      '--json',
      '--sequences',
      '1',
      '--threads',
      '1',
    ]);
    const { decisions, exploitability } = JSON.parse(outcome.out) as { decisions: number; exploitability: number };
    expect(decisions).toBe(12);
    const there = distance(tree, strategy).exploitability;
    console.log(`log-probabilities at most ${Math.max(...far)} apart; exploitability ${there} on the server, ${exploitability} here`);
    expect(Math.abs(exploitability - there)).toBeLessThan(1e-2);
    expect(model.form?.settings).toMatchObject({ prompt: 'view', temperature: 1 });
    await learner.close();
  });
});
