/**
 * @file Training steps of one and ten million parameters next to PyTorch's, the two in turns: what else the machine does then slows both.
 * By the clock on two threads, and by processor time on one, which other work on the machine is no part of.
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import type { Sizes } from '@ludus-agents/learning/internal/learners/transformer/network';
import { runtime } from '@ludus-agents/learning/internal/learners/transformer/runtime';
import { TransformerTrainer } from '@ludus-agents/learning/internal/learners/transformer/trainer';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** Rows of a step. */
const batch = 32;
/** Steps that are not counted: graphs are compiled in the first, and memory is found. */
const first = 2;

interface Measured {
  readonly name: string;
  readonly sizes: Sizes;
  /** The tokens of a prompt: eight rows share one, and only what follows it is trained. */
  readonly prompt: number;
  readonly goal?: string;
  /** How many steps are counted. */
  readonly steps: number;
}

const million: Sizes = { vocabulary: 256, context: 64, width: 128, layers: 5, heads: 4 };
const tenMillion: Sizes = { vocabulary: 256, context: 64, width: 384, layers: 6, heads: 6 };

/** Networks of a million and of ten million parameters on rows that have nothing in common, and on groups of answers to a prompt. */
const measured: readonly Measured[] = [
  { name: 'step_1m', sizes: million, prompt: 0, goal: '≥ 1.5', steps: 16 },
  { name: 'step_1m_groups', sizes: million, prompt: 48, steps: 16 },
  { name: 'step_10m', sizes: tenMillion, prompt: 0, goal: '≥ 1', steps: 5 },
  { name: 'step_10m_groups', sizes: tenMillion, prompt: 48, steps: 5 },
];

/** Milliseconds of a step. */
interface StepTime {
  readonly clock: number;
  readonly processor: number;
}

interface Stepper {
  step(): Promise<StepTime>;
  end(): void;
}

/** Training steps next to PyTorch's. */
export async function trainingSteps(flags: Flags): Promise<readonly Figure[]> {
  const names = ['ms', 'torch_ratio', 'torch_ratio_one_thread'];
  if (!hasRuntime()) return noRuntime(measured.flatMap(({ name }) => names.map((figure) => `${name}.${figure}`)));
  const figures: Figure[] = [];
  const counted = measured.slice(0, sizeOf(flags, 'networks', measured.length, 1));
  for (const network of counted) {
    const { name, goal } = network;
    const item = { ...network, steps: sizeOf(flags, 'steps', network.steps, 1) };
    const two = await inTurns(item, 2);
    const alone = await inTurns(item, 1);
    figures.push(
      {
        name: `${name}.ms`,
        value: two.ours.clock,
        unit: 'ms',
        note: `two threads, by the clock; ${two.ours.processor.toFixed(0)} ms of processor time`,
      },
      { name: `${name}.torch_ratio`, unit: '×', ...(goal === undefined ? {} : { goal }), ...ratio(two, 'clock') },
      { name: `${name}.torch_ratio_one_thread`, unit: '×', ...ratio(alone, 'processor') },
    );
  }
  return figures;
}

/** What is said where the runtime is not installed. */
export function noRuntime(names: readonly string[]): readonly Figure[] {
  return names.map((name) => ({ name, value: null, unit: '', note: 'onnxruntime-node is not installed' }));
}

interface Compared {
  readonly ours: StepTime;
  /** Null where there is no Python with PyTorch. */
  readonly torch: StepTime | null;
}

function ratio({ ours, torch }: Compared, of: keyof StepTime): Pick<Figure, 'value' | 'note'> {
  if (torch === null) return { value: null, note: 'no python3 with torch here' };
  const by = of === 'clock' ? 'by the clock' : 'of processor time';
  return { value: torch[of] / ours[of], note: `PyTorch takes ${torch[of].toFixed(1)} ms ${by}, and we ${ours[of].toFixed(1)}` };
}

