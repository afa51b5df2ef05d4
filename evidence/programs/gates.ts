/**
 * @file Three gates, each opened by three of twelve moves in the right order. After the first gate, the order of the others may change,
 * and this is announced. A judge values the progress of the whole task or of a subtask, with the same noise, and the base model
 * proposes random moves; scripts replace both.
 *
 * Options: settings (JSON of a search), seed. Prints the share of gates opened in 20 episodes of 16 moves, the calls per episode, and
 * how often each mechanism acted.
 */

import { type SearchMind, searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import type { Action, AnyEnvironment, Json, JsonObject, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { counting, noisy, textsIn } from './_readers.ts';

const [episodes, mostMoves, noise] = [20, 16, 0.15];
const moves = Array.from({ length: 12 }, (_, i) => `[${i + 1}]`);
const names = ['north', 'south', 'west'];

type State = {
  /** The gates that are still shut, in the order in which they can be opened, each with the moves that it needs. */
  readonly gates: readonly { readonly name: string; readonly needs: readonly string[] }[];
  readonly done: number;
  readonly moved: number;
  readonly isChanging: boolean;
};

const gates: AnyEnvironment = {
  id: 'gates@1',
  about: { summary: 'Gates in an order.', tasks: [{}], turns: mostMoves, open: true, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['opener'],
  start(_: object, rng: Rng) {
    const order = rng.shuffle(names);
    const state: State = {
      ...{ gates: order.map((name) => ({ name, needs: rng.shuffle(moves).slice(0, 3) })), done: 0, moved: 0 },
      isChanging: rng.next() < 0.7,
    };
    const codes = state.gates.map(({ name, needs }) => `${name} needs ${needs.join(' ')}`).join('; ');
    return {
      state,
      messages: [{ to: ['opener'], text: `Order: ${order.join(' ')}. Codes: ${codes}.` }],
      asks: [{ seat: 'opener', choices: moves }],
    };
  },
  step(before: State, actions: Readonly<Record<string, Action>>) {
    const [first, ...rest] = before.gates;
    const isRight = actions['opener']?.text === first.needs[before.done];
    const done = isRight ? before.done + 1 : before.done;
    const isOpen = done === 3;
    const isChange = isOpen && before.isChanging && rest.length === 2;
    const left = isOpen ? (isChange ? [...rest].reverse() : rest) : before.gates;
    const state: State = { gates: left, done: isOpen ? 0 : done, moved: before.moved + 1, isChanging: before.isChanging && !isChange };
    const text = isOpen ? `Gate ${first.name} is open.` : isRight ? 'A bolt moves.' : 'Nothing happens.';
    const news = isChange ? ` The order has changed. Order: ${left.map(({ name }) => name).join(' ')}.` : '';
    const isOver = left.length === 0 || state.moved >= mostMoves;
    return {
      ...{ state, messages: [{ to: ['opener'], text: `${text}${news}` }], asks: isOver ? [] : [{ seat: 'opener', choices: moves }] },
      ...(isOver ? { rewards: { opener: (names.length - left.length) / names.length } } : {}),
    };
  },
};

/** Bolts and gates as far as what was told goes: how many of the current gate's bolts have moved, and which gates are open. */
function progressIn(turn: Turn) {
  const texts = textsIn(turn);
  const codes = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(/(\w+) needs (\[\d+\]) (\[\d+\]) (\[\d+\])/g)].map(([, name, ...needs]) => [name, needs] as const),
    ),
  );
  const order = texts.flatMap((text) => /Order: ([\w ]+)\./.exec(text)?.[1]?.split(' ') ?? []);
  const open = texts.flatMap((text) => /Gate (\w+) is open/.exec(text)?.[1] ?? []);
  const since = texts.findLastIndex((text) => /Gate \w+ is open/.test(text));
  const bolts = texts.slice(since + 1).filter((text) => text.startsWith('A bolt')).length;
  return { codes, open, bolts, latestOrder: order.slice(-names.length).filter((name) => !open.includes(name)) };
}

export default async function run({ settings = '{}', seed = 1 }: ProgramOptions): Promise<Json> {
  let [calls, opened] = [0, 0];
  const acted: Record<string, number> = {};
  const base = scripted('base', (turn) => {
    const ask = textsIn(turn).at(-1) ?? '';
    const { latestOrder } = progressIn(turn);
    if (ask.includes('"Sub-task: …"')) return { text: latestOrder.map((name) => `Sub-task: open gate ${name}`).join('\n') };
    const tried = textsIn(turn).flatMap((text) => /^Tried here: (\S+),/.exec(text)?.[1] ?? []);
    const left = moves.filter((move) => !tried.includes(move));
    return { text: turn.rng.pick(left.length === 0 ? moves : left) };
  });
  const judge = scripted('judge', (turn) => {
    const ask = textsIn(turn).at(-1) ?? '';
    const { open, bolts } = progressIn(turn);
    const current = /You work on this sub-task: open gate (\w+)/.exec(ask)?.[1];
    if (current !== undefined) return { text: `Done: ${open.includes(current) ? 'yes' : 'no'}\nReflection: ${open.length} gates are open` };
    const aim = /this sub-task: open gate (\w+)/.exec(ask)?.[1];
    // Of a sub-task it sees the bolts of that gate, of the whole task all bolts.
    const whole = (3 * open.length + bolts) / 9;
    const isNext = aim === undefined || isOnTheWay(turn, aim);
    const value = aim === undefined ? whole : open.includes(aim) ? 1 : isNext ? bolts / 3 : 0;
    return { text: `Score: ${(10 * noisy(value, noise, turn.rng)).toFixed(2)}` };
  });
  for (let episode = 0; episode < episodes; episode++) {
    const agent = searchAgent({
      ...{ name: 'opener', environment: 'gates', base: counting(base, () => calls++), judge: counting(judge, () => calls++) },
      settings: readSearch({ name: 'opener', kind: 'search', settings: JSON.parse(String(settings)) as JsonObject }),
    });
    const { events, returns } = await playOne(gates, { opener: agent }, {}, Number(seed) * 1000 + episode);
    opened += (returns['opener'] ?? 0) / episodes;
    const last = events.findLast((event) => event.kind === 'action');
    const mind = (last?.kind === 'action' ? last.mind : undefined) as SearchMind | undefined;
    for (const [name, count] of Object.entries(mind?.acted ?? {})) acted[name] = (acted[name] ?? 0) + count;
  }
  return { opened, calls: calls / episodes, acted };
}

/** Is this gate the next one in the order that was told last? */
function isOnTheWay(turn: Turn, gate: string): boolean {
  return progressIn(turn).latestOrder[0] === gate;
}
