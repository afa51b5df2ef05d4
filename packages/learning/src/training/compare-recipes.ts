/** @file Compares several recipes on several seeds at equal games, by their final results and learning curves. */

import type { Aggregate } from '@ludus-agents/evaluation/internal/scoring/statistics/aggregate';
import { chanceOfMore, interquartileMean, stratifiedBootstrap } from '@ludus-agents/evaluation/internal/scoring/statistics/aggregate';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import type { Seed } from '@ludus-agents/kernel/internal/core/index';
import { tooIllegalText } from '@ludus-agents/kernel/internal/core/legal-words';
import { warmUpFlag } from '../rl/collapse.ts';
import type { Recipe } from '../rl/recipe.ts';
import type { TrainingProgress, TrainingReport } from './train.ts';

/** One training, reduced to the data of a comparison. */
export interface TrainedRun {
  readonly recipe: string;
  readonly seed: Seed;
  readonly points: readonly Pick<TrainingProgress, 'games' | 'exploitability' | 'legal' | 'returned' | 'tokens'>[];
  readonly report: TrainingReport;
}

/** The minimum number of runs of a recipe for an interval or a verdict. */
export const fewestSeeds = 5;

/** A point of a learning curve: the interquartile mean over seeds, and the band around it; null with too few seeds. */
export interface CurvePoint {
  readonly games: number;
  readonly value: number;
  readonly interval: Interval | null;
}

export interface RecipeStanding {
  readonly recipe: string;
  /** The interquartile mean of the seeds' final exploitability; null if recipes are compared by return. */
  readonly exploitability: number | null;
  /** The mean probability of legal moves at the end, over seeds; null if recipes are compared by return. */
  readonly legal: number | null;
  /** The interquartile mean of the final return; null if recipes are compared by exploitability. */
  readonly returned: number | null;
  /** Null with fewer than `fewestSeeds` seeds. */
  readonly interval: Interval | null;
  /** The final value of each seed. */
  readonly ends: readonly number[];
  readonly seeds: number;
  readonly games: number;
  /** Tokens sampled, over all seeds. */
  readonly tokens: number;
  readonly seconds: number;
  /**
   * The probability that a run of this recipe ends better than a run of another, by its name; empty if either has fewer than `fewestSeeds`
   * seeds.
   */
  readonly improvement: Readonly<Record<string, Aggregate>>;
  readonly curve: readonly CurvePoint[];
}

/** The number of games for all recipes: the requested one, or else that of the shortest recipe. */
export function equalGames(recipes: readonly Recipe[], games: number | undefined): number {
  return games ?? Math.min(...recipes.map(({ training }) => training.games));
}

/** A measured run whose policy has too little probability on legal moves for a figure. */
function isTooIllegal({ report: { exploitability, legal } }: TrainedRun): boolean {
  return exploitability === null && legal !== null;
}

/** Why recipes are not in the standings: a sentence for each run without a figure. */
export function unrankedText(runs: readonly TrainedRun[]): readonly string[] {
  return runs
    .filter(isTooIllegal)
    .map(
      ({ recipe, seed, report }) =>
        `${recipe} is not ranked: seed ${seed} ends without a figure. ${tooIllegalText(report.legal!)} Let it imitate legal play first: ${warmUpFlag}.`,
    );
}

/**
 * The standings of recipes, best first. They are compared by exploitability if every run has one, else by return. Leaves out a recipe with
 * a run that is not legal enough for a figure.
 */
export function standingsOfRecipes(trained: readonly TrainedRun[], seed: Seed = 1): readonly RecipeStanding[] {
  const illegal = new Set(trained.filter(isTooIllegal).map(({ recipe }) => recipe));
  const runs = trained.filter(({ recipe }) => !illegal.has(recipe));
  const byExploitability = runs.every(({ report }) => report.exploitability !== null);
  const figureOf = (item: Pick<TrainingProgress, 'exploitability' | 'returned'>) =>
    (byExploitability ? item.exploitability : item.returned) ?? 0;
  const groups = Map.groupBy(runs, ({ recipe }) => recipe);
  const ends = new Map([...groups].map(([recipe, trainedRuns]) => [recipe, trainedRuns.map(({ report }) => figureOf(report))]));
  // For exploitability, less is better.
  const better = (ownItems: readonly number[], others: readonly number[]) =>
    byExploitability ? chanceOfMore(others, ownItems) : chanceOfMore(ownItems, others);
  const standings = [...groups].map(([recipe, trainedRuns]): RecipeStanding => {
    const mine = ends.get(recipe) as readonly number[];
    const { value, interval } = stratifiedBootstrap([mine], ([sample = []]) => interquartileMean(sample), { seed });
    const others = [...ends].filter(([name, theirs]) => name !== recipe && Math.min(mine.length, theirs.length) >= fewestSeeds);
    return {
      recipe,
      exploitability: byExploitability ? value : null,
      legal: byExploitability ? trainedRuns.reduce((sum, { report }) => sum + (report.legal ?? 1), 0) / trainedRuns.length : null,
      returned: byExploitability ? null : value,
      interval: mine.length < fewestSeeds ? null : interval,
      ends: mine,
      seeds: trainedRuns.length,
      games: Math.max(...trainedRuns.map(({ report }) => report.games)),
      tokens: trainedRuns.reduce((sum, { report }) => sum + report.tokens, 0),
      seconds: trainedRuns.reduce((sum, { report }) => sum + report.seconds, 0),
      improvement: Object.fromEntries(
        others.map(([name, theirs]) => [name, stratifiedBootstrap([mine, theirs], ([a = [], b = []]) => better(a, b), { seed })]),
      ),
      curve: curveOf(trainedRuns, (point) => (byExploitability ? point.exploitability : (point.returned ?? 0)), seed),
    };
  });
  const worth = (recipeStanding: RecipeStanding) => recipeStanding.exploitability ?? -(recipeStanding.returned ?? 0);
  return standings.sort((a, b) => worth(a) - worth(b));
}

/** Every tenth of the run, or every point if there are fewer. */
function curveOf(
  runs: readonly TrainedRun[],
  figureOf: (point: TrainedRun['points'][number]) => number | null,
  seed: Seed,
): readonly CurvePoint[] {
  const shortest = Math.min(...runs.map(({ points }) => points.length));
  const step = Math.max(1, Math.floor(shortest / 10));
  const curve: CurvePoint[] = [];
  for (let i = step - 1; i < shortest; i += step) {
    const values = runs.map(({ points }) => figureOf(points[i])).filter((value) => value !== null);
    // Skips a point if some run is not legal enough for a value.
    if (values.length < runs.length) continue;
    const { value, interval } = stratifiedBootstrap([values], ([sample = []]) => interquartileMean(sample), { seed, draws: 500 });
    curve.push({ games: runs[0]?.points[i]?.games ?? 0, value, interval: runs.length < fewestSeeds ? null : interval });
  }
  return curve;
}

/** Every point of every run as one CSV line, for spreadsheets and plots. */
export function curvesCsv(runs: readonly TrainedRun[]): string {
  const lines = runs.flatMap(({ recipe, seed, points }) =>
    points.map(
      ({ games, exploitability, legal, returned, tokens }) =>
        `${recipe},${seed},${games},${exploitability ?? ''},${legal ?? ''},${returned ?? ''},${tokens}`,
    ),
  );
  return `recipe,seed,games,exploitability,legal,returned,tokens\n${lines.join('\n')}\n`;
}
