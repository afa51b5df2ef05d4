/** @file The kinds of evaluation: scorers, rubrics, judges and suites. */

import { as, hasFunctions, hasText, isRecord, table } from '@ludus-agents/agents/internal/workspace/kind-values';
import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import type { AnyEnvironment, Json, Kind, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { addEntries, addKinds, readAdded } from '@ludus-agents/kernel/internal/core/kind-registry';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { CaseProgram } from './cases/scorers.ts';
import type { Rubric } from './scoring/judges/rubric.ts';
import type { Suite } from './scoring/suites/suite.ts';
import '@ludus-agents/agents/internal/workspace/kinds';
import type { ModelSource } from '@ludus-agents/agents/internal/workspace/models';
import { addNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';

export const scorerKind: Kind<Scorer> = {
  name: 'scorers',
  one: 'scorer',
  about: 'rules and small models that score episodes',
  entries: async () => (await import('./scoring/index.ts')).scorerEntries(),
  expects:
    'an object with name, tier and score, a rule with name, version, unit and find, a default function that scores answers of cases, or a reward model of "ludus judge reward"',
  async read(value, where) {
    // The default export of a program that checks the answers of cases.
    if (typeof value === 'function' && where.endsWith('#default'))
      return (await import('./cases/scorers.ts')).programScorer(value as CaseProgram, 'check');
    if (!hasText(value, 'name')) return undefined;
    if (value['kind'] === 'ludus-reward-model') return (await import('./scoring/reward-model/reward-model.ts')).rewardScorer(as(value));
    if (hasFunctions(value, 'find') && 'unit' in value) {
      const { scale } = value;
      if (scale !== undefined && !(Array.isArray(scale) && scale.length === 2))
        throw new Fault(
          'input',
          `${where}: the scale of a rule is its lowest and highest value, such as [0, 1], but got ${JSON.stringify(scale)}.`,
        );
      return (await import('./scoring/scorer.ts')).ruleScorer(as(value));
    }
    if (!hasFunctions(value, 'score')) return undefined;
    const tiers = ['rule', 'small', 'judge'];
    if (!tiers.includes(String(value['tier'])))
      throw new Fault(
        'input',
        `${where}: the tier of a scorer is one of ${tiers.join(', ')}, but got ${JSON.stringify(value['tier'])}.${didYouMean(value['tier'], tiers)}`,
      );
    return as<Scorer>(value);
  },
};

export const rubricKind: Kind<Rubric> = {
  name: 'rubrics',
  one: 'rubric',
  about: 'what a judge is asked, as data',
  entries: async () => (await import('./scoring/rubrics/index.ts')).rubrics,
  expects: 'an object with name, version, about, source, plants, form and axes',
  read: async (value, where) => (await import('./rubric-file.ts')).readRubric(value, where),
};

export const judgeKind: Kind<ModelSource> = {
  name: 'judges',
  one: 'judge',
  about: 'control judges of known quality; any model can judge, and "ludus judge trust" measures it',
  async entries() {
    const { controlWords } = await import('./control-words.ts');
    return table(controlWords, (word) => [word, judgeLines[word] ?? 'a control judge', (): ModelSource => word]);
  },
  expects: 'a model with id and complete, or an endpoint with "url"',
  read: async (value, where) => (await import('@ludus-agents/agents/internal/workspace/models')).readModel(value, where),
};

const judgeLines: Readonly<Record<string, string>> = {
  'fake:honest': 'sees every planted flaw and no other: what a good judge looks like',
  'fake:random': 'answers at random',
  'fake:constant': 'always gives the same answer',
  'fake:longest': 'prefers the longer answer',
  'fake:first': 'prefers the first option',
  'fake:length': 'another name of fake:longest',
  'fake:position': 'another name of fake:first',
};

export const suiteKind: Kind<Suite> = {
  name: 'suites',
  one: 'suite',
  about: 'benchmarks as data: scenes, tasks, seeds, scorers, floors',
  entries: async () => (await import('./scoring/suites/index.ts')).suiteEntries(),
  expects: 'an object with name, nulls and scenes, a list of cases with input and expected, or a desk with policy and tasks',
  async read(value, where, origin) {
    if (isRecord(value) && 'scenes' in value) return (await import('./scoring/suites/index.ts')).readSuite(value as Json, where);
    const cases = (await import('./cases/case-suite.ts')).readCaseDocument(value, where);
    if (cases !== undefined) return cases;
    return readAdded(suiteKind.name, value, where, origin);
  },
};

addEntries<AnyEnvironment>(
  'environments',
  {
    cases: {
      group: 'work',
      about: 'one question and one answer, checked by rules; what files of cases are played in',
      load: async () => (await import('./cases/environment.ts')).cases,
    },
  },
  { after: 'relay' },
);

addNameResolver<Suite>('suites', {
  matches: (name) => /\.(?:csv|tsv|jsonl)$/i.test(name),
  resolve: async (name, place) => (await import('./cases/case-suite.ts')).loadCaseSuite(name, {}, place),
});

addNameResolver<Suite>('suites', {
  matches: async (name, cwd) =>
    /[\\/]/.test(name) && (await import('@ludus-agents/agents/internal/workspace/content-folder')).isContentFolder(name, cwd),
  resolve: async (name, place) => (await import('./content-suite.ts')).loadContentSuite(name, place),
});

addNameResolver<Scorer>('scorers', {
  matches: (name) => /^grader=./s.test(name),
  async resolve(name, { cwd, trust }) {
    const [{ graderScorer }, { loadModel }] = await Promise.all([
      import('./cases/scorers.ts'),
      import('@ludus-agents/agents/internal/workspace/loaders'),
    ]);
    return graderScorer(await loadModel(name.slice('grader='.length), cwd, trust), name);
  },
  contents: (name) => ({ model: name.slice('grader='.length) }),
});

addKinds([scorerKind, rubricKind, judgeKind, suiteKind], { after: 'personas' });
