/**
 * @file Edits that change nothing in truth, for every kind of component: how many a gate lets through, and what a report says of those. For the short
 * test and the long one.
 */

import { type AgentSpec, rng } from '@ludus-agents/kernel/internal/core/index';
import { type Choices, openChoices } from './choices.ts';
import { addressOf, componentsOf } from './components.ts';
import { judgePairs } from './gate.ts';
import { randomEdits } from './proposers/random-edits.ts';

const team: AgentSpec = {
  name: 'crew',
  kind: 'team',
  settings: {
    protocol: 'rounds',
    members: [{ name: 'Ann', kind: 'llm', model: 'a' }, { name: 'Ben', kind: 'llm', model: 'a' }, 'scripted'],
  },
};
const texts = (name: string): AgentSpec => ({ name: 'a', kind: 'toy', texts: { [name]: 'One.\nTwo.\nThree.' } });

export interface ComponentKind {
  readonly spec: AgentSpec;
  readonly choices?: Choices;
}

/** One spec for every kind of component; only that kind is open. */
export const componentKinds: Readonly<Record<string, ComponentKind>> = {
  instructions: { spec: texts('instruction') },
  'text skills': { spec: texts('skill/one') },
  playbooks: { spec: texts('playbook/00001') },
  'member briefs': { spec: texts('member/Ann') },
  'code skills': {
    spec: { name: 'a', kind: 'toy', texts: { 'library/00001': 'Adds.\n```js\nreturn input + 1;\n// test: 1 -> 2\n```' } },
  },
  memories: { spec: { name: 'a', kind: 'toy', notes: ['One.', 'Two.', 'Three.'] } },
  personas: { spec: { name: 'a', kind: 'toy', persona: { name: 'Ann', summary: 'One.\nTwo.' } } },
  tools: { spec: { name: 'a', kind: 'toy', tools: ['x', 'y'] }, choices: { tools: [['x', 'y'], ['x'], ['y'], []] } },
  'memory settings': { spec: { name: 'a', kind: 'toy', settings: { memories: 4 } }, choices: { 'setting/memories': [2, 4, 8] } },
  'context modes': {
    spec: { name: 'a', kind: 'toy', settings: { context: 'window' } },
    choices: { 'setting/context': ['window', 'summary', 'constant', 'routed'] },
  },
  teams: { spec: team, choices: { 'setting/members.Ann.model': ['a', 'b', 'c'], 'setting/protocol': ['rounds', 'refine'] } },
  models: { spec: { name: 'a', kind: 'llm', model: 'a' }, choices: { model: ['a', 'b', 'c'] } },
};

/** Equal in truth, and each with luck of its own: the hardest case for a gate. */
const play = (item: string, seed: number) => (rng(seed, item).next() < 0.5 ? 1 : 0);

/** This many idle edits before the usual gate, and the mean of fresh scores of those that passed, which is .5 in truth. */
export async function idleEdits({ spec, choices = {} }: ComponentKind, edits: number) {
  const { signal } = new AbortController();
  let [madeCount, accepted, sum] = [0, 0, 0];
  for (let edit = 0; edit < edits; edit++) {
    const round = {
      rng: rng(edit, 'edit'),
      components: Object.keys({ ...componentsOf(spec), ...choices }),
      choices: openChoices(componentsOf(spec), choices),
      ...{ many: 1, edits: 1, tried: [], paid: () => {} },
    };
    const [child] = await randomEdits().improver(round).improve(spec, [], signal);
    const [ownText, other] = [addressOf(spec), child === undefined ? '' : addressOf(child)];
    if (child === undefined || other === ownText) continue;
    madeCount++;
    const at = (task: number) => 1000 * edit + task;
    const pairs = Array.from({ length: 24 }, (_, task) => ({ task, before: play(ownText, at(task)), after: play(other, at(task)) }));
    if (!judgePairs(pairs).accept) continue;
    accepted++;
    for (let task = 0; task < 50; task++) sum += play(other, at(500 + task)) / 50;
  }
  return { made: madeCount, accepted, reported: sum / accepted };
}
