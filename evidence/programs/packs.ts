/**
 * @file Families of tasks that share a hidden routine of four moves out of nine; a fifth move differs by task. A player that tries
 * random moves plays six tasks of each family, and a pack is written from its episodes. A reader then plays ten other tasks. It follows
 * its memories if they fit what has worked so far, and otherwise tries random moves.
 *
 * Options: pack ("own", "foreign", or "none"), seed. Prints the moves (one model call each) until a task is done, and how often a
 * remembered move was followed.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import type { Action, AgentSpec, AnyEnvironment, Json, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { packOfEpisodes } from '@ludus-agents/learning/internal/improving/episode-pack';
import { withPack } from '@ludus-agents/learning/internal/improving/pack';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';

const [families, played, tested, limit] = [6, 6, 10, 60];
const kinds = ['invoices', 'parcels', 'engines', 'gardens', 'ledgers', 'lanterns'];
const tools = 'abcdefghi'.split('').map((letter) => `[tool ${letter}]`);
const colors = ['red', 'blue', 'green'].map((color) => `[ship ${color}]`);

type State = {
  readonly kind: number;
  readonly ship: string;
  readonly routine: readonly string[];
  readonly at: number;
  readonly turn: number;
};

/** One family: the routine is fixed, the color is rolled for each task. */
function workshop(kind: number, routine: readonly string[]): AnyEnvironment {
  const ask = { seat: 'worker', choices: [...tools, ...colors] };
  return {
    id: `workshop-${kind}@1`,
    about: { summary: 'A workshop.', tasks: [{}], turns: limit },
    parameters: {},
    task: () => ({}),
    seats: () => ['worker'],
    start(_: object, dice: Rng) {
      const state: State = { kind, ship: dice.pick(colors), routine, at: 0, turn: 0 };
      const text = `Task about ${kinds[kind]}, number ${dice.int(1000)}.`;
      return { state, messages: [{ to: ['worker'], text }], asks: [ask] };
    },
    step(before: State, { worker }: Readonly<Record<string, Action>>) {
      const wanted = before.at === before.routine.length ? before.ship : before.routine[before.at];
      const isRight = worker?.text === wanted;
      const state = { ...before, at: before.at + (isRight ? 1 : 0), turn: before.turn + 1 };
      const isDone = state.at > before.routine.length;
      const isOver = isDone || state.turn === limit;
      return {
        state,
        messages: [{ to: ['worker'], text: isRight ? 'That worked.' : 'Refused.' }],
        asks: isOver ? [] : [ask],
        ...(isOver ? { rewards: { worker: isDone ? 1 - state.turn / limit : 0 } } : {}),
      };
    },
  };
}

/** The moves that worked so far, and those that were refused since. */
function progressOf(events: readonly (readonly [move: string, result: string])[]) {
  const worked: string[] = [];
  let refused: string[] = [];
  for (const [move, result] of events)
    if (result.includes('That worked')) [refused] = [[], worked.push(move)];
    else refused.push(move);
  return { worked, refused };
}

const explorer = scripted('explorer', ({ view, ask, rng: dice }) => {
  const items = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : item.kind === 'action' ? [item.action.text] : []));
  const { refused } = progressOf(pairsOf(items.slice(1)));
  return { text: dice.pick((ask.choices ?? []).filter((move) => !refused.includes(move))) };
});

function pairsOf(items: readonly string[]): readonly (readonly [string, string])[] {
  return items.flatMap((item, i) => (i % 2 === 0 && items[i + 1] !== undefined ? [[item, items[i + 1]] as const] : []));
}

/** Follows a remembered way from where it holds everything that has worked so far, in order; else tries what was not refused. */
function readerModel(dice: Rng, counter: { followed: number }) {
  const read = ({ messages }: Prompt) => {
    const text = messages.map(({ content }) => content).join('\n');
    const cut = text.lastIndexOf('<now>');
    const [history, now] = [text.slice(0, cut), text.slice(cut)];
    const tried = [...history.matchAll(/(\[(?:tool|ship) \w+\])[\s\S]*?(That worked|Refused)\./g)].map(
      ([, move = '', result = '']) => [move, result] as const,
    );
    const { worked, refused } = progressOf(tried);
    const ways = [...now.matchAll(/What worked: ([^.]*)\./g)].map(([, way = '']) => way.split(', then '));
    const hints = ways.flatMap((way) => {
      const at = worked.reduce((from, move) => (from < 0 ? -1 : way.indexOf(move, from) + 1 || -1), 0);
      return at < 0 ? [] : way.slice(at).filter((move) => move.startsWith('[') && move.endsWith(']'));
    });
    const hint = hints.find((move) => !refused.includes(move));
    if (hint !== undefined) counter.followed++;
    return hint ?? dice.pick([...tools, ...colors].filter((move) => !refused.includes(move)));
  };
  return fakeModel({ answers: read });
}

export default async function run({ pack: arm = 'own', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'families');
  const worlds = kinds.slice(0, families).map((_, kind) => workshop(kind, random.shuffle(tools).slice(0, 4)));
  const counter = { followed: 0 };
  const packs = await Promise.all(
    worlds.map(async (world, kind) => {
      const logs = [];
      for (let task = 0; task < played; task++)
        logs.push((await playOne(world, { worker: explorer }, {}, Number(seed) * 1000 + kind * 20 + task)).events);
      return packOfEpisodes(logs, 'worker', world.id);
    }),
  );
  let moves = 0;
  for (const [kind, world] of worlds.entries()) {
    const load = createAgentLoader({ model: async () => readerModel(rng(Number(seed), 'reader', kind), counter) });
    const plain: AgentSpec = {
      name: 'reader',
      kind: 'llm',
      model: 'reader',
      settings: { memory: 'relevant', answer: 'plain', budget: 6000 },
    };
    const pack = packs[arm === 'foreign' ? (kind + 1) % families : kind];
    const worker = await load(arm === 'none' || pack === undefined ? plain : withPack(plain, pack), 'worker', world);
    for (let task = 0; task < tested; task++) {
      const { events } = await playOne(world, { worker }, {}, Number(seed) * 1000 + 500 + kind * 20 + task);
      moves += events.filter(({ kind: event }) => event === 'action').length;
    }
  }
  return { moves: moves / (families * tested), followed: counter.followed };
}
