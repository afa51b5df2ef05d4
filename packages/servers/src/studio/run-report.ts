/** @file The report of a run and the comparison of two sides, each with all data of its page, from a single reading of the store. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { sides } from '@ludus-agents/evaluation/internal/comparison';
import { failedAgents, failedAgentText } from '@ludus-agents/evaluation/internal/evaluate';
import { reportFor } from '@ludus-agents/evaluation/internal/report';
import { exploitWords } from '@ludus-agents/evaluation/internal/scoring/arena/index';
import { contest, currentScores, differencesOf } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { failureText } from '@ludus-agents/evaluation/internal/scoring/failures';
import type { Report } from '@ludus-agents/evaluation/internal/scoring/report/index';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { gradeOf, readTrustCards } from '@ludus-agents/evaluation/internal/trust-cards';
import { type EpisodeRecord, type EpisodeTally, Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { readStoredSurvey } from '@ludus-agents/societies/internal/surveys/stored-survey';
import type { CompareShown, Grades, ReportShown } from './api.ts';
import { failureMatrix } from './failure-matrix.ts';
import type { CompareAsked, ReportAsked } from './requests.ts';
import { barsOf, readDetail } from './run-view.ts';

/** The request as plain data, because another thread may handle it. */
export type ReportQuestion = { readonly run: string; readonly asked: ReportAsked } | { readonly compare: CompareAsked };

export interface ReportPlace {
  readonly store: Store;
  readonly cwd: string;
}

export async function answerReport(question: ReportQuestion, place: ReportPlace): Promise<ReportShown | CompareShown> {
  return 'run' in question ? report(question.run, question.asked, place) : compareSides(question.compare, place);
}

async function report(id: string, { score, over: wanted }: ReportAsked, { store, cwd }: ReportPlace): Promise<ReportShown> {
  const run = await store.run(id);
  if (run === null) throw new Fault('input', `Run "${id.slice(0, 80)}" not found in this store.`, { code: 'E_NOT_FOUND' });
  const { report: newReport, records } = await reportFor(run, { score, over: wanted }, { store, cwd, trust: Trust.request });
  const { rows: _, ...reportFields } = newReport;
  const { over, tasks, agents } = newReport.standings;
  const failed = await failedAgents(
    store,
    { records },
    agents.flatMap(({ agent }) => (agent.startsWith('house:') ? [] : agent)),
  );
  return {
    ...reportFields,
    scope: scopeText(over, tasks),
    failed: [...failed.map(failedAgentText), ...newReport.failures.map(failureText)],
    won: newReport.exploits.map(exploitWords),
    grades: await gradesIn(newReport, store, cwd),
    survey: await readStoredSurvey(run, store),
    matrix: await failureMatrix(
      newReport.rows,
      store,
      (await suiteBehind(run.id, undefined, { store, cwd, trust: Trust.request }))?.nulls ?? [],
    ),
    of: await readDetail(run, [...records.values()].map(tallyOne), { store, cwd }),
    newest: [...records.values()].reduce((most, { order }) => Math.max(most, order), 0),
  };
}

function tallyOne({ environment, cast, status, returns }: EpisodeRecord): EpisodeTally {
  return { environment, cast, status, returns, count: 1 };
}

/** The grade of the judge behind each judged score of a report, looked up on one episode with that score. */
async function gradesIn({ lines: scored, score, rows, risks }: Report, store: Store, cwd: string): Promise<Grades> {
  const wanted = new Set([score, ...[...scored, ...risks].map(({ name }) => name)].filter((name) => name.startsWith('judge/')));
  const cards = readTrustCards(cwd);
  const grades: Record<string, Grades[string]> = {};
  for (const { episode } of rows) {
    if (wanted.size === 0) break;
    const inputScores = currentScores(await store.scores(episode));
    for (const score of inputScores) {
      const grade = wanted.delete(score.name) ? gradeOf(score, cards) : null;
      if (grade !== null) grades[score.name] = grade;
    }
  }
  return grades;
}

async function compareSides({ a, b, run, score, over }: CompareAsked, { store }: ReportPlace): Promise<CompareShown> {
  const comparedSides = await sides(store, [a, b], { run, score, card: undefined });
  const differences = differencesOf(comparedSides.a, comparedSides.b);
  const counted = new Map<number, number>();
  for (const difference of differences) counted.set(difference, (counted.get(difference) ?? 0) + 1);
  return { score: comparedSides.score, ...contest(comparedSides.a, comparedSides.b, { over }), differences: barsOf([...counted]) };
}
