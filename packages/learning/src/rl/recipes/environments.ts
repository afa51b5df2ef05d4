/** @file One recipe for each environment that is small enough for a table, in a task whose best return is known exactly or nearly. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../recipe.ts';
import { clinicTabular } from './tabular.ts';

interface Ground {
  /** The environment's name with the suffix -tabular by default. */
  readonly name?: string;
  readonly task: Json;
  readonly games: number;
  /** The simplifications, and the achievable return. */
  readonly differs: string;
  readonly seats?: Readonly<Record<string, string>>;
  /** 1 by default; lower if the effect of a move is seen soon. */
  readonly discount?: number;
}

/**
 * REINFORCE with returns to go and a running baseline, over the views of a seat; most only read their latest message, which is sufficient
 * there.
 */
function tableRecipe(environment: string, { name = `${environment}-tabular`, task, games, differs, seats, discount = 1 }: Ground): Recipe {
  return {
    ...clinicTabular,
    name,
    method: 'REINFORCE with a running baseline, by rollout',
    source: 'Williams (1992), Simple statistical gradient-following algorithms',
    differs,
    assignment: { kind: 'return-to-go', discount },
    training: {
      environment,
      task,
      optimiser: 'adam',
      rate: { from: 0.1, to: 0.1 },
      games,
      batch: 64,
      learner: 'table',
      ...(seats === undefined ? {} : { seats }),
    },
  };
}

export const mazeTabular = tableRecipe('maze', {
  task: { map: 'u-maze', steps: 40, window: 1 },
  games: 6400,
  differs: 'A table over the places of one maze; the best return is −5.',
});

export const minesweeperTabular = tableRecipe('minesweeper', {
  task: { columns: 3, rows: 3, mines: 2, window: 1 },
  games: 25_600,
  differs: 'A table over the visible part of a three-by-three field with two mines. The best win rate is 6/7; random play wins 83/648.',
});

export const sokobanTabular = tableRecipe('sokoban', {
  task: { level: 'pair', steps: 20, window: 1 },
  games: 12_800,
  differs: 'A table over the boards of one level with two boxes; the best return is 11.6.',
});

export const pathfindingTabular = tableRecipe('pathfinding', {
  task: { layout: '.../.../...', agents: 2, steps: 12, window: 1 },
  games: 12_800,
  differs: 'One table plays two walkers on a three-by-three board. The reward is goals reached in twelve steps.',
});

const follower = tableRecipe('pathfinding', {
  name: 'learn-to-follow',
  task: { size: 16, agents: 12, density: 0.3, sight: 'way', stride: 0.3, steps: 32, window: 1 },
  games: 600,
  differs:
    'All walkers share one table that reads the next step of its planned way and the four cells around it, so that what is learned holds on maps of any size; besides goals, steps along the way are paid. The control is the script stubborn, which takes its way blindly.',
  discount: 0.7,
});

/** A planned path, and a learned policy that follows it around other agents, on maps of hundreds of cells. */
export const learnToFollow: Recipe = {
  ...follower,
  method: 'Learn to Follow (a planned way, a learned follower)',
  source: 'arXiv 2310.01207',
  omits: 'A network over a window of the map, and a planner whose costs grow where others are.',
  view: { kind: 'latest' },
  loss: { ...follower.loss, entropy: { from: 0.01, to: 0 } },
  training: { ...follower.training, batch: 2, rate: { from: 0.3, to: 0.08 } },
};

export const skirmishTabular = tableRecipe('skirmish', {
  task: { game: 'beacon', size: 3, steps: 12, window: 1 },
  games: 6400,
  differs: 'One unit on a three-by-three board. The reward is beacons reached in twelve steps.',
});

export const wordleTabular = tableRecipe('wordle', {
  task: { words: 'tea ten net ant tan', tries: 3 },
  games: 12_800,
  differs: 'A table over all guesses and answers, with five words and three tries.',
});

export const supportTabular = tableRecipe('support', {
  task: { card: 'baker', window: 1 },
  games: 12_800,
  differs: 'A supporter of one invented seeker, whose latest words it sees; a simulation. The best return is below 1.',
  seats: { supporter: 'learner', seeker: 'scripted:seeker' },
});

export const designTabular = tableRecipe('design', {
  task: { target: 500, rounds: 1 },
  games: 6400,
  differs:
    'Five parameters with four values each, one reward; with training.task.seats=one, a single choice among 1,024. The best return is 1.',
});

export const chessTabular = tableRecipe('chess', {
  task: { fen: '7k/8/5K2/8/8/8/8/Q7 w - - 0 1', plies: 3 },
  games: 12_800,
  differs: 'White mates with king and queen in two moves, whatever black plays; the best return is 1.',
  seats: { white: 'learner', black: 'random' },
});

export const kitchenTabular = tableRecipe('kitchen', {
  task: { moves: 'orders', horizon: 60, shaped: true, window: 1 },
  games: 6400,
  differs:
    'One cook gives orders in the cramped kitchen while another stands still, for sixty ticks and with the usual shaping: 20 for a soup, 3 to 5 for what leads to it.',
  seats: { 'cook 1': 'learner', 'cook 2': 'scripted:idle' },
});

export const volleyballTabular = tableRecipe('volleyball', {
  task: { noise: 0, window: 1 },
  games: 12_800,
  differs: 'The home team over skills, against the script, by where the ball came down last. Hits are exact, so that situations repeat.',
  seats: { home: 'learner', guests: 'scripted:team' },
});

export const debateTabular = tableRecipe('debate', {
  task: { rounds: 1, spare: 0, bets: 'none', motion: 'This house would make all city buses free.', window: 2 },
  games: 25_600,
  differs:
    'The judge of a debate with one speech per side, who sees arguments and their strength; sides are scripts. The best return is 1.',
  seats: { proposition: 'scripted:even', opposition: 'scripted:even', judge: 'learner' },
});

export const nationsTabular = tableRecipe('nations', {
  task: { days: 3, window: 1 },
  games: 6400,
  differs: 'One nation over three days among seven that reciprocate; it sees the relations of all.',
  seats: {
    green: 'learner',
    ...Object.fromEntries(['purple', 'white', 'pink', 'red', 'yellow', 'blue', 'orange'].map((nation) => [nation, 'scripted:mirror'])),
  },
});

export const commonsTabular = tableRecipe('commons', {
  task: { players: 2, capacity: 20, rounds: 6, talk: 0, collapse: 2, window: 1 },
  games: 6400,
  differs:
    'One of two players who share a stock of twenty for six rounds; the other takes its fair share. The rest grows back, so saving returns 35, and taking everything at once 20.',
  seats: { first: 'learner', second: 'scripted:fair-share' },
});

export const shiftTabular = tableRecipe('shift', {
  task: { window: 1 },
  games: 6400,
  differs:
    'It sees only the value of the latest dish. Staying with a dish worth 1 and leaving others finds the best one before and after the change.',
  discount: 0.5,
});

/** One learner on both seats, with equal rewards. */
export const mentalArena = tableRecipe('support', {
  name: 'mental-arena',
  task: { setting: 'arena', window: 1 },
  games: 12_800,
  differs:
    'After MentalArena (arXiv 2410.06845): a patient puts coded symptoms into words, a therapist reads them back and treats; one table plays both and learns from both. A simulation. A table instead of a language model, and F1 over codes instead of a similarity of vectors.',
  seats: { supporter: 'learner', seeker: 'learner' },
});
