/** @file The report as Markdown: the same numbers and moments, for a pull request or a notebook. */

import { exploitWords } from '../arena/index.ts';
import { failureText } from '../failures.ts';
import { scopeText } from '../statistics/verdict.ts';
import type { Report, ScoreMean } from './report.ts';
import type { RiskAxes } from './risk-axes.ts';
import { axisText, clipText, figure, formatGrouped, plain, shareText, span, times, withSign } from './wording.ts';

/** A report as Markdown. */
export function markdownOf(report: Report): string {
  const { run, about, episodes, notices, comparisons } = report;
  const parts = [
    `# ${plain(run)}`,
    about === '' ? '' : plain(about),
    `${times(episodes, 'episode')}, by ${plain(report.score)}${report.points ? ', in points of 100' : ''}. Intervals are 95% and cover ${scopeText(report.standings.over, report.standings.tasks)}. Missing scores are counted and left out, not treated as 0.${notices.map((notice) => ` ${plain(notice)}`).join('')}`,
    '## Standings',
    standings(report),
    ...(report.ranking === null ? [] : ['## Ranking', plain(report.ranking.separation.words)]),
    ...(report.exploits.length === 0
      ? []
      : ['## Exploitability', report.exploits.map((exploit) => `- ${plain(exploitWords(exploit))}`).join('\n')]),
    ...(report.scenes.length < 2 ? [] : ['## Scene by scene', scenes(report)]),
    ...(comparisons.length === 0 ? [] : ['## Comparisons', comparisons.map(({ words }) => `- ${plain(words)}`).join('\n')]),
    ...report.risks.flatMap((risks) => [`## Risks by ${plain(risks.name)}`, plain(risks.note), riskTable(risks)]),
    ...(report.lines.length === 0 ? [] : ['## Other scores', scores(report)]),
    ...(report.failures.length === 0
      ? []
      : ['## Failures', report.failures.map((failure) => `- ${plain(clipText(failureText(failure), 500))}`).join('\n')]),
    ...(report.moments.length === 0 ? [] : ['## Worst and best moments', moments(report)]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function standings({ standings: { agents, floorAgent }, points, k }: Report): string {
  const passes = k.filter((value) => agents.some(({ pass }) => pass[value] !== undefined));
  const floor = floorAgent === null ? [] : ['over floor'];
  return table(
    ['agent', 'mean', '95%', ...floor, ...passes.map((pass) => `pass^${pass}`), 'tasks', 'episodes', 'missing'],
    agents.map((standing) => [
      `${plain(standing.agent)}${standing.isNull ? ' (does not try)' : ''}`,
      figure(standing.value, points),
      span(standing.interval, points),
      ...floor.map(() =>
        standing.agent === floorAgent
          ? 'the floor'
          : `${withSign(standing.lift?.value ?? null, points)} (${span(standing.lift?.interval ?? null, points)})`,
      ),
      ...passes.map((one_) => figure(standing.pass[one_] ?? null, true)),
      formatGrouped(standing.tasks),
      formatGrouped(standing.episodes),
      formatGrouped(standing.missing),
    ]),
  );
}

function scenes({ scenes: names, standings: { agents }, points }: Report): string {
  return table(
    ['scene', ...agents.map(({ agent }) => plain(agent))],
    names.map((scene, i) => [
      plain(scene),
      ...agents.map(({ scenes: sceneStandings }) => figure(sceneStandings[i]?.value ?? null, points)),
    ]),
  );
}

function scores({ lines, standings: { agents } }: Report): string {
  return table(
    ['score', ...agents.map(({ agent }) => plain(agent))],
    lines.map(({ name, scale, agents: means }) => {
      const points = scale !== null && scale[0] === 0 && scale[1] === 1;
      const cell = ({ value, interval }: ScoreMean) =>
        interval === null ? figure(value, points) : `${figure(value, points)} (${span(interval, points)})`;
      return [plain(name), ...agents.map(({ agent }) => (means[agent] ? cell(means[agent]) : '–'))];
    }),
  );
}

function riskTable(risks: RiskAxes): string {
  return table(
    ['agent', 'user', 'any risk', ...risks.axes.map(plain)],
    risks.rows.map((row) => [
      plain(row.agent),
      row.intent,
      shareText(row.any),
      ...risks.axes.map((axis) => axisText(row.axes.find((result) => result.axis === axis))),
    ]),
  );
}

function moments({ moments: list, points }: Report): string {
  return list
    .map(({ kind, agent, scene, seat, value, episode, quote }) => {
      const head = `- **${kind}** of ${plain(agent)}: ${figure(value, points)} in ${plain(scene)} (seat ${plain(seat)}, episode ${plain(episode.slice(0, 12))})`;
      return quote === null ? head : `${head}\n  > ${plain(clipText(quote.text, 300))}`;
    })
    .join('\n');
}
