/**
 * @file The figure of its own that every recipe has: asserted in a named test, or on the golden batch, where another recipe is the control that
 * must not have it.
 */

import { PastEntropy } from '../losses/band.ts';
import { Phases } from '../phases.ts';
import type { Recipe } from '../recipe.ts';
import { pulls } from '../token-weights.ts';
import { type GoldenUpdate, goldenPlay, goldenUpdates, longestTurns } from './golden-update.cases.ts';

/** Where a figure is asserted: the file below src, and words of the test. The control is in the same test, or in the one that the third names. */
export type NamedFigure = readonly [file: string, test: string, control?: string];

const trees = 'packages/learning/src/rl/tree-lessons.test.ts';
const mirrors = 'packages/learning/src/rl/mirror-lessons.test.ts';
const text = 'packages/learning/src/rl/kept-lessons.test.ts';
const roles = 'packages/ludus-agents/test/learning/rl/roles/roles.test.ts';
const rewards = 'packages/learning/src/training/rewards.test.ts';
const views = 'packages/learning/src/training/view.test.ts';
const tools = 'packages/learning/src/training/tools.test.ts';
const guided = 'packages/learning/src/rl/guidance/guidance.test.ts';
const errors = 'packages/learning/src/rl/guidance/errors.test.ts';
const critics = 'packages/learning/src/rl/baselines/critics.test.ts';
const branches = 'packages/learning/src/rl/branch-rollouts.test.ts';
const coevolved = 'packages/learning/src/curricula/coevolution.test.ts';
const proposers = 'packages/learning/src/curricula/proposers/proposers.test.ts';
const tables = 'packages/learning/src/training/tables.test.ts';
const games = 'packages/learning/src/training/games.test.ts';
const verdicts = 'packages/learning/src/rl/guidance/verdict.test.ts';
const reflected = 'packages/learning/src/rl/guidance/reflection.test.ts';

const grounds = 'packages/learning/src/training/environments.test.ts';
const longGrounds = 'packages/learning/src/training/environments.long.test.ts';
const starlingTest = 'starling: ideas played first help on held-out tasks more than starling-fresh';

