/** @file The front door of Ludus. Every public name is listed here, one by one; `test/public-names.txt` keeps the list. */

export { agentOf, agentsWith } from './agents/index.ts';
export { leaks, ledger } from './agents/mind/ledger.ts';
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
  Fault,
  forfeitText,
  hash,
  type Improver,
  type Json,
  knob,
  type Learner,
  type Lesson,
  type Limits,
  type Message,
  type Model,
  type ModelCall,
  type Plan,
  type Policy,
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
export {
  customers,
  draftPersona,
  exportPersona,
  gallery,
  importPersona,
  lexicalBigFive,
  merge,
  type Persona,
  parsePersona,
  readScene,
  samplePopulation,
  vary,
} from './personas/index.ts';
export { type Row, rowsOf } from './scoring/evaluation/row.ts';
export { type Standings, standingsOf } from './scoring/evaluation/standings.ts';
export { scorerNames, scorerOf } from './scoring/index.ts';
export { type Judge, judgeOf } from './scoring/judges/judge.ts';
export { type Rubric, rubricHash } from './scoring/judges/rubric.ts';
export { pageOf } from './scoring/report/page.ts';
export { type Report, reportOf } from './scoring/report/report.ts';
export { rubricOf } from './scoring/rubrics/index.ts';
export { scoreEpisodes } from './scoring/score.ts';
export { type Comparison, compare } from './scoring/statistics/compare.ts';
export { readSuite, type Suite, suiteOf } from './scoring/suites/index.ts';
export { exportJsonl, importJsonl, memoryStore, openStore } from './store/index.ts';
