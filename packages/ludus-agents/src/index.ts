/** @file The main entry point. Personas, scoring, learning, servers, and testing have their own. `test/public-names.txt` lists all names. */

export { createAgent, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
export { fakeModel } from '@ludus-agents/agents/internal/models/fake';
export { createModel } from '@ludus-agents/agents/internal/models/index';
export {
  type Box,
  openSandbox,
  type SandboxOptions,
  type SandboxResult,
  type SandboxTestReport,
} from '@ludus-agents/agents/internal/sandbox/sandbox';
export { createTools } from '@ludus-agents/agents/internal/tools/create-tools';
export type { Tool } from '@ludus-agents/agents/internal/tools/tool';
export { defineConfig, type LudusConfig } from '@ludus-agents/agents/internal/workspace/config';
export { boardImage } from '@ludus-agents/environments/internal/picture/board';
export { solve } from '@ludus-agents/environments/internal/solve/index';
export type { TestCase } from '@ludus-agents/evaluation/internal/cases/case';
export { type CaseSuiteOptions, caseSuite } from '@ludus-agents/evaluation/internal/cases/case-suite';
export type { CaseProgram, CaseVerdict } from '@ludus-agents/evaluation/internal/cases/scorers';
export {
  type Action,
  type ActionEvent,
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type Ask,
  audit,
  auditsOf,
  type Budget,
  BudgetCounter,
  type Cast,
  canonical,
  choose,
  defineEnvironment,
  type Environment,
  type EnvironmentRules,
  type Episode,
  type EpisodeEvent,
  type EpisodeRecord,
  type EpisodeTally,
  type EpisodeVersions,
  Fault,
  forfeitText,
  hash,
  type ImagePart,
  type Improver,
  isFault,
  type Json,
  type Kind,
  type KindEntry,
  type KindLine,
  type Learner,
  type Lesson,
  type Limits,
  type Message,
  type Model,
  type ModelCall,
  type MoveOutcome,
  type Plan,
  type Policy,
  type Position,
  type Prompt,
  parameter,
  parseBracketed,
  type Reply,
  type Rng,
  readTask,
  rng,
  type Sampling,
  type Score,
  type ScoreInput,
  type Scorer,
  type Script,
  type Seat,
  type Seed,
  type Simulator,
  type Step,
  type Store,
  scripted,
  scriptedPolicy,
  sentenceOf,
  type TaskOf,
  type TaskState,
  type Turn,
  textOf,
  type View,
  viewOf,
  withBudget,
} from '@ludus-agents/kernel/internal/core/index';
export { check, type Problem } from '@ludus-agents/kernel/internal/engine/check';
export { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
export { fork, type Playing, type PlayOptions, play, resume } from '@ludus-agents/kernel/internal/engine/play';
export { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
export { replay } from '@ludus-agents/kernel/internal/engine/replay';
export { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
export type { RunProgress, RunReport } from '@ludus-agents/kernel/internal/engine/run';
export { transcript } from '@ludus-agents/kernel/internal/engine/transcript';
export { listKind } from '@ludus-agents/servers/internal/describe';
export { kindOf, kinds } from '@ludus-agents/servers/internal/kinds';
export { exportJsonl, importJsonl, memoryStore, openStore } from '@ludus-agents/store/internal/open-store';
export { commands } from './commands.ts';
export type { EvaluateRequest, TestRequest } from './library/evaluate.ts';
export type { ImproveOptions } from './library/improve.ts';
export type { AgentRef, Ref } from './library/refs.ts';
export type { PlanRequest, RunOutcome, RunRequest } from './library/run.ts';
export type { SurveyOptions, SurveyOutcome } from './library/survey.ts';
export type { TrainOptions } from './library/train.ts';
export { attack, coverage, evaluate, exploit, improve, run, survey, test, train } from './library.ts';
export {
  loadAgent,
  loadEngine,
  loadEnvironment,
  loadModel,
  loadPersona,
  loadPipeline,
  loadPopulation,
  loadProposer,
  loadRecipe,
  loadRubric,
  loadScorer,
  loadSuite,
  loadTeacher,
  useConfig,
} from './user-loaders.ts';
