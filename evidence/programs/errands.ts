/**
 * @file Five streams of 24 errands, each in a different house. An errand has two parts in an order that does not recur; a part always
 * takes the same four moves of eight. A script replaces the model: it names the right next move in half of its turns, writes down the
 * moves of a completed part as a skill, and runs skills that it is shown.
 *
 * Options: skills ("own", "none", or "other": those of another house), seed. Prints the share of errands in the second half of a stream
 * that are done within 14 moves, their moves, and the number of skills that were run.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Action, type AnyEnvironment, type Json, type Rng, rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { textsIn } from './_readers.ts';

const [streams, errands, mostMoves] = [5, 24, 14];
const moves = ['[open]', '[close]', '[lift]', '[press]', '[turn]', '[pull]', '[wipe]', '[wait]'];
const names = ['fetch the key', 'make tea', 'light the stove', 'feed the cat', 'air the hall', 'fold sheets'];

type House = Readonly<Record<string, readonly string[]>>;
type State = { readonly left: readonly string[]; readonly at: number; readonly moves: number };

const houseOf = (random: Rng): House =>
  Object.fromEntries(names.map((name) => [name, Array.from({ length: 4 }, () => random.pick(moves))]));

/** One errand of a house. */
function errandOf(house: House, parts: readonly string[]): AnyEnvironment {
  const asks = [{ seat: 'helper', choices: moves }];
  return {
    id: 'errands@1',
    about: { summary: 'An errand in a house.', tasks: [{}], turns: mostMoves, complete: true },
    parameters: {},
    task: () => ({}),
    seats: () => ['helper'],
    start: () => ({
      state: { left: parts, at: 0, moves: 0 },
      messages: [{ to: ['helper'], text: `Now: ${parts[0]}. Then: ${parts[1]}.` }],
      asks,
    }),
    step(before: State, actions: Readonly<Record<string, Action>>) {
      const [now = '', ...later] = before.left;
      const isRight = actions['helper']?.text === house[now]?.[before.at];
      const at = before.at + (isRight ? 1 : 0);
      const isThrough = at === house[now]?.length;
      const state: State = { left: isThrough ? later : before.left, at: isThrough ? 0 : at, moves: before.moves + 1 };
      const isOver = state.left.length === 0 || state.moves === mostMoves;
      const next = later.length === 0 ? 'That was all.' : `Now: ${later[0]}.`;
      const text = isThrough ? `Done: ${now}. ${next}` : isRight ? `Step ${at} of ${now} is done.` : 'Nothing happens.';
      return {
        ...{ state, messages: [{ to: ['helper'], text }], asks: isOver ? [] : asks },
        ...(isOver ? { rewards: { helper: state.left.length === 0 ? 1 : 0 } } : {}),
      };
    },
  };
}

/** Where it is in the errand, by what it was told; and the moves that were right since a sub-errand began. */
function progressOf(turn: Turn): { readonly now: string; readonly at: number } {
  let [now, at] = ['', 0];
  for (const text of textsIn(turn)) {
    const step = /^Step (\d) of/.exec(text)?.[1];
    const next = /Now: ([a-z ]+)\./.exec(text)?.[1];
    if (step !== undefined) at = Number(step);
    if (next !== undefined) [now, at] = [next, 0];
  }
  return { now, at };
}

const helperOf = (house: House, isWriter: boolean) =>
  scripted(
    'helper',
    Object.assign(
      (turn: Turn) => {
        const ask = textsIn(turn).at(-1) ?? '';
        const { now, at } = progressOf(turn);
        if (ask.includes('"Task: …"')) return { text: `Task: ${now}` };
        if (ask.includes('"Skill NAME')) {
          if (at === 0 && ask.includes(`${now}: [`)) return { text: `Run: ${now}` };
          // What it has just seen through, it can write down.
          const done = textsIn(turn).findLast((text) => text.startsWith('Done: '));
          const through = at === 0 ? names.find((name) => done?.startsWith(`Done: ${name}`)) : undefined;
          return { text: through === undefined || !isWriter ? 'Nothing new.' : `Skill ${through}: ${house[through]?.join(' ')}` };
        }
        if (!ask.includes('exactly one of the moves')) return { text: 'Go on.' };
        return { text: `Answer: ${turn.rng.next() < 0.5 ? house[now]?.[at] : turn.rng.pick(moves)}` };
      },
      { speaks: true as const },
    ),
  );

interface Outcome {
  readonly done: number;
  readonly spent: number;
  readonly reused: number;
}

async function playStream(skills: string, seed: number): Promise<Outcome> {
  const random = rng(seed, 'house');
  const house = houseOf(random);
  const foreign = houseOf(rng(seed, 'another house'));
  const pairs = random.shuffle(names.flatMap((a) => names.flatMap((b) => (a === b ? [] : [[a, b]])))).slice(0, errands);
  const discussion = await builtInEnvironment('discussion');
  const settings = { pipeline: 'cradle', lasting: true, members: ['helper'], ...(skills === 'none' ? { off: ['skills'] } : {}) };
  const spec = readTeam({ name: 'helper', kind: 'team', settings });
  const procedures = names.map((name) => ({ name, when: '', moves: foreign[name] ?? [], runs: 0, failures: 0 }));
  let mind: Json | undefined = skills === 'other' ? { kind: 'team/1', memory: { procedures } } : undefined;
  let [done, spent, reused] = [0, 0, 0];
  for (const [i, parts] of pairs.entries()) {
    const past = mind;
    const options = { name: 'helper', settings: spec, members: { helper: helperOf(house, skills === 'own') }, discussion };
    const team = teamAgent({ ...options, earlier: () => Promise.resolve({ mind: past, paths: [] }) });
    const { events, returns } = await playOne(errandOf(house, parts), { helper: team }, {}, seed * 1000 + i);
    const acts = events.filter((event) => event.kind === 'action');
    mind = acts.at(-1)?.mind;
    reused += readTeamMind(acts.at(-1)?.mind)?.acted['reused'] ?? 0;
    if (i < errands / 2) continue;
    done += (returns['helper'] ?? 0) / (errands / 2);
    spent += acts.length / (errands / 2);
  }
  return { done, spent, reused };
}

export default async function run({ skills = 'own', seed = 1 }: ProgramOptions): Promise<Json> {
  const outcomes: Outcome[] = [];
  for (let stream = 0; stream < streams; stream++) outcomes.push(await playStream(String(skills), Number(seed) * 10 + stream));
  return {
    done: meanOrZero(outcomes.map(({ done }) => done)),
    spent: meanOrZero(outcomes.map(({ spent }) => spent)),
    reused: outcomes.reduce((sum, { reused }) => sum + reused, 0),
  };
}
