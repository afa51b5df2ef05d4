/**
 * @file The explorer: makes the move that leads to the least visited place, the move that a demonstrated style would make, or a mix of
 * both.
 *
 * If every seat knows the whole state, a place is the state after a move, tried on the simulator. Otherwise it is the seat's observations
 * plus the move. Visits are counted over all episodes of one explorer, so its play depends on their order. Its actions are in the logs,
 * which replay like all logs.
 */

import type { Agent, AgentSpec, EpisodeEvent, Simulator, Turn, View } from '@ludus-agents/kernel/internal/core/index';
import { canonical, hash, parseBracketed } from '@ludus-agents/kernel/internal/core/index';
import { number, object, readAs, record, type Shape, withDefault } from '@ludus-agents/kernel/internal/core/shape';
import { uniform } from './random.ts';

/** Counts of moves by the latest observation, and by seat alone, as plain data for a spec. */
export type Style = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface ExplorerSettings {
  readonly novelty: number;
  readonly likeness: number;
  readonly style: Style;
}

const shape: Shape<{ settings: ExplorerSettings }> = object<{ settings: ExplorerSettings }>({
  settings: withDefault(
    object<ExplorerSettings>({
      novelty: withDefault(number(0, 1000), 1, 'what a place that was never visited is worth; 0 explores nothing'),
      likeness: withDefault(number(0, 1000), 1, 'the weight of a move that the style always makes'),
      style: withDefault(record(record(number(0))), {}, 'how often moves were made, learned from a run by ludus env coverage --like'),
    }),
    {},
  ),
});

export function readExplorer(spec: AgentSpec): ExplorerSettings {
  return readAs(shape, { settings: spec.settings }, { where: spec.name, called: 'an explorer' }).settings;
}

export function explorer(name: string, settings: ExplorerSettings): Agent {
  const visits = new Map<string, number>();
  return {
    name,
    looksAhead: true,
    act(turn, _signal, simulator) {
      const { choices = [] } = turn.ask;
      if (choices.length === 0) return { action: uniform(turn) as { readonly text: string } };
      const places = placesAfter(turn, choices, simulator);
      const shares = likenessOf(settings.style, turn);
      const worth = choices.map((_, i) => {
        const novel = places[i]!.reduce((sum, place) => sum + 1 / Math.sqrt(1 + (visits.get(place) ?? 0)), 0) / places[i]!.length;
        return settings.novelty * novel + settings.likeness * shares[i]!;
      });
      const most = Math.max(...worth);
      const choice = turn.rng.pick([...worth.keys()].filter((i) => worth[i]! >= most - 1e-12));
      for (const place of places[choice]!) visits.set(place, (visits.get(place) ?? 0) + 1);
      return { action: { text: choices[choice]! } };
    },
  };
}

/** The place after each move: the next state if known; otherwise all observations, the latest one, and none, each with the move. */
function placesAfter({ view, ask, rng }: Turn, moves: readonly string[], simulator: Simulator | undefined): readonly (readonly string[])[] {
  if (simulator?.exact === true) {
    const now = simulator.sample(rng);
    return moves.map((move) => {
      const actions = now.asks.map(
        (item) => [item.seat, { text: item.seat === ask.seat ? move : rng.pick(item.choices ?? ['']) }] as const,
      );
      return [keyOf(now.step(Object.fromEntries(actions), rng).key())];
    });
  }
  const visitedKey = keyOf(canonical(view.seen));
  const context = contextOf(view.seat, lastHeard(view));
  return moves.map((move) => [`${visitedKey} ${move}`, `${context} ${move}`, move]);
}

/** Texts of at least this length are stored as a hash. Hashing a shorter one takes longer than storing it. */
const long = 512;
export const keyOf = (text: string): string => (text.length < long ? text : hash(text));

function lastHeard({ seen }: View): string {
  const messageEvent = seen.findLast((item) => item.kind === 'message');
  return messageEvent?.kind === 'message' ? messageEvent.text : '';
}

const contextOf = (seat: string, message: string) => `${seat} ${hash(message).slice(0, 16)}`;

/** The form in which a move is counted: the text in its brackets, or the complete answer. */
function toCountKey(text: string): string {
  const read = parseBracketed({ text });
  return read.ok ? `[${read.move.toLowerCase()}]` : text.trim();
}

/** The share of each choice among the style's moves after this observation; if there are none, among all its moves on this seat; else 0. */
export function likenessOf(style: Style, { view, ask }: Turn): readonly number[] {
  const moves = (ask.choices ?? []).map(toCountKey);
  for (const key of [contextOf(view.seat, lastHeard(view)), view.seat]) {
    const counts = Object.hasOwn(style, key) ? style[key]! : {};
    const results = moves.map((move) => (Object.hasOwn(counts, move) ? counts[move]! : 0));
    const sum = results.reduce((total, value) => total + value, 0);
    if (sum > 0) return results.map((value) => value / sum);
  }
  return moves.map(() => 0);
}

/** The style of demonstrated episodes. */
export function learnStyle(logs: readonly (readonly EpisodeEvent[])[]): Style {
  const style: Record<string, Record<string, number>> = {};
  for (const log of logs) {
    const message: Record<string, string> = {};
    for (const event of log) {
      if (event.kind === 'message') for (const seat of event.to) message[seat] = event.text;
      if (event.kind !== 'action') continue;
      const move = toCountKey(event.action.text);
      for (const key of [contextOf(event.seat, message[event.seat] ?? ''), event.seat]) {
        style[key] ??= {};
        style[key][move] = (style[key][move] ?? 0) + 1;
      }
    }
  }
  return style;
}
