/** @file Debaters who differ in how they bet, and judges who decide by what was argued, evenly or with noise. */

import { Fault, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { chanceBy, sum, totalsAfter, winChance } from './odds.ts';

/** What a debater's ask tells programs. */
export type DebaterOutlook = {
  /** Arguments in hand with their strengths. */
  readonly left: readonly (readonly [string, number])[];
  readonly own: readonly number[];
  /** Strengths the other side has argued; null where they are not shown. */
  readonly other: readonly number[] | null;
  readonly rounds: number;
  readonly cards: number;
  readonly noise: number;
  readonly bets: boolean;
};

/** What the judge's ask tells programs. */
export type JudgeOutlook = { readonly lead: number; readonly noise: number };

/** The exact chance to win for one who argues the strongest first, against another who does. */
function chanceOf({ left, own, other, rounds, cards, noise }: DebaterOutlook): number {
  const rest = left.map(([, strength]) => strength).sort((a, b) => b - a);
  return winChance(sum(own) + sum(rest.slice(0, rounds - own.length)), totalsAfter(other ?? [], { rounds, cards }), noise);
}

function debater(pick: 'strongest' | 'weakest', bet: (outlook: DebaterOutlook) => number): Script {
  return ({ ask }: Turn) => {
    const outlook = ask.data as DebaterOutlook;
    if (outlook.left === undefined) throw new Fault('input', 'This script debates. Use it for one of the sides, not for the judge.');
    const ordered = [...outlook.left].sort(([, a], [, b]) => (pick === 'strongest' ? b - a : a - b));
    const words = `I argue from ${ordered[0][0]}.`;
    const move = `[argue ${ordered[0][0]}]`;
    if (!outlook.bets) return { text: `${words} ${move}` };
    return { text: `${words} ${move}`, data: { confidence: bet(outlook) } };
  };
}

function judging(decide: (outlook: JudgeOutlook, roll: number) => boolean): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as JudgeOutlook;
    if (outlook.lead === undefined) throw new Fault('input', 'This script judges. Use it for the seat of the judge.');
    return { text: decide(outlook, rng.next()) ? '[proposition]' : '[opposition]' };
  };
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Bets what its chance is. */
  calibrated: debater('strongest', (outlook) => Math.round(100 * chanceOf(outlook))),
  certain: debater('strongest', () => 100),
  even: debater('strongest', () => 50),
  weakest: debater('weakest', () => 50),
  judge: judging(({ lead, noise }, roll) => roll < chanceBy(lead, noise)),
  'strict-judge': judging(({ lead }, roll) => roll < chanceBy(lead, 0)),
};
