/** @file Rules that replay the samples under changes that must make no difference. */

import { type AnyEnvironment, type Ask, type Seat, type StartEvent, scriptedPolicy } from '../../core/index.ts';
import { Course } from '../course.ts';
import { rollout } from '../rollout.ts';
import { type CheckContext, difference, type RuleBreach, where } from './bench.ts';
import { alterEnvironment, episode, type Manner, player, type SampleEpisode } from './sample.ts';

/** Backward, so that state left by an episode affects a different episode. */
export async function* repeats({ environment, samples }: CheckContext): AsyncIterable<RuleBreach> {
  for (const sampleEpisode of samples.toReversed()) {
    const problem = difference(await episode(environment, sampleEpisode), sampleEpisode.events);
    if (problem !== null)
      yield { message: `Played a second time, ${problem}. All randomness must come from the given rng.`, ...where(sampleEpisode) };
  }
}

export async function* interleaves({ environment, samples }: CheckContext): AsyncIterable<RuleBreach> {
  for (const task of environment.about.tasks)
    for (const manner of ['chance', 'careless'] as const satisfies readonly Manner[]) {
      const alone = samples.filter((sample) => sample.task === task && sample.manner === manner);
      const policy = scriptedPolicy(manner, player(environment, manner));
      const policies = Object.fromEntries(environment.seats(environment.task(task)).map((seat: Seat) => [seat, policy]));
      const logs = await rollout(environment, policies, { task, seeds: alone.map((sampleEpisode) => sampleEpisode.seed), freeze: true });
      for (const [i, sampleEpisode] of alone.entries()) {
        const problem = difference(logs[i]!, sampleEpisode.events);
        if (problem !== null)
          yield { message: `With other episodes in between, ${problem}. Keep nothing outside the state.`, ...where(sampleEpisode) };
      }
    }
}

export async function* clones({ environment, samples, steps }: CheckContext): AsyncIterable<RuleBreach> {
  const reread = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const copied = alterEnvironment(environment, {
    start: (task, dice) => environment.start(reread(task), dice),
    step: (state, actions, dice) => environment.step(reread(state), reread(actions), dice),
  });
  for (const sampleEpisode of sampleSome(samples, steps / 4)) {
    const problem = difference(await episode(copied, sampleEpisode), sampleEpisode.events);
    if (problem !== null) yield { message: `With every state read back from its JSON text, ${problem}.`, ...where(sampleEpisode) };
  }
}

export function* observations({ environment, samples, steps }: CheckContext): Iterable<RuleBreach> {
  for (const sampleEpisode of sampleSome(samples, steps / 8)) {
    const course = new Course(environment, sampleEpisode.events[0] as StartEvent, { freeze: true });
    const script = player(environment, sampleEpisode.manner);
    while (!course.over) {
      const ask = course.waiting[0]!;
      const [first, second] = [look(environment, course, ask), look(environment, course, ask)];
      if (first !== second) yield { message: `Read twice, turn ${course.turns} is ${first}, then ${second}.`, ...where(sampleEpisode) };
      const answer = script(course.turn(ask));
      course.answer(ask.seat, 'action' in answer ? answer : { action: answer });
    }
    const problem = difference(course.events, sampleEpisode.events);
    if (problem !== null) yield { message: `When states are read during play, ${problem}.`, ...where(sampleEpisode) };
  }
}

/** The first samples, at least one, up to the step limit of a costly rule. They cycle through the tasks. */
function* sampleSome(samples: readonly SampleEpisode[], steps: number): Iterable<SampleEpisode> {
  let takenCount = 0;
  for (const sample of samples) {
    yield sample;
    takenCount += sample.steps.length;
    if (takenCount >= steps) return;
  }
}

function look(environment: AnyEnvironment, course: Course, ask: Ask): string {
  const { rng: dice, ...turn } = course.turn(ask);
  const { seats, task } = course.events[0] as StartEvent;
  const knowledge = seats.map((seat) => environment.knows?.(course.state, seat) ?? null);
  return JSON.stringify([turn, dice.next(), knowledge, environment.seats(task), environment.task(task)]);
}
