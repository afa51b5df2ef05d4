/**
 * @file Recipes with teachers: hints, plans, answers and moves of others, used if the learner fails alone; reported figures are without
 * help.
 */

import type { Recipe, Training } from '../recipe.ts';
import { kuhn, meanOnly, usual, zScore } from './parts.ts';

/** A four-by-four lake without slipping: random play crosses it in one game of a hundred, and its script knows the way. */
const lake: Training = {
  ...kuhn,
  environment: 'frozen-lake',
  task: { steady: 1, steps: 8 },
  rate: { from: 0.1, to: 0.02 },
  games: 2560,
  batch: 64,
};

/** A hint for a failed episode, which is retried with it and trained on without it. */
export const agentRlvr: Recipe = {
  ...usual,
  name: 'agent-rlvr',
  method: 'Agent-RLVR (hints for failures)',
  source: 'arXiv 2506.11425',
  differs:
    'If a whole group fails, a teacher gives hints from the first move that it would not have made. Guided successes are preferred to failures (DPO); hints are not trained on.',
  omits: 'Guidance from unit tests and patches: any agent is the teacher (guidance.teachers), and its hints are its moves.',
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.3 },
  guidance: { kind: 'hint', teachers: ['optimal'], share: { from: 1, to: 0.1 }, tries: 2 },
  training: lake,
};

/** Traces of an expert become plans; the learner's successes under them are stored by task. */
export const bepa: Recipe = {
  ...usual,
  name: 'bepa',
  method: 'BEPA',
  source: 'arXiv 2601.05787',
  differs:
    'GRPO. If a group fails, a success at the same task takes one place: first one that the learner played with an expert’s plan, then its own latest.',
  omits: 'Plans written by a model: a plan is the sequence of the expert’s moves.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
  guidance: { kind: 'plan', teachers: ['optimal'], share: { from: 1, to: 0.1 }, tries: 2 },
  training: lake,
};

/** Several teachers answer if the whole group fails, and the answer most likely under the learner is used. */
export const ampo: Recipe = {
  ...usual,
  name: 'ampo',
  method: 'AMPO (several teachers)',
  source: 'arXiv 2510.02227',
  differs:
    'GRPO without division. If a whole group fails, the teachers’ answers that are likeliest for the learner take two places, with weight p / (p + 0.1). With one success in the group, it equals GRPO.',
  omits: 'Reasoning before an answer: likelihood is that of the moves.',
  baseline: meanOnly,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
  guidance: { kind: 'answer', teachers: ['optimal'], share: { from: 1, to: 0.1 }, places: 2 },
  training: lake,
};

/** The teacher's move at every state of the learner, as a term with a fading weight. */
export const rpd: Recipe = {
  ...usual,
  name: 'rpd',
  method: 'Refined Policy Distillation',
  source: 'arXiv 2503.05833',
  differs: 'PPO plus a fading weight times −log of the probability of the teacher’s move, in the learner’s states.',
  omits: 'Continuous actions; the critic is a running mean.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  guidance: { kind: 'action', teachers: ['optimal'], share: { from: 1, to: 0 } },
  training: lake,
};

/** A teacher continues after the first error; the error is input and not trained on. */
export const step: Recipe = {
  ...usual,
  name: 'step',
  method: 'STeP',
  source: 'arXiv 2505.20023',
  differs:
    'Imitation of the learner’s episodes, corrected by a teacher: it takes over after the first turn that it would not have made. The wrong turn is read but not learned.',
  omits:
    'Golden data first: training.warmUp, or a run with --from. A learner that writes learns a reflection before the correcting move; a table learns the move.',
  baseline: { kind: 'none' },
  loss: { kind: 'imitation', aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  guidance: { kind: 'correct', teachers: ['optimal'], share: 1 },
  training: { ...lake, rate: { from: 0.3, to: 0.1 } },
};

/** The same, mixed with reinforcement. */
export const agentRefine: Recipe = {
  ...step,
  name: 'agent-refine',
  method: 'AgentRefine',
  source: 'arXiv 2501.01702',
  differs: 'As step, mixed with GRPO: refinements after errors are imitated with a share from 0.9 to 0.05.',
  omits: 'Environments that a model writes.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', imitation: { from: 0.9, to: 0.05, updates: 100 } },
  rollout: { kind: 'group', size: 8 },
};

