/** @file How fast the transformer learns: Kuhn poker through text, and a training step of a million parameters beside PyTorch. */

import { spawnSync } from 'node:child_process';
import { trainLanguage } from '../src/company/language.ts';
import { rng } from '../src/core/index.ts';
import { hasRuntime } from '../src/learners/transformer/index.ts';
import { runtime } from '../src/learners/transformer/runtime.ts';
import { Trainer } from '../src/learners/transformer/trainer.ts';
import { kuhnLm } from '../src/learning/language.ts';
import type { Figure } from './run.ts';

const threads = 2;

export async function transformer(): Promise<readonly Figure[]> {
  if (!hasRuntime()) {
    process.stderr.write('… the transformer is not measured: onnxruntime-node is not installed\n');
    return [];
  }
  return [...(await kuhn()), ...(await millionStep())];
}

/** Until exploitability is first told below 0.05, and how it ends. */
async function kuhn(): Promise<readonly Figure[]> {
  const began = performance.now();
  let reached = Number.POSITIVE_INFINITY;
  const report = await trainLanguage(kuhnLm, {
    cwd: process.cwd(),
    seed: 1,
    tell: ({ exploitability }) => {
      if (exploitability !== null && exploitability < 0.05) reached = Math.min(reached, (performance.now() - began) / 1000);
    },
  });
  return [
    { name: 'kuhn_lm.seconds_to_0.05', value: reached, unit: 's', goal: '≤ 120' },
    { name: 'kuhn_lm.exploitability', value: report.exploitability, unit: '', goal: '< 0.05', note: 'of the last policy' },
    { name: 'kuhn_lm.invalid', value: report.invalid, unit: 'share', goal: '< 0.01' },
    { name: 'kuhn_lm.sampled_tokens_per_s', value: report.sampled / report.seconds, unit: 'tokens', note: 'training included' },
  ];
}

/** Forward, backward and AdamW of 1,058,176 parameters on 32 × 64 tokens, all of them trained. */
async function millionStep(): Promise<readonly Figure[]> {
  const sizes = { vocabulary: 256, context: 64, width: 128, layers: 5, heads: 4 };
  const trainer = new Trainer(sizes, { runtime: await runtime(threads), seed: 1 });
  const dice = rng(1, 'step');
  const rows = Array.from({ length: 32 }, () => ({
    tokens: Array.from({ length: 64 }, () => dice.int(256)),
    mask: Array.from({ length: 64 }, () => 1 / 2048),
  }));
  const times: number[] = [];
  for (let i = 0; i < 13; i++) {
    const began = performance.now();
    await trainer.step(rows, 'cross_entropy', { rate: 1e-3 });
    if (i >= 3) times.push(performance.now() - began);
  }
  const ours = times.toSorted((a, b) => a - b)[times.length >> 1] as number;
  const figure: Figure = { name: 'step_1m.ms', value: ours, unit: 'ms', note: `${trainer.size} parameters, ${threads} threads` };
  const torch = torchStep();
  return torch === null ? [figure] : [figure, { name: 'step_1m.torch_ratio', value: torch / ours, unit: '×', goal: '≥ 1' }];
}

/** The same model and batch in PyTorch, where a Python with it is at hand; milliseconds, or null. */
function torchStep(): number | null {
  const { status, stdout } = spawnSync('python3', ['-c', program], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim().split('\n').at(-1)) : null;
}

const program = `
import time, torch
torch.set_num_threads(${threads})
from torch import nn
import torch.nn.functional as F
V, C, D, L, H = 256, 64, 128, 5, 4
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
t = torch.randint(0, V, (32, 64))
times = []
for i in range(13):
    began = time.perf_counter()
    opt.zero_grad()
    F.cross_entropy(net(t)[:, :-1].reshape(-1, V), t[:, 1:].reshape(-1)).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1)
    opt.step()
    if i >= 3: times.append(time.perf_counter() - began)
print(sorted(times)[len(times) // 2] * 1000)
`;