export const namedFigures: Readonly<Record<string, NamedFigure>> = {
  'chain-of-agents': [
    'packages/learning/src/rl/trace-game.test.ts',
    "is a single answer that replays as the same move, only for the team's seat",
  ],
  'kuhn-tabular': [
    trees,
    'has a near-equilibrium last policy with a refreshed reference, in 9 of 10 seeds',
    'has a converging average but a cycling last policy without a reference',
  ],
  'leduc-tabular': [mirrors, 'brings a table close to equilibrium in Leduc poker, thanks to averaging the last policies'],
  'leduc-lm': [mirrors, 'brings a language model near an equilibrium of Kuhn poker'],
  'kuhn-rae': [
    trees,
    'has a near-equilibrium policy with the published method, too, but with more noise',
    'has a converging average but a cycling last policy without a reference',
  ],
  'kuhn-rae-plain': [
    trees,
    'has a converging average but a cycling last policy without a reference',
    'has a near-equilibrium policy with the published method, too, but with more noise',
  ],
  'kuhn-dr-grpo': [trees, 'converges with a mean per deal, but not with a deviation per deal'],
  'kuhn-grpo-std': [trees, 'converges with a mean per deal, but not with a deviation per deal'],
  'tic-tac-toe-tabular': [trees, 'tic-tac-toe reaches NashConv below .05 from random openings, but not without them'],
  'hanabi-tabular': [trees, 'hanabi-tiny reaches the team optimum of 10 on every seed'],
  'dilemma-tabular': [trees, 'repeated dilemma ends in mutual defection from the first round on'],
  'frozen-lake-tabular': [
    'packages/learning/src/training/frozen-lake.test.ts',
    'frozen-lake-tabular learns to cross the lake, but not with a rate of 0',
  ],
  'sites-tabular': [
    'packages/learning/src/training/frozen-lake.test.ts',
    'sites-tabular learns to solve small sites, but not with a rate of 0',
  ],
  'rules-tabular': [
    'packages/learning/src/training/work.test.ts',
    'rules-tabular learns to find the rule of a reactor by trying, but not with a rate of 0',
  ],
  'blocks-tabular': [tables, '%s increases its return by learning, but not with a rate of 0'],
  'tutor-tabular': [tables, '%s increases its return by learning, but not with a rate of 0'],
  'content-tabular': [tables, '%s increases its return by learning, but not with a rate of 0'],
  'recommender-tabular': [tables, '%s increases its return by learning, but not with a rate of 0'],
  'sokoban-tabular': [grounds, 'sokoban-tabular'],
  'wordle-tabular': [grounds, 'wordle-tabular'],
  'design-tabular': [grounds, 'design-tabular'],
  'maze-tabular': [longGrounds, 'maze-tabular'],
  'minesweeper-tabular': [longGrounds, 'minesweeper-tabular'],
  'pathfinding-tabular': [longGrounds, 'pathfinding-tabular'],
  'learn-to-follow': [
    'packages/learning/src/training/follow.test.ts',
    'learn-to-follow policy from 100-cell maps beats the stubborn script on 400-cell maps',
  ],
  'skirmish-tabular': [longGrounds, 'skirmish-tabular'],
  'chess-tabular': [longGrounds, 'chess-tabular'],
  'kitchen-tabular': [longGrounds, 'kitchen-tabular'],
  'nations-tabular': [longGrounds, 'nations-tabular'],
  'guess-my-city-tabular': [longGrounds, 'guess-my-city-tabular'],
  'commons-tabular': [longGrounds, 'commons-tabular'],
  'shift-tabular': [longGrounds, 'shift-tabular'],
  'mental-arena': [longGrounds, 'mental-arena'],
  'support-tabular': [longGrounds, 'support-tabular'],
  'debate-tabular': [longGrounds, 'debate-tabular'],
  'volleyball-tabular': [longGrounds, 'volleyball-tabular'],
  starling: [longGrounds, starlingTest],
  'starling-fresh': [longGrounds, starlingTest],
  'offers-tabular': [tables, 'offers-tabular finds answers among new facts, but not with whole views'],
  'quest-tabular': [tables, 'quest-tabular solves new quests, but not with whole views'],
  'clinic-tabular': ['packages/learning/src/rl/training-loop.test.ts', 'reaches the optimum of 0.80 in the mini clinic'],
  'twenty-questions-tabular': [
    'packages/learning/src/rl/training-loop.long.test.ts',
    'twenty-questions recipe always earns five bits and a right guess',
  ],
  'drones-gaussian': [
    'packages/learning/src/training/drones.long.test.ts',
    'drones-gaussian flies better than the PID script, but not with a rate of 0',
  ],
  'motor-gaussian': [
    'packages/learning/src/training/motor.test.ts',
    'motor-gaussian controls the motor better than PI, but not with a rate of 0',
  ],
  'ui-genie': [
    'packages/learning/src/training/reward-guide.test.ts',
    'filters the lessons of a round and appears in the report',
    'gets a C for an unpredictable rule, which then provides all rewards',
  ],
  inspo: [
    'packages/learning/src/rl/guidance/instructions.test.ts',
    'converges to the helpful instruction and drops misleading ones',
    'drops hardly any instruction if all are equally good',
  ],
  'teacher-tabular': [
    'packages/ludus-agents/src/cli/commands/train-teachers.test.ts',
    'compares teachers at equal games on all tasks, including one from a file',
  ],
  'kuhn-league': [
    'packages/learning/src/training/trainer.test.ts',
    'approaches equilibrium and resumes from a checkpoint to an identical end',
  ],
  'kuhn-lm': [
    'packages/learning/src/training/self-play.test.ts',
    'plays legal Kuhn poker moves after imitation, then becomes much less exploitable',
  ],
  'many-lm': ['packages/learning/src/training/multi-environment.long.test.ts', 'increases its return in each of them'],
  'privacy-guard-lm': [
    'packages/ludus-agents/test/training/language.long.test.ts',
    '%s earns a higher return on fresh episodes, with an interval above zero',
  ],
  'web-agent-r1': [longGrounds, 'web-agent-r1'],
  'service-desk-lm': [
    'packages/ludus-agents/test/training/language.long.test.ts',
    '%s earns a higher return on fresh episodes, with an interval above zero',
  ],
  'lm-dpo': ['packages/learning/src/training/preferences.long.test.ts', 'wins more often with %s by comparing its games'],
  'lm-kto': ['packages/learning/src/training/preferences.long.test.ts', 'wins more often with %s by comparing its games'],
  'best-response': [
    'packages/ludus-agents/test/training/seating.test.ts',
    'finds nearly the maximum gain against a script, with its certainty',
    'gains nothing against an equilibrium',
  ],
  supo: [views, 'with a summary solves a memory task that a window of the same length cannot'],
  mem1: [
    views,
    'with a memo trains the memo once as written and shows it as read',
    'with a summary solves a memory task that a window of the same length cannot',
  ],
  'verl-tool': [views, 'trains tool calls and answers, but never tool results'],
  artist: [tools, 'pay for well-formed output, successful tool calls, and expert actions'],
  datamind: [tools, 'show tool calls to a learner that plays through prompts'],
  relic: [
    'packages/learning/src/rl/episode-contexts.test.ts',
    'train on the newest turns, and at the end on all: 32 turns three times, then 128',
  ],
  fathom: [rewards, 'label a repeated call as redundant and pay it less'],
  'igpo-own': [rewards, "pay learning progress by the learner's confidence: a quarter, a half, and all"],
  rlsp: [rewards, 'pay brevity in a separate channel, so that long wrong answers cannot win'],
  cm2: [
    'packages/learning/src/training/reward-sources.test.ts',
    'pay each checklist item to the first turn that satisfies it, from the recipe or a file',
  ],
  rlhg: [rewards, "pay a helper its partner's gain, and nothing if the partner wins alone"],
  archer: [critics, 'values an old observation under the current policy: 0.855 instead of the return of 0.475'],
  mansa: [critics, 'is bought only in the state that needs it'],
  'ui-tars-2': ['packages/learning/src/rl/generations.test.ts', 'replays failures with ui-tars-2, but only successes with spear'],
  'ai-search-planner': [
    'packages/ludus-agents/test/training/reward-front.test.ts',
    'training reduces questions once their cost exceeds their value: 0.67 for ten words',
  ],
  dart: [branches, 'number 32 for new tasks and 8 for tasks that are always won'],
  aepo: [branches, 'start fresh more often if first turns are less certain, as in the AEPO example'],
  arpo: [branches, 'branchRollouts grows branches up to the requested size with shared prefixes and masks'],
  rapo: [
    'packages/learning/src/rl/recollection.test.ts',
    'is weighted in rapo by the share of groups without a lesson, but not in arpo-gui',
  ],
  marft: [roles, "credit a role with the next role's value"],
  clam: [roles, 'beat opponents that a policy without them cannot distinguish'],
  mra: [roles, 'fits two untrained numbers of seats, unlike a single policy'],
  'skill-controller': [roles, 'find the weakness of a new opponent'],
  hcsp: [roles, 'learn motions in drills, then strategies over frozen motions, then both'],
  sppo: [
    'packages/learning/src/rl/preferences.test.ts',
    'keeps improving if its reference is refreshed, and stops after one step if it is not',
  ],
  spo: [
    'packages/learning/src/rl/preferences.test.ts',
    'converges to the minimax winner on average, but not in its last policy',
    'fails with returns instead of preferences, because the best against chance can be exploited',
  ],
  imitate: ['packages/ludus-agents/test/training/kept-source.test.ts', 'learns from the successful or failed episodes of a run'],
  'filtered-cloning': [text, 'stitch two half-good episodes to a return of 1.9 instead of 1'],
  'mc-returns': [text, 'use possible continuations with implicit learning: 1.791 and 0.891 instead of 0.9 and 0.99'],
  'implicit-q': [text, 'stitch two half-good episodes to a return of 1.9 instead of 1'],
  'agent-evol': [text, 'open locks without a demonstration, and add nothing without any reward'],
  'bfs-prover': [text, 'drop the lowest and highest tenth by perplexity'],
  'agent-rlvr': [guided, 'never appears in training rows, although it was read, over whole training runs'],
  bepa: [guided, "keeps planned successes by task until the learner's successes replace them"],
  ampo: [guided, 'is requested only if a whole group fails, and then fills two places'],
  rpd: [guided, 'by moves has a gradient without rewards, only at states the learner visits'],
  'agent-r': [errors, 'revise a failure at the first error, and train only on the way back'],
  step: [errors, 'train on the turns after the first error, never on the error'],
  'agent-refine': [errors, 'train on the turns after the first error, never on the error'],
  rise: [errors, 'give a correct last answer e times the weight'],
  'early-experience': [errors, 'makes one row per alternative: thirteen from five states and three tries'],
  'rl-adapter': [games, 'lets an uninformed player open locks after training the adviser, but not a deaf player'],
  sage: [
    'packages/learning/src/rl/chain-game.test.ts',
    'ends with higher returns after training with a library than without',
    'offers no skills without a library, and none that were dropped or unpaid',
  ],
  a3t: [
    reflected,
    'are trained before their move, without the question or the outcome in the row',
    'are dropped if they name another move, and tables train on plain moves',
  ],
  self: [reflected, 'keeps a refined answer only if its episode ends better'],
  envgen: [coevolved, 'earns more with a task writer that reads the results of earlier tasks'],
  xland: [
    'packages/learning/src/training/task-progress.long.test.ts',
    'xland: a generation guided by the previous one ends higher than a fresh one',
  ],
  seagent: [verdicts, 'become less likely than in the reference, without changing other steps'],
  'agent-evolver': [verdicts, 'are shown only in failing groups with similar tasks, and are not in the training rows'],
  'game-on': [
    'packages/learning/src/training/experiment-trainer.test.ts',
    'keeps skill after skill until all are kept, where the hardest skill alone is never learned',
  ],
  comas: [games, 'teaches the right answer with an informed scorer, but not with one that praises everything'],
  spc: ['packages/learning/src/rl/step-game.test.ts', 'trains a critic that tells wrong steps from right ones in new episodes'],
  pae: [coevolved, 'moves to solvable tasks with reward 4p(1 − p), and to impossible ones with 1 − p'],
  ssp: [proposers, 'derives the answer from the evidence, and rejects it without evidence'],
  agent0: [proposers, 'of Agent0 requires real calls and penalizes duplicates'],
  pasodoble: [proposers, 'of PasoDoble is 0 for a stream of duplicates'],
  'pasodoble-offline': [coevolved, 'alternates learning between the sides, also offline from useful tasks'],
  mae: [coevolved, 'trains one learner in three roles with MAE, whose judge marks unsolvable tasks down'],
};

