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
const starlingTest = 'ideas that were played first help on those held out';

export const namedFigures: Readonly<Record<string, NamedFigure>> = {
  'chain-of-agents': [
    'packages/learning/src/rl/trace-game.test.ts',
    'is one answer that plays the same move, for the seat of the team alone',
  ],
  'kuhn-tabular': [trees, 'is nearly an equilibrium with a refreshed reference', 'without a reference the average converges and the last'],
  'leduc-tabular': [mirrors, 'bring a table close to an equilibrium of Leduc poker'],
  'leduc-lm': [mirrors, 'bring a language model near an equilibrium of Kuhn poker'],
  'kuhn-rae': [trees, 'by the book it is, too, more noisily', 'without a reference the average converges and the last'],
  'kuhn-rae-plain': [trees, 'without a reference the average converges and the last policy cycles', 'by the book it is, too'],
  'kuhn-dr-grpo': [trees, 'a deviation for each deal never converges, a mean for each deal does'],
  'kuhn-grpo-std': [trees, 'a deviation for each deal never converges, a mean for each deal does'],
  'tic-tac-toe-tabular': [trees, 'NashConv below .05 from random openings, far from it without them'],
  'hanabi-tabular': [trees, '10 of 10, the optimum of the team, on every seed'],
  'dilemma-tabular': [trees, 'the repeated dilemma: both defect, from the first round on'],
  'frozen-lake-tabular': [
    'packages/learning/src/training/frozen-lake.test.ts',
    'to cross the lake from nothing, and does not when nothing is learnt',
  ],
  'sites-tabular': ['packages/learning/src/training/frozen-lake.test.ts', 'through small sites, and does not when nothing is learnt'],
  'rules-tabular': ['packages/learning/src/training/work.test.ts', 'the rule of a reactor by trying, and does not when nothing is learnt'],
  'blocks-tabular': [tables, '%s is paid more after it has learned, and no more when nothing is learnt'],
  'tutor-tabular': [tables, '%s is paid more after it has learned, and no more when nothing is learnt'],
  'content-tabular': [tables, '%s is paid more after it has learned, and no more when nothing is learnt'],
  'recommender-tabular': [tables, '%s is paid more after it has learned, and no more when nothing is learnt'],
  'sokoban-tabular': [grounds, 'sokoban-tabular'],
  'wordle-tabular': [grounds, 'wordle-tabular'],
  'design-tabular': [grounds, 'design-tabular'],
  'maze-tabular': [longGrounds, 'maze-tabular'],
  'minesweeper-tabular': [longGrounds, 'minesweeper-tabular'],
  'pathfinding-tabular': [longGrounds, 'pathfinding-tabular'],
  'learn-to-follow': ['packages/learning/src/training/follow.test.ts', 'reaches more goals on maps of 400 than one that goes on blindly'],
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
  'offers-tabular': [tables, 'finds where answers stand among facts that it has never met, and does not by whole views'],
  'quest-tabular': [tables, 'finds its way in quests that it has never played, and does not by whole views'],
  'clinic-tabular': ['packages/learning/src/rl/training-loop.test.ts', 'clinic mini: the optimum, 0.80'],
  'twenty-questions-tabular': [
    'packages/learning/src/rl/training-loop.long.test.ts',
    'twenty questions: five bits and a right guess, every time',
  ],
  'drones-gaussian': [
    'packages/learning/src/training/drones.long.test.ts',
    'flies better than the PID script, and not when nothing is learnt',
  ],
  'motor-gaussian': ['packages/learning/src/training/motor.test.ts', 'the motor better than PI, and does not when nothing is learnt'],
  'ui-genie': [
    'packages/learning/src/training/reward-guide.test.ts',
    'filters what a round learns from, and is in the report',
    'is a C under a rule that nothing tells',
  ],
  inspo: [
    'packages/learning/src/rl/guidance/instructions.test.ts',
    'comes to play under the one that helps, and those that mislead leave',
    'name no move all earn alike',
  ],
  'teacher-tabular': [
    'packages/ludus-agents/src/cli/commands/train-teachers.test.ts',
    'compares teachers at equal games on all tasks alike',
  ],
  'kuhn-league': [
    'packages/learning/src/training/trainer.test.ts',
    'comes nearer to equilibrium, and goes on from a checkpoint to the identical end',
  ],
  'kuhn-lm': [
    'packages/learning/src/training/self-play.test.ts',
    'speaks the grammar of Kuhn poker after imitation, and then gets much harder to exploit',
  ],
  'many-lm': ['packages/learning/src/training/multi-environment.long.test.ts', 'comes to be paid more in each of them'],
  'privacy-guard-lm': [
    'packages/ludus-agents/test/training/language.long.test.ts',
    '%s is paid more on fresh episodes, with an interval above nothing',
  ],
  'service-desk-lm': [
    'packages/ludus-agents/test/training/language.long.test.ts',
    '%s is paid more on fresh episodes, with an interval above nothing',
  ],
  'lm-dpo': ['packages/learning/src/training/preferences.long.test.ts', '%s: it comes to win by comparing its own games'],
  'lm-kto': ['packages/learning/src/training/preferences.long.test.ts', '%s: it comes to win by comparing its own games'],
  'best-response': [
    'packages/ludus-agents/test/training/seating.test.ts',
    'finds nearly all that can be won from a script',
    'wins nothing from an equilibrium',
  ],
  supo: [views, 'of a summary solves a task of memory that a window of the same length cannot'],
  mem1: [views, 'trains a memo as what was written, once', 'of a summary solves a task of memory that a window'],
  'verl-tool': [views, 'never what a tool said'],
  artist: [tools, 'pays form, tools that work and actions of an expert'],
  datamind: [tools, 'shows calls of tools to a learner that plays through prompts'],
  relic: ['packages/learning/src/rl/episode-contexts.test.ts', 'three times 32 turns, then 128'],
  fathom: [rewards, 'label a call that was made before as redundant'],
  'igpo-own': [rewards, 'a quarter, a half, all'],
  rlsp: [rewards, 'a long wrong answer would beat a short right one'],
  cm2: ['packages/learning/src/training/reward-sources.test.ts', 'pay each item of a checklist to the turn that first satisfies it'],
  rlhg: [rewards, 'nothing where the partner wins alone'],
  archer: [critics, '0.855, where returns say 0.475'],
  mansa: [critics, 'is bought in the state that needs it, and never in the other'],
  'ui-tars-2': ['packages/learning/src/rl/generations.test.ts', 'brings failures back, which the successes that spear remembers never do'],
  'ai-search-planner': [
    'packages/ludus-agents/test/training/reward-front.test.ts',
    'asks for all of a question until words cost more than they find',
  ],
  dart: [branches, 'and 8 of the same tasks once they are always won'],
  aepo: [branches, 'begins more of them afresh the less certain first turns are'],
  arpo: [branches, 'grows branches to the size asked for and no further'],
  rapo: [
    'packages/learning/src/rl/recollection.test.ts',
    'counts more in rapo by as much as there are groups without a lesson, and not in arpo-gui',
  ],
  marft: [roles, 'credits a role with what the next one thinks'],
  clam: [roles, 'wins from opponents that a policy without it cannot tell apart'],
  mra: [roles, 'has one for each of two numbers that were not trained on'],
  'skill-controller': [roles, 'finds the weakness of an opponent it has not met'],
  sppo: [
    'packages/learning/src/rl/preferences.test.ts',
    'goes on where its reference is refreshed, and stays at one step where it never is',
  ],
  spo: [
    'packages/learning/src/rl/preferences.test.ts',
    'comes to the minimax winner on average',
    'does not with returns in place of preferences',
  ],
  imitate: ['packages/ludus-agents/test/training/kept-source.test.ts', 'and from those that did not'],
  'filtered-cloning': [text, 'stitch two half-good episodes to 1.9'],
  'mc-returns': [text, 'where returns say 0.9 against 0.99'],
  'implicit-q': [text, 'stitch two half-good episodes to 1.9'],
  'agent-evol': [text, 'reach locks that no demonstration opens'],
  'bfs-prover': [text, 'drop what is trivial and what is noise'],
  'agent-rlvr': [guided, 'is in no row that is trained, though it was read'],
  bepa: [guided, 'own successes take its place: S0, -, S1, S1, -, S2'],
  ampo: [guided, 'is asked for only where a whole group fails'],
  rpd: [guided, 'has a gradient where nothing pays'],
  step: [errors, 'learn what follows the first error and never the error itself'],
  'agent-refine': [errors, 'learn what follows the first error and never the error itself'],
  rise: [errors, 'count e times as much where they are right'],
  'early-experience': [errors, 'thirteen rows'],
  'rl-adapter': [games, 'makes a player that knows nothing open locks', 'not a player that reads no hints'],
  sage: [
    'packages/learning/src/rl/chain-game.test.ts',
    'is worth more with a library than without one, after training',
    'has no skill without a library',
  ],
  a3t: [reflected, 'learns a reason before the move that it was written after', 'names another move is dropped'],
  self: [reflected, 'keeps a refined answer only where its episode ends better', 'from one who knows nothing'],
  envgen: [coevolved, 'tasks are written by an agent from what came of earlier ones'],
  xland: ['packages/learning/src/training/task-progress.long.test.ts', 'a generation that is shown what the last one could do ends higher'],
  seagent: [verdicts, 'are made less likely than the reference has them, and no other step is touched'],
  'agent-evolver': [verdicts, 'are recalled where a group fails at what looks the same, and nowhere else'],
  'game-on': [
    'packages/learning/src/training/experiment-trainer.test.ts',
    'keeps skill after skill and ends when all are kept',
    'the last one alone is never learned',
  ],
  comas: [games, 'teaches the right answer where the scorer knows it', 'a scorer that praises all'],
  spc: ['packages/learning/src/rl/step-game.test.ts', 'tells wrong steps from right ones in episodes that it has never judged'],
  pae: [coevolved, 'moves to tasks that can be solved under 4p(1 − p), and to the impossible under 1 − p'],
  ssp: [proposers, 'retrieves the answer from the evidence, and not without it'],
  agent0: [proposers, 'pays Agent0 for real calls only, and takes off what repeats'],
  pasodoble: [proposers, 'pays PasoDoble nothing for a stream of duplicates'],
  'pasodoble-offline': [coevolved, 'learns in turn, one side at a time, and offline from tasks that taught'],
  mae: [coevolved, 'is three roles of one learner in MAE, and its judge comes to mark down what cannot be solved'],
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
  grpo: ['makes four steps, and cuts ratios of 1.25 and 1.29 as well as those of 2', cuts, [4, 0.1399], 'flow-grpo'],
  'flow-grpo': ['makes four steps, and cuts ratios of 2 and not of 1.29', cuts, [4, 0.0774], 'grpo'],
  // −0.5625 × 4 and −0.5 × 12, among 24 turns.
  'dr-grpo': ['blames a loser by what it returned below the mean', rows(d1, f1), [[-0.0937], [-0.25]], 'epo'],
  rloo: ['blames one of two by the whole difference, and cuts nothing', both(rows(f1), cuts), [[[-0.5004]], [1, 0]], 'dr-grpo'],
  'reinforce-plus-plus': [
    'hardly blames the loser of a group that won more than most',
    rows(f1),
    [[-0.0004]],
    'reinforce-plus-plus-baseline',
  ],
  'reinforce-plus-plus-baseline': ['blames it, by the deviation of all', rows(f1), [[-0.5984]], 'reinforce-plus-plus'],
  'ppo-turns': ['weighs all tokens of a turn alike, by the length of the turn', rows(e2), [[0.0125, 0.0125, 0.0125]], 'ppo-tokens'],
  'ppo-tokens': ['weighs a token the more the nearer it is to the reward', rows(e2), [[0.0301, 0.0317, 0.0333]], 'ppo-turns'],
  // 0.95 × 1.25 / 27: the first turn by its own discount.
  'ragen-two-level': ['discounts by turns and not within them', rows(a1, e2), [[0.044], [0.0333, 0.0333, 0.0333]], 'ppo-tokens'],
  loop: ['goes twice over its episodes, and cuts a ratio of 1.15', both(cuts, rows(c1)), [[2, 0.2593], [[0]]], 'rloo'],
  dapo: ['leaves out the group that teaches nothing, of sixteen', both(rowCounts, sizes), [[20, 20], [16]], 'grpo-roc'],
  'grpo-roc': ['plays thirty-two of a prompt', both(rowCounts, sizes), [[20, 20], [32]], 'dapo'],
  'starpo-s': ['keeps the one group of four that differs most', rowCounts, [5, 5], 'dapo'],
  spiral: [
    'blames a loser the more, the more it has won of late',
    async (recipe) => (await goldenUpdates(recipe)).map(({ steps }) => steps[0]?.weights[f1]),
    [[-0.0507], [-0.0829]],
    'self-red-team',
  ],
  marshal: ['has a floor under blame at ratios of 4 and 12', rows(d1, f1), [[0.0015], [0.0015]], 'spiral'],
  'dr-mas': ['praises a turn that was paid, and blames the next', both(rows(c1, c2), sizes), [[[0.0166], [-0.026]], [8]], 'epo'],
  igpo: ['pays what a turn revealed, in groups of sixteen', both(rows(c1, c2), sizes), [[[0.0166], [-0.026]], [16]], 'dr-mas'],
  gigpo: ['blames a turn that did worse than others at the same state', rows(c1, c2), [[0.0186], [-0.013]], 'dr-grpo'],
  epo: ['draws entropy back in from both sides', bonus, [-0.099, 0.101], 'grpo'],
  spear: ['brings ten turns of own successes back', rowCounts, [20, 30], 'starpo-s'],
  'arpo-gui': ['learns nothing in its first pass', rowCounts, [0, 0], 'flow-grpo'],
  chord: ['begins with nine tenths of imitation', rows(d1, last), [[-0.0203], [0.9]], 'dapo'],
  'scaling-inter': ['plays ten turns, then twenty, then thirty', horizons, [10, 10, 20, 30], 'grpo'],
  // (0.5 + ln 0.3 / 0.25) / 24: half of the distance to the advantage, from the reference.
  webrl: ['leads log-ratios to advantages, whatever was sampled', rows(a1), [[0.0284]], 'ppo-turns'],
  'm-dpo': ['prefers the best of a group to the worst, turn by turn', rows(0, 2), [[0.0255], [-0.0255]], 'lm-dpo'],
  'm-kto': [
    'lifts all above the mean and lowers all below',
    both(rowCounts, rows(0, 3)),
    [
      [20, 20],
      [[0.0016], [-0.0016]],
    ],
    'lm-kto',
  ],
  'apc-dpo': ['rejects what the judge finds worse, though it was paid more', rows(0, 3), [[0.0248], [-0.0248, -0.0248]], 'm-dpo'],
  'self-red-team': ['compares a seat over the batch, and is held back', both(rows(d1), settings), [[[-0.1823]], { kl: 0.0004 }], 'spiral'],
  'mobile-r1': ['learns from fines alone in its first stage', rows(a1, d1), [[0], [-0.0312]], 'dr-grpo'],
  'mua-rl': ['is held to its imitation as a whole', both(rows(d1), settings), [[[-0.1691]], { kl: 0.0008 }], 'epo'],
};
