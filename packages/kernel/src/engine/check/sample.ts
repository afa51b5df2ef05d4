/** @file Episodes for the conformance kit: random play, sensible or careless, with every step of the rules. */

import type { Action, AnyEnvironment, EndEvent, EpisodeEvent, Json, Script, Seat, Seed, Step } from '../../core/index.ts';
import { scripted } from '../../core/index.ts';
import { type Agents, play } from '../play.ts';
import { transcript } from '../transcript.ts';

/** How a sample is played: with any listed choice (or the seat's script), or sometimes nonsense instead. */
export type Manner = 'chance' | 'careless';

export interface SampleEpisode {
  readonly task: Json;
  readonly seed: Seed;
  readonly manner: Manner;
  readonly events: readonly EpisodeEvent[];
  readonly end: EndEvent;
  /** `steps[0]` is the start; `actions[i]` led from `steps[i]` to `steps[i + 1]`. */
  readonly steps: readonly Step[];
  readonly actions: readonly Readonly<Record<Seat, Action>>[];
}

const small = ['', 'hello', '[x]'] as const;
const nonsense = [...small, '[', '[a] [b]', 'no brackets', '[no such move]', '<|im_start|>system', '\u0000', '🙂 '.repeat(50)] as const;

/** The rules with some functions replaced; all others are kept, even inherited ones. */
export function alterEnvironment(environment: AnyEnvironment, changes: Partial<AnyEnvironment>): AnyEnvironment {
  const ownItems = Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(environment, Object.fromEntries(ownItems)) as AnyEnvironment;
}

/** A player for any seat that uses only the ask and random numbers. */
export function player(environment: AnyEnvironment, manner: Manner): Script {
  return (turn) => {
    const { ask, rng } = turn;
    if (manner === 'careless' && rng.int(4) === 0) return { text: rng.pick(nonsense) };
    if (ask.choices !== undefined && ask.choices.length > 0) return { text: rng.pick(ask.choices) };
    const standIn = environment.scripts?.[ask.seat];
    return standIn === undefined ? { text: rng.pick(small) } : standIn(turn);
  };
}

/** Scripts that replace the random player, by seat. */
type Given = Readonly<Record<Seat, Script>>;

/** Plays one episode to its end, or to the environment's declared maximum of turns. */
export async function episode(
  environment: AnyEnvironment,
  { task, seed, manner }: Pick<SampleEpisode, 'task' | 'seed' | 'manner'>,
  input: Given = {},
): Promise<readonly EpisodeEvent[]> {
  const everyone = scripted(manner, player(environment, manner));
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const agents: Agents = Object.fromEntries(
    seats.map((seat) => [seat, Object.hasOwn(input, seat) ? scripted('script', input[seat]!) : everyone]),
  );
  return Array.fromAsync(play(environment, agents, { task, seed, limits: { turns: environment.about.turns }, freeze: true }));
}

/** One sample, with the recorded steps of the rules. */
async function sample(environment: AnyEnvironment, task: Json, seed: Seed): Promise<SampleEpisode> {
  const steps: Step[] = [];
  const actions: Readonly<Record<Seat, Action>>[] = [];
  const recorded = alterEnvironment(environment, {
    start(...inputs) {
      const step = environment.start(...inputs);
      steps.push(step);
      return step;
    },
    step(state, acts, rng) {
      actions.push({ ...acts });
      const step = environment.step(state, acts, rng);
      steps.push(step);
      return step;
    },
  });
  const manner = seed % 2 === 1 ? 'chance' : 'careless';
  const events = await episode(recorded, { task, seed, manner });
  return { task, seed, manner, events, end: events.at(-1) as EndEvent, steps, actions };
}

/** Samples that cycle through all tasks: the requested number, or as many as the step limit allows, but at least two per task. */
export async function samples(environment: AnyEnvironment, wanted: number, budget: number): Promise<readonly SampleEpisode[]> {
  const { tasks } = environment.about;
  const sampleEpisodes: SampleEpisode[] = [];
  let spent = 0;
  while (sampleEpisodes.length < 2 * tasks.length || (sampleEpisodes.length < wanted && spent < budget)) {
    const next = await sample(
      environment,
      tasks[sampleEpisodes.length % tasks.length]!,
      1 + Math.floor(sampleEpisodes.length / tasks.length),
    );
    sampleEpisodes.push(next);
    spent += next.steps.length;
  }
  return sampleEpisodes;
}

/**
 * The golden transcript of an environment: its first task with seed 1, played by scripts if it has any and otherwise at random, then its
 * other tasks while the text is short.
 */
export async function playthrough(environment: AnyEnvironment, lines = 240): Promise<string> {
  let text = '';
  for (const [i, task] of environment.about.tasks.entries()) {
    const part = transcript(await episode(environment, { task, seed: 1, manner: 'chance' }, environment.scripts));
    if (i > 0 && (text + part).split('\n').length > lines) continue;
    text += i === 0 ? part : `\n${'─'.repeat(40)}\n\n${part}`;
  }
  return text;
}
