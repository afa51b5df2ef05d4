/** @file Compares trained recipes, and results against a fixed agent: tables and sentences. */

import type { ResponseReport } from '@ludus-agents/evaluation/internal/found-exploits';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { leastLegal } from '@ludus-agents/kernel/internal/core/legal-words';
import { fewestSeeds, type RecipeStanding } from '@ludus-agents/learning/internal/training/compare-recipes';
import { columnsOf, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { sparkline } from './training-report.ts';

export function recipeStandingsText(standings: readonly RecipeStanding[], terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const measure = standings[0]?.exploitability === null ? 'return' : 'exploitability';
  const columns: readonly Column[] = [
    { title: 'recipe' },
    { title: measure, align: 'right' },
    ...(measure === 'return' ? [] : [{ title: 'legal', align: 'right' as const }]),
    { title: '95%', align: 'right' },
    { title: 'seeds', align: 'right' },
    { title: 'games', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: 'during training' },
  ];
  const rows = standings.map((standing) => [
    colours.cyan(standing.recipe),
    figure(standing.exploitability ?? standing.returned ?? 0),
    ...(standing.legal === null ? [] : [`${(100 * standing.legal).toFixed(1)}%`]),
    standing.interval === null ? '–' : `${figure(standing.interval[0])} to ${figure(standing.interval[1])}`,
    String(standing.seeds),
    formatGrouped(standing.games),
    formatGrouped(standing.tokens),
    sparkline(
      standing.curve.map(({ value }) => value),
      10,
    ),
  ]);
  return [
    table(columns, rows, { colours, columns: columnsOf(terminal.stdout) }),
    '',
    ...verdicts(standings),
    ...unequalText(standings),
    colours.faint('Interquartile means over seeds, with stratified bootstrap intervals. Each run is saved as RECIPE-SEED.'),
  ];
}

/** Recipes play whole batches, so they may end after different numbers of games. */
function unequalText(standings: readonly RecipeStanding[]): readonly string[] {
  const games = standings.map((standing) => standing.games);
  const [least, most] = [Math.min(...games), Math.max(...games)];
  return least === most
    ? []
    : [
        `The numbers of games are not equal (${formatGrouped(least)} to ${formatGrouped(most)}): a recipe plays whole batches. Raise --games to make the difference small.`,
      ];
}

/** Compares each recipe with the next: which is likelier to end better, and whether the seeds can tell. */
function verdicts(standings: readonly RecipeStanding[]): readonly string[] {
  const least = Math.min(...standings.map(({ seeds }) => seeds));
  if (least < fewestSeeds)
    return [
      `${count(least, 'seed')} cannot show ${standings.length > 1 ? 'which recipe is better' : 'how far runs differ'}. Use --seeds ${fewestSeeds} or more.`,
    ];
  return standings.slice(1).map((worse, i) => {
    const first = standings[i]!;
    const { value, interval } = first.improvement[worse.recipe] ?? { value: 0.5, interval: [0, 1] as const };
    const sure = interval[0] > 0.5 ? 'so it is better in this test' : 'which does not show a difference';
    return `A run of ${first.recipe} ends better than one of ${worse.recipe} with probability ${value.toFixed(2)} (${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}), ${sure}.`;
  });
}

export function responseText(
  name: string,
  against: string,
  { exploitability, won, interval, bySeat, episodes, exact, legal }: ResponseReport,
): readonly string[] {
  const seats = Object.entries(bySeat).map(([seat, value]) => `${seat} ${figure(value)}`);
  const facts = `95% ${figure(interval[0])} to ${figure(interval[1])}; ${seats.join(', ')}; ${formatGrouped(episodes)} fresh games from each seat; ${(100 * legal).toFixed(1)}% of its moves were legal`;
  const solved = exact === null ? null : `The best of all players wins ${figure(exact)}, by the solver.`;
  const verdict =
    exploitability !== null
      ? [
          `${against} can be beaten by ${figure(exploitability)} a game (${facts}).`,
          solved ?? 'That is a lower bound: a better player may win more.',
        ]
      : legal < leastLegal.mean
        ? [
            `Exploitability of ${against} is undefined: most of its moves broke the rules, so beating it says nothing about its strategy (${facts}).`,
          ]
        : [
            `No exploit of ${against} was found: the trained player wins ${figure(won)} a game (${facts}). That does not show that ${against} cannot be beaten.`,
            ...(solved === null ? [] : [solved]),
          ];
  return [...verdict, `Saved as ${name} in .ludus/training. Use it as the agent local/${name}@best.`];
}

function figure(value: number): string {
  return value.toFixed(4);
}
