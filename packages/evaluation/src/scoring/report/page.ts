/** @file The report as one HTML file that needs nothing else: no scripts, no fonts, no requests; the policy in its head forbids them. */

import { exploitWords } from '../arena/index.ts';
import type { Standing } from '../evaluation/index.ts';
import { failureText } from '../failures.ts';
import { scopeText } from '../statistics/verdict.ts';
import { documentOf } from './document.ts';
import { agentLabel, colourOf, episodesSection, momentsSection, type Transcripts } from './excerpts.ts';
import { type Axis, axisFor, forest, histogram, type Mark, meter } from './plots.ts';
import type { Report } from './report.ts';
import { axisText, clipText, escapeHtml, figure, formatGrouped, shareText, span, times, withSign } from './wording.ts';

/** A report as an HTML page; `transcripts` are the logs of notable episodes as texts. */
export function pageOf(report: Report, transcripts: Transcripts = new Map()): string {
  const sections: readonly (readonly [string, string, string])[] = [
    ['standings', 'Standings', standingsSection(report)],
    ['ranking', 'Ranking', rankingSection(report)],
    ['exploits', 'Exploitability', exploitSection(report)],
    ['scenes', 'Scene by scene', scenesSection(report)],
    ['spread', 'Distribution of results', spreadSection(report)],
    ['verdicts', 'Comparisons', verdictsSection(report)],
    ['risks', 'Risks', risksSection(report)],
    ['scores', 'Other scores', scoresSection(report)],
    ['failures', 'What failed', failuresSection(report)],
    ['moments', 'Worst and best moments', momentsSection(report)],
    ['episodes', 'Episodes', episodesSection(report, transcripts)],
  ];
  const visibleSections = sections.filter(([, , body]) => body !== '');
  const links = visibleSections.map(([id, title]) => `<a href="#${id}">${title}</a>`).join('');
  const body = visibleSections.map(([id, title, text]) => `<section id="${id}"><h2>${title}</h2>${text}</section>`).join('\n');
  return documentOf({
    title: report.run,
    head: `${report.about === '' ? '' : `<p class="soft">${escapeHtml(report.about)}</p>`}
${facts(report)}
${report.notices.map((notice) => `<p><b>Note:</b> ${escapeHtml(notice)}</p>`).join('')}
<nav aria-label="Sections">${links}</nav>`,
    main: body,
    footer: `Made by Ludus from the stored episodes. Intervals are 95% and cover ${scopeText(report.standings.over, report.standings.tasks)}. Missing scores are counted and left out, not treated as 0.`,
  });
}

function facts({ episodes, standings, ends, rows }: Report): string {
  const missing = rows.filter(({ value }) => value === null).length;
  const failed = (ends['error'] ?? 0) + (ends['running'] ?? 0) + (ends['abort'] ?? 0);
  const observations: readonly (readonly [number, string])[] = [
    [episodes, episodes === 1 ? 'episode' : 'episodes'],
    [standings.agents.length, standings.agents.length === 1 ? 'agent' : 'agents'],
    [missing, missing === 1 ? 'score missing' : 'scores missing'],
    [failed, 'not finished'],
  ];
  return `<ul class="facts">${observations.map(([n, what]) => `<li><b>${formatGrouped(n)}</b>${what}</li>`).join('')}</ul>`;
}

function axisOf({ rows, points }: Report): Axis {
  const values = rows.flatMap(({ value }) => value ?? []);
  return axisFor(values.length === 0 ? [0, 1] : [Math.min(...few(values)), Math.max(...few(values))], points);
}

