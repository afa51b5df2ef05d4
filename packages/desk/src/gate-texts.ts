/** @file Exports the report of a gate: JUnit XML for CI servers, Markdown for a pull request, an HTML page for people. */

import { style } from '@ludus-agents/evaluation/internal/scoring/report/style';
import { escapeHtml } from '@ludus-agents/evaluation/internal/scoring/report/wording';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { escapeMarkdown } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { GateFailure, GateReport, GateTask } from './gate.ts';
import type { RiskShare } from './risks.ts';

/** Characters that XML 1.0 does not allow, in any notation, are replaced. */
function xml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids.
  const clean = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return clean
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\r/g, '&#13;')
    .replace(/\n/g, '&#10;');
}

/** One suite per agent: a case for each task, and one for each rule of the gate. The note on the simulated customers is a property. */
export function junitOf(reports: readonly GateReport[], seconds: number, note = ''): string {
  const suites = reports.map((report) => {
    const cases = [
      ...report.tasks.map((task) => caseText(task.scene, task.task, task.passes === task.tries ? null : failureText(task))),
      ...report.rules.map(({ rule, ok, says }) => caseText('gate', rule, ok ? null : [says, says])),
    ];
    const failed = report.tasks.filter(({ passes, tries }) => passes < tries).length + report.rules.filter(({ ok }) => !ok).length;
    const head = `name="${xml(`${report.suite}: ${report.agent}`)}" tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="${seconds.toFixed(3)}"`;
    const property = (name: string, value: string) => `<property name="${name}" value="${xml(value)}"/>`;
    const flaky = report.flaky.length === 0 ? '' : property('flaky', report.flaky.join(', '));
    const properties = `<properties>${property('passed', passedText(report))}${flaky}${note === '' ? '' : property('realism', note)}</properties>`;
    return { cases: cases.length, failed, text: `  <testsuite ${head}>\n    ${properties}\n${cases.join('\n')}\n  </testsuite>` };
  });
  const sum = (of: (item: (typeof suites)[number]) => number) => suites.reduce((total, item) => total + of(item), 0);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${sum(({ cases }) => cases)}" failures="${sum(({ failed }) => failed)}" errors="0" time="${seconds.toFixed(3)}">\n${suites.map(({ text }) => text).join('\n')}\n</testsuites>\n`;
}

function caseText(scene: string, name: string, failure: readonly [string, string] | null): string {
  const head = `    <testcase classname="${xml(scene)}" name="${xml(name)}"`;
  return failure === null
    ? `${head}/>`
    : `${head}><failure message="${xml(failure[0].slice(0, 500))}">${xml(failure[1])}</failure></testcase>`;
}

function failureText({ passes, tries, failures }: GateTask): readonly [string, string] {
  const first = failures[0]?.reason ?? '';
  return [`passed in ${passes} of ${tries} tries: ${first}`, failures.map(linesOf).join('\n')];
}

