/** @file The public entry point: scorers, judges, statistics, suites, arenas, and reports. */

import './kinds.ts';

export { onnxEmbedder } from '@ludus-agents/agents/internal/encoders/onnx';
export type { ArenaReport } from './arena.ts';
export { importAny } from './conversations/import.ts';
export type { EvaluateReport } from './evaluate.ts';
export { type InduceReport, type InduceRequest, induceRubric } from './induce.ts';
export { findFlaws, type PersonaFlaw } from './persona-flaws.ts';
export { type ProbeCharacterOptions, probeCharacter, type ReportCard } from './probes/probe-character.ts';
export type { RunPlanOptions } from './run-plan.ts';
export { rowsOf, type ScoreRow } from './scoring/evaluation/row.ts';
export { type Standings, standingsOf } from './scoring/evaluation/standings.ts';
export { createJudge, type Judge } from './scoring/judges/judge.ts';
export type { Rubric } from './scoring/judges/rubric.ts';
export { markdownOf } from './scoring/report/markdown.ts';
export { pageOf } from './scoring/report/page.ts';
export { type Report, reportOf } from './scoring/report/report.ts';
export { scoreEpisodes } from './scoring/score.ts';
export { type Case, type Finding, ruleScorer, type ScoringRule } from './scoring/scorer.ts';
export { apcScorer, type SmallModels } from './scoring/small/apc.ts';
export { lexicalEmbedder, lexicalNli } from './scoring/small/lexical.ts';
export { onnxNli } from './scoring/small/onnx.ts';
export { relevanceScorer } from './scoring/small/relevance.ts';
export type { Embedder, Nli } from './scoring/small/small.ts';
export { type Comparison, compare } from './scoring/statistics/compare.ts';
export { readSuite, type Suite } from './scoring/suites/suite.ts';
export { examine, type TrustCard } from './scoring/trust/card.ts';
