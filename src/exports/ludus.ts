/** @file The main entry of the package. Personas, scoring, learning, servers and testing have entries of their own, so that a program loads only what it uses. Every public name is listed, one by one; `test/public-names.txt` keeps the list. */

export { createAgent, createAgentLoader } from '../agents/kinds.ts';
export {
  type Box,
  openSandbox,
  type SandboxOptions,
  type SandboxResult,
  type SandboxTestReport,
} from '../agents/sandbox/sandbox.ts';
export { createTools } from '../agents/tools/create-tools.ts';
export type { Tool } from '../agents/tools/tool.ts';
export {
  type Action,
  type ActionEvent,
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type Ask,
  askAgain,
  audit,
  auditsOf,
  type Budget,
  BudgetCounter,
  type Cast,
  canonical,
  choose,
  type Environment,
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
  knob,
  type Learner,
  type Lesson,
  type Limits,
  type Message,
  type Model,
  type ModelCall,
  type Plan,
  type Policy,
  type Position,
  type Prompt,
  parseBracketed,
  type Reply,
  type Rng,
  readTask,
  retries,
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
  shareStep,
  type TaskOf,
  type Turn,
  textOf,
  type View,
  viewOf,
  withBudget,
} from '../core/index.ts';
export { check, type Problem } from '../engine/check.ts';
export { readPlan } from '../engine/plan.ts';
export { fork, type Playing, type PlayOptions, play, resume } from '../engine/play.ts';
export { EpisodeRecorder, recordEpisode } from '../engine/record.ts';
export { replay } from '../engine/replay.ts';
export { rollout } from '../engine/rollout.ts';
export type { RunProgress, RunReport } from '../engine/run.ts';
export { transcript } from '../engine/transcript.ts';
export { boardImage } from '../environments/picture/board.ts';
export { solve } from '../environments/solve/index.ts';
export { fakeModel } from '../models/fake.ts';
export { createModel } from '../models/index.ts';
export { exportJsonl, importJsonl, memoryStore, openStore } from '../store/index.ts';
export { kindOf, kinds } from '../workspace/all-kinds.ts';
export { defineConfig, type LudusConfig } from '../workspace/config.ts';
export { listKind } from '../workspace/describe.ts';
export type { RunPlanOptions } from '../workspace/run-plan.ts';
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
  run,
  useConfig,
} from './user-loaders.ts';