function linesOf({ episode, seed, reason, turn, quotes }: GateFailure): string {
  const where = `seed ${seed}${turn === null ? '' : `, answer ${turn + 1}`} (ludus show ${episode})`;
  return [`${where}: ${reason}`, ...quotes.slice(0, 4).map(({ quote, note }) => `  “${quote}”${note === '' ? '' : `, ${note}`}`)].join(
    '\n',
  );
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;

/** "83.3% of 24 tries of 12 tasks passed", with the interval, its scope, the mean that other commands show, and the baseline. */
export function passedText({ rate, meanOfScenes, tries, tasks, interval: [low, high], over, floor }: GateReport): string {
  const without = floor === null ? '' : `; ${percent(floor.rate)} without trying (${floor.agent})`;
  const scenes = new Set(tasks.map(({ scene }) => scene)).size;
  const weighted =
    meanOfScenes === null || percent(meanOfScenes) === percent(rate) ? '' : `, or ${percent(meanOfScenes)} as the mean of ${scenes} scenes`;
  return `${percent(rate)} of ${tries === 1 ? '1 try' : `${tries} tries`} of ${count(tasks.length, 'task')} passed (95% ${percent(low)} to ${percent(high)}, for ${scopeText(over, tasks.length)})${weighted}${without}`;
}

/** How the customers spoke: whether they followed their cards, and in whose words. */
export function customersText({ audits: { checked, contradicted }, wordings: { used, replaced } }: GateReport): string {
  const followed = checked === 0 ? [] : [`Simulated customers followed their cards in ${checked - contradicted} of ${checked} messages.`];
  const worded =
    used + replaced === 0
      ? []
      : [`A model worded ${used} of them; in ${replaced} others it changed a fact, so the script's words were used.`];
  return [...followed, ...worded].join(' ');
}

/** What the verdict does not cover; null if everything was visible. */
export function uncheckedText({ wordsOnly, unchecked }: GateReport): string | null {
  const listed = unchecked.map(({ what, conversations }) => `${what} (in ${count(conversations, 'conversation')})`).join('; ');
  const blind = wordsOnly ? 'Judged from the text alone: the bot’s tool calls are not visible.' : '';
  return `${blind}${listed === '' ? '' : ` Not checked: ${listed}.`}`.trim() || null;
}

/** A short text for a pull request. */
export function gateMarkdown(reports: readonly GateReport[]): string {
  return `${reports.map(sectionOf).join('\n\n')}\n`;
}

const lineBreaks = linear(/\s*\n\s*/g);

function sectionOf(report: GateReport): string {
  const { agent, suite, passed, rules, tasks, flaky, flips, faults, risks } = report;
  const unchecked = uncheckedText(report);
  const cell = (text: string) => escapeMarkdown(text).replaceAll('|', '\\|').replace(lineBreaks, ' ');
  const failed = tasks.filter(({ passes, tries: all }) => passes < all);
  const faultLines = (faults?.faults ?? []).map(
    ({ fault, hits, n, interval: [low, high], found, owasp }) =>
      `| ${cell(fault)} | ${hits} of ${n} | ${percent(low)} to ${percent(high)} | ${found ? '**found**' : 'not found'} | ${cell(owasp)} |`,
  );
  return [
    `## ${passed ? '✅' : '❌'} ${cell(agent)} at ${cell(suite)}`,
    '',
    `${passedText(report)}.${unchecked === null ? '' : ` **${cell(unchecked)}**`}`,
    '',
    '| rule | | |',
    '|---|---|---|',
    ...rules.map(({ rule, ok, says }) => `| \`${rule.replaceAll('`', "'")}\` | ${ok ? '✅' : '❌'} | ${cell(says)} |`),
    ...(faultLines.length === 0 ? [] : ['', '| fault | conversations | 95% | | OWASP |', '|---|---|---|---|---|', ...faultLines]),
    ...(risks.length === 0 ? [] : ['', '| customers | harm | served | refused unnecessarily |', '|---|---|---|---|']),
    ...risks.map(({ intent, kind, harm, served, overRefused }) => {
      const share = ({ hits, n, interval: [low, high] }: RiskShare) =>
        n === 0 ? '–' : `${hits} of ${n} (${percent(low)} to ${percent(high)})`;
      return `| ${kind === 'all' ? `**${intent}**` : cell(kind)} | ${share(harm)} | ${share(served)} | ${share(overRefused)} |`;
    }),
    ...(failed.length === 0 ? [] : ['', '### Failures', '']),
    ...failed
      .slice(0, 20)
      .flatMap(({ scene, task, passes, tries: all, failures }) => [
        `* **${cell(scene)} / ${cell(task)}**, passed ${passes} of ${all}: ${cell(failures[0]?.reason ?? '')}`,
        ...(failures[0]?.quotes ?? []).slice(0, 2).map(({ quote, note }) => `  > ${cell(quote)}${note === '' ? '' : ` (${cell(note)})`}`),
      ]),
    ...(failed.length > 20 ? [`* and ${failed.length - 20} more`] : []),
    ...(flaky.length === 0
      ? []
      : ['', `Flaky: ${flaky.map(cell).join(', ')}. Two tries of a task differ with a chance of ${percent(flips ?? 0)}.`]),
    ...(customersText(report) === '' ? [] : ['', customersText(report)]),
  ].join('\n');
}

const pageStyle =
  'section{padding-top:2rem}td code{white-space:nowrap}td{text-align:left;white-space:normal;overflow-wrap:anywhere;vertical-align:top}tr.no td:first-child,h1.no{color:var(--bad)}tr.ok td:first-child,h1.ok{color:var(--good)}h1{font-size:1.5rem}';

/** One page without scripts or requests. */
export function gatePage(reports: readonly GateReport[], note = ''): string {
  const parts = reports.map((report) => {
    const rules = report.rules.map(
      ({ rule, ok, says }) =>
        `<tr class="${ok ? 'ok' : 'no'}"><td>${ok ? '✓' : '✗'}</td><td><code>${escapeHtml(rule)}</code></td><td>${escapeHtml(says)}</td></tr>`,
    );
    const faults = (report.faults?.faults ?? []).map(
      ({ fault, hits, n, interval, found, owasp }) =>
        `<tr class="${found ? 'no' : 'ok'}"><td>${found ? '✗' : '✓'}</td><td>${escapeHtml(fault)}</td><td>${hits} of ${n}</td><td>${percent(interval[0])} to ${percent(interval[1])}</td><td>${escapeHtml(owasp)}</td></tr>`,
    );
    const failed = report.tasks.filter(({ passes, tries }) => passes < tries);
    const tasks = failed.map(
      (task) =>
        `<details><summary>${escapeHtml(task.scene)} / ${escapeHtml(task.task)}: passed ${task.passes} of ${task.tries}</summary><pre>${escapeHtml(task.failures.map(linesOf).join('\n'))}</pre></details>`,
    );
    return `<section><h1 class="${report.passed ? 'ok' : 'no'}">${report.passed ? '✓' : '✗'} ${escapeHtml(report.agent)} at ${escapeHtml(report.suite)}</h1>
<p>${escapeHtml(`${passedText(report)}. ${uncheckedText(report) ?? ''}`.trim())}</p>
<table>${rules.join('')}</table>${faults.length === 0 ? '' : `<h2>Faults</h2><table>${faults.join('')}</table>`}
${tasks.length === 0 ? '' : `<h2>What failed</h2>${tasks.join('\n')}`}${report.flaky.length === 0 ? '' : `<p>Flaky: ${escapeHtml(report.flaky.join(', '))}.</p>`}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Gate – Ludus</title>
<style>${style}
${pageStyle}</style></head>
<body><main>${parts.join('\n')}${note === '' ? '' : `<p>${escapeHtml(note)}</p>`}</main></body></html>
`;
}
