/**
 * @file An arsenal of moves in conversation, retrieved turn by turn and grown from what was won (after RedCoder, arXiv 2507.22063).
 *
 * A move says in which situation it fits, and what to say then. The one whose situation is nearest to the other side's last words is taken,
 * weighed by what it was worth after the move before. A won conversation becomes new moves: what was answered, and what was said next. Its
 * own words are put in for slots, so that a move won on one goal serves the next. The index is made again whenever the arsenal has grown.
 */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { hash, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { PartGraph, type PartGraphData } from './part-graph.ts';

/** What to say, with slots in braces, and in answer to what. */
export type ArsenalMove = {
  readonly name: string;
  readonly situation: string;
  readonly say: string;
};

export type MoveSlots = Readonly<Record<string, string>>;

/** One message of a conversation with the answer to it, and the move it was made of. */
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

  /** The move that fits what was last answered, of those that were not made yet in this conversation; null where none is left. */
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

  /** Notes a conversation. One that was won leaves its later moves as new ones, in the words of its answers. */
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

/** A move in the words of a goal. */
export function fillSlots(text: string, slots: MoveSlots): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** Words of a goal become slots again, the longest first. */
function withSlots(text: string, slots: MoveSlots): string {
  const entries = Object.entries(slots).toSorted(([, a], [, b]) => b.length - a.length);
  return entries.reduce((out, [name, value]) => (value === '' ? out : out.replaceAll(value, `{${name}}`)), text);
}
