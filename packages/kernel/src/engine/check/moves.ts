/** @file Rules about actions: the list contains exactly the accepted ones, a rejection changes nothing, and answers are never replaced. */

import type { Action, AnyEnvironment, Ask, EpisodeEvent, Json, JsonObject, Rng, Seat, StartEvent, Step } from '../../core/index.ts';
import { equal, listsMoves, rng } from '../../core/index.ts';
import { Course } from '../course.ts';
import { type CheckContext, difference, type RuleBreach, where } from './bench.ts';
import { alterEnvironment, player, type SampleEpisode } from './sample.ts';

/** An ask in mid-episode: tests the effect of one answer or several in a row, all else being equal. */
interface Moment {
  readonly sample: SampleEpisode;
  readonly ask: Ask;
  readonly dice: Rng;
  put(...texts: readonly string[]): Outcome;
}

interface Outcome {
  readonly events: readonly EpisodeEvent[];
  readonly state: Json;
  readonly refused: boolean;
  readonly forfeited: boolean;
}

/** Positions of sensible play at which choices are listed, spread over samples, within the step limit. */
function* moments({ environment, samples, steps }: CheckContext): Iterable<Moment> {
  let probes = 0;
  const decent = samples.filter((sample) => sample.manner === 'chance');
  for (let round = 0; probes < steps && round < 8; round++)
    for (const sample of decent) {
      if (probes >= steps) return;
      const dice = rng(sample.seed, 'check', round);
      const open = sample.steps.filter((step) => step.asks.some((ask) => ask.choices !== undefined));
      if (open.length === 0) continue;
      const step = dice.pick(open);
      const ask = dice.pick(step.asks.filter((request) => request.choices !== undefined));
      const put = (...texts: readonly string[]): Outcome => {
        probes += texts.length;
        return outcome(environment, { sample, step, ask }, texts);
      };
      yield { sample, ask, dice, put };
    }
}

/** Runs a course to a step of a sample and answers at one seat with the texts in turn; other seats repeat one legal answer. */
function outcome(
  environment: AnyEnvironment,
  { sample, step, ask }: { readonly sample: SampleEpisode; readonly step: Step; readonly ask: Ask },
  texts: readonly string[],
): Outcome {
  const still = alterEnvironment(environment, {
    start: () => step,
    step: (state, actions) => environment.step(state, actions, rng(sample.seed, 'probe')),
  });
  const course = new Course(still, sample.events[0] as StartEvent, { freeze: true });
  const decent = player(environment, 'chance');
  const current: Partial<Record<Seat, Action>> = {};
  for (const text of texts)
    for (const request of course.waiting) {
      const answer = current[request.seat] ?? decent(course.turn(request));
      const action = 'action' in answer ? answer.action : answer;
      current[request.seat] = action;
      course.answer(request.seat, { action: request.seat === ask.seat ? { text } : action });
    }
  const events = course.events.slice(course.events.findLastIndex((event) => event.kind === 'action') + 1);
  const penalised = events.some((event) => event.kind === 'reward' && (event.penalties?.[ask.seat] ?? 0) !== 0);
  const forfeited = events.some((event) => event.kind === 'message' && /forfeit/i.test(event.text));
  return { events, state: course.state, refused: penalised || forfeited, forfeited };
}

export function* listedChoices(bench: CheckContext): Iterable<RuleBreach> {
  for (const { sample, ask, dice, put } of moments(bench))
    for (const choice of dice.shuffle(ask.choices as readonly string[]).slice(0, 12))
      if (put(choice).refused) yield { message: `Seat "${ask.seat}" may choose ${choice}, but it is refused.`, ...where(sample) };
}

/** Moves of other positions, moves mentioned in messages, and slightly changed moves, none of them in the list. */
export function* unlistedChoices(bench: CheckContext): Iterable<RuleBreach> {
  if (!listsMoves(bench.environment.about)) return;
  const knownNames = new Set<string>();
  for (const { asks, messages } of bench.samples.flatMap((sample) => sample.steps)) {
    for (const choice of asks.flatMap((ask) => ask.choices ?? [])) knownNames.add(choice);
    for (const message of messages) for (const mentioned of message.text.match(/\[[^[\]]+\]/g) ?? []) knownNames.add(mentioned);
  }
  for (const { sample, ask, dice, put } of moments(bench)) {
    const listed = ask.choices as readonly string[];
    const legal = new Set(listed.map((choice) => choice.toLowerCase()));
    const near = [-1, 1].map((by) => shiftMove(dice.pick(listed), by));
    for (const text of [...dice.shuffle([...knownNames]).slice(0, 8), ...near, '[99999]', '[-1]', '[0.5]', '[]', '[no such move]'])
      if (!legal.has(text.toLowerCase()) && !put(text).refused)
        yield { message: `Seat "${ask.seat}" may not choose ${text} (only ${listed.join(' ')}), but it is accepted.`, ...where(sample) };
  }
}

/** A move with its last letter or digit incremented or decremented. */
function shiftMove(move: string, by: number): string {
  const at = [...move.matchAll(/\w/g)].at(-1)?.index;
  return at === undefined ? move : `${move.slice(0, at)}${String.fromCharCode(move.charCodeAt(at) + by)}${move.slice(at + 1)}`;
}

export function* substitutions(bench: CheckContext): Iterable<RuleBreach> {
  if (bench.environment.about.complete !== true) return;
  for (const { sample, ask, dice, put } of moments(bench)) {
    const [move, other] = [dice.pick(ask.choices as readonly string[]), dice.pick(ask.choices as readonly string[])];
    const direct = put(move);
    for (const text of [move.toUpperCase(), `I take ${move}.`]) {
      const result = put(text);
      if (!result.refused && !sameGame(result, direct))
        yield { message: `"${text}" is read as a different move than ${move}.`, ...where(sample) };
    }
    const bare = move.replaceAll(/[[\]]/g, '');
    for (const text of ['', ' ', 'hello', `${move} ${other}`, `${move}${move}`, `[${move}]`, `[${bare}`, bare === move ? '' : bare]) {
      const result = put(text);
      if (!result.refused)
        yield { message: `"${text}" is not a move, but was accepted as a move of seat "${ask.seat}".`, ...where(sample) };
      else if (!result.forfeited && !sameGame(put(text, move), direct))
        yield {
          message: `Seat "${ask.seat}" answers "${text}", is refused, then ${move}: not the same game as ${move} at once.`,
          ...where(sample),
        };
    }
  }
}

/** The same messages, rewards, and asks, and the same state, except for miss counts. */
function sameGame(outcome: Outcome, other: Outcome): boolean {
  return difference(gameOf(outcome), gameOf(other)) === null && equal(withoutMisses(outcome.state), withoutMisses(other.state));
}

function gameOf({ events }: Outcome): readonly EpisodeEvent[] {
  return events.map((event) => (event.kind === 'end' ? { ...event, penalties: {}, turns: 0 } : event));
}

function withoutMisses(state: Json): Json {
  if (state === null || typeof state !== 'object' || Array.isArray(state)) return state;
  const { misses: _, ...rest } = state as JsonObject;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutMisses(value)]));
}
