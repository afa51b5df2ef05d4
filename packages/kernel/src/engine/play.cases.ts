/** @file Helpers of the tests of play: bidders, agents that say one thing, and parts of a log. */

import { turns } from '../../../../test/fixtures/until.ts';
import { bidding, everywhere, logOf } from '../../../../test/random-environments.ts';
import { type Agent, type AnyEnvironment, type EndEvent, type EpisodeEvent, type Reply, type Seat, scripted } from '../core/index.ts';
import { type PlayOptions, play } from './play.ts';

export const bidders = ['ann', 'bob', 'cid'] as const;

export const says = (text: string): Agent => scripted(text, () => ({ text }));

export const bidOf = (text: string) => everywhere(bidders, says(text));

export const endOf = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

export const answers = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'action' ? [event.seat] : []));

export const kindsOf = (log: readonly EpisodeEvent[]) => log.map((event) => event.kind).join(' ');

export const playing = (agents: Record<Seat, Agent>, options: PlayOptions = {}) =>
  logOf(play(bidding, agents, { task: { rounds: 2 }, ...options }));

export const never = () => new Promise<Reply>(() => {});

/** An agent that answers after this many ticks. */
export const within = (ticks: number, text = '[1]'): Agent => ({
  name: `within ${ticks}`,
  async act() {
    await turns(ticks);
    return { action: { text } };
  },
});

/** The world with every step changed after the rules made it. */
export const withTwistedSteps = (twist: (step: ReturnType<typeof bidding.step>) => unknown): AnyEnvironment => ({
  ...bidding,
  step: (...inputs) => twist(bidding.step(...inputs)) as ReturnType<typeof bidding.step>,
});
