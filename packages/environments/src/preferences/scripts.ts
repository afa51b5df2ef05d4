/** @file Writers and readers by rules: note everything, nothing, or what shows a taste; answer by what the profile shows most. */

import { type Ask, Fault, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ReaderOutlook, WriterOutlook } from './preferences.ts';
import { fold } from './topics.ts';

function writer(write: (outlook: WriterOutlook) => string): Script {
  return ({ ask }: Turn) => {
    const outlook = ask.data as WriterOutlook | undefined;
    if (outlook?.sentence === undefined) throw elsewhere('keeps a profile', ask);
    return { text: write(outlook) };
  };
}

function reader(weigh: (line: number) => number): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as ReaderOutlook | undefined;
    if (outlook?.options === undefined) throw elsewhere('answers from a profile', ask);
    const lines = outlook.profile.split('\n').map(fold);
    const scores = outlook.options.map(({ text, shown }) =>
      lines.reduce((sum, line, i) => {
        const isShown = shown.some((sentence) => line.includes(fold(sentence)));
        return sum + (isShown || line.includes(` ${fold(text).trim()} `) ? weigh(i) : 0);
      }, 0),
    );
    const most = Math.max(...scores);
    const best = scores.flatMap((score, i) => (score === most ? [i] : []));
    return { text: (ask.choices ?? [])[rng.pick(best)] };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script.`);
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Notes what shows a taste: it is told which sentences are chatter, so it is an upper bound for writers that note. */
  selective: writer(({ isChatter }) => (isChatter ? '[skip]' : '[note]')),
  noter: writer(() => '[note]'),
  blank: writer(() => '[skip]'),
  /** Counts what the profile shows. */
  reader: reader(() => 1),
  /** The later a line, the more it counts: for tastes that change. */
  recent: reader((line) => 2 ** line),
};
