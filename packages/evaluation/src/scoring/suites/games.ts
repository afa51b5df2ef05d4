/** @file Suites of games and grids. */

import { type SceneInput, suite } from './suite.ts';

/** A two-player game against a fixed opponent, both ways round. The scale is from the largest loss to the largest win; a draw passes. */
function duel(environment: string, { against, most, ...rest }: { against: string; most: number } & Partial<SceneInput>): SceneInput {
  return { environment, seats: ['first', 'second'], others: { '*': against }, scale: [-most, most], pass: 0, also: ['form'], ...rest };
}

/** Small games with a known value or a strong opponent: does an agent follow the rules, and play well? */
export const gamesCore = suite({
  name: 'games-core',
  about:
    'Eight small games: two pokers, a dice game, rows of marks, a code, a guessing game and a game of partners. Opponents are strong or solved, so half the scale is what a perfect player can expect in a game for two.',
  nulls: ['random'],
  k: [1, 2, 4, 8],
  scenes: [
    duel('kuhn-poker', { against: 'scripted:equilibrium', most: 8, tasks: [{ rounds: 4 }] }),
    duel('leduc', { against: 'scripted:tight', most: 13 }),
    duel('liars-dice', { against: 'scripted:odds', most: 1 }),
    duel('tic-tac-toe', { seats: ['X', 'O'], against: 'scripted:lookahead', most: 1 }),
    duel('connect-four', { seats: ['X', 'O'], against: 'random', most: 1, tasks: [{ columns: 5, rows: 4 }] }),
    { environment: 'hanabi-tiny', seats: ['first', 'second'], others: { '*': 'scripted:optimal' }, scale: [0, 10], also: ['form'] },
    { environment: 'codebreaker', seats: ['breaker'], tasks: [{ pegs: 3, colours: 4 }, { mode: 'number' }], pass: 0.4, also: ['form'] },
    {
      environment: 'twenty-questions',
      seats: ['guesser'],
      others: { oracle: 'scripted:oracle' },
      kinds: { scripted: 'scripted:binary-search' },
      scale: [-0.4, 1],
      pass: 0.5,
      also: ['form', 'audits'],
    },
  ],
});

/** Environments with a clock, with units, and with numbers: does an agent cooperate, command, and control? */
export const playCore = suite({
  name: 'play-core',
  version: 2,
  about:
    'A kitchen shared with a cook, units under orders, a motor, a drone and a rally of volleyball. Scripts show what can be reached, random play what comes by itself.',
  nulls: ['random'],
  k: [1, 2, 4],
  scenes: [
    {
      environment: 'kitchen',
      seats: ['cook 1'],
      others: { '*': 'scripted:hla' },
      kinds: { scripted: 'scripted:hla' },
      tasks: [{ moves: 'orders', horizon: 120 }],
      scale: [0, 80],
      pass: 40,
      also: ['form'],
    },
    {
      environment: 'skirmish',
      seats: ['commander'],
      others: { '*': 'scripted:spread' },
      kinds: { scripted: 'scripted:focus' },
      tasks: [{ steps: 40 }],
      scale: [0, 20],
      pass: 10,
      also: ['form'],
    },
    { environment: 'motor', seats: ['controller'], tasks: [{ steps: 40 }], scale: [-12, 0], pass: -2.4, also: ['form'] },
    {
      environment: 'drones',
      seats: ['pilot 1'],
      kinds: { scripted: 'scripted:pid' },
      tasks: [{ seconds: 2 }],
      scale: [0, 2],
      pass: 1.6,
      also: ['form'],
    },
    {
      environment: 'volleyball',
      seats: ['home'],
      others: { '*': 'scripted:team' },
      kinds: { scripted: 'scripted:team' },
      scale: [-20, 20],
      pass: 4,
      also: ['form'],
    },
  ],
});

