/** @file What may be chosen for an agent: neighbors of its settings, and values that a user names. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSpec, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { choicesFor, namedChoices, readChoices } from './choices.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-choices-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'a.txt'), 'One.\nTwo, three.\n');

const spec: AgentSpec = {
  name: 'clerk',
  kind: 'llm:m',
  texts: { instruction: 'x' },
  tools: ['sandbox', 'desk'],
  settings: { memory: 'off', temperature: 1.5, memories: 1, plan: false, prompt: 'full', user: 'Ann' },
};

describe('choices for an agent', () => {
  it('are neighboring values of its settings within bounds', () => {
    expect(choicesFor(spec, {})).toEqual({
      'setting/memory': ['generative', 'relevant', 'emotional', 'off'],
      'setting/temperature': [0.75, 1.5],
      'setting/memories': [0, 1, 2],
      'setting/plan': [true, false],
      tools: [['sandbox', 'desk'], ['desk'], ['sandbox']],
    });
  });

  it('can be named by the user, replacing the default values of the same component', () => {
    const named = readChoices(['memory=off,emotional', 'model=a,b', 'instruction=@a.txt,"B, c"', 'allow=["x"],["x","y"]'], spec, cwd);
    expect(named).toEqual({
      'setting/memory': ['off', 'emotional'],
      model: ['a', 'b'],
      instruction: ['One.\nTwo, three.', 'B, c'],
      'setting/allow': [['x'], ['x', 'y']],
    });
    const all = choicesFor(spec, named);
    expect(all['setting/memory']).toEqual(['off', 'emotional']);
    expect(Object.keys(namedChoices(spec, all)).sort()).toEqual(['instruction', 'model', 'setting/allow', 'setting/memory']);
  });

  it('of a team are modules switched off or in another order', () => {
    const modules = ['plan', 'doubt', 'act'].map((name) => ({ name, tell: `${name}!` }));
    const team = (settings: JsonObject): AgentSpec => ({ name: 'crew', kind: 'team', settings: { members: ['random'], ...settings } });
    expect(choicesFor(team({ modules }), {})).toEqual({
      'setting/off': [[], ['plan'], ['doubt'], ['plan', 'doubt']],
      'setting/modules': [
        [{ name: 'plan' }, { name: 'doubt' }, { name: 'act' }],
        [{ name: 'doubt' }, { name: 'plan' }, { name: 'act' }],
      ],
    });
    expect(choicesFor(team({ protocol: 'planner' }), {})['setting/off']).toHaveLength(8);
    // Of many modules each is left out alone.
    expect(choicesFor(team({ pipeline: 'cradle' }), {})['setting/off']).toEqual([
      [],
      ...['gather', 'reflect', 'infer', 'skills', 'plan', 'remember'].map((name) => [name]),
    ]);
  });

  it('can address nested settings by dots', () => {
    const team: AgentSpec = { name: 'crew', kind: 'team', settings: { members: [{ name: 'Ann', kind: 'llm', model: 'a' }] } };
    expect(readChoices(['members.Ann.model=a,b'], team, cwd)).toEqual({ 'setting/members.Ann.model': ['a', 'b'] });
    // A setting of teams that this one does not have yet.
    expect(readChoices(['off=[],["plan"]'], team, cwd)).toEqual({ 'setting/off': [[], ['plan']] });
  });

  it.each([
    ['temperatur=1', 'Did you mean "temperature"?'],
    ['instruction', '--try: expected NAME=VALUE,VALUE'],
    ['memory=off,', 'has an empty value'],
    ['instruction=@none.txt', 'The value @none.txt cannot be read'],
  ])('reject %j', (input, sentence) => {
    expect(() => readChoices([input], spec, cwd)).toThrow(sentence);
  });
});
