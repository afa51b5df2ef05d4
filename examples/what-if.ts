/** @file What if? Replay an episode, branch it off in the middle with other dice, and see both ends. */

import { type EpisodeEvent, fork, loadEnvironment, play, replay, scripted } from 'ludus-agents';

const environment = await loadEnvironment('dilemma');
const random = scripted('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));
const agents = Object.fromEntries(environment.seats(environment.task({})).map((seat) => [seat, random]));
const returns = (log: readonly EpisodeEvent[]) => log.find((event) => event.kind === 'end')?.returns;

const log = await Array.fromAsync(play(environment, agents, { seed: 7 }));
console.log('first play  ', returns(log), '· replays identically:', replay(environment, log) === null);

const middle = Math.floor(log.length / 2);
for (const seed of [1, 2, 3]) {
  const branch = await Array.fromAsync(fork(environment, log, middle, agents, { seed }));
  console.log(`other dice ${seed}`, returns(branch), '· replays on its own:', replay(environment, branch) === null);
}
