/** @file The readable parts of episodes: quoted moments, transcripts of notable ones, and a line for each, within the size of a page. */

import { hash } from '@ludus-agents/kernel/internal/core/index';
import type { ScoreRow } from '../evaluation/index.ts';
import { tint } from './plots.ts';
import type { Report } from './report.ts';
import { clipText, escapeHtml, figure, formatGrouped, times } from './wording.ts';

/** Agents that try have colours, in the order of the standings; the others are grey. */
export function colourOf({ standings: { agents } }: Report, agent: string): number {
  const trying = agents.filter(({ isNull }) => !isNull);
  return trying.findIndex((standing) => standing.agent === agent);
}

/** Which colour an agent has on the page, and how its name is written. */
export function agentLabel(report: Report, agent: string): string {
  const isNull = report.standings.agents.find((standing) => standing.agent === agent)?.isNull === true;
  return `<span class="${tint(colourOf(report, agent))}"><span class="dot" aria-hidden="true"></span></span>${escapeHtml(agent)}${isNull ? '<span class="badge">does not try</span>' : ''}`;
}

/** Logs as texts, by the id of their episode. */
export type Transcripts = ReadonlyMap<string, string>;

/** An anchor on the page. Ids may contain anything, so unusual ones are hashed. */
function anchor(prefix: string, id: string): string {
  return `${prefix}-${/^[\w-]{1,64}$/.test(id) ? id : hash(id).slice(0, 20)}`;
}

const longestQuote = 420;
/** Lines of a scene on the page: a browser opens some thousands at once, not a hundred thousand. */
const mostLines = 1000;

export function momentsSection(report: Report): string {
  const agents = [...new Set(report.moments.map(({ agent }) => agent))];
  return agents
    .map((agent) => {
      const cards = report.moments.filter((moment) => moment.agent === agent).map((moment) => card(report, moment));
      return `<h3>${agentLabel(report, agent)}</h3><div class="moments">${cards.join('')}</div>`;
    })
    .join('');
}

function card(report: Report, { kind, episode, scene, seat, seed, value, quote }: Report['moments'][number]): string {
  const summary =
    quote === null ? '<p class="soft">No messages.</p>' : `<blockquote>${escapeHtml(clipText(quote.text, longestQuote))}</blockquote>`;
  const where = quote === null ? '' : ` · event ${quote.event} · ${escapeHtml(clipText(quote.note, 160))}`;
  return `<article class="moment ${kind}"><div class="from">${kind === 'worst' ? 'Worst' : 'Best'}: ${figure(value, report.points)} in ${escapeHtml(scene)}</div>${summary}<div class="from"><a href="#${anchor('t', episode)}">episode ${escapeHtml(episode.slice(0, 8))}</a> · seat ${escapeHtml(seat)} · seed ${seed}${where}</div></article>`;
}

export function episodesSection(report: Report, transcripts: Transcripts): string {
  const logs = [...transcripts].map(
    ([id, text]) =>
      `<details id="${anchor('t', id)}"><summary>${escapeHtml(id)} <span class="soft">${escapeHtml(castOf(report, id))}</span></summary><pre>${escapeHtml(text)}</pre></details>`,
  );
  const byScene = Map.groupBy(report.rows, (row) => row.scene);
  const lists = [...byScene].map(([scene, rows]) => {
    const scoreRows = rows.length <= mostLines ? rows : firstToRead(rows);
    const body = scoreRows.map((row) => line(report, row, transcripts)).join('');
    const head = ['episode', 'seed', 'seat', 'agent', 'result', 'ended', 'task'].map(
      (item, i) => `<th scope="col"${i === 1 || i === 4 ? '' : ' class="text"'}>${item}</th>`,
    );
    return `<details><summary>${escapeHtml(scene)} <span class="soft">${linesText(scoreRows.length, rows.length)}</span></summary><div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body}</tbody></table></div></details>`;
  });
  const notable = logs.length === 0 ? '' : `<h3>Transcripts of the moments above</h3>${logs.join('')}`;
  const isWhole = [...byScene.values()].every((rows) => rows.length <= mostLines);
  const rest = isWhole
    ? ''
    : ' Every line is in the report as JSON (“--format json”); here are those without a result, and then the first.';
  const title = isWhole ? 'All episodes' : 'One by one';
  return `${notable}<h3>${title}</h3><p class="soft">“ludus show ID” shows any of them in full.${rest}</p>${lists.join('')}`;
}

/** Failures come first, because readers look for them. */
function firstToRead(rows: readonly ScoreRow[]): readonly ScoreRow[] {
  const { without = [], with: others = [] } = Object.groupBy(rows, ({ value }) => (value === null ? 'without' : 'with'));
  return [...without.slice(0, mostLines), ...others.slice(0, mostLines)].slice(0, mostLines);
}

function linesText(shownCount: number, all: number): string {
  return shownCount === all ? times(all, 'line') : `${formatGrouped(shownCount)} of ${times(all, 'line')}`;
}

function castOf({ rows }: Report, id: string): string {
  const scoreRows = rows.filter((row) => row.episode === id);
  return scoreRows.map(({ scene, seat, agent }, i) => `${i === 0 ? `${scene} · ` : ''}${agent} on ${seat}`).join(', ');
}

function line(report: Report, { episode, seed, seat, agent, value, status, end, task }: ScoreRow, transcripts: Transcripts): string {
  const short = escapeHtml(episode.slice(0, 12));
  const link = transcripts.has(episode)
    ? `<a href="#${anchor('t', episode)}">${short}</a>`
    : `<a href="#${anchor('e', `${episode}-${seat}`)}">${short}</a>`;
  const result = value === null ? `<span class="soft">${escapeHtml(status)}</span>` : figure(value, report.points);
  return `<tr id="${anchor('e', `${episode}-${seat}`)}"><td class="text">${link}</td><td>${seed}</td><td class="text">${escapeHtml(seat)}</td><td class="text">${escapeHtml(agent)}</td><td>${result}</td><td class="text">${escapeHtml(end)}</td><td class="text loose soft">${escapeHtml(clipText(task, 90))}</td></tr>`;
}
