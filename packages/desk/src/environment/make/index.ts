/** @file Generators of cases from a desk, by name. Each case is proved solvable before it is returned. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCase, DeskDocument } from '../document.ts';
import { composeCases } from './compose.ts';
import { intentCases, qualityCases } from './contact-center.ts';
import { type Difficulty, difficultCases } from './difficulties.ts';
import type { MakeKind } from './kinds.ts';
import { knowledgeCases } from './knowledge.ts';
import { type ProvedCases, proveCases } from './prove.ts';
import { ruleCases } from './rules.ts';

export interface CaseOptions {
  readonly kinds: readonly MakeKind[];
  /** The number per kind; a case and its twin without the difficulty count as two. */
  readonly each: number;
  readonly seed: number;
}

export function makeCases(desk: DeskDocument, { kinds, each, seed }: CaseOptions): ProvedCases {
  const parts = kinds.map((kind) => {
    const dice = rng(seed, 'desk', desk.name, 'make', kind);
    const makers: Partial<Record<MakeKind, () => readonly DeskCase[]>> = {
      rules: () => ruleCases(desk, each, dice),
      compose: () => composeCases(desk, dice),
      knowledge: () => knowledgeCases(desk, dice),
      intent: () => intentCases(desk, dice),
      quality: () => qualityCases(desk, dice),
    };
    const deskCases = makers[kind]?.() ?? difficultCases(desk, kind as Difficulty);
    // These ask about texts, so there are no calls to run; a quality check is kept together with its broken twin.
    if (kind === 'knowledge' || kind === 'quality') return { kept: deskCases.slice(0, 2 * each), down: [] };
    const { kept, down } = proveCases(deskCases, desk);
    // A difficulty without its twin has no baseline.
    const whole = kept.filter(
      ({ id }) => !deskCases.some((deskCase) => deskCase.id === `${id}-plain`) || kept.some((deskCase) => deskCase.id === `${id}-plain`),
    );
    return { kept: whole.slice(0, each), down };
  });
  return { kept: parts.flatMap(({ kept }) => kept), down: parts.flatMap(({ down }) => down) };
}