/** What is measured of a recipe on the golden batch. */
export type Measure = (recipe: Recipe) => Promise<unknown>;

/** A figure that another recipe, the nearest, does not have. */
export type GoldenFigure = readonly [what: string, measure: Measure, wanted: unknown, control: string];

const first = async (recipe: Recipe): Promise<GoldenUpdate> => (await goldenUpdates(new Phases(recipe).recipe))[0];
const rowsIn = ({ steps }: GoldenUpdate) => steps.reduce((sum, { weights }) => sum + weights.length, 0);

/** Weights of tokens in the first gradient, by the row: see the groups of the golden batch. */
const rows =
  (...places: readonly number[]): Measure =>
  async (recipe) => {
    const [step] = (await first(recipe)).steps;
    return places.map((place) => step?.weights.at(place) ?? null);
  };
const cuts: Measure = async (recipe) => {
  const { steps, clipped } = await first(recipe);
  return [steps.length, clipped];
};
const rowCounts: Measure = async (recipe) => (await goldenUpdates(recipe)).map(rowsIn);
const sizes: Measure = async (recipe) => [...new Set((await goldenPlay(recipe)).sizes)];
const both =
  (one: Measure, other: Measure): Measure =>
  async (recipe) => [await one(recipe), await other(recipe)];
const settings: Measure = async (recipe) => (await first(recipe)).steps[0]?.settings;

