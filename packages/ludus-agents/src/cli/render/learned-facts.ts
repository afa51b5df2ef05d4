/**
 * @file Shows what each character learned in a scene: facts passed from one to another, and facts stated by a seat that could not
 * know them.
 */

import { factsOf, type Leak, type Learned, leaks, ledger } from '@ludus-agents/agents/internal/mind/ledger';
import type { CastScene } from '@ludus-agents/agents/internal/personas/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type EpisodeEvent, printable } from '@ludus-agents/kernel/internal/core/index';
import type { Colours } from './colours.ts';
import { wrap } from './width.ts';

export interface LearnedFacts {
  /** Facts that were not known from the start, in order; `at` is the index of the event. */
  readonly learned: readonly Learned[];
  readonly leaks: readonly Leak[];
}

export function lessonsOf(events: readonly EpisodeEvent[], personas: CastScene['personas']): LearnedFacts {
  const facts = factsOf(personas);
  const hasSeat = (seat: string) => Object.hasOwn(personas, seat);
  const learned = ledger(events, personas, { facts }).filter(({ at, seat }) => at >= 0 && hasSeat(seat));
  return { learned, leaks: leaks(events, personas, { facts }).filter(({ seat }) => hasSeat(seat)) };
}

const most = 6;

/** The same as text; empty if nothing was learned. */
export function lessonsText(
  { learned, leaks: slips }: LearnedFacts,
  personas: CastScene['personas'],
  look: { colours: Colours; columns: number },
): string {
  const { colours, columns } = look;
  const texts = new Map(factsOf(personas).map(({ id, text }) => [id, text]));
  const name = (seat: string) => personas[seat]?.name ?? seat;
  const wrapLine = (line: string, paint: (text: string) => string) => wrap(printable(line), columns).map(paint).join('\n');
  const lines = [
    ...slips.map(({ seat, fact }) => wrapLine(`${name(seat)} could not know: ${texts.get(fact)}`, colours.red)),
    ...learned.map(({ seat, from, fact }) =>
      wrapLine(`${name(seat)} learned from ${from === null ? 'the world' : name(from)}: ${texts.get(fact)}`, colours.faint),
    ),
  ];
  const rest = lines.length > most ? [colours.faint(`… and ${count(lines.length - most, 'line')} more; --json has them all.`)] : [];
  return [...lines.slice(0, most), ...rest].join('\n');
}