/** Boards with exact optima: does an agent find ways, weigh chances and look ahead? */
export const gridsCore = suite({
  name: 'grids-core',
  version: 2,
  about:
    'Boards and guessing games whose best play is known or searched: ice, mazes, mines, boxes, a word, a city, an endgame of chess, and many walkers at once. Scripts show what can be reached, random play what comes by itself.',
  nulls: ['random'],
  k: [1, 2, 4],
  scenes: [
    {
      environment: 'frozen-lake',
      seats: ['walker'],
      tasks: [{}, { map: 'generated', split: 'held-out', steady: 0.8 }],
      pass: 0.5,
      also: ['form'],
    },
    {
      environment: 'maze',
      seats: ['walker'],
      tasks: [{ split: 'held-out' }, { map: 'double-t', sight: 'place' }],
      scale: [-100, 0],
      pass: -40,
      also: ['form'],
    },
    { environment: 'minesweeper', seats: ['sweeper'], tasks: [{ split: 'held-out' }], pass: 0.5, also: ['form'] },
    {
      environment: 'sokoban',
      seats: ['pusher'],
      tasks: [{ split: 'held-out' }, { level: 'three' }],
      scale: [-12, 12],
      pass: 0,
      also: ['form'],
    },
    { environment: 'wordle', seats: ['guesser'], scale: [-6, 0], pass: -4, also: ['form'] },
    {
      environment: 'guess-my-city',
      seats: ['guesser'],
      others: { oracle: 'scripted:oracle' },
      kinds: { scripted: 'scripted:binary-search' },
      scale: [-20, 0],
      pass: -10,
      also: ['form', 'audits'],
    },
    {
      environment: 'chess',
      seats: ['white'],
      others: { '*': 'scripted:tablebase' },
      kinds: { scripted: 'scripted:tablebase' },
      tasks: [{ opening: 'kqk', plies: 30, split: 'held-out' }],
      scale: [-1, 1],
      pass: 0.5,
      also: ['form'],
    },
    {
      environment: 'pathfinding',
      seats: ['agent 1'],
      others: { '*': 'scripted:follower' },
      kinds: { scripted: 'scripted:follower' },
      tasks: [{ split: 'held-out', steps: 32 }],
      scale: [0, 10],
      pass: 3,
      also: ['form'],
    },
  ],
});

/** One change in the middle of an episode. */
function change(kind: string): SceneInput {
  return {
    name: `change of ${kind}`,
    environment: 'shift',
    tasks: [{ change: kind }],
    seats: ['chooser'],
    kinds: { scripted: 'scripted:adaptive' },
    score: 'adaptability',
    pass: 0.8,
    also: ['return', 'form'],
  };
}

/** Before and after a change: does an agent notice, and how soon is it as good as it was? */
export const adaptabilityCore = suite({
  name: 'adaptability-core',
  about:
    'Something changes halfway, mostly without notice: the customer, the reward, or the effect of a move. The score is the result after the change; also shown are the result before, the immediate loss, and how much of it was made good. Two pairs of scenes play the same world before and after a change between episodes.',
  nulls: ['random', 'scripted:stubborn'],
  scenes: [
    ...['population', 'goal', 'dynamics', 'none'].map(change),
    ...(['train', 'held-out'] as const).map(
      (split): SceneInput => ({
        name: split === 'train' ? 'users as known' : 'users not met before',
        environment: 'recommender',
        tasks: [{ world: 'clickbait', split }],
        seats: ['recommender'],
        kinds: { scripted: 'scripted:inferring', 'scripted:stubborn': 'scripted:greedy' },
        // No player gets less than 0, and the best sixty items for any of these users earn 583.
        scale: [0, 585],
        pass: 200,
        also: ['form'],
      }),
    ),
    ...[1, 0.3333333333333333].map(
      (steady): SceneInput => ({
        name: steady === 1 ? 'firm ice' : 'slippery ice',
        environment: 'frozen-lake',
        tasks: [{ steady }],
        seats: ['walker'],
        kinds: { scripted: 'scripted:optimal', 'scripted:stubborn': 'scripted:shortest' },
        pass: 0.7,
        also: ['form'],
      }),
    ),
  ],
});
