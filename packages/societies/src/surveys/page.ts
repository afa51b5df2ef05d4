/**
 * @file Renders a survey as one self-contained HTML file: highlights, shares with intervals as plots and crosstabs, and loader programs.
 */

import { axisFor, forest, type Mark } from '@ludus-agents/evaluation/internal/scoring/report/plots';
import { style } from '@ludus-agents/evaluation/internal/scoring/report/style';
import { escapeHtml, formatGrouped } from '@ludus-agents/evaluation/internal/scoring/report/wording';
import type { Instrument } from '../survey/instrument.ts';
import { percent } from './check-sentences.ts';
import type { ItemTable } from './tables.ts';

export interface SurveyPageSource {
  readonly run: string;
  readonly people: number;
  readonly effective: number;
  readonly missing: number;
  readonly instrument: Instrument;
  /** Shares of everyone, by wave if there are waves. */
  readonly tables: readonly ItemTable[];
  /** Shares by the values of attributes. */
  readonly crosstabs: readonly { readonly by: string; readonly tables: readonly ItemTable[] }[];
  readonly checks: readonly string[];
  readonly changes: readonly string[];
  /** Loader programs by language. */
  readonly programs: Readonly<Record<string, string>>;
}

export function surveyPage(source: SurveyPageSource): string {
  const { run, people, effective, missing, instrument, checks, changes, programs } = source;
  const sections: readonly (readonly [string, string, string])[] = [
    ['checks', 'Problems', listOf(checks)],
    ['waves', 'From wave to wave', changes.length === 0 ? '' : listOf(changes)],
    ['items', 'Answers', itemsSection(source)],
    ['groups', 'By groups', groupsSection(source)],
    ['codebook', 'Codebook', codebookSection(instrument)],
    [
      'load',
      'Load it',
      Object.entries(programs)
        .map(([language, text]) => `<h3>${escapeHtml(language)}</h3><pre>${text.split('\n').map(escapeHtml).join('\n')}</pre>`)
        .join(''),
    ],
  ];
  const visibleSections = sections.filter(([, , body]) => body !== '');
  const facts: readonly (readonly [string, string])[] = [
    [formatGrouped(people), 'people'],
    [effective.toFixed(1), 'worth after weighting'],
    [formatGrouped(instrument.items.length), 'items'],
    [formatGrouped(missing), 'answers missing'],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(run)} – Ludus</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(instrument.name)}</h1>
<p class="soft">${escapeHtml(run)}. These are answers of synthetic people: what they say about real ones is a claim to be checked with "ludus survey compare".</p>
<ul class="facts">${facts.map(([value, noun]) => `<li><b>${escapeHtml(value)}</b>${escapeHtml(noun)}</li>`).join('')}</ul>
<nav aria-label="Sections">${visibleSections.map(([id, title]) => `<a href="#${id}">${title}</a>`).join('')}</nav>
</header>
<main>
${visibleSections.map(([id, title, body]) => `<section id="${id}"><h2>${title}</h2>${body}</section>`).join('\n')}
</main>
<footer>Made by Ludus. Intervals are 95% and design-based: weights count in the error. Groups with fewer than ten people are left out.</footer>
</body>
</html>
`;
}

function listOf(lines: readonly string[]): string {
  return `<ul class="verdicts">${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`;
}

const titleOf = ({ item, wave }: ItemTable) => (wave === null ? item : `${item} · ${wave}`);

function itemsSection({ tables, instrument }: SurveyPageSource): string {
  return tables
    .map((table) => {
      const surveyItem = instrument.items.find(({ id }) => id === table.item);
      const questionText = surveyItem === undefined ? '' : surveyItem.text || (Object.values(surveyItem.versions)[0] ?? '');
      const head = `<h3>${escapeHtml(titleOf(table))} <span class="badge">${formatGrouped(table.n)} people</span></h3><p>${escapeHtml(questionText)}</p>`;
      return table.shares.length === 0 ? `${head}<p class="soft">No answers.</p>` : head + plotOf(table) + meanOf(table);
    })
    .join('');
}

/** Uniform shares are the baseline: the result of random answers. */
function plotOf(table: ItemTable): string {
  const marks = table.shares.map(({ label, value, interval }): Mark => ({ label, value, interval, colour: 0 }));
  const even = table.kind === 'multiple' ? null : 1 / marks.length;
  return forest(marks, { axis: axisFor([], true), floor: even, title: `Shares of ${titleOf(table)} in percent` });
}

function meanOf({ mean }: ItemTable): string {
  if (mean === null) return '';
  const [low, high] = mean.interval;
  return `<p class="soft">Mean ${mean.value.toFixed(2)}, 95% ${low.toFixed(2)} to ${high.toFixed(2)}.</p>`;
}

function groupsSection({ crosstabs }: SurveyPageSource): string {
  return crosstabs
    .map(({ by, tables }) => {
      const items = [...Map.groupBy(tables, titleOf)].map(([title, itemTables]) => {
        const labels = itemTables.find(({ shares }) => shares.length > 0)?.shares.map(({ label }) => label) ?? [];
        const rows = itemTables.map(({ group, n, shares }) => {
          const cells =
            shares.length === 0
              ? `<td class="text" colspan="${labels.length}">too few answers</td>`
              : shares
                  .map(
                    ({ value, interval }) => `<td>${percent(value)}<small>${percent(interval[0])} to ${percent(interval[1])}</small></td>`,
                  )
                  .join('');
          return `<tr><th>${escapeHtml(group ?? '')}</th>${cells}<td>${n}</td></tr>`;
        });
        const head = labels.map((label) => `<th>${escapeHtml(label)}</th>`).join('');
        return `<div class="wide"><table><caption>${escapeHtml(title)}</caption><thead><tr><th>${escapeHtml(by)}</th>${head}<th>people</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
      });
      return `<h3>${escapeHtml(by)}</h3>${items.join('')}`;
    })
    .join('');
}

function codebookSection({ items }: Instrument): string {
  const rows = items.map(
    ({ id, kind, text, versions, options }) =>
      `<tr><th>${escapeHtml(id)}</th><td class="text">${kind}</td><td class="text loose">${escapeHtml(text || Object.values(versions).join(' / '))}</td><td class="text loose">${options.map((label, i) => `${i + 1} ${escapeHtml(label)}`).join(', ')}</td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>item</th><th class="text">kind</th><th class="text">question</th><th class="text">values</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
