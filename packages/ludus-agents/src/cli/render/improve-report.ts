/** @file An improvement as Markdown, or as a self-contained HTML file. */

import { documentOf, paragraphsOf, type Rows, sectionsOf, tableOf } from '@ludus-agents/evaluation/internal/scoring/report/document';
import { escapeHtml } from '@ludus-agents/evaluation/internal/scoring/report/wording';
import { formatGrouped, priceWords } from '@ludus-agents/kernel/internal/core/format';
import { escapeMarkdown } from '@ludus-agents/kernel/internal/core/index';
import type { Lineage } from '@ludus-agents/learning/internal/improving/lineage';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import { type CandidateScore, formatScore, type ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import type { Figure, FourCells } from '@ludus-agents/learning/internal/prompts/weights-by-texts';

function scoresOf({ engine, start, best, baselines, spent }: ImproveReport): Rows {
  const row = (name: string, score: CandidateScore, calls: number | undefined) => [
    name,
    score.candidate.slice(0, 8),
    score.select === null ? '' : score.select.toFixed(3),
    formatScore(score),
    score.seen === null ? '' : score.seen.mean.toFixed(3),
    calls === undefined ? '' : formatGrouped(calls),
  ];
  return [
    ['', 'candidate', "gate's tasks", 'tasks the proposer did not see', 'tasks it saw', 'task plays'],
    row('start', start, undefined),
    row(engine, best, spent[engine]?.calls),
    row('random edits', baselines.random, spent['random']?.calls),
    row('resampling', baselines.resample, spent['resample']?.calls),
  ];
}

/** Weights by texts, if both were changed, with the attribution of the gain. */
export function cellRows({ cells }: FourCells): Rows {
  const formatFigure = ({ mean, low, high }: Figure) =>
    low === null || high === null ? mean.toFixed(3) : `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  const rows = (['base', 'trained'] as const).map((weights) => [
    weights,
    formatFigure(cells[weights].old),
    formatFigure(cells[weights].new),
  ]);
  return [['weights', 'old texts', 'new texts'], ...rows];
}

function spendingOf({ spent, total }: ImproveReport): Rows {
  const rows = Object.entries(spent).map(([name, { calls, proposals, modelCalls, tokens, money }]) => [
    name,
    ...[calls, proposals, modelCalls, tokens].map(formatGrouped),
    priceWords(money),
  ]);
  const all = [
    'really spent',
    '',
    '',
    formatGrouped(total.calls),
    `${total.uncounted === undefined ? '' : 'at most '}${formatGrouped(total.tokens)}`,
    priceWords(total.money),
  ];
  return [['charged to', 'task plays', 'proposals', 'model calls', 'tokens', 'money'], ...rows, all];
}

/** The reason why the rows above the total add up to more than it. */
const sharedNote = 'An episode that several engines use is charged to each of them but played once: the last row is the actual cost.';

/** Every verdict on the path to the answer, in order. */
function verdictsOf({ descendants }: Lineage, { engine }: ImproveReport): Rows {
  const ownDescendants = descendants.filter((descendant) => descendant.engine === engine);
  const rows = ownDescendants.flatMap(({ candidate, verdicts }) =>
    verdicts.map(({ parent, verdict }) => [candidate.id.slice(0, 8), parent.slice(0, 8), verdict.words]),
  );
  return [['candidate', 'against', 'verdict'], ...rows];
}

/** The differences between the start and the answer, as lines with signs. */
function changesOf({ archives }: Lineage, { engine, start, best }: ImproveReport): readonly string[] {
  const archive = archives.engines.get(engine);
  if (archive === undefined || !archive.has(best.candidate)) return [];
  const [before, after] = [archive.get(start.candidate).components, archive.get(best.candidate).components];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]);
  return names.flatMap((name) => [name, ...diffLines(before[name] ?? '', after[name] ?? '').map(({ sign, text }) => `${sign} ${text}`)]);
}

export function improveMarkdown(report: ImproveReport, lineage: Lineage): string {
  const table = ([titles = [], ...rows]: Rows) =>
    [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeMarkdown).join(' | ')} |`).join('\n');
  const changes = changesOf(lineage, report).join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...changes.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    `# ${escapeMarkdown(report.run)}`,
    report.words.map(escapeMarkdown).join('\n'),
    table(scoresOf(report)),
    ...(report.cells === undefined
      ? []
      : ['## Weights and texts', report.cells.words.map(escapeMarkdown).join('\n'), table(cellRows(report.cells))]),
    '## What changed',
    changes === '' ? 'Nothing: the start was not beaten.' : `${fence}diff\n${changes}\n${fence}`,
    '## Gate decisions',
    table(verdictsOf(lineage, report)),
    '## Cost',
    sharedNote,
    table(spendingOf(report)),
    '',
  ].join('\n\n');
}

export function improvePage(report: ImproveReport, lineage: Lineage): string {
  const changes = changesOf(lineage, report);
  const { cells } = report;
  const sections: readonly (readonly [string, string])[] = [
    ['Results', `${paragraphsOf(report.words)}${tableOf(scoresOf(report))}`],
    ...(cells === undefined ? [] : [['Weights and texts', `${paragraphsOf(cells.words)}${tableOf(cellRows(cells))}`] as const]),
    ['What changed', changes.length === 0 ? '<p>Nothing: the start was not beaten.</p>' : `<pre>${escapeHtml(changes.join('\n'))}</pre>`],
    ['Gate decisions', tableOf(verdictsOf(lineage, report))],
    ['Cost', `<p>${escapeHtml(sharedNote)}</p>${tableOf(spendingOf(report))}`],
  ];
  return documentOf({
    title: report.run,
    head: '',
    main: sectionsOf(sections),
    footer:
      "Made by Ludus from the run's ledger and archive. The report was played after all choices were made. Intervals are 95% and count distinct tasks, not repeats.",
  });
}
