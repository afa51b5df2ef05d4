/** @file The options of the most used functions, by name. A missing entry for a new option is a compile error. */

import type { Plan } from '@ludus-agents/kernel/internal/core/index';
import type { OptionTable } from '@ludus-agents/kernel/internal/core/options';
import type { AttackRequest } from './attack.ts';
import type { CoverageOptions, ExploitRequest } from './env.ts';
import type { EvaluateRequest, TestRequest } from './evaluate.ts';
import type { ImproveOptions } from './improve.ts';
import type { PlanRequest, RunRequest } from './run.ts';
import type { SurveyOptions } from './survey.ts';
import type { TrainOptions } from './train.ts';

const call = { cwd: 'any', signal: 'any' } as const;

const playing = {
  ...call,
  store: 'any',
  judges: 'list',
  seeds: 'count',
  over: 'any',
  budget: 'any',
  concurrency: 'count',
  retry: 'any',
  run: 'any',
  reuse: 'any',
  onChanges: 'any',
  onProgress: 'any',
} as const;

const runOptions: OptionTable<RunRequest> = {
  ...call,
  store: 'any',
  environment: 'any',
  agent: 'any',
  concurrency: 'count',
  budget: 'any',
  retry: 'any',
  patience: 'any',
  versions: 'any',
  reuse: 'any',
  statuses: 'any',
  onProgress: 'any',
};

const evaluate: OptionTable<EvaluateRequest> = { suite: 'required', agents: 'required list', floors: 'any', ...playing };

const test: OptionTable<TestRequest> = {
  ...{ suite: 'required', agent: 'required' },
  ...{ failUnder: 'any', mustPass: 'list', allowFaults: 'list', strict: 'any' },
  ...playing,
};

const train: OptionTable<TrainOptions> = {
  ...{ recipe: 'required', environment: 'any', opponent: 'any' },
  ...{ games: 'count', seed: 'whole', set: 'any', name: 'any', onProgress: 'any' },
  ...call,
};

const survey: OptionTable<SurveyOptions> = {
  ...runOptions,
  ...{ questionnaire: 'required', population: 'required', agent: 'required', number: 'count' },
  ...{ seed: 'whole', exact: 'any', fresh: 'any', told: 'any', interventions: 'any', groupBy: 'any' },
};

const attack: OptionTable<AttackRequest> = {
  ...{ agent: 'required', with: 'required', attacker: 'any', reflect: 'any', desk: 'any', arsenal: 'any' },
  ...{ budget: 'count', seed: 'whole', store: 'any', clauses: 'list', rounds: 'whole' },
  ...call,
};

const exploit: OptionTable<ExploitRequest> = {
  ...{ agent: 'required', environment: 'required', task: 'any', samples: 'count', onDecision: 'any' },
  ...call,
};

const coverage: OptionTable<CoverageOptions> = {
  ...{ environment: 'required', agents: 'list', like: 'list', task: 'any' },
  ...{ episodes: 'count', repeats: 'count', seed: 'whole', store: 'any', readOnly: 'any' },
  ...call,
};

const improve: OptionTable<ImproveOptions> = {
  ...{ agent: 'required', suite: 'required', seed: 'whole', store: 'any', cwd: 'any' },
  ...{ engine: 'any', settings: 'any', calls: 'count', tokens: 'count', money: 'any', model: 'any', proposer: 'any', gate: 'any' },
  ...{
    prices: 'any',
    most: 'any',
    saving: 'any',
    protect: 'list',
    repeats: 'count',
    counts: 'any',
    locked: 'list',
    choices: 'any',
    name: 'any',
  },
};

export const optionTables = { run: runOptions, evaluate, test, train, survey, attack, exploit, coverage, improve };

/** Only the required options: the plan parser checks the rest. */
export const planNeeds = { environments: 'required list' } as const satisfies Partial<OptionTable<Plan | PlanRequest>>;
