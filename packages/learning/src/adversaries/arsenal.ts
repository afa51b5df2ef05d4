/**
 * @file An arsenal of conversation moves, retrieved turn by turn and extended from successful conversations (after RedCoder, arXiv
 * 2507.22063).
 *
 * A move consists of a situation and a message. The move whose situation is most similar to the other side's last message is chosen,
 * weighted by its value after the previous move. A successful conversation yields new moves: each answer, and the message after it. Words
 * of the goal are replaced by slots, so that a move for one goal can be used for others. The index is rebuilt whenever the arsenal has
 * grown.
 */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { hash, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { PartGraph, type PartGraphData } from './part-graph.ts';

/** A message with slots in braces, and the situation that it answers. */
export type ArsenalMove = {
  readonly name: string;
  readonly situation: string;
  readonly say: string;
};

export type MoveSlots = Readonly<Record<string, string>>;

/** One message of a conversation, its move, and the answer. */
export interface TalkExchange {
  readonly move: string;
  readonly said: string;
  readonly answer: string;
}

const mostMoves = 64;

export class Arsenal {
  readonly graph: PartGraph;
  readonly #moves: ArsenalMove[];

  constructor(moves: readonly ArsenalMove[], partGraphData?: PartGraphData) {
    this.#moves = [...moves];
    this.graph = new PartGraph(partGraphData);
  }

  get moves(): readonly ArsenalMove[] {
    return this.#moves;
  }

  /** The move that best fits the last answer, among those not yet used in this conversation; null if none is left. */
  retrieve(course: readonly TalkExchange[], dice: Rng): ArsenalMove | null {
    const open = this.#moves.filter(({ name }) => !course.some(({ move }) => move === name));
    if (open.length === 0) return null;
    const last = course.at(-1);
    const near = bm25(
      termsOf(last?.answer ?? ''),
      open.map(({ situation }) => termsOf(situation)),
    );
    const highest = Math.max(...near, 1e-9);
    const weights = open.map(({ name }, i) => (0.1 + near[i] / highest) ** 2 * this.graph.worth(name, last?.move));
    return open[dice.weighted(weights)];
  }

  /** Records a conversation. A successful one adds its later moves as new ones, with its answers as situations. */
  learn(course: readonly TalkExchange[], won: boolean, slots: MoveSlots): void {
    this.graph.record(
      course.map(({ move }) => move),
      won ? 1 : 0,
    );
    if (!won) return;
    for (let i = 1; i < course.length; i++) {
      const [before, { said }] = [course[i - 1], course[i]];
      const say = withSlots(said, slots);
      if (this.#moves.some((move) => move.say === say) || this.#moves.length >= mostMoves) continue;
      this.#moves.push({ name: `won ${hash(say).slice(0, 8)}`, situation: termsOf(before.answer).slice(0, 60).join(' '), say });
    }
  }
}

/** Fills the slots of a move with the words of a goal. */
export function fillSlots(text: string, slots: MoveSlots): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** Replaces words of a goal by slots, the longest first. */
function withSlots(text: string, slots: MoveSlots): string {
  const entries = Object.entries(slots).toSorted(([, a], [, b]) => b.length - a.length);
  return entries.reduce((out, [name, value]) => (value === '' ? out : out.replaceAll(value, `{${name}}`)), text);
}
