/** @file The same for the page of one run, and for what got through where it is an attack. */

import type { KeptAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import type { RunDetail } from './api-pages.ts';

/** A run, and whether this server plays it. */
export interface RunNow extends RunDetail {
  readonly going: boolean;
  /** What got through, where the run is an attack. */
  readonly attack: AttackShown | null;
}

/** So many of so many got through, with the 95 % interval of the share. */
export interface ThroughShown {
  readonly through: number;
  readonly of: number;
  readonly interval: readonly [number, number];
}

export interface AttackShown
  extends ThroughShown,
    Pick<KeptAttack, 'with' | 'target' | 'overRefusal' | 'plain' | 'examples' | 'untested' | 'rounds'> {
  readonly notes: readonly string[];
  readonly ways: readonly (ThroughShown & { readonly way: string })[];
}
