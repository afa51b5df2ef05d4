/** @file Recipes about the learner's view: a summary or its own memo, tools, earlier episodes. */

import type { Recipe, Training } from '../recipe.ts';
import { kuhn, usual, zScore } from './parts.ts';

/** A small language model that asks twenty questions. */
const asking: Training = {
  ...kuhn,
  environment: 'twenty-questions',
  task: { table: 'bits', turns: 6, wrong: 'ends' },
  learner: 'transformer',
  rate: { from: 1e-3, to: 1e-4 },
  games: 3200,
  batch: 64,
  sizes: { width: 32, layers: 2, heads: 4, context: 256, answer: 48, vocabulary: 1024 },
  warmUp: { games: 64, steps: 200, rate: 3e-3, rows: 32 },
};

/**
 * A small language model that answers questions, half of which need a calculator; it first imitates a script that calls it for half of
 * them.
 */
const calculating: Training = {
  ...kuhn,
  environment: 'products',
  learner: 'transformer',
  rate: { from: 2e-3, to: 1e-3 },
  games: 1280,
  batch: 64,
  sizes: { width: 64, layers: 2, heads: 4, context: 96, answer: 16, vocabulary: 470 },
  warmUp: { script: 'caller', games: 512, steps: 400, rate: 3e-3, rows: 48 },
};

/** The learner writes a summary when its window is nearly full, and the summary is trained with the rest of its answer. */
export const supo: Recipe = {
  ...usual,
  name: 'supo',
  method: 'SUPO (summaries in the context)',
  source: 'arXiv 2510.06727',
  differs:
    'GRPO through the prompts of language agents: a window, and a summary of older messages that the learner writes, rewarded by the outcome.',
  omits: 'A mask on rollouts that exceed the length, and a summary in a separate call: it is part of the answer.',
  view: { kind: 'summary', tokens: 400, memo: 60 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  training: asking,
};

/** The learner rewrites one memo every turn and sees nothing older than its last one. */
export const mem1: Recipe = {
  ...usual,
  name: 'mem1',
  method: 'MEM1 (a constant memory)',
  source: 'arXiv 2506.15841',
  differs: 'As supo, with a memo that is rewritten every turn, so prompts have constant length.',
  omits: 'One packed sequence with a mask: every turn is a row with its observation.',
  view: { kind: 'memo', tokens: 400, memo: 60 },
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'leave-one-out', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.001, estimate: 'k3', refresh: null } },
  training: asking,
};

/** Tools are used within a turn: their results are input and not trained on. */
export const verlTool: Recipe = {
  ...usual,
  name: 'verl-tool',
  method: 'VerlTool (asynchronous tools inside of rollouts)',
  source: 'arXiv 2509.01055',
  differs:
    'GRPO whose turns may call tools first (view.tools); every call is a separate row, in which tool results are read but not trained on. Episodes overlap: each continues as soon as its tool has answered, and updates don’t wait for the next batch.',
  omits: 'Servers of tools on other machines: MCP servers and the sandbox run next to the training.',
  view: { kind: 'window', tokens: 600, tools: ['calculator'], steps: 1 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean' },
  importance: 2,
  training: { ...calculating, ahead: 1, overlap: 64 },
};

/** Rewards for the outcome, the form of a turn, and successful tools. */
export const artist: Recipe = {
  ...usual,
  name: 'artist',
  method: 'ARTIST (outcome, form and tools pay)',
  source: 'arXiv 2505.01441',
  differs:
    'GRPO whose turns may call tools first; besides the outcome, two channels reward a turn’s form and successful tool calls. Tool results are never trained on.',
  omits: 'A large model, and the tags of its format: the form is correct if no rule is broken and no tool fails.',
  view: { kind: 'window', tokens: 600, tools: ['calculator'], steps: 1 },
  rewards: { form: { weight: 0.1, by: 'form' }, tools: { weight: 0.05, by: 'tool-success' } },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean' },
  training: calculating,
};

/** Imitation of an analyst who uses tools gives way to reinforcement. */
export const dataMind: Recipe = {
  ...usual,
  name: 'datamind',
  method: 'DataMind (imitation and reinforcement over code and queries)',
  source: 'github.com/zjunlp/DataMind',
  differs:
    'As chord, through prompts with tools: demonstrations that call tools are imitated with a share that falls from .5 to .05, next to GRPO on the learner’s episodes. Your table: --environment questions:FILE.csv with view.tools ["table=FILE.csv"].',
  omits: 'A large model and its synthesis of tasks; weights of single tokens in imitation.',
  view: { kind: 'window', tokens: 600, tools: ['calculator'], steps: 1 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', imitation: { from: 0.5, to: 0.05, updates: 20 } },
  curriculum: { kind: 'mixed' },
  training: calculating,
};

/** Many episodes of one task in one context: the learner sees its earlier attempts. */
export const relic: Recipe = {
  ...usual,
  name: 'relic',
  method: 'ReLIC (many episodes in one context)',
  source: 'arXiv 2410.02751',
  differs:
    'Eight episodes of one task follow each other in one view; seven updates learn from the newest alone, and the eighth from all of them (view.partial). In long contexts (view.count), the first and the latest episodes are shown (view.sinks, view.window), in a drawn order (view.shuffle).',
  omits: 'Attention to thousands of steps at once: what lies between the first and the latest episodes is left out of the view.',
  view: { kind: 'episodes', count: 8 },
  baseline: { kind: 'running', key: ['environment', 'seat', 'turn'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', entropy: { from: 0.01, to: 0.01 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, games: 25_600 },
};