/** Forward, backward and AdamW on 32 × 64 tokens; the lower quartile of the steps that are counted. */
async function inTurns({ sizes, prompt, steps }: Measured, threads: number): Promise<Compared> {
  const rows = rowsOf(sizes, prompt);
  const [ours, torch] = [await ourSteps(sizes, { rows, prompt, threads }), await torchSteps(sizes, { rows, prompt, threads })];
  const times: { readonly ours: StepTime[]; readonly torch: StepTime[] } = { ours: [], torch: [] };
  for (let i = 0; i < first + steps; i++) {
    times.ours.push(await ours.step());
    if (torch !== null) times.torch.push(await torch.step());
  }
  ours.end();
  torch?.end();
  return { ours: lowerQuartile(times.ours.slice(first)), torch: torch === null ? null : lowerQuartile(times.torch.slice(first)) };
}

function lowerQuartile(times: readonly StepTime[]): StepTime {
  const of = (which: keyof StepTime) => times.map((time) => time[which]).sort((a, b) => a - b)[times.length >> 2];
  return { clock: of('clock'), processor: of('processor') };
}

/** Random tokens, of which eight rows after each other share the prompt. */
function rowsOf({ vocabulary, context }: Sizes, prompt: number): readonly (readonly number[])[] {
  const dice = rng(1, 'step');
  const draw = (length: number) => Array.from({ length }, () => dice.int(vocabulary));
  let shared: readonly number[] = [];
  return Array.from({ length: batch }, (_, i) => {
    if (i % 8 === 0) shared = draw(prompt);
    return [...shared, ...draw(context - prompt)];
  });
}

interface Batch {
  readonly rows: readonly (readonly number[])[];
  readonly prompt: number;
  readonly threads: number;
}

async function ourSteps(sizes: Sizes, batch: Batch): Promise<Stepper> {
  const trainer = new TransformerTrainer(sizes, { runtime: await runtime(batch.threads), seed: 1 });
  const share = 1 / (batch.rows.length * (sizes.context - batch.prompt));
  const rows = batch.rows.map((tokens) => ({ tokens, mask: tokens.map((_, i) => (i < batch.prompt ? 0 : share)) }));
  const step = async () => {
    const [began, used] = [performance.now(), process.cpuUsage()];
    await trainer.step(rows, 'cross_entropy', { rate: 1e-3 });
    const { user, system } = process.cpuUsage(used);
    return { clock: performance.now() - began, processor: (user + system) / 1000 };
  };
  return { step, end: () => undefined };
}

/** The same model and batch in PyTorch, a step for each line that is sent; null where no Python with it is available. */
async function torchSteps({ vocabulary, context, width, layers, heads }: Sizes, { rows, prompt, threads }: Batch): Promise<Stepper | null> {
  const inputs = [...[vocabulary, context, width, layers, heads, prompt, threads].map(String), JSON.stringify(rows)];
  const python = spawn('python3', ['-c', program, ...inputs], { stdio: ['pipe', 'pipe', 'ignore'] });
  python.on('error', () => undefined);
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).done === true) return null;
  const step = async () => {
    python.stdin.write('\n');
    const { value } = await lines.next();
    const [clock, processor] = String(value).split(' ').map(Number) as [number, number];
    return { clock, processor };
  };
  return { step, end: () => python.stdin.end() };
}

const program = `
import json, sys, time, torch
V, C, D, L, H, P, threads = map(int, sys.argv[1:8])
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
t = torch.tensor(json.loads(sys.argv[8]))
from_ = max(P - 1, 0)
print(flush=True)
for line in sys.stdin:
    began, used = time.perf_counter(), time.process_time()
    opt.zero_grad()
    F.cross_entropy(net(t)[:, from_:-1].reshape(-1, V), t[:, from_ + 1:].reshape(-1)).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1)
    opt.step()
    print((time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000, flush=True)
`;
