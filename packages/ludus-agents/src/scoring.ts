/** @file `ludus-agents/scoring`: scorers, judges and rubrics, suites, comparisons, reports. */

import '@ludus-agents/servers/internal/kinds';

export { calibrateEncoder, type EncoderCalibration, type RelatedPair } from '@ludus-agents/agents/internal/encoders/encoder';
export { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
export { onnxEmbedder } from '@ludus-agents/agents/internal/encoders/onnx';
export type { ArenaReport } from '@ludus-agents/evaluation/internal/arena';
export type { EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
export { type InduceReport, type InduceRequest, induceRubric } from '@ludus-agents/evaluation/internal/induce';
export { findFlaws, type PersonaFlaw } from '@ludus-agents/evaluation/internal/persona-flaws';
export type { MoralScene } from '@ludus-agents/evaluation/internal/probes/moral-play';
export { type MoralPlayOptions, type MoralPlayReport, measureMoralPlay } from '@ludus-agents/evaluation/internal/probes/moral-play';
export { type MoralReader, modelMoralReader } from '@ludus-agents/evaluation/internal/probes/moral-readers';
export { type ProbeCharacterOptions, probeCharacter, type ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
export { rowsOf, type ScoreRow } from '@ludus-agents/evaluation/internal/scoring/evaluation/row';
export { type Standings, standingsOf } from '@ludus-agents/evaluation/internal/scoring/evaluation/standings';
export { createJudge, type Judge } from '@ludus-agents/evaluation/internal/scoring/judges/judge';
export type { Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/rubric';
export { markdownOf } from '@ludus-agents/evaluation/internal/scoring/report/markdown';
export { pageOf } from '@ludus-agents/evaluation/internal/scoring/report/page';
export { type Report, reportOf } from '@ludus-agents/evaluation/internal/scoring/report/report';
export { scoreEpisodes } from '@ludus-agents/evaluation/internal/scoring/score';
export { type Case, type Finding, ruleScorer, type ScoringRule } from '@ludus-agents/evaluation/internal/scoring/scorer';
export { apcScorer, type SmallModels } from '@ludus-agents/evaluation/internal/scoring/small/apc';
export { lexicalEmbedder, lexicalNli } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
export { onnxNli } from '@ludus-agents/evaluation/internal/scoring/small/onnx';
export { relevanceScorer } from '@ludus-agents/evaluation/internal/scoring/small/relevance';
export type { Embedder, Nli } from '@ludus-agents/evaluation/internal/scoring/small/small';
export { type Comparison, compare } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
export { readSuite, type Suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
export { examine, type TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/card';
export { type ArenaRequest, runArena } from './user-evaluation.ts';
