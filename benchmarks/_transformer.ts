/** @file How fast the transformer learns: Kuhn poker through text, and training steps of one and ten million parameters beside PyTorch. */

import { spawnSync } from 'node:child_process';
import { rng } from '../src/core/index.ts';
import { hasRuntime } from '../src/learners/transformer/index.ts';
import type { Sizes } from '../src/learners/transformer/network.ts';
import { runtime } from '../src/learners/transformer/runtime.ts';
import { TransformerTrainer } from '../src/learners/transformer/trainer.ts';
import { kuhnLm } from '../src/learning/rl/recipes/language.ts';
import { train } from '../src/training/train.ts';
import type { Figure } from './run.ts';

const threads = 2;

/** Rows of a step. */
const batch = 32;

/** Networks of a million and of ten million parameters. */
const stepped: readonly { readonly name: string; readonly sizes: Sizes; readonly goal: string; readonly steps: number }[] = [
  { name: 'step_1m', sizes: { vocabulary: 256, context: 64, width: 128, layers: 5, heads: 4 }, goal: '≥ 1.5', steps: 10 },
  { name: 'step_10m', sizes: { vocabulary: 256, context: 64, width: 384, layers: 6, heads: 6 }, goal: '≥ 1', steps: 4 },
];

/** Seeds that no setting was chosen on. */
const seeds = [501, 502, 503];

/** How Kuhn poker is learned through text. */
export async function kuhnThroughText(): Promise<readonly Figure[]> {
  return hasRuntime() ? kuhn() : missing(['kuhn_lm.seconds_to_0.05', 'kuhn_lm.sampled_tokens_per_s']);
}

/** Training steps beside PyTorch's. */
export async function trainingSteps(): Promise<readonly Figure[]> {
  if (!hasRuntime()) return missing(stepped.flatMap(({ name }) => [`${name}.ms`, `${name}.torch_ratio`]));
  const figures: Figure[] = [];
  for (const one of stepped) figures.push(...(await trainingStep(one)));
  return figures;
}

function missing(names: readonly string[]): readonly Figure[] {
  return names.map((name) => ({ name, value: null, unit: '', note: 'onnxruntime-node is not installed' }));
}

/**
 * Seconds until exploitability is told below 0.05 for good, the slowest of three seeds; and how they end. CPU-seconds, since other work on
 * the machine is no part of it; one thread.
 */
async function kuhn(): Promise<readonly Figure[]> {
  const runs: { reached: number; end: number; invalid: number; seconds: number; tokens: number; speed: number }[] = [];
  for (const seed of seeds) {
    const clock = process.cpuUsage();
    const spent = () => (process.cpuUsage(clock).user + process.cpuUsage(clock).system) / 1e6;
    let reached = Number.POSITIVE_INFINITY;
    const report = await train(
      { recipe: kuhnLm, seed },
      {
        cwd: process.cwd(),
        folder: null,
        tell: ({ exploitability }) => {
          if ((exploitability as number) >= 0.05) reached = Number.POSITIVE_INFINITY;
          else reached = Math.min(reached, spent());
        },
      },
    );
    if (report === null) throw new Error('Nobody stopped it, and yet there is no report.');
    const { exploitability, invalid, tokens } = report;
    runs.push({ reached, end: exploitability as number, invalid, seconds: spent(), tokens, speed: tokens / spent() });
  }
  const worst = (of: keyof (typeof runs)[number]) => Math.max(...runs.map((run) => run[of]));
  const ends = runs.map(({ end }) => end.toFixed(4)).join(', ');
  return [
    {
      name: 'kuhn_lm.seconds_to_0.05',
      value: worst('reached'),
      unit: 's',
      goal: '≤ 120',
      note: `slowest of seeds ${seeds.join(', ')}; they end at ${ends} after ${Math.round(worst('seconds'))} s, invalid ≤ ${(100 * worst('invalid')).toFixed(2)} %`,
    },
    {
      name: 'kuhn_lm.sampled_tokens_per_s',
      value: Math.min(...runs.map(({ speed }) => speed)),
      unit: 'tokens',
      note: 'training included; texts that are alike are read once',
    },
  ];
}

/** Forward, backward and AdamW on 32 × 64 tokens, all of them trained; the median of so many steps after three. */
async function trainingStep({ name, sizes, goal, steps }: (typeof stepped)[number]): Promise<readonly Figure[]> {
  const { vocabulary, context } = sizes;
  const trainer = new TransformerTrainer(sizes, { runtime: await runtime(threads), seed: 1 });
  const dice = rng(1, 'step');
  const rows = Array.from({ length: batch }, () => ({
    tokens: Array.from({ length: context }, () => dice.int(vocabulary)),
    mask: Array.from({ length: context }, () => 1 / (batch * context)),
  }));
  const times: number[] = [];
  for (let i = 0; i < steps + 3; i++) {
    const began = performance.now();
    await trainer.step(rows, 'cross_entropy', { rate: 1e-3 });
    if (i >= 3) times.push(performance.now() - began);
  }
  const ours = times.toSorted((a, b) => a - b)[times.length >> 1]!;
  const torch = torchStep(sizes, steps);
  const trained = Math.round((batch * context) / (ours / 1000));
  return [
    {
      name: `${name}.ms`,
      value: ours,
      unit: 'ms',
      note: `${trainer.size} parameters, ${threads} threads, ${trained} tokens trained a second`,
    },
    torch === null
      ? { name: `${name}.torch_ratio`, value: null, unit: '×', goal, note: 'no python3 with torch here' }
      : { name: `${name}.torch_ratio`, value: torch / ours, unit: '×', goal, note: `PyTorch takes ${torch.toFixed(1)} ms` },
  ];
}

/** The same model and batch in PyTorch, where a Python with it is at hand; milliseconds, or null. */
function torchStep({ vocabulary, context, width, layers, heads }: Sizes, steps: number): number | null {
  const given = [vocabulary, context, width, layers, heads, batch, steps, threads].map(String);
  const { status, stdout } = spawnSync('python3', ['-c', program, ...given], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim().split('\n').at(-1)) : null;
}

const program = `
import sys, time, torch
V, C, D, L, H, R, N, threads = map(int, sys.argv[1:])
torch.set_num_threads(threads)
from torch import nn
import torch.nn.functional as F
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(D, 4 * D, bias=False), nn.Linear(4 * D, D, bias=False)
        self.a, self.b = nn.RMSNorm(D), nn.RMSNorm(D)
    def forward(self, x):
        y = self.a(x)
        q, k, v = (f(y).view(*y.shape[:2], H, D // H).transpose(1, 2) for f in (self.q, self.k, self.v))
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.relu(self.up(self.b(x))) ** 2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.p = nn.Embedding(V, D), nn.Embedding(C, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.n, self.h = nn.RMSNorm(D), nn.Linear(D, V, bias=False)
    def forward(self, t):
        x = self.e(t) + self.p(torch.arange(t.shape[1]))
        for b in self.blocks: x = b(x)
        return self.h(self.n(x))
net = Net()
opt = torch.optim.AdamW(net.parameters(), 1e-3)
t = torch.randint(0, V, (R, C))
times = []
for i in range(N + 3):
    began = time.perf_counter()
    opt.zero_grad()
    F.cross_entropy(net(t)[:, :-1].reshape(-1, V), t[:, 1:].reshape(-1)).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1)
    opt.step()
    if i >= 3: times.append(time.perf_counter() - began)
print(sorted(times)[len(times) // 2] * 1000)
`;
