/** @file Small games whose value is known or whose opponent is strong: does an agent play by the rules, and well? */

import { type SceneInput, suite } from './suite.ts';

/** A game for two against a fixed opponent, both ways round. The most that can be won and lost is the scale; not losing passes. */
function duel(environment: string, { against, most, ...rest }: { against: string; most: number } & Partial<SceneInput>): SceneInput {
  return { environment, seats: ['first', 'second'], others: { '*': against }, scale: [-most, most], pass: 0, also: ['form'], ...rest };
}

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
