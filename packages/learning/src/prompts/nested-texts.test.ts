import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { targetOf } from '../improving/targets.ts';
import { componentsOf, withComponents } from './components.ts';

const pipeline: AgentSpec = {
  name: 'two-step',
  kind: 'team',
  settings: {
    members: [
      { name: 'ann', kind: 'llm', model: 'm', texts: { instruction: 'You know maps.' }, settings: { temperature: 0 } },
      'random',
      { name: 'ann', kind: 'llm:m', texts: { instruction: 'You check.', style: 'Be strict.' } },
    ],
    modules: [
      { name: 'think', keep: ['Plan'], modules: [{ name: 'plan', tell: 'Write a plan.' }] },
      { name: 'act', tell: 'Answer.' },
    ] as Json,
    rounds: 2,
  },
};

describe('texts inside a team', () => {
  it('are components named after their member or module, separate from the structure', () => {
    const components = componentsOf(pipeline);
    expect(components).toMatchObject({
      'members/ann/instruction': 'You know maps.',
      'members/ann-2/instruction': 'You check.',
      'members/ann-2/style': 'Be strict.',
      'module/plan': 'Write a plan.',
      'module/act': 'Answer.',
      'setting/rounds': '2',
    });
    expect(components['setting/members']).not.toContain('maps');
    expect(components['setting/modules']).not.toContain('Answer');
  });

  it('round-trip to the same spec and can be changed individually', () => {
    const components = componentsOf(pipeline);
    expect(withComponents(pipeline, components)).toEqual(pipeline);
    const changed = withComponents(pipeline, { ...components, 'module/plan': 'Think.', 'members/ann-2/style': 'Be kind.' });
    expect(componentsOf(changed)).toEqual({ ...components, 'module/plan': 'Think.', 'members/ann-2/style': 'Be kind.' });
  });

  it('of a built-in pipeline can be changed, too', () => {
    const named: AgentSpec = { name: 'p', kind: 'team', settings: { pipeline: 'pangu', members: ['llm:m'] } };
    const scenes = [{ environment: 'cases', seats: ['agent'] }];
    const { start } = targetOf({ agent: named, suite: suite({ name: 's', about: '', nulls: ['scripted:echo'], scenes }) });
    expect(Object.keys(componentsOf(start))).toEqual(
      expect.arrayContaining(['module/plan', 'module/reflect', 'module/act', 'members/llm:m/instruction']),
    );
    expect(withComponents(start, componentsOf(start))).toEqual(start);
    const changed = withComponents(start, { ...componentsOf(start), 'module/act': 'Act now.' });
    expect(componentsOf(changed)).toMatchObject({ 'module/act': 'Act now.', 'module/plan': componentsOf(start)['module/plan'] });
  });
});