/** Rows of the golden batch: turns of the first seat, and the other seat's only turn after them. */
const [a1, c1, c2, d1, e2, f1, last] = [0, 6, 7, 9, 12, 14, -1];

/** The bonus for entropy where it has just risen to twice, or fallen to half, of what it was. */
const bonus: Measure = async (recipe) =>
  [2, 0.5].map((entropy) => {
    const past = new PastEntropy();
    for (const value of [1, 1, 1, entropy]) past.add(value);
    return Math.round((pulls(recipe, { done: 0, past })['entropy'] ?? 0) * 1e4) / 1e4;
  });

/** The most turns that are played at the first update, before and after the cap is raised, and at the end. */
const horizons: Measure = (recipe) => longestTurns(recipe, [0, 99, 100, 200]);

export const goldenFigures: Readonly<Record<string, GoldenFigure>> = {
  grpo: ['takes four steps and clips ratios of 1.25, 1.29, and 2', cuts, [4, 0.1399], 'flow-grpo'],
  'flow-grpo': ['takes four steps and clips ratios of 2 but not of 1.29', cuts, [4, 0.0774], 'grpo'],
  // −0.5625 × 4 and −0.5 × 12, among 24 turns.
  'dr-grpo': ['penalizes a loser by the distance of its return from the mean', rows(d1, f1), [[-0.0937], [-0.25]], 'epo'],
  rloo: ['penalizes one of two by the whole difference and clips nothing', both(rows(f1), cuts), [[[-0.5004]], [1, 0]], 'dr-grpo'],
  'reinforce-plus-plus': [
    'barely penalizes the loser of a group that won more than most',
    rows(f1),
    [[-0.0004]],
    'reinforce-plus-plus-baseline',
  ],
  'reinforce-plus-plus-baseline': [
    'penalizes that loser, scaled by the deviation of the batch',
    rows(f1),
    [[-0.5984]],
    'reinforce-plus-plus',
  ],
  'ppo-turns': [
    'weights all tokens of a turn equally, scaled by the length of the turn',
    rows(e2),
    [[0.0125, 0.0125, 0.0125]],
    'ppo-tokens',
  ],
  'ppo-tokens': ['weights a token more the closer it is to the reward', rows(e2), [[0.0301, 0.0317, 0.0333]], 'ppo-turns'],
  // 0.95 × 1.25 / 27: the first turn by its own discount.
  'ragen-two-level': ['discounts between turns but not within them', rows(a1, e2), [[0.044], [0.0333, 0.0333, 0.0333]], 'ppo-tokens'],
  loop: ['passes over its episodes twice and clips a ratio of 1.15', both(cuts, rows(c1)), [[2, 0.2593], [[0]]], 'rloo'],
  dapo: ['drops the uninformative group and plays sixteen per prompt', both(rowCounts, sizes), [[20, 20], [16]], 'grpo-roc'],
  'grpo-roc': ['plays 32 episodes per prompt', both(rowCounts, sizes), [[20, 20], [32]], 'dapo'],
  'starpo-s': ['keeps only the most varied of four groups', rowCounts, [5, 5], 'dapo'],
  spiral: [
    'penalizes a loser more if it won more recently',
    async (recipe) => (await goldenUpdates(recipe)).map(({ steps }) => steps[0]?.weights[f1]),
    [[-0.0507], [-0.0829]],
    'self-red-team',
  ],
  marshal: ['limits the penalty at ratios of 4 and 12', rows(d1, f1), [[0.0015], [0.0015]], 'spiral'],
  'dr-mas': ['rewards a paid turn and penalizes the next', both(rows(c1, c2), sizes), [[[0.0166], [-0.026]], [8]], 'epo'],
  igpo: ['rewards the information gain of a turn, in groups of sixteen', both(rows(c1, c2), sizes), [[[0.0166], [-0.026]], [16]], 'dr-mas'],
  gigpo: ['penalizes a turn that did worse than others in the same state', rows(c1, c2), [[0.0186], [-0.013]], 'dr-grpo'],
  epo: ['pulls entropy back from both sides', bonus, [-0.099, 0.101], 'grpo'],
  spear: ['replays ten turns of past successes', rowCounts, [20, 30], 'starpo-s'],
  'arpo-gui': ['does not train in its first pass', rowCounts, [0, 0], 'flow-grpo'],
  chord: ['starts with 90% imitation', rows(d1, last), [[-0.0203], [0.9]], 'dapo'],
  'scaling-inter': ['plays ten turns, then twenty, then thirty', horizons, [10, 10, 20, 30], 'grpo'],
  // (0.5 + ln 0.3 / 0.25) / 24: half of the distance to the advantage, from the reference.
  webrl: ['moves log-ratios toward advantages, independently of sampling', rows(a1), [[0.0284]], 'ppo-turns'],
  'm-dpo': ['prefers the best of a group to the worst, turn by turn', rows(0, 2), [[0.0255], [-0.0255]], 'lm-dpo'],
  'm-kto': [
    'raises everything above the mean and lowers everything below',
    both(rowCounts, rows(0, 3)),
    [
      [20, 20],
      [[0.0016], [-0.0016]],
    ],
    'lm-kto',
  ],
  'apc-dpo': ['rejects the answer that the judge rates lower, even if it earned more', rows(0, 3), [[0.0248], [-0.0248, -0.0248]], 'm-dpo'],
  'self-red-team': [
    'compares a seat across the batch, with a KL penalty',
    both(rows(d1), settings),
    [[[-0.1823]], { kl: 0.0004 }],
    'spiral',
  ],
  'mobile-r1': ['trains only on penalties in its first phase', rows(a1, d1), [[0], [-0.0312]], 'dr-grpo'],
  'mua-rl': ['has a KL penalty toward its imitated policy', both(rows(d1), settings), [[[-0.1691]], { kl: 0.0008 }], 'epo'],
};
