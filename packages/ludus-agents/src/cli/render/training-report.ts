/** @file A training as a self-contained HTML file: summary, curves, final values, counters, and settings. */

import { documentOf, paragraphsOf, type Rows, sectionsOf, tableOf } from '@ludus-agents/evaluation/internal/scoring/report/document';
import { curve } from '@ludus-agents/evaluation/internal/scoring/report/plots';
import { escapeHtml, figure, span } from '@ludus-agents/evaluation/internal/scoring/report/wording';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { TrainingStory } from '@ludus-agents/learning/internal/training/training-story';

const bars = '▁▂▃▄▅▆▇█';

/** The latest values that fit, each as a bar between 0 and the maximum. */
export function sparkline(values: readonly number[], columns: number): string {
  const visible = values.slice(-columns);
  const most = Math.max(...visible.map(Math.abs), Number.MIN_VALUE);
  return visible.map((value) => bars[Math.min(bars.length - 1, Math.max(0, Math.round((value / most) * (bars.length - 1))))]).join('');
}

type Point = TrainingStory['points'][number];

/** Metrics of the journal and their labels. An unnamed one is a counter, or not a metric of the run. */
const figureNames: Readonly<Partial<Record<keyof Point, string>>> = {
  exploitability: 'exploitability',
  legal: 'probability of legal moves',
  returned: 'mean return of the learner',
  won: 'share of episodes won',
  invalid: 'share of illegal moves',
  entropy: 'entropy',
  kl: 'divergence from the reference (KL)',
  clipped: 'share of tokens whose ratio was clipped',
  tokensPerSecond: 'tokens per second',
};

export function trainingPage(story: TrainingStory): string {
  const { run, recipe, method, seed, environments, words, games, updates, tokens, seconds } = story;
  const facts: readonly (readonly [string, string])[] = [
    [formatGrouped(games), 'games'],
    [formatGrouped(updates), 'updates'],
    [formatGrouped(tokens), 'tokens sampled'],
    [`${seconds.toFixed(1)} s`, 'of training'],
  ];
  const about = `<p class="soft">${escapeHtml(`${method} (${recipe}), seed ${seed}, in ${environments.join(', ')}`)}</p>`;
  return documentOf({
    title: run,
    head: `${about}<ul class="facts">${facts.map(([value, what]) => `<li><b>${value}</b>${what}</li>`).join('')}</ul>`,
    main: sectionsOf([
      ['What happened', paragraphsOf(words)],
      ['Curves', curvesHtml(story)],
      ['End values', endHtml(story)],
      ['Counters of the mechanism', countersHtml(story)],
      ['Settings', tableOf([['setting', 'value'], ...flatten(story.settings)])],
    ]),
    footer: `Made by Ludus from the journal of the training. One seed says nothing about the method. Run "ludus train ${recipe} --seeds 5" for intervals over seeds.`,
  });
}

function curvesHtml({ points }: TrainingStory): string {
  const counters = counterNames(points);
  const series: readonly (readonly [string, (point: Point) => number | null])[] = [
    ...Object.entries(figureNames).map(([key, name]) => [name, (point: Point) => numberOrNull(point[key as keyof Point])] as const),
    ...counters.map((name) => [`${name} per update`, (point: Point) => numberOrNull(point.mechanism?.[name])] as const),
  ];
  const plots = series.flatMap(([name, measure], i) => {
    const values = points.map((point) => ({ x: point.games, y: measure(point) }));
    if (values.every(({ y }) => y === null)) return [];
    const title = `${name} over games`;
    return [`<figure><figcaption>${escapeHtml(title)}</figcaption>${curve(values, { colour: i % 6, title })}</figure>`];
  });
  return `<div class="spread">${plots.join('')}</div>`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function counterNames(points: readonly Point[]): readonly string[] {
  return [...new Set(points.flatMap(({ mechanism = {} }) => Object.keys(mechanism)))];
}

/** The result. A figure without an interval states the reason. */
function endHtml({ end, legal, last, best, figure: measured, points }: TrainingStory): string {
  const rows: (readonly string[])[] = [];
  const formatValue = (value: number | null) => figure(value, false);
  if (measured === 'exploitability') {
    rows.push(['exploitability', formatValue(last), 'exact: computed over the whole game, so there is no interval']);
    rows.push(['lowest exploitability during training', formatValue(best), 'exact']);
    if (legal !== null) rows.push(['probability of legal moves', formatValue(legal), 'exact']);
    if (end?.average != null) rows.push(['exploitability of the average policy', formatValue(end.average), 'exact']);
  } else {
    rows.push(['mean return at the end', formatValue(last), 'over the games of the last update, which are training games: no interval']);
    rows.push(['highest mean return during training', formatValue(best), 'the highest of several values: no interval']);
  }
  rows.push(['illegal moves', `${(100 * (points.at(-1)?.invalid ?? 0)).toFixed(1)}%`, 'over the last games: no interval']);
  const gain = end?.gain ?? null;
  if (gain !== null) {
    const about = `for ${scopeText(gain.over, gain.taskCount)}, ${gain.episodes} fresh episodes`;
    rows.push(['return in new episodes, before', formatValue(gain.before), '']);
    rows.push(['return in new episodes, after', formatValue(gain.after), '']);
    rows.push(['gain in new episodes', formatValue(gain.gain), `95%: ${span(gain.interval, false)}, ${about}`]);
    const { passed } = gain;
    rows.push(['share with positive return, before', formatValue(passed.before), '']);
    rows.push(['share with positive return, after', formatValue(passed.after), '']);
    rows.push(['gain in the share with positive return', formatValue(passed.gain), `95%: ${span(passed.interval, false)}, ${about}`]);
  }
  for (const [name, payment] of Object.entries(end?.channels ?? {}))
    rows.push([
      `reward from ${name} per episode`,
      formatValue(payment),
      'over the last tenth of the updates, which are training games: no interval',
    ]);
  const unfinished = end === null ? '<p>The training is not finished, or was recorded before final values were stored.</p>' : '';
  return `${unfinished}${tableOf([['figure', 'value', '95% interval'], ...rows])}`;
}

/** The activity counts of the mechanism, including zeros. */
function countersHtml({ points, end }: TrainingStory): string {
  const rows = counterNames(points).map((name) => {
    const values = points.map(({ mechanism = {} }) => mechanism[name] ?? 0);
    return [name, ...[values[0]!, values.at(-1)!, meanOrZero(values)].map((value) => figure(value, false))];
  });
  const proposals = end?.proposals;
  const proposed: Rows =
    proposals === undefined
      ? []
      : [
          ['tasks proposed: share solved', '', figure(proposals.rate, false), ''],
          ['tasks proposed: valid', '', figure(proposals.valid, false), ''],
        ];
  if (rows.length + proposed.length === 0)
    return '<p>This recipe has no mechanism with counters; it only counts the games, updates, and tokens above.</p>';
  return `<p>Per update: at first, at the end, and on average.</p>${tableOf([['counter', 'first', 'last', 'mean'], ...rows, ...proposed])}`;
}

/** Nested settings as rows: the path and value of each. */
function flatten(settings: Readonly<Record<string, unknown>>, path = ''): Rows {
  return Object.entries(settings).flatMap(([key, value]): Rows => {
    const place = path === '' ? key : `${path}.${key}`;
    if (value === undefined) return [];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return flatten(value as Record<string, unknown>, place);
    return [[place, typeof value === 'string' ? value : JSON.stringify(value)]];
  });
}
