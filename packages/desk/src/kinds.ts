/** @file The kinds that desks add: environments, fault scorers, suites, and folders of desks as suites. */

import { addIntentReader } from '@ludus-agents/evaluation/internal/intent';
import type { ScoringRule } from '@ludus-agents/evaluation/internal/scoring/scorer';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { AnyEnvironment, KindEntry, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { addEntries, addReader } from '@ludus-agents/kernel/internal/core/kind-registry';
import '@ludus-agents/evaluation/internal/kinds';
import type { AgentFactory } from '@ludus-agents/agents/internal/workspace/agents';
import { addNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';

addEntries<AnyEnvironment>(
  'environments',
  {
    desk: {
      group: 'work',
      about: 'your desk: policy, tools, and database as data, and customers with cases',
      load: async () => (await import('./environment/desk.ts')).deskEnvironment,
    },
    'service-desk': {
      group: 'work',
      about: 'a built-in desk: a shop with customers and orders drawn from the seed',
      load: async () => (await import('./environment/service-desk/service-desk.ts')).serviceDesk,
    },
  },
  { after: 'relay' },
);

const rules: Readonly<Record<string, KindEntry<ScoringRule>>> = {
  pairs: {
    about: 'desk: contradicting articles that were found, by precision and recall',
    load: async () => (await import('./faults/pairs.ts')).pairs,
  },
  desk: {
    about: 'desk: everything right and no fault found, with each problem quoted',
    load: async () => (await import('./faults/index.ts')).desk,
  },
  clarity: {
    about: 'desk: asks when a request is ambiguous, and not when it is clear',
    load: async () => (await import('./faults/clarity.ts')).clarity,
  },
  'fault-leak': {
    about: 'reveals private data of another customer',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('leak'),
  },
  'fault-breach': {
    about: 'does, or claims to have done, what the policy forbids',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('breach'),
  },
  'fault-promise': {
    about: 'claims that something was done when it was not',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('promise'),
  },
  'fault-planted-text': {
    about: 'does what text planted in a message asks for',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('planted-text'),
  },
  'fault-loop': {
    about: 'gives the same answer to different messages',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('loop'),
  },
  'fault-forgetting': {
    about: 'asks for information that was already given',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('forgetting'),
  },
  'fault-rudeness': {
    about: 'is rude to the customer',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('rudeness'),
  },
  'fault-over-refusal': {
    about: 'refuses what is allowed',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('over-refusal'),
  },
  'fault-correction': {
    about: 'continues with a request that the customer withdrew',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('correction'),
  },
  'fault-invention': {
    about: 'states a rule that is in no policy or record',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('invention'),
  },
  'fault-double-action': {
    about: 'does the same thing twice',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('double-action'),
  },
  'fault-consent': {
    about: 'does something without the yes that the policy asks for',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('consent'),
  },
  'fault-wrong-answer': {
    about: 'answers a question without using the policy or the records',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('wrong-answer'),
  },
  'fault-side-effect': {
    about: 'changes something without a request',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('side-effect'),
  },
  'fault-identity': {
    about: 'talks about records before the customer is identified',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('identity'),
  },
  'fault-language': {
    about: 'answers in another language than the customer writes',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('language'),
  },
  'fault-contradiction': {
    about: 'answers the same question in ways that exclude each other',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('contradiction'),
  },
  'fault-neglect': {
    about: 'ignores a request: it is neither done nor refused',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('neglect'),
  },
  'fault-breakdown': {
    about: 'fails, stops answering, or derails after some turns',
    load: async () => (await import('./faults/index.ts')).loadFaultRule('breakdown'),
  },
};

addEntries<Scorer>(
  'scorers',
  Object.fromEntries(
    Object.entries(rules).map(([name, { about, load }]) => [
      name,
      { about, load: async () => (await import('@ludus-agents/evaluation/internal/scoring/scorer')).ruleScorer(await load()) },
    ]),
  ),
  { after: 'pass' },
);

addNameResolver<Scorer>('scorers', {
  matches: (name) => /^states=./s.test(name),
  async resolve(name, { cwd, trust }) {
    const { rubricStates } = await import('./faults/rubric-states.ts');
    const { loadModel } = await import('@ludus-agents/agents/internal/workspace/loaders');
    return rubricStates(await loadModel(name.slice('states='.length), cwd, trust));
  },
  contents: (name) => ({ model: name.slice('states='.length) }),
});

addIntentReader(async ({ environment, task }) =>
  environment.startsWith('desk@') ? ((await import('./risks.ts')).purposeOf(task)?.intent ?? null) : null,
);

addEntries<Suite>(
  'suites',
  {
    'service-core': {
      about: 'requests at a service desk, by policy and database',
      load: async () => (await import('./suites/service-core.ts')).serviceCore,
    },
  },
  { after: 'sites-core' },
);
addEntries<Suite>(
  'suites',
  {
    'safety-core': {
      about: 'a service desk under attack and pressure, with honest requests as a control',
      load: async () => (await import('./suites/safety-core.ts')).safetyCore,
    },
  },
  { after: 'privacy-core' },
);

addReader<Suite>('suites', async (value, where, origin) => {
  const { isDeskDocument, readDeskDocument, suiteOfDesk } = await import('./desks.ts');
  const { castPopulation } = await import('./desk-population.ts');
  return isDeskDocument(value)
    ? suiteOfDesk(await castPopulation(readDeskDocument(value, where), process.cwd(), Trust.from(origin)))
    : undefined;
});

addNameResolver<Suite>('suites', {
  matches: async (name, cwd) => (await import('./desks.ts')).isDeskFolder(name, cwd),
  async resolve(name, { cwd, trust }) {
    const [{ resolve }, { loadDesk, suiteOfDesk }, { castPopulation }] = await Promise.all([
      import('node:path'),
      import('./desks.ts'),
      import('./desk-population.ts'),
    ]);
    return suiteOfDesk(await castPopulation(loadDesk(name, cwd, trust), resolve(cwd, name), trust));
  },
});

/** A folder must be given as a path, so it never hides a built-in name. */
const isFolderPath = async (name: string, cwd: string) => /[\\/]/.test(name) && (await import('./desks.ts')).isDeskFolder(name, cwd);

addNameResolver<AgentFactory>('agent folders', {
  matches: (name) => /^voiced:./s.test(name),
  async resolve(name, place) {
    const { voicedCustomer } = await import('./voiced-customer.ts');
    const { loadAgent, loadModel } = await import('@ludus-agents/agents/internal/workspace/loaders');
    const model = name.slice('voiced:'.length);
    return async (seat, environment) =>
      voicedCustomer(name, await loadModel(model, place.cwd, place.trust), await loadAgent(`llm:${model}`, seat, environment, place));
  },
  contents: (name) => ({ model: name.slice('voiced:'.length) }),
});

addNameResolver<AgentFactory>('agent folders', {
  matches: isFolderPath,
  async resolve(name, { cwd, trust }) {
    const [{ loadDesk }, { deskAgent }] = await Promise.all([import('./desks.ts'), import('./folder-environment.ts')]);
    const document = loadDesk(name, cwd, trust);
    return (seat, environment) => deskAgent(document, { name, seat, environment, place: { cwd, trust } });
  },
});

addNameResolver<AnyEnvironment>('environments', {
  matches: isFolderPath,
  async resolve(name, { cwd, trust }) {
    const [{ resolve }, { loadDesk }, { castPopulation }, { createFolderEnvironment }] = await Promise.all([
      import('node:path'),
      import('./desks.ts'),
      import('./desk-population.ts'),
      import('./folder-environment.ts'),
    ]);
    return createFolderEnvironment(await castPopulation(loadDesk(name, cwd, trust), resolve(cwd, name), trust));
  },
  contents: (name) => ({ tasks: name }),
});
