/** @file `ludus train sweep`: trains one recipe with many seeds and several settings, and compares them. */

import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { summaryOfRepeats } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { meanOrNull, meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { onFront, type RewardPoint } from '@ludus-agents/learning/internal/training/reward-front';
import type { TrainingReport } from '@ludus-agents/learning/internal/training/train';
import { sweep as sweepRecipe } from '../../../library/scores.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly seeds: number;
  readonly games?: number;
  readonly try: readonly string[];
  readonly front?: string;
  readonly json?: boolean;
}

interface Row {
  readonly settings: readonly string[];
  readonly median: number | null;
  readonly worst: number | null;
  /** The mean probability of legal moves; null if exploitability is not measured. */
  readonly legal: number | null;
  readonly returned: number;
  readonly seeds: number;
  /** Intervals of means over seeds; null for a single seed. */
  readonly intervals: { readonly exploitability: Interval | null; readonly returned: Interval | null };
  readonly exploitability: number | null;
  readonly seconds: number;
  /** With --front: the final reward and cost of an episode, and whether no other setting is better in both. */
  readonly utility?: number;
  readonly cost?: number;
  readonly front?: boolean;
}

export const sweep: CommandRun<Options> = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const { seeds, games, try: tried, front, json } = input;
    if (front !== undefined) await checkFront(args[0], front, terminal);
    const { controller, release } = interruptible(terminal);
    const swept = await sweepRecipe({ recipe: args[0], seeds, games, try: tried, signal: controller.signal }, terminal).finally(release);
    if (swept === null) return exits.interrupted;
    const measured = swept.map(({ settings, reports }) => ({
      ...{ settings, ...summary(reports) },
      ...(front !== undefined && pointOf(reports, front)),
    }));
    const rows: readonly Row[] = front === undefined ? measured : withFront(measured);
    if (json === true) printJson(terminal, rows);
    else print(terminal, formatRows(rows, coloursFor(terminal.stdout, terminal.env), columnsOf(terminal.stdout)));
    return exits.fine;
  }),
};

async function checkFront(name: string, front: string, { cwd, trust }: Terminal): Promise<void> {
  const recipe = await loadRecipe(name, cwd, trust);
  if (recipe.rewards?.[front]?.by === undefined)
    throw new Fault('input', `--front: ${recipe.name} has no reward channel "${front}". Add it to "rewards" in the recipe.`);
}

/** The mean reward and cost of episodes. */
function pointOf(reports: readonly TrainingReport[], front: string): RewardPoint {
  const mean = (name: string) => meanOrZero(reports.map(({ channels }) => channels[name] ?? 0));
  return { utility: mean('environment'), cost: mean(front) };
}

function withFront(rows: readonly Row[]): readonly Row[] {
  const best = onFront(rows as readonly (Row & RewardPoint)[]);
  return rows.map((row, i) => ({ ...row, front: best[i]! }));
}

function summary(reports: readonly TrainingReport[]): Omit<Row, 'settings'> {
  const figures = reports.flatMap(({ exploitability }) => exploitability ?? []).sort((a, b) => a - b);
  const masses = reports.flatMap(({ legal }) => legal ?? []);
  // The median of the sufficiently legal seeds would misrepresent the others.
  const isMeasured = figures.length === reports.length;
  const seconds = meanOrZero(reports.map((report) => report.seconds));
  const [median, worst] = isMeasured ? [figures[figures.length >> 1] ?? null, figures.at(-1) ?? null] : [null, null];
  const returns = summaryOfRepeats(reports.map(({ returned }) => returned));
  const exploits = isMeasured ? summaryOfRepeats(figures) : null;
  return {
    ...{ median, worst, legal: meanOrNull(masses), returned: returns?.value ?? 0, seconds, seeds: reports.length },
    exploitability: exploits?.value ?? null,
    intervals: { exploitability: exploits?.interval ?? null, returned: returns?.interval ?? null },
  };
}

function withInterval(value: number | null, interval: Interval | null, digits: number): string {
  if (value === null) return '–';
  const span = interval === null ? '' : ` (${interval[0].toFixed(digits)} to ${interval[1].toFixed(digits)})`;
  return `${value.toFixed(digits)}${span}`;
}

function formatRows(rows: readonly Row[], colours: ReturnType<typeof coloursFor>, columns: number): string {
  const cells = rows.map(
    ({ settings, median, worst, legal, returned, seconds, utility, cost, front, seeds, exploitability, intervals }) => [
      settings.join(' ') || 'unchanged',
      String(seeds),
      withInterval(exploitability, intervals.exploitability, 4),
      median?.toFixed(4) ?? '–',
      worst?.toFixed(4) ?? '–',
      legal === null ? '–' : `${(100 * legal).toFixed(1)}%`,
      withInterval(returned, intervals.returned, 3),
      `${formatGrouped(Math.round(seconds * 10) / 10)} s`,
      ...(cost === undefined ? [] : [utility!.toFixed(3), cost.toFixed(3), front === true ? 'yes' : 'no']),
    ],
  );
  const titles = [
    'settings',
    'seeds',
    'exploitability (95%)',
    'median seed',
    'worst seed',
    'legal',
    'return (95%)',
    'each',
    ...(rows[0]?.cost === undefined ? [] : ['utility', 'cost', 'front']),
  ];
  return table(
    titles.map((title) => ({ title })),
    cells,
    { colours, columns },
  );
}
