/** @file Shows a tree of candidates as it grows: changes, cost, and the gate's verdict; then the report. */

import { count, formatGrouped, priceWords, spendingWords } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Candidate } from '@ludus-agents/learning/internal/prompts/candidate';
import { editsBetween, editWords } from '@ludus-agents/learning/internal/prompts/edits';
import type { ImproveEvent } from '@ludus-agents/learning/internal/prompts/improve';
import { type CandidateScore, formatScore, type ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import type { FourCells } from '@ludus-agents/learning/internal/prompts/weights-by-texts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { type Colours, coloursFor } from './colours.ts';
import { cellRows } from './improve-report.ts';
import { table } from './table.ts';
import { clip, wrap } from './width.ts';

export interface Growth {
  tell(improveEvent: ImproveEvent): void;
  done(): void;
}

/** A short description of an edit: its first line, and the number of further lines. */
export function changeWords(candidate: Candidate, parent: Candidate | undefined): string {
  if (parent === undefined) return 'start';
  const edits = editsBetween(parent.components, candidate.components);
  const first = edits[0];
  if (first === undefined) return 'nothing';
  return `${editWords(first)}${edits.length > 1 ? ` and ${count(edits.length - 1, 'line')} more` : ''}`;
}

/** Shows events on stdout if `shown`, and progress on a terminal. */
export function createImproveProgress(terminal: Terminal, isShown: boolean): Growth {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = terminal.stderr;
  const knownEntries = new Map<string, { candidate: Candidate; depth: number }>();
  let engine = '';
  const wipe = () => screen.isTTY === true && screen.write('\r\u001b[2K');
  const say = (line: string, isWhole = false) => {
    if (!isShown) return;
    wipe();
    terminal.stdout.write(`${isWhole ? line : clip(line, terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : 160)}\n`);
  };
  const branch = (id: string, mark: string, text: string) => {
    const { depth = 0 } = knownEntries.get(id) ?? {};
    say(`${colours.faint('│ '.repeat(depth))}${mark} ${colours.cyan(id.slice(0, 8))} ${printable(text)}`);
  };
  const meet = (candidate: Candidate) => {
    const parent = knownEntries.get(candidate.parents[0] ?? '');
    if (!knownEntries.has(candidate.id)) knownEntries.set(candidate.id, { candidate, depth: parent === undefined ? 0 : parent.depth + 1 });
    return changeWords(candidate, parent?.candidate);
  };
  return {
    tell(improveEvent) {
      if (improveEvent.engine !== engine) {
        engine = improveEvent.engine;
        knownEntries.clear();
        say(`${colours.bold(engine)}`);
      }
      if (improveEvent.kind === 'candidate') meet(improveEvent.candidate);
      else if (improveEvent.kind === 'best')
        branch(
          improveEvent.candidate.id,
          colours.green('●'),
          `${meet(improveEvent.candidate)} ${colours.green(improveEvent.score.toFixed(3))} on the gate's tasks`,
        );
      else if (improveEvent.kind === 'note') say(colours.faint(printable(improveEvent.words)), true);
      else {
        const { candidate } = knownEntries.get(improveEvent.candidate) ?? {};
        const meeting = candidate === undefined ? '' : `${meet(candidate)} `;
        branch(
          improveEvent.candidate,
          improveEvent.verdict.accept ? colours.green('✓') : colours.faint('✗'),
          `${meeting}${colours.faint(improveEvent.verdict.words)}`,
        );
      }
      if (screen.isTTY === true)
        screen.write(
          `\r\u001b[2K${colours.faint(`${engine}: ${count(improveEvent.spent.calls, 'task play')}, ${priceWords(improveEvent.spent.money)}`)}`,
        );
    },
    done: wipe,
  };
}

/** The report for terminal output. */
export function reportText(report: ImproveReport, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = Math.min(100, columnsOf(terminal.stdout));
  const isDivided = report.best.seen !== null;
  const row = (name: string, score: CandidateScore, calls: number | undefined) => [
    colours.cyan(name),
    score.candidate.slice(0, 8),
    score.select === null ? '' : score.select.toFixed(3),
    formatScore(score),
    ...(isDivided ? [score.seen === null ? '' : score.seen.mean.toFixed(3)] : []),
    calls === undefined ? '' : formatGrouped(calls),
  ];
  const { start, best, baselines, spent, engine } = report;
  const rows = [
    row('start', start, undefined),
    row(engine, best, spent[engine]?.calls),
    ...(engine === 'random' ? [] : [row('random edits', baselines.random, spent['random']?.calls)]),
    ...(engine === 'resample' ? [] : [row('resampling', baselines.resample, spent['resample']?.calls)]),
  ];
  const titles = [
    { title: '' },
    { title: 'candidate' },
    { title: "gate's tasks", align: 'right' as const },
    { title: report.tasks > 0 ? 'unseen tasks' : 'fresh seeds', align: 'right' as const },
    ...(isDivided ? [{ title: 'seen tasks', align: 'right' as const }] : []),
    { title: 'task plays', align: 'right' as const },
  ];
  const [from, to] = [start.candidate.slice(0, 8), best.candidate.slice(0, 8)];
  const difference = from === to ? [] : [`ludus improve diff ${from} ${to}`];
  return [
    table(titles, rows, { colours }),
    '',
    ...report.words.flatMap((sentence) => wrap(sentence, columns)),
    ...(report.cells === undefined ? [] : cellsText(report.cells, colours)),
    ...(report.total.calls === 0 ? [] : [`The run took ${spendingWords(report.total)}.`]),
    colours.faint([`ludus improve lineage ${report.run}`, ...difference, `ludus improve rollback ${report.run} CANDIDATE`].join(' · ')),
  ];
}

/** Weights by texts on the same new tasks, and the attribution of the gain as text. */
function cellsText(cells: FourCells, colours: Colours): readonly string[] {
  const [titles = [], ...rows] = cellRows(cells);
  const columns = titles.map((title) => ({ title }));
  return ['', table(columns, rows, { colours }), '', ...cells.words];
}
