/** @file Tutors and their student: the tree of questions, hints and plain answers; and rules for help on a budget. */

import { type Ask, Fault, type Rng, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { chooseExplained, isWorth, rankings, type TutorItem } from './budget.ts';

/** What the tutor's ask tells programs, by the mode. */
export type SocraticOutlook = { readonly right: readonly boolean[]; readonly names: readonly string[] };
export type BudgetOutlook = {
  readonly item: number;
  readonly count: number;
  /** All items where they are told ahead, else those seen so far. */
  readonly items: readonly TutorItem[];
  readonly explained: readonly number[];
  readonly left: number;
};
export type StudentOutlook = { readonly chance: number };

function socratic(move: (outlook: SocraticOutlook, rng: Rng) => string): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as SocraticOutlook | undefined;
    if (outlook?.right === undefined) throw elsewhere('asks questions', ask);
    return { text: `[${move(outlook, rng)}]` };
  };
}

function helper(explains: (outlook: BudgetOutlook, rng: Rng) => boolean): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as BudgetOutlook | undefined;
    if (outlook?.items === undefined) throw elsewhere('helps on a budget', ask);
    return { text: outlook.left > 0 && explains(outlook, rng) ? '[explain]' : '[skip]' };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script, or change "mode".`);
}

/** Explains what a rule ranks highest among all items; where they come one by one, among those that came. */
function rankedScript(rank: (item: TutorItem) => number): Script {
  return helper(({ item, items, explained, left }) => chooseExplained(rank, items, explained.length + left).has(item));
}

const first = ({ right, names }: SocraticOutlook) => names[Math.max(0, right.indexOf(false))];

export const scripts: Readonly<Record<string, Script>> = {
  /** The first that was not answered right yet, again and again. */
  tree: socratic((outlook) => `ask ${first(outlook)}`),
  hinter: socratic((outlook) => `hint ${first(outlook)}`),
  teller: socratic((outlook) => `tell ${first(outlook)}`),
  /** Any concept, in no order. */
  rambler: socratic(({ names }, rng) => `ask ${rng.pick(names)}`),
  utility: rankedScript(rankings.utility),
  weakest: rankedScript(rankings.weakest),
  surest: rankedScript(rankings.surest),
  /** Any items, each set equally likely. */
  any: helper(({ item, count, left }, rng) => rng.next() * (count - item) < left),
  always: helper(() => true),
  never: helper(() => false),
  /** The best decisions where items come one by one, as they are drawn. */
  online: helper(({ item, items, count, left }) => isWorth(items[item], count - item - 1, left)),
  /** Answers as the table says. */
  student: ({ ask, rng }: Turn) => {
    const { chance } = ask.data as StudentOutlook;
    return { text: chance > 0 && (chance === 1 || rng.next() < chance) ? '[right]' : '[wrong]' };
  },
};