/** The best of several answers at every turn, by its reward, whatever came before. */
export const rise: Recipe = {
  ...usual,
  name: 'rise',
  method: 'RISE (refining answers turn by turn)',
  source: 'arXiv 2407.18219',
  differs:
    'Imitation of the best of eight answers at each turn of the learner’s episodes, weighted by exp(reward / τ). Only that answer is trained on.',
  omits: 'A stronger model in its first round: name one in guidance.teachers.',
  baseline: { kind: 'none' },
  loss: { kind: 'imitation', aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  guidance: { kind: 'refine', teachers: [], share: 1, tries: 8, temperature: 1 },
  training: {
    ...kuhn,
    environment: 'codebreaker',
    task: { colours: 4, pegs: 1, turns: 3 },
    rate: { from: 0.3, to: 0.1 },
    games: 1600,
    batch: 32,
  },
};

/** Outcomes of the learner's alternatives at an expert's states, before imitating the expert's moves. */
export const earlyExperience: Recipe = {
  ...usual,
  name: 'early-experience',
  method: 'Early Experience (implicit world model)',
  source: 'arXiv 2510.08558',
  differs:
    'For the first third of the updates, the learner predicts the outcomes of its alternatives in the expert’s states, then it imitates the expert. guidance.reflect=true puts a sentence about them before the expert’s move instead.',
  omits:
    'Reflections written by a model: the sentence states the outcome of each move. Prediction does not help a table, which shares nothing between states.',
  baseline: { kind: 'none' },
  loss: { kind: 'imitation', aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  guidance: { kind: 'experience', teachers: ['optimal'], share: 0.33, tries: 3, games: 16 },
  training: { ...lake, rate: { from: 0.3, to: 0.1 } },
};

/** A reason for each of the learner's moves, written after the move and trained before it. */
export const a3t: Recipe = {
  ...usual,
  name: 'a3t',
  method: 'A3T (ActRe: reasons after the fact)',
  source: 'arXiv 2403.14589',
  differs:
    'Each sampled move is learned with a reason that was written afterwards. Episodes of a task are weighted by their return minus the mean, so equal ones teach nothing.',
  omits:
    'Annotated episodes to begin with: training.warmUp, or a run with --from. A table learns moves only. Use a learner that writes, and name the writer of the reasons in guidance.teachers (default: the learner).',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-mean' },
  guidance: { kind: 'rationale', teachers: [], share: 1 },
  // A table cannot write reasons.
  training: {
    ...lake,
    learner: 'transformer',
    rate: { from: 1e-3, to: 3e-4 },
    games: 640,
    sizes: { width: 32, layers: 1, heads: 2, context: 1024, answer: 24 },
    // Every later turn includes the earlier reasons, so longer episodes would not fit.
    turns: 16,
    warmUp: { script: 'optimal', games: 64, steps: 100, rate: 3e-3, rows: 32 },
  },
};

/** Answers refined by feedback, kept if their episode ends better. */
export const self: Recipe = {
  ...usual,
  name: 'self',
  method: 'SELF (self-feedback and self-refinement)',
  source: 'arXiv 2310.00533',
  differs:
    'At some turns of the learner’s episodes, the answer gets feedback and is refined. A refined answer is imitated, without the feedback, only if its episode ends better. The share in GRPO falls from 0.3 to 0.05.',
  omits:
    'Feedback in words, unless the learner writes: then guidance.skills is the share of the run in which it imitates the feedback of its teacher, before it gives its own. A table makes the move that the feedback names.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    minibatches: 4,
    aggregation: 'sequence-mean-token-mean',
    imitation: { from: 0.3, to: 0.05, updates: 20 },
  },
  guidance: { kind: 'feedback', teachers: [], share: 1, tries: 2 },
  training: lake,
};

/** Right steps are reinforced, and steps that a judge calls wrong are unlearned. */
export const seAgent: Recipe = {
  ...usual,
  name: 'seagent',
  method: 'SEAgent (a judge of steps, wrong ones unlearned)',
  source: 'arXiv 2508.04700',
  differs:
    'GRPO, and 0.2 times −log σ(−(log π − log π_ref)) on every token of a step that a judge rejects. The judge is any agent, asked after each step, or a script, which rejects moves other than its own. --from a,b,c combines specialists into one generalist before the first game.',
  omits: 'screens and similarity of coordinates; the curriculum generator is that of envgen or pae',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    minibatches: 4,
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  guidance: { kind: 'shun', teachers: ['optimal'], share: 0.2 },
  training: { ...lake, games: 1280 },
};

/** Own successes are recalled if a group fails, and steps are credited by a judge. */
export const agentEvolver: Recipe = {
  ...usual,
  name: 'agent-evolver',
  method: 'AgentEvolver (self-navigating, self-attributing)',
  source: 'arXiv 2511.10395',
  differs:
    'If a group fails, it tries again with the moves of earlier successes in similar situations, which are not trained on. A judge also rewards each step with 1 or −1 in a separate, fading channel (rewards.attribution).',
  omits: 'self-questioning in the same run (see envgen, pae, and agent0); experience in words',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], minibatches: 4, aggregation: 'sequence-mean-token-mean' },
  rewards: { attribution: { weight: { from: 0.2, to: 0.02 }, by: 'verdict:optimal' } },
  guidance: { kind: 'recall', teachers: [], share: { from: 1, to: 0.1 }, tries: 1 },
  training: { ...lake, games: 1280 },
};

/** Trains instructions and weights at the same time. */
export const inspo: Recipe = {
  ...usual,
  name: 'inspo',
  method: 'INSPO (a population of instructions and the weights)',
  source: 'arXiv 2512.01945',
  differs:
    'GRPO in which every group is played with one of a population of instructions (guidance.instructions, and none), drawn by reward. Clearly weaker ones are dropped, and an agent writes new ones from failures (guidance.teachers).',
  omits:
    'A buffer of experience for the writer: it reads one episode and the best instruction. A table reads no text: at its nth turn, it makes the nth move that the instruction names.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], minibatches: 4, aggregation: 'sequence-mean-token-mean' },
  guidance: {
    kind: 'instruct',
    teachers: [],
    share: 1,
    instructions: ['Turn [a], then [b].', 'Turn [c], then [c].', 'Turn [b], then [b].', 'Turn [c], then [a].'],
  },
  training: { ...lake, environment: 'lock', task: { dials: 7 }, games: 2560 },
};

/** A generator of wrong steps against a critic that finds them. */
export const spc: Recipe = {
  ...usual,
  name: 'spc',
  method: 'SPC (sneaky generator, step critic)',
  source: 'arXiv 2504.19162',
  differs:
    'One learner on both seats of a zero-sum game about single steps of an expert: planted errors that pass reward the generator, detected ones the critic; harmless changes earn nothing. The critic is the scorer critic=RUN.',
  omits: 'Critiques in words, and two separate models.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  stepGame: { expert: 'optimal', episodes: 8 },
  training: { ...lake, games: 12_800 },
};
