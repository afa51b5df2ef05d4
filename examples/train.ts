/** @file An environment in memory, trained by self-play: a game of matching pennies whose even side is paid double for heads. */

import { type Environment, train } from 'ludus-agents';

type Task = Record<string, never>;
interface State {
  readonly [key: string]: never;
}

const pennies: Environment<State, Task> = {
  id: 'pennies@1',
  about: { summary: 'Both show a coin; even wins a match.', tasks: [{}], turns: 1, sum: 0 },
  parameters: {},
  task: () => ({}),
  seats: () => ['even', 'odd'],
  start: () => ({
    state: {},
    messages: [{ to: ['even', 'odd'], text: 'Show [heads] or [tails].' }],
    asks: ['even', 'odd'].map((seat) => ({ seat, choices: ['[heads]', '[tails]'] })),
  }),
  step: (state, actions) => {
    const [even, odd] = [actions['even']?.text, actions['odd']?.text];
    const paid = even !== odd ? -1 : even === '[heads]' ? 2 : 1;
    return { state, messages: [], asks: [], rewards: { even: paid, odd: -paid } };
  },
  knows: () => ({}),
};

const report = await train({ recipe: 'kuhn-tabular', environment: pennies, games: 200_000, seed: 1 });
console.log(`${report.games} games; a perfect opponent would win ${report.exploitability?.toFixed(3)} a game`);
