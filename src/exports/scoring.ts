/** @file `ludus/scoring`: scorers, judges and rubrics, suites, comparisons, reports. */

export { type EvaluateOptions, type EvaluateReport, evaluate } from '../evaluation/evaluate.ts';
export { rowsOf, type ScoreRow } from '../scoring/evaluation/row.ts';
export { type Standings, standingsOf } from '../scoring/evaluation/standings.ts';
export { scorerNames } from '../scoring/index.ts';
export { createJudge, type Judge } from '../scoring/judges/judge.ts';
export { type Rubric, rubricHash } from '../scoring/judges/rubric.ts';
export { pageOf } from '../scoring/report/page.ts';
export { type Report, reportOf } from '../scoring/report/report.ts';
export { scoreEpisodes } from '../scoring/score.ts';
export { type Comparison, compare } from '../scoring/statistics/compare.ts';
export { readSuite, type Suite } from '../scoring/suites/index.ts';