/** The ends of a list, without handing thousands of arguments to Math.min. */
function few(values: readonly number[]): readonly number[] {
  let [low, high] = [values[0], values[0]];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function standingsSection(report: Report): string {
  const { standings, points, k, score } = report;
  const { agents, floorAgent } = standings;
  const marks = agents.flatMap(({ agent, value, interval }): Mark[] =>
    value === null ? [] : [{ label: agent, value, interval, colour: colourOf(report, agent) }],
  );
  const floor = agents[0]?.floor ?? null;
  const ends = marks.flatMap(({ value, interval }) => [value, ...(interval ?? [])]);
  const axis = points ? axisOf(report) : axisFor(ends.length === 0 ? [0, 1] : ends, false);
  const title = `Mean ${score} of each agent with its 95% interval`;
  const passes = k.filter((value) => agents.some(({ pass }) => pass[value] !== undefined));
  const head = [
    'agent',
    'mean',
    ...(floorAgent === null ? [] : ['over floor']),
    ...passes.map((pass) => `pass^${pass}`),
    'tasks',
    'episodes',
    'missing',
  ];
  const body = agents.map(
    (standing) => `<tr><th scope="row">${agentLabel(report, standing.agent)}</th>${standingCells(standing, { report, passes })}</tr>`,
  );
  const about =
    floorAgent === null
      ? `<p>Means of <b>${escapeHtml(score)}</b>${points ? ', in points of 100' : ''}${report.scenes.length > 1 ? ', each scene counted the same' : ''}.</p>`
      : `<p>Points out of 100; every scene has the same weight. The shaded part is the score of <b>${escapeHtml(floorAgent)}</b>, the best baseline that does not try. Only the part beyond it was earned.</p>`;
  return `${about}${marks.length === 0 ? '' : forest(marks, { axis, floor, title })}<div class="wide"><table><thead><tr>${head.map((item) => `<th scope="col">${item}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

function standingCells(standing: Standing, { report, passes }: { report: Report; passes: readonly number[] }): string {
  const { points, standings } = report;
  const lift =
    standings.floorAgent === null
      ? []
      : standing.agent === standings.floorAgent
        ? ['<td class="soft">the floor</td>']
        : [liftCell(standing.lift, points)];
  const reasons = Object.entries(standing.reasons).map(([why, n]) => `${n} ${why}`);
  return [
    `<td>${figure(standing.value, points)}${beneath(standing.interval, points)}</td>`,
    ...lift,
    ...passes.map((k) => `<td>${figure(standing.pass[k] ?? null, true)}</td>`),
    `<td>${formatGrouped(standing.tasks)}</td>`,
    `<td>${formatGrouped(standing.episodes)}</td>`,
    `<td${reasons.length === 0 ? '' : ` title="${escapeHtml(reasons.join(', '))}"`}>${formatGrouped(standing.missing)}</td>`,
  ].join('');
}

function liftCell(lift: Standing['lift'], points: boolean): string {
  const sure =
    lift === null || lift.interval === null ? '' : lift.interval[0] > 0 ? ' class="up"' : lift.interval[1] < 0 ? ' class="down"' : '';
  return `<td${sure}>${withSign(lift?.value ?? null, points)}${beneath(lift?.interval ?? null, points)}</td>`;
}

/** An interval below its number. */
function beneath(interval: Standing['interval'], points: boolean): string {
  return interval === null ? '' : `<small>${span(interval, points)}</small>`;
}

function exploitSection({ exploits }: Report): string {
  if (exploits.length === 0) return '';
  return `<ul>${exploits.map((exploit) => `<li>${escapeHtml(exploitWords(exploit))}</li>`).join('')}</ul>`;
}

function rankingSection(report: Report): string {
  const { ranking } = report;
  if (ranking === null) return '';
  const marks = ranking.agents.map(
    ({ agent, rating, interval }): Mark => ({ label: agent, value: rating, interval, colour: colourOf(report, agent) }),
  );
  const axis = axisFor(
    marks.flatMap(({ interval }) => [...(interval ?? [])]),
    false,
  );
  const rows = ranking.pairs.map(
    ({ a, b, matches, wins, draws, losses, margin, interval }) =>
      `<tr><td>${escapeHtml(a)} – ${escapeHtml(b)}</td><td>${formatGrouped(matches)}</td><td>${wins}–${draws}–${losses}</td><td>${withSign(margin, false)}</td><td class="soft">${span(interval, false)}</td></tr>`,
  );
  const head = ['pair', 'matches', 'won–tied–lost', 'margin per game', '95%'].map((item) => `<th scope="col">${item}</th>`).join('');
  return `<p>${escapeHtml(ranking.separation.words)} A match is one seed played in both orders. Ratings are Bradley–Terry on the Elo scale.</p>${forest(marks, { axis, floor: null, title: 'Ratings with their 95% intervals' })}<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function scenesSection(report: Report): string {
  const { scenes, standings, points } = report;
  if (scenes.length < 2) return '';
  const axis = axisOf(report);
  const head = standings.agents.map(({ agent }) => `<th scope="col">${escapeHtml(agent)}</th>`).join('');
  const rows = scenes.map((scene, i) => {
    const cells = standings.agents.map((agent) => {
      const sceneStanding = agent.scenes[i];
      const bar =
        sceneStanding.value === null
          ? ''
          : meter(sceneStanding.value, sceneStanding.interval, { axis, colour: colourOf(report, agent.agent) });
      return `<td title="${escapeHtml(`${times(sceneStanding.tasks, 'task')}, ${times(sceneStanding.episodes, 'episode')}, 95% ${span(sceneStanding.interval, points)}`)}">${figure(sceneStanding.value, points)}${bar}</td>`;
    });
    return `<tr><th scope="row">${escapeHtml(scene)}</th>${cells.join('')}</tr>`;
  });
  return `<div class="wide"><table><thead><tr><th scope="col">scene</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function spreadSection(report: Report): string {
  const axis = axisOf(report);
  const figures = report.standings.agents.flatMap(({ agent }) => {
    const values = report.rows.flatMap((row) => (row.agent === agent && row.value !== null ? [row.value] : []));
    if (values.length === 0) return [];
    const title = `How often ${agent} got which ${report.score}`;
    return [
      `<figure><figcaption>${agentLabel(report, agent)}</figcaption>${histogram(values, { axis, colour: colourOf(report, agent), title })}</figure>`,
    ];
  });
  return figures.length === 0 ? '' : `<div class="spread">${figures.join('')}</div>`;
}

function verdictsSection({ comparisons }: Report): string {
  if (comparisons.length === 0) return '';
  const many = comparisons.length > 1 ? ` The p-values are adjusted for ${comparisons.length} comparisons.` : '';
  const items = comparisons.map(
    ({ words, p }) => `<li>${escapeHtml(words)} <span class="soft">p ${p < 0.0001 ? '&lt; 0.0001' : `= ${p.toPrecision(2)}`}</span></li>`,
  );
  return `<p>Differences of the means above. Episodes with the same task and seed are paired, which narrows the interval.${many}</p><ul class="verdicts">${items.join('')}</ul>`;
}

function failuresSection({ failures }: Report): string {
  const items = failures.map((failure) => `<li>${escapeHtml(clipText(failureText(failure), 500))}</li>`);
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

function risksSection({ risks }: Report): string {
  return risks
    .map((rubric) => {
      const head = ['agent', 'user', 'any risk', ...rubric.axes].map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('');
      const body = rubric.rows.map(({ agent, intent, any, axes }) => {
        const cells = rubric.axes.map((axis) => `<td>${axisText(axes.find((result) => result.axis === axis))}</td>`).join('');
        return `<tr><th scope="row">${escapeHtml(agent)}</th><td>${intent}</td><td>${shareText(any)}</td>${cells}</tr>`;
      });
      return `<p>By <b>${escapeHtml(rubric.name)}</b>. ${escapeHtml(rubric.note)}</p><div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
    })
    .join('');
}

function scoresSection({ lines, standings }: Report): string {
  if (lines.length === 0) return '';
  const head = standings.agents.map(({ agent }) => `<th scope="col">${escapeHtml(agent)}</th>`).join('');
  const rows = lines.map(({ name, lowerIsBetter, scale, agents }) => {
    const points = scale !== null && scale[0] === 0 && scale[1] === 1;
    const cells = standings.agents.map(({ agent }) => {
      const otherAgent = agents[agent] ?? null;
      return otherAgent === null
        ? '<td class="soft">–</td>'
        : `<td>${figure(otherAgent.value, points)} <span class="soft">${times(otherAgent.tasks, 'task')}${otherAgent.missing > 0 ? `, ${formatGrouped(otherAgent.missing)} missing` : ''}</span>${beneath(otherAgent.interval, points)}</td>`;
    });
    return `<tr><th scope="row">${escapeHtml(name)}${lowerIsBetter ? '<span class="badge">less is better</span>' : ''}</th>${cells.join('')}</tr>`;
  });
  return `<div class="wide"><table><caption>Means with 95% intervals, and the number of tasks. Scores from 0 to 1 are in points out of 100. Scores without a scale are left out if scenes differ.</caption><thead><tr><th scope="col">score</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
