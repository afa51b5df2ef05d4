/** @file The front door of Ludus; characters, scoring, learning and servers have doors of their own, so that whoever needs none of them does not load them. Every public name is listed here, one by one; `test/public-names.txt` keeps the list. */

export { agentOf, agentsWith } from './agents/index.ts';
export {
  type Box,
  openSandbox,
  type SandboxOptions,
  type SandboxResult,
  type SandboxTestReport,
  sandboxReport,
} from './agents/sandbox/sandbox.ts';
export { toolshed } from './agents/tools/shed.ts';
export {
  type Action,
  type ActionEvent,
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type Ask,
  again,
  audit,
  auditsOf,
  type Budget,
  bracketed,
  type Cast,
  canonical,
  choose,
  type Environment,
  type Episode,
  type EpisodeEvent,
  type EpisodeRecord,
  type EpisodeTally,
  Fault,
  forfeitText,
  hash,
  type Improver,
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
  Purse,
  policyOf,
  type Reply,
  type Rng,
  readTask,
  retries,
  rng,
  type Score,
  type Scorer,
  type Script,
  type Seat,
  type Step,
  type Store,
  scripted,
  type TaskOf,
  type Turn,
  textOf,
  type View,
  viewOf,
  withBudget,
} from './core/index.ts';
export { check, type Problem } from './engine/check.ts';
export { readPlan } from './engine/plan.ts';
export { fork, play, resume } from './engine/play.ts';
export { replay } from './engine/replay.ts';
export { rollout } from './engine/rollout.ts';
export { type Progress, type RunReport, run } from './engine/run.ts';
export { transcript } from './engine/transcript.ts';
export { environment, environmentNames } from './environments/index.ts';
export { solve } from './environments/solve/index.ts';
export { fakeModel } from './models/fake.ts';
export { modelOf } from './models/index.ts';
export { exportJsonl, importJsonl, memoryStore, openStore } from './store/index.ts';
export { defineConfig, type LudusConfig, useConfig } from './workspace/config.ts';
export { describeEntry, listKind } from './workspace/describe.ts';
export { kindOf, kinds } from './workspace/kinds.ts';
export {
  loadAgent,
  loadEngine,
  loadEnvironment,
  loadModel,
  loadPersona,
  loadPopulation,
  loadProposer,
  loadRecipe,
  loadRubric,
  loadScorer,
  loadSuite,
  loadTeacher,
} from './workspace/loaders.ts';
