/** @file Compares two runs of the same suite, such as two versions of a bot: the changed cases, and both conversations of each. */

import { testedAmong } from '@ludus-agents/evaluation/internal/comparison';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { resultName } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { style } from '@ludus-agents/evaluation/internal/scoring/report/style';
import { escapeHtml } from '@ludus-agents/evaluation/internal/scoring/report/wording';
import { canonical, type EpisodeRecord, Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { SpokenLine } from './claims.ts';

export interface CaseSide {
  readonly episode: string;
  readonly passed: boolean;
  readonly reason: string;
  readonly lines: readonly SpokenLine[];
}

export interface CaseChange {
  readonly case: string;
  /** The agent of the second run. */
  readonly agent: string;
  readonly seed: number;
  /** Newly passed, newly failed, or the same result with different messages. */
  readonly change: 'fixed' | 'broken' | 'reworded';
  readonly before: CaseSide;
  readonly after: CaseSide;
}

export interface RunDiff {
  readonly before: string;
  readonly after: string;
  /** Cases in both runs. */
  readonly compared: number;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly changes: readonly CaseChange[];
}

/** Compares the tested agents of two runs: the named ones, or all except the null agents. */
export async function diffRuns(store: Store, before: string, after: string, agent?: string): Promise<RunDiff> {
  const [old, recent] = (await Promise.all([before, after].map((run) => sidesOf(store, run, agent)))) as [Sides, Sides];
  const shared = [...old.keys()].filter((key) => recent.has(key));
  if (shared.length === 0)
    throw new Fault(
      'input',
      `The runs ${before} and ${after} have no case in common that passes or fails. Run both on the same suite with the same --seeds. If a run has several agents, choose one with --agent.`,
    );
  const changes: CaseChange[] = [];
  for (const key of shared) {
    const [was, is] = [old.get(key)!, recent.get(key)!];
    const [a, b] = [await sideOf(store, was), await sideOf(store, is)];
    const isSame = a.passed === b.passed && canonical(a.lines) === canonical(b.lines);
    const change = a.passed === b.passed ? 'reworded' : b.passed ? 'fixed' : 'broken';
    if (!isSame) {
      const agent = is.record.cast['agent'] ?? '';
      changes.push({ case: caseName(was.record), agent, seed: Number(was.record.seed), change, before: a, after: b });
    }
  }
  const order = { broken: 0, fixed: 1, reworded: 2 } as const;
  return {
    ...{ before, after, compared: shared.length, onlyBefore: old.size - shared.length, onlyAfter: recent.size - shared.length },
    changes: changes.sort((a, b) => order[a.change] - order[b.change] || (a.case < b.case ? -1 : 1)),
  };
}

interface StoredSide {
  readonly record: EpisodeRecord;
  readonly passed: boolean;
  readonly reason: string | undefined;
}

type Sides = ReadonlyMap<string, StoredSide>;

/** The conversations of a run by case, each with its verdict. */
async function sidesOf(store: Store, run: string, agent: string | undefined): Promise<Sides> {
  const { rows, records, scores } = await readScoredRows(store, { run });
  // If nothing passes or fails, as in a game, no case can be broken or fixed.
  if (!rows.some(({ passed }) => passed !== null)) return new Map();
  const agents = testedAmong(
    rows.flatMap((row) => (row.seat === 'agent' ? row.agent : [])),
    agent,
  );
  return new Map(
    rows.flatMap(({ episode, agent: name, seat, passed, reason }) => {
      const record = records.get(episode);
      if (record === undefined || seat !== 'agent' || !agents.includes(name)) return [];
      // Versions of one bot may have different names; of several bots, each is compared with its namesake.
      const key = canonical({ task: record.task, seed: record.seed, ...(agents.length === 1 ? {} : { name }) });
      const verdict = scores.get(episode)?.findLast((score) => score.name === 'desk' || score.name === resultName);
      return [[key, { record, passed: passed === true, reason: verdict?.reason ?? reason }] as const];
    }),
  );
}

async function sideOf(store: Store, { record, passed, reason }: StoredSide): Promise<CaseSide> {
  const events = await store.events(record.id);
  const lines = events.flatMap((event): readonly SpokenLine[] =>
    event.kind === 'message' && event.from !== undefined ? [{ by: event.from === 'agent' ? 'agent' : 'customer', text: event.text }] : [],
  );
  const answer = events.findLast((event) => event.kind === 'action' && event.seat === 'agent');
  const isUnsent =
    answer?.kind === 'action' && lines.findLast(({ by }) => by === 'agent')?.text !== answer.action.text && answer.action.text !== '';
  const spoken = isUnsent ? [...lines, { by: 'agent' as const, text: answer.action.text }] : lines;
  const end = events.at(-1);
  const fault = end?.kind === 'end' ? end.fault?.message : undefined;
  return { episode: record.id, passed, reason: fault ?? reason ?? '', lines: spoken };
}

function caseName({ task }: EpisodeRecord): string {
  const item = isObject(task) ? (task['case'] ?? task['input'] ?? task['id']) : undefined;
  return typeof item === 'string' ? item : isObject(item) ? String(item['id'] ?? '') : '';
}

type Pair = readonly [SpokenLine | undefined, SpokenLine | undefined];

/** Lines of two conversations next to each other: equal lines, and lines of the same speaker, are paired in the way that pairs most. */
export function sideBySide({ before: { lines: a }, after: { lines: b } }: CaseChange): readonly Pair[] {
  const worth = (i: number, j: number) => (a[i].text === b[j].text ? 3 : a[i].by === b[j].by ? 1 : -1);
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + worth(i, j));
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isPaired = i < a.length && j < b.length && best[i][j] === best[i + 1][j + 1] + worth(i, j);
    const isLeft = !isPaired && i < a.length && (j === b.length || best[i][j] === best[i + 1][j]);
    pairs.push([isPaired || isLeft ? a[i] : undefined, isPaired || !isLeft ? b[j] : undefined]);
    if (isPaired || isLeft) i++;
    if (isPaired || !isLeft) j++;
  }
  return pairs;
}

