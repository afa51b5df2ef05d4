/** @file `ludus env coverage`: the share of an environment that its players visited, and actions that were never tried. */

import type { Coverage, CoverageRow } from '@ludus-agents/evaluation/internal/coverage';
import { count, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { coverage as measureCoverage } from '../../../library/env.ts';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly agent?: readonly string[];
  readonly like?: readonly string[];
  readonly task?: string;
  readonly episodes: number;
  readonly repeats: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** Moves that are listed before the rest is only counted. */
const mostNamed = 20;

export const coverage: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    modelOptions(options, terminal.env);
    const { controller, release } = interruptible(terminal);
    try {
      const { agent: agents, like, task, episodes, repeats, seed, store } = options;
      const coverage = await measureCoverage(
        {
          ...{ environment: args[0], agents, like, episodes, repeats, seed, store, signal: controller.signal },
          task: task === undefined ? undefined : jsonFrom(task, '--task'),
        },
        terminal,
      );
      if (options.json === true) printJson(terminal, coverage);
      else printCoverage(coverage, terminal);
      return exits.fine;
    } finally {
      release();
    }
  }),
};

function printCoverage(coverage: Coverage, terminal: Terminal): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  const { reachable, rows } = coverage;
  const styles = Object.keys(rows[0]?.likeness ?? {});
  const right = (title: string) => ({ title, align: 'right' as const });
  const titles = [{ title: 'player', flexible: 'cut' as const }, right('episodes'), right('states'), right('edges'), right('moves')];
  const cells = rows.map((row) => [
    colours.cyan(printable(row.name)),
    String(row.episodes),
    of(row.states, row.intervals.states, reachable?.states),
    of(row.edges, row.intervals.edges, reachable?.edges),
    of(row.moves, row.intervals.moves),
    ...styles.map((style) => (row.likeness[style] === undefined ? '' : row.likeness[style].toFixed(3))),
  ]);
  print(terminal, table([...titles, ...styles.map((style) => right(`like ${printable(style)}`))], cells, { colours, columns }), '');
  const all =
    reachable === null
      ? 'The total is unknown.'
      : `The environment has ${count(reachable.states, 'state')} and ${count(reachable.edges, 'edge')} in total.`;
  const lines = [
    `${coverage.environment}, ${count(coverage.repeats, 'repetition')}; counts are means over them${coverage.repeats > 1 ? ', with 95% intervals' : ': a single one gives no interval'}. ${all}`,
  ];
  for (const row of rows) lines.push(...linesOf(row, rows[0]!.name, colours));
  for (const line of lines) print(terminal, ...wrap(line, Math.min(100, columns)));
}

function of(seenCount: number, interval: CoverageRow['intervals']['states'], all?: number): string {
  const short = (value: number) => String(Number(value.toFixed(1)));
  const span = interval === null ? '' : ` (${short(interval[0])} to ${short(interval[1])})`;
  return `${short(seenCount)}${span}${all === undefined ? '' : `, ${((100 * seenCount) / all).toFixed(1)}%`}`;
}

function linesOf({ name, growth, untried, gain, illegal, failed }: CoverageRow, first: string, colours: Colours): readonly string[] {
  const { edges, moves } = untried;
  const named = moves.slice(0, mostNamed).map((move) => printable(move));
  const more = moves.length > mostNamed ? ` and ${moves.length - mostNamed} more` : '';
  return [
    '',
    colours.bold(printable(name)),
    ...(gain === undefined
      ? []
      : [
          `  ${formatSigned(gain.value, 1)} states compared with ${first}, 95% interval ${formatSigned(gain.interval[0], 1)} to ${formatSigned(gain.interval[1], 1)}`,
        ]),
    `  states after episodes: ${growth.map(({ episodes, states }) => `${episodes}: ${Number(states.toFixed(1))}`).join(', ')}`,
    `  not tried: ${count(edges, 'listed edge')}, ${count(moves.length, 'listed move')}${moves.length === 0 ? '' : `: ${named.join(' ')}${more}`}`,
    ...(illegal === 0 ? [] : [`  ${count(illegal, 'answer')} that ${illegal === 1 ? 'was' : 'were'} no listed move`]),
    ...(failed === 0 ? [] : [`  ${count(failed, 'episode')} that ended in a failure, or that cannot be replayed`]),
  ];
}
