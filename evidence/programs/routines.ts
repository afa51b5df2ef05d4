/**
 * @file Streams of sixty tasks of eight kinds. Each kind always needs the same four moves of six. A script that names the right next
 * move in six of ten turns replaces the slow mind. Options: fast ("on" or "off"), seed. Prints, for the second half of a stream, the
 * model calls per task, the share of tasks done within twelve moves, and how often a mined routine was started.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { observationOf } from '@ludus-agents/agents/internal/team/views';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { MovePath } from '@ludus-agents/environments/internal/discussion/procedures';
import type { Action, AnyEnvironment, Json, Rng, Seen, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { type Episode, playOne } from './_play.ts';
import { textsIn } from './_readers.ts';

const [tasks, mostMoves] = [60, 12];
const moves = ['[crop]', '[blur]', '[paint]', '[label]', '[scale]', '[merge]'];
const kinds = [
  'a red boat',
  'one tall tower',
  'three gray cats',
  'some old shoes',
  'many wet leaves',
  'her new lamp',
  'his broken clock',
  'their long table',
];

type State = { readonly kind: number; readonly done: number; readonly moves: number };

function studioOf(routines: readonly (readonly string[])[]): AnyEnvironment {
  const asks = [{ seat: 'editor', choices: moves }];
  return {
    id: 'routines@1',
    about: { summary: 'Tasks that recur.', tasks: [{}], turns: mostMoves, complete: true },
    parameters: {},
    task: () => ({}),
    seats: () => ['editor'],
    start(_: object, random: Rng) {
      const kind = random.int(kinds.length);
      return { state: { kind, done: 0, moves: 0 }, messages: [{ to: ['editor'], text: `Edit the picture of ${kinds[kind]}` }], asks };
    },
    step(before: State, actions: Readonly<Record<string, Action>>) {
      const isRight = actions['editor']?.text === routines[before.kind][before.done];
      const state: State = { ...before, done: before.done + (isRight ? 1 : 0), moves: before.moves + 1 };
      const isOver = state.done === 4 || state.moves >= mostMoves;
      return {
        ...{
          state,
          messages: [{ to: ['editor'], text: isRight ? `Step ${state.done} is done.` : `Not that, try ${state.moves}.` }],
          asks: isOver ? [] : asks,
        },
        ...(isOver ? { rewards: { editor: state.done === 4 ? 1 - state.moves / 100 : 0 } } : {}),
      };
    },
  };
}

/** What a seat was told before each of its moves. */
function pathOf({ events, returns }: Episode): MovePath {
  const items: Seen[] = [];
  const steps: { observed: string; move: string }[] = [];
  for (const event of events) {
    if (event.kind === 'message') items.push({ kind: 'message', to: event.to, text: event.text });
    if (event.kind !== 'action') continue;
    steps.push({ observed: observationOf({ seat: 'editor', seen: items }), move: event.action.text });
    items.push({ kind: 'action', action: event.action });
  }
  return { steps, paid: returns['editor'] ?? 0 };
}

export default async function run({ fast = 'on', seed = 1 }: ProgramOptions): Promise<Json> {
  const world = rng(Number(seed), 'world');
  const routines = kinds.map(() => Array.from({ length: 4 }, () => world.pick(moves)));
  const environment = studioOf(routines);
  const discussion = await builtInEnvironment('discussion');
  let calls = 0;
  const mind = scripted(
    'mind',
    Object.assign(
      (turn: Turn) => {
        calls++;
        const texts = textsIn(turn);
        const kind = kinds.findIndex((name) => texts.some((text) => text.endsWith(name)));
        const done = texts.filter((text) => /^Step \d is done/.test(text)).length;
        return { text: `Answer: ${turn.rng.next() < 0.6 ? routines[kind]?.[done] : turn.rng.pick(moves)}` };
      },
      { speaks: true as const },
    ),
  );
  const settings = { pipeline: 'fasta', members: ['mind'], lasting: true, ...(fast === 'on' ? {} : { off: ['fast'] }) };
  const paths: MovePath[] = [];
  let lastMind: Json | undefined;
  let [done, spent, reused] = [0, 0, 0];
  for (let task = 0; task < tasks; task++) {
    const past = { mind: lastMind, paths: [...paths] };
    const options = { name: 'editor', settings: readTeam({ name: 'editor', kind: 'team', settings }), members: { mind }, discussion };
    calls = 0;
    const episode = await playOne(
      environment,
      { editor: teamAgent({ ...options, earlier: () => Promise.resolve(past) }) },
      {},
      Number(seed) * 1000 + task,
    );
    paths.push(pathOf(episode));
    const last = episode.events.findLast((event) => event.kind === 'action');
    lastMind = last?.kind === 'action' ? last.mind : undefined;
    reused += readTeamMind(lastMind)?.acted['reused'] ?? 0;
    if (task < tasks / 2) continue;
    spent += calls / (tasks / 2);
    done += (episode.returns['editor'] ?? 0) > 0 ? 2 / tasks : 0;
  }
  return { calls: spent, done, reused };
}