const pageStyle = `${style}
main,header{max-width:80rem}table{table-layout:fixed}td,th{text-align:left;vertical-align:top;white-space:normal;overflow-wrap:anywhere;padding:.42rem .9rem .42rem 0}
td b{color:var(--soft);font-weight:600}.other{background:var(--shade)}td.other{padding-left:.6rem}th ul{font-weight:400;margin:.3rem 0 0;padding-left:1.1rem}
@media (max-width:44rem){table,thead,tbody,tr,td,th{display:block}td+td:not(.other),td:empty{display:none}td.other+td.other{border-left:3px solid var(--accent)}}`;

/** One page without scripts or requests. */
export function runDiffPage(diff: RunDiff): string {
  const cell = (line: SpokenLine | undefined, isOther: boolean) =>
    line === undefined ? '<td></td>' : `<td${isOther ? ' class="other"' : ''}><b>${line.by}</b> ${escapeHtml(line.text)}</td>`;
  const parts = diff.changes.map((caseChange) => {
    const rows = sideBySide(caseChange).map(([a, b]) => `<tr>${cell(a, a?.text !== b?.text)}${cell(b, a?.text !== b?.text)}</tr>`);
    const verdict = (run: string, { passed, reason }: CaseSide) => {
      const reasons = reason === '' ? [] : reason.split(' · ').map((text) => `<li>${escapeHtml(text)}</li>`);
      const result = `<span class="${passed ? 'up' : 'down'}">${passed ? '✓ passed' : '✗ not passed'}</span>`;
      return `<th>${escapeHtml(run)} ${result}${reasons.length === 0 ? '' : `<ul>${reasons.join('')}</ul>`}</th>`;
    };
    return `<details${caseChange.change === 'reworded' ? '' : ' open'}><summary><b>${caseChange.change}</b> ${escapeHtml(caseChange.case)}, seed ${caseChange.seed}</summary>
<table><thead><tr>${verdict(diff.before, caseChange.before)}${verdict(diff.after, caseChange.after)}</tr></thead><tbody>${rows.join('')}</tbody></table></details>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeHtml(diff.before)} and ${escapeHtml(diff.after)} – Ludus</title>
<style>${pageStyle}</style></head>
<body><header><h1>${escapeHtml(diff.before)} → ${escapeHtml(diff.after)}</h1><p>${escapeHtml(runDiffSummary(diff))}</p></header><main>${parts.join('\n')}</main></body></html>
`;
}

export function runDiffSummary({ compared, changes, onlyBefore, onlyAfter }: RunDiff): string {
  const of = (change: CaseChange['change']) => changes.filter((caseChange) => caseChange.change === change).length;
  const alone = onlyBefore + onlyAfter === 0 ? '' : ` ${onlyBefore} are only in the first run and ${onlyAfter} only in the second.`;
  return `${compared} conversations in both: ${of('broken')} broken, ${of('fixed')} fixed, ${of('reworded')} with other words and the same verdict.${alone}`;
}
