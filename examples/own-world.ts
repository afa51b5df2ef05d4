/** @file A world of your own in one file: guess the number. The conformance kit says whether the rules can be trusted. */

import { check, defineEnvironment, parameter, rollout, scriptedPolicy } from 'ludus-agents';

const seat = 'guesser';

const guessTheNumber = defineEnvironment({
  id: 'guess-the-number@1',
  about: {
    summary: 'The world thinks of a number; the guesser has ten tries and is told higher or lower.',
    tasks: [{}, { highest: 100 }],
    turns: 10 * 11,
    complete: true,
  },
  parameters: { highest: parameter.integer({ min: 2, max: 100, default: 10, description: 'the largest number it may be' }) },
  seats: [seat],
  start: (task, rng) => ({
    state: { secret: 1 + rng.int(task.highest), guesses: 0 },
    messages: `I am thinking of a number from 1 to ${task.highest}. Answer like [5]. You have ten guesses.`,
  }),
  turn: ({ task }) => ({ seat, choices: Array.from({ length: task.highest }, (_, i) => `[${i + 1}]`) }),
  play(state, move) {
    const guess = Number(move.slice(1, -1));
    const next = { ...state, guesses: state.guesses + 1 };
    const isRight = guess === state.secret;
    const messages = isRight ? 'That is it!' : guess < state.secret ? 'Higher.' : 'Lower.';
    if (!isRight && next.guesses < 10) return { state: next, messages };
    return { state: next, messages, rewards: { [seat]: isRight ? 1 : 0 }, over: true };
  },
});

console.log('problems:', await check(guessTheNumber));
const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));
const logs = await rollout(guessTheNumber, { guesser: random }, { seeds: Array.from({ length: 1000 }, (_, i) => i) });
const matchingLength = logs.filter((log) => log.some((event) => event.kind === 'message' && event.text === 'That is it!')).length;
console.log(`random guessing finds it in ${matchingLength} of 1000 episodes`);
