/** @file Results per case of a run: how often each agent passed it, and an example of a failed answer with the reason. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';
import type { ScoredRows } from '../score-run.ts';
import { caseName } from './case.ts';
import { checkAnswer } from './check-answer.ts';
import { answerIn } from './scorers.ts';

export interface CaseResult {
  readonly agent: string;
  readonly case: string;
  /** The mean over its tries; null where none has a score. */
  readonly score: number | null;
  readonly passed: number;
  readonly tries: number;
  /** Tries without a score: they neither passed nor failed. */
  readonly missing: number;
  /** An answer that failed, and the reason; null if all passed. */
  readonly failure: { readonly answer: string; readonly reason: string } | null;
}

/** The results of every case, in the order of the run; empty if the run has no cases. */
export async function readCaseResults(
  store: Store,
  { rows, records }: Pick<ScoredRows, 'rows' | 'records'>,
  agents: readonly string[],
): Promise<readonly CaseResult[]> {
  const played = rows.flatMap((row) => {
    const record = records.get(row.episode);
    const name = record?.environment.startsWith('cases@') === true ? caseName(record.task) : null;
    // If an evaluation was interrupted, the last episodes are not scored yet.
    const isPending = row.value === null && row.end === 'over' && row.reason === undefined;
    return name === null || isPending || !agents.includes(row.agent) ? [] : [{ ...row, name }];
  });
  const results: CaseResult[] = [];
  for (const tries of Map.groupBy(played, ({ agent, name }) => `${agent}\n${name}`).values()) {
    const { agent, name } = tries[0];
    const values = tries.flatMap(({ value }) => (value === null ? [] : [value]));
    const failed = tries.find(({ passed }) => passed !== true);
    results.push({
      ...{ agent, case: name },
      score: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
      passed: tries.filter(({ passed }) => passed === true).length,
      tries: tries.length,
      missing: tries.length - values.length,
      failure: failed === undefined ? null : await readFailure(store, failed),
    });
  }
  return results;
}

async function readFailure(
  store: Store,
  { episode, reason }: { readonly episode: string; readonly reason?: string },
): Promise<Exclude<CaseResult['failure'], null>> {
  const events = await store.events(episode);
  const answered = answerIn(events);
  const end = events.at(-1);
  if (answered === null) return { answer: '', reason: (end?.kind === 'end' ? end.fault?.message : undefined) ?? 'No answer.' };
  const problems = checkAnswer(answered.one, answered.answer)?.problems ?? [];
  return { answer: answered.answer, reason: reason ?? [...new Set(problems)].join('; ') };
}
