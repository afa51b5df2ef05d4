/** @file Every command as a function, in the tree of the command line. Modules are loaded when a function is called. */

import { checkOptions, type OptionTable } from '@ludus-agents/kernel/internal/core/options';
import { optionTables } from './library/options.ts';

/** The function of a module, loaded on demand, without the context that the command line passes. */
function lazy<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  checked?: keyof typeof optionTables,
): PublicFunction<Module[Name]> {
  const call = async (options: unknown) => {
    if (checked !== undefined) checkOptions(checked, options as object, optionTables[checked] as OptionTable<object>);
    return ((await load())[name] as (options: unknown) => unknown)(options);
  };
  return call as PublicFunction<Module[Name]>;
}

type PublicFunction<F> = F extends (options: infer Options, ...rest: never[]) => infer Result
  ? undefined extends Options
    ? (options?: Options) => Result
    : (options: Options) => Result
  : never;

const env = () => import('./library/env.ts');
const envTasks = () => import('./library/env-tasks.ts');
const judge = () => import('./library/judge.ts');
const improvements = () => import('./library/improvements.ts');
const desk = () => import('./library/desk.ts');
const deskTasks = () => import('./library/desk-tasks.ts');
const persona = () => import('./library/persona.ts');
const characters = () => import('./library/characters.ts');
const storage = () => import('./library/stored.ts');
const setup = () => import('./library/setup.ts');
const episodes = () => import('./library/episodes.ts');
const surveys = () => import('./library/surveys.ts');
const experiments = () => import('./library/experiments.ts');
const viewing = () => import('./library/show.ts');
const scores = () => import('./library/scores.ts');
const evaluation = () => import('./library/evaluate.ts');

/**
 * Every command of `ludus` as a function under the same path: `ludus env solve` is `commands.env.solve`. A function takes one options object
 * and returns data. Environments, agents, models, personas, and so on can be objects, plain data, names, or files.
 *
 * ```ts
 * const { value } = await commands.env.solve({ environment: 'kuhn-poker' });
 * const { card } = await commands.judge.trust({ rubric: 'sotopia', judge: 'openai/gpt-5-mini' });
 * ```
 */
export const commands = {
  new: lazy(() => import('./library/new.ts'), 'create'),
  doctor: Object.assign(lazy(setup, 'doctor'), { trim: lazy(setup, 'trim') }),
  models: Object.assign(lazy(setup, 'models'), { pull: lazy(setup, 'pull'), setup: lazy(setup, 'setup'), test: lazy(setup, 'test') }),
  config: {
    allow: lazy(setup, 'allow'),
    keys: lazy(setup, 'keys'),
    tokens: {
      create: lazy(setup, 'createAccess'),
      list: lazy(setup, 'listAccess'),
      revoke: lazy(setup, 'revokeAccess'),
      rotate: lazy(setup, 'rotateAccess'),
    },
  },
  run: lazy(() => import('./library/run.ts'), 'runPlanned'),
  list: lazy(() => import('./library/list.ts'), 'list'),
  replay: lazy(episodes, 'replay'),
  show: Object.assign(lazy(viewing, 'show'), {
    persona: lazy(viewing, 'showPersona'),
    explain: lazy(episodes, 'explain'),
    blame: lazy(episodes, 'blame'),
  }),
  eval: Object.assign(lazy(evaluation, 'evaluate', 'evaluate'), { power: lazy(scores, 'power') }),
  score: lazy(() => import('./library/score.ts'), 'score'),
  compare: lazy(() => import('./library/compare.ts'), 'compare'),
  arena: lazy(scores, 'arena'),
  report: lazy(scores, 'report'),
  judge: {
    trust: lazy(judge, 'trust'),
    induce: lazy(judge, 'induce'),
    review: lazy(judge, 'review'),
    reward: lazy(judge, 'reward'),
  },
  env: {
    check: lazy(env, 'check'),
    coverage: lazy(env, 'coverage', 'coverage'),
    solve: lazy(env, 'solve'),
    exploit: lazy(env, 'exploit', 'exploit'),
    dream: lazy(env, 'dream'),
    tasks: {
      checks: lazy(envTasks, 'checks'),
      ideas: lazy(envTasks, 'ideas'),
      library: lazy(envTasks, 'library'),
      programs: lazy(envTasks, 'programs'),
    },
  },
  train: Object.assign(
    lazy(() => import('./library/train.ts'), 'train', 'train'),
    { sweep: lazy(scores, 'sweep') },
  ),
  improve: Object.assign(
    lazy(() => import('./library/improve.ts'), 'improve', 'improve'),
    {
      lineage: lazy(improvements, 'lineage'),
      diff: lazy(improvements, 'diff'),
      rollback: lazy(improvements, 'rollback'),
      ablate: lazy(improvements, 'ablate'),
      experience: lazy(improvements, 'experience'),
      digests: lazy(improvements, 'digests'),
      pack: lazy(improvements, 'pack'),
      takePack: lazy(improvements, 'takePack'),
    },
  ),
  attack: lazy(() => import('./library/attack.ts'), 'attack', 'attack'),
  desk: {
    check: lazy(desk, 'check'),
    make: lazy(desk, 'make'),
    join: lazy(desk, 'join'),
    import: lazy(desk, 'importDomain'),
    tools: lazy(desk, 'tools'),
    bot: lazy(desk, 'bot'),
    tasks: { make: lazy(deskTasks, 'make'), from: lazy(deskTasks, 'from'), observe: lazy(deskTasks, 'observe') },
  },
  test: lazy(evaluation, 'test', 'test'),
  persona: {
    check: lazy(persona, 'check'),
    import: lazy(persona, 'importFile'),
    export: lazy(persona, 'exportFile'),
    new: lazy(persona, 'create'),
    make: lazy(persona, 'make'),
    sample: lazy(persona, 'sample'),
    probe: lazy(() => import('./library/probe.ts'), 'probe'),
    draft: lazy(characters, 'draft'),
    suite: lazy(characters, 'suite'),
    teach: lazy(characters, 'teach'),
    rewrite: lazy(characters, 'rewrite'),
    align: lazy(characters, 'align'),
  },
  survey: Object.assign(
    lazy(() => import('./library/survey.ts'), 'survey', 'survey'),
    {
      experiment: lazy(experiments, 'experiment'),
      town: lazy(experiments, 'town'),
      facts: lazy(surveys, 'facts'),
      extract: lazy(surveys, 'extract'),
      compare: lazy(surveys, 'compare'),
    },
  ),
  data: {
    import: lazy(storage, 'importData'),
    make: lazy(storage, 'makeData'),
    export: lazy(() => import('./library/export.ts'), 'exportData'),
  },
  serve: { sites: lazy(() => import('./library/sites.ts'), 'sites') },
  store: {
    copy: lazy(storage, 'copy'),
    prune: lazy(storage, 'prune'),
    forget: lazy(storage, 'forget'),
    memory: lazy(storage, 'memory'),
    roles: lazy(storage, 'roles'),
  },
};
