/**
 * @file The conformance kit: the rules that every environment must follow, each one line of a table and one small function.
 *
 * Rules are in stages, and each stage assumes the previous ones: the payoffs of a log that cannot be repeated are meaningless. All play
 * uses the same `Course`, `play`, and `rollout` that users call.
 */

import type { AnyEnvironment } from '../core/index.ts';
import { clones, interleaves, observations, repeats } from './check/again.ts';
import type { CheckContext, ConformanceRule, Problem } from './check/bench.ts';
import { facts, identity, refusals } from './check/declarations.ts';
import { imaginings } from './check/imagined.ts';
import { choices, endings, faults, otherFaults, sentences, sums } from './check/logs.ts';
import { listedChoices, substitutions, unlistedChoices } from './check/moves.ts';
import { samples } from './check/sample.ts';
import { golden, scripts } from './check/scripts.ts';
import { leaks } from './check/secrecy.ts';

export type { ConformanceRule, Problem } from './check/bench.ts';
export { playthrough } from './check/sample.ts';

export interface CheckOptions {
  /** Episodes of random play over all tasks; 200 by default. */
  readonly episodes?: number;
  /** Steps of random play after which no further episode starts; 8,000 by default. Each rule repeats about as many. */
  readonly steps?: number;
  /** The expected text of the environment's golden playthrough. */
  readonly golden?: string;
}

/** The most causes reported under one rule. */
const enough = 3;

const stages: readonly (readonly ConformanceRule[])[] = [
  [
    { id: 'K1', says: 'The id is a name and a version, like kuhn-poker@1.', find: identity },
    { id: 'K2', says: 'Every task in `about` is valid, parsing it twice changes nothing, and its seats have unique names.', find: facts },
    { id: 'K3', says: '`task` rejects invalid tasks, unknown parameters, and values out of range with a Fault.', find: refusals },
  ],
  [
    { id: 'K4', says: 'States, messages, and asks are plain JSON.', find: faults(sentences.plain) },
    { id: 'K5', says: 'A step does not modify its arguments.', find: faults(sentences.frozen) },
    { id: 'K6', says: 'Only known seats are used, and each is asked once per turn.', find: faults(sentences.seats) },
    { id: 'K7', says: 'Rewards and penalties are finite, and penalties not below 0.', find: faults(sentences.finite) },
    { id: 'K8', says: 'If choices are listed, there is at least one, without duplicates.', find: choices },
    { id: 'K9', says: 'No answer makes the rules throw an exception.', find: otherFaults },
    { id: 'K10', says: 'Every episode is over within `about.turns` turns.', find: endings },
  ],
  [
    { id: 'K11', says: 'The same task, seed, and agents give the same log.', find: repeats },
    { id: 'K12', says: 'Episodes that run in lock-step do not affect each other.', find: interleaves },
    { id: 'K13', says: 'A state restored from JSON plays on identically.', find: clones },
    { id: 'K14', says: 'Reading changes nothing: turns, randomness, and knowledge can be requested twice.', find: observations },
  ],
  [
    { id: 'K15', says: 'The rewards of an episode add up to `about.sum`.', find: sums },
    { id: 'K16', says: 'Every listed choice is accepted.', find: listedChoices },
    { id: 'K17', says: 'A rejected answer changes nothing, and is not replaced by a move.', find: substitutions },
    { id: 'K18', says: 'If the list is complete, no other move is accepted.', find: unlistedChoices },
    { id: 'K19', says: 'A seat is shown only what follows from its knowledge, actions, and rewards.', find: leaks },
    { id: 'K20', says: 'Scripts play their seats without errors or illegal answers.', find: scripts },
    { id: 'K21', says: 'The golden playthrough is unchanged.', find: golden },
    {
      id: 'K22',
      says: '`imagine` answers for every seat in every state, keeps its knowledge, and does not reveal what is hidden.',
      find: imaginings,
    },
  ],
];

/** The rules of the kit, in order. */
export const rules: readonly ConformanceRule[] = stages.flat();

/** Checks an environment against the contract and returns its problems. Later stages run only if the earlier ones found none. */
export async function check(environment: AnyEnvironment, options: CheckOptions = {}): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const steps = options.steps ?? 8000;
  let bench: CheckContext = { environment, samples: [], steps, golden: options.golden };
  for (const [i, stage] of stages.entries()) {
    if (i === 1) bench = { ...bench, samples: await samples(environment, options.episodes ?? 200, steps) };
    for (const { id, find } of stage) {
      const causes = new Map<string, Problem>();
      for await (const { cause, ...ruleBreach } of find(bench)) {
        const key = cause ?? ruleBreach.message.replaceAll(/\d+/g, '0');
        const earlier = causes.get(key);
        if (earlier !== undefined || causes.size < enough)
          causes.set(key, earlier === undefined ? { rule: id, ...ruleBreach, times: 1 } : { ...earlier, times: earlier.times + 1 });
      }
      problems.push(...causes.values());
    }
    if (problems.length > 0) break;
  }
  return problems;
}
