/**
 * @file The four-cell report: {weights before, after} × {texts before, after}, all on the same fresh tasks. It shows which change earned
 * what.
 *
 * Better weights and better texts often achieve the same gain twice, or gain only in combination. Four numbers show it.
 */

import { summaryOf } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';

export type WeightsCell = 'base' | 'trained';
export type TextsCell = 'old' | 'new';

/** Scores of a cell, task by task, in the same order in every cell. */
export type Cells = Readonly<Record<WeightsCell, Readonly<Record<TextsCell, readonly number[]>>>>;

/** A mean with its 95% interval over tasks. The ends are null if there is no spread. */
export type Figure = { readonly mean: number; readonly low: number | null; readonly high: number | null };

/** The gains of weights alone, texts alone, and both together. */
export type FourCells = {
  readonly cells: Readonly<Record<WeightsCell, Readonly<Record<TextsCell, Figure>>>>;
  /** New weights with old texts, new texts with old weights, and both, each relative to neither. */
  readonly weights: Figure;
  readonly texts: Figure;
  readonly both: Figure;
  /** The gain of both minus the gains of each alone: above 0 they help each other, below 0 they overlap. */
  readonly together: Figure;
  readonly words: readonly string[];
};

/** Plays all four cells on the same tasks. `score` gets weights and texts and returns one score for each task. */
export async function fourCells(score: (weights: WeightsCell, texts: TextsCell) => Promise<readonly number[]>): Promise<FourCells> {
  const cells: Cells = {
    base: { old: await score('base', 'old'), new: await score('base', 'new') },
    trained: { old: await score('trained', 'old'), new: await score('trained', 'new') },
  };
  return cellsReport(cells);
}

/** Reports what new weights gain alone, new texts alone, and both together. */
export function cellsReport({ base, trained }: Cells): FourCells {
  const rows = [base.old, base.new, trained.old, trained.new];
  if (rows.some((row) => row.length !== base.old.length || row.length === 0))
    throw new RangeError(`The four cells need the same tasks, but have ${rows.map((row) => row.length).join(', ')} scores.`);
  const minus = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value - b[i]);
  const report = {
    cells: {
      base: { old: figure(base.old, true), new: figure(base.new, true) },
      trained: { old: figure(trained.old, true), new: figure(trained.new, true) },
    },
    weights: figure(minus(trained.old, base.old)),
    texts: figure(minus(base.new, base.old)),
    both: figure(minus(trained.new, base.old)),
    together: figure(minus(minus(trained.new, trained.old), minus(base.new, base.old))),
  };
  return { ...report, words: wordsFor(report) };
}

/** Differences are paired, so the interval is that of the differences. */
function figure(values: readonly number[], unit = false): Figure {
  const rows = values.map((value, task) => ({ scene: '', task: String(task), seed: 0, value }));
  const { value, interval } = summaryOf(rows, { over: 'tasks', unit })!;
  return { mean: value, low: interval?.[0] ?? null, high: interval?.[1] ?? null };
}

function wordsFor({ weights, texts, both, together }: Omit<FourCells, 'cells' | 'words'>): readonly string[] {
  const figureWords = (name: string, { mean, low, high }: Figure) => {
    const isSure = low !== null && high !== null && (low > 0 || high < 0);
    return `${name} ${mean >= 0 ? 'gain' : 'lose'} ${Math.abs(mean).toFixed(3)}${isSure ? '' : ', which may be luck'}.`;
  };
  const joint =
    together.low === null || together.high === null
      ? 'These tasks do not show whether they gain more together than alone.'
      : together.low > 0
        ? 'Together they gain more than each alone adds up to.'
        : together.high < 0
          ? 'Together they gain less than each alone adds up to: part of it is the same gain.'
          : 'Together they gain about what each alone adds up to.';
  return [figureWords('New weights', weights), figureWords('New texts', texts), figureWords('Both', both), joint];
}
