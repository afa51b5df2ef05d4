/** @file A language agent on its seat: its constant part, and the changes from perceiving a turn. */

import type { Seat, Seen } from '@ludus-agents/kernel/internal/core/index';
import { type AffectState, calm, type Stirring, stir } from '../mind/affect.ts';
import { appraise, importanceOf } from '../mind/appraise.ts';
import type { Tokens } from '../mind/budget.ts';
import type { FeltTurn } from '../mind/feelings.ts';
import type { Memory } from '../mind/memory.ts';
import { type Mind, type Perception, perceive } from '../mind/mind.ts';
import { weigh } from '../mind/reflect.ts';
import type { RecallEncoder } from '../mind/relevance.ts';
import type { ContextLine } from '../mind/window.ts';
import type { Persona, Section } from '../personas/index.ts';
import type { Frame } from './prompt.ts';
import type { LlmSettings } from './settings.ts';

/** The constant part of an agent on its seat. */
export interface Player {
  readonly seat: Seat;
  /** Its names: messages that contain them concern it. */
  readonly names: readonly string[];
  readonly persona: Persona | null;
  readonly settings: LlmSettings;
  readonly frame: Frame;
  /** The most tokens of a prompt, by the model's context; infinity if that is unknown. */
  readonly most: number;
  /** Added at the end, in every turn. */
  readonly reminder: Section | null;
  /** Notes from earlier episodes. */
  readonly notes: Memory;
  readonly tokens: Tokens;
  readonly encoder: RecallEncoder | undefined;
  /** Lines that are already formatted. */
  readonly lines: WeakMap<Seen, ContextLine>;
}

/** The changes from perceiving a turn, before the agent answers. */
export interface Stirred {
  readonly perception: Perception;
  readonly affect: AffectState | undefined;
  readonly load: number;
  /** Whether enough has happened for a reflection. */
  readonly due: boolean;
}

/** `left` is the initial mood of the character, if it has one from an earlier conversation. */
export function perceiveTurn(player: Player, turn: FeltTurn, mind: Mind | undefined, left?: AffectState): Stirred {
  const perception = perceive(turn.view, mind, turn.ask.window !== undefined);
  const { persona, settings, names } = player;
  let load = mind?.load ?? 0;
  let due = false;
  let affect = settings.affect && persona !== null ? (mind?.affect ?? left ?? calm(persona.affect)) : undefined;
  for (const { index, seen } of perception.items) {
    if (index < perception.fresh) continue;
    if (affect !== undefined && persona !== null) {
      const from = seen.kind === 'message' ? seen.from : undefined;
      const affinity = from === undefined ? 0 : affinityTo(from, persona, settings.others);
      const feelings = seen.kind === 'message' ? turn.feelings?.get(seen.text) : undefined;
      const cause = from ?? (seen.kind === 'reward' ? 'what was paid' : 'what happened');
      const stirrings = appraise(seen, { names, affinity, feelings }).map((item): Stirring => ({ ...item, cause }));
      affect = stir(affect, stirrings, perception.turn, persona.affect);
    }
    if (settings.reflect && seen.kind === 'message') {
      const weighed = weigh(load, importanceOf(seen.text, names));
      load = weighed.load;
      due ||= weighed.due;
    }
  }
  return { perception, affect, load, due };
}

/** A persona's affinity to the occupant of a seat. Relations and seats may both use an id or a name. */
function affinityTo(seat: Seat, { relations }: Persona, others: readonly Persona[]): number {
  const other = others.find(({ id, name }) => id === seat || name === seat);
  return relations.find(({ to }) => to === seat || to === other?.id || to === other?.name)?.affinity ?? 0;
}
