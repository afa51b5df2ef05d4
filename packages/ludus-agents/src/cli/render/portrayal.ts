/** @file What a blind reader saw in the answers of a character, as tables: traits in dialogues, and moral levels in open situations. */

import type { MoralPlayReport } from '@ludus-agents/evaluation/internal/probes/moral-play';
import type { PortrayalReport } from '@ludus-agents/evaluation/internal/probes/portrayal';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Colours } from './colours.ts';
import { table } from './table.ts';

export function portrayalText(name: string, report: PortrayalReport, colours: Colours): string {
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
  const span = (interval: readonly [number, number] | null) =>
    interval === null ? '' : `${figure(interval[0])} to ${figure(interval[1])}`;
  const { success, interval, pairRate, pairInterval, copied, recites, broken, reader } = report;
  const head = `${colours.bold(printable(name))}: portrayed in ${colours.bold(figure(success))} ${colours.faint(`(${span(interval)}) of dialogues; high above low in ${figure(pairRate)} (${span(pairInterval)}) of pairs, chance is 0.50; read by ${reader}, ${broken} unreadable`)}`;
  const rows = report.rows.map((row) => [
    `${row.trait} ${row.pole}${row.own ? colours.faint(' (the card)') : ''}`,
    figure(row.success),
    span(row.interval),
    String(row.n),
    row.pole === 'high' ? figure(report.pairs[row.trait]?.rate ?? null) : '',
  ]);
  const right = { align: 'right' } as const;
  const display = table(
    [{ title: 'trait' }, { title: 'seen', ...right }, { title: '95%', ...right }, { title: 'n', ...right }, { title: 'pairs', ...right }],
    rows,
    { colours },
  );
  const words = `${Math.round(100 * copied)}% of the text is copied word for word from the card`;
  return [head, '', display, '', recites ? colours.red(`✗ ${words}: this is reciting, not playing.`) : colours.faint(`${words}.`)].join(
    '\n',
  );
}

const levelNames = ['paragon', 'flawed but good', 'egoist', 'villain'] as const;

export function moralText(name: string, report: MoralPlayReport, colours: Colours): string {
  const { rows, villainGap, unread, broken, floor, reader, design, scenes } = report;
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
  const span = (interval: readonly [number, number] | null) =>
    interval === null ? '' : `${figure(interval[0])} to ${figure(interval[1])}`;
  const who = design === 'set' ? `${rows.flatMap(({ personas }) => personas).length} characters` : printable(name);
  const gap = villainGap === null ? 'not measurable' : `${figure(villainGap.value)} (95% over scenes: ${span(villainGap.interval)})`;
  const head = `${colours.bold(who)} in ${scenes} scenes: villain gap ${colours.bold(gap)}`;
  const note = `The gap is the fidelity at levels 1 and 2 minus that at 3 and 4. Acting at level 2 in every role has a mean fidelity of ${figure(floor)}. Read by ${reader}; ${unread} played scenes show no level.`;
  const failed = broken === 0 ? [] : [colours.red(`✗ In ${broken} scenes the character said nothing. "ludus show RUN" has the reason.`)];
  const right = { align: 'right' } as const;
  const lines = rows.map(({ level, personas, fidelity, interval, shown, n }) => [
    `${level} ${levelNames[level - 1]}`,
    ...(design === 'set' ? [printable(personas.join(', '))] : []),
    ...[figure(fidelity), span(interval), figure(shown), String(n)],
  ]);
  const columns = [
    { title: 'level' },
    ...(design === 'set' ? [{ title: 'characters' }] : []),
    { title: 'fidelity', ...right },
    { title: '95%', ...right },
    { title: 'level read', ...right },
    { title: 'n', ...right },
  ];
  return [head, '', table(columns, lines, { colours }), '', colours.faint(note), ...failed].join('\n');
}
