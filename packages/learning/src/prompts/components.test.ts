import { type AgentSpec, freeze, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { breed, createChild, createFirstCandidate } from './candidate.ts';
import { addressOf, applyChange, changeBetween, componentsOf, kindOf, refusal, withComponents } from './components.ts';
import { applyEdits, diffLines, editsBetween } from './edits.ts';

const spec: AgentSpec = freeze({
  name: 'clerk',
  kind: 'llm',
  model: 'fake',
  persona: { name: 'Ada', manner: 'dry', traits: ['calm'] },
  texts: { instruction: 'Be brief.\nNever guess.', 'skill/refund': 'Ask first.', 'playbook/00001': 'Check dates.' },
  notes: ['The till sticks.'],
  tools: ['clock'],
  settings: { memory: 'generative', memories: 4, team: { nodes: ['a', 'b'], edges: [['a', 'b']] } },
  parent: 'somebody',
});
const origin = { engine: 'test', proposer: 'test', step: 0 };

describe('components', () => {
  it('list everything that can be changed', () => {
    const components = componentsOf(spec);
    expect(Object.keys(components).sort()).toEqual([
      'instruction',
      'model',
      'notes',
      'persona/manner',
      'persona/name',
      'playbook/00001',
      'setting/memories',
      'setting/memory',
      'setting/team',
      'skill/refund',
      'tools',
    ]);
    expect(
      ['instruction', 'skill/refund', 'playbook/00001', 'setting/memory', 'setting/team', 'model', 'persona/manner'].map(kindOf),
    ).toEqual(['instruction', 'skill', 'playbook', 'memory', 'team', 'model', 'persona']);
  });

  it('round-trip to the same spec', () => {
    expect(withComponents(spec, componentsOf(spec))).toEqual(spec);
    expect(addressOf(withComponents(spec, componentsOf(spec)))).toBe(addressOf(spec));
    const other = { ...componentsOf(spec), 'setting/memories': '9', model: 'other', 'persona/manner': 'warm' };
    const agentSpec = withComponents(spec, other);
    expect(componentsOf(agentSpec)).toEqual(other);
    expect(agentSpec.tools).toEqual(['clock']);
    expect((agentSpec.persona as { traits: unknown }).traits).toEqual(['calm']);
    expect(() => withComponents(spec, { ...other, 'setting/team': 'not json' })).toThrow('must be JSON');
  });

  it('have an address that depends on content and not on ancestry', () => {
    const { parent: _, ...orphan } = spec;
    expect(addressOf(orphan)).toBe(addressOf(spec));
    expect(addressOf({ ...spec, model: 'x' })).not.toBe(addressOf(spec));
  });

  it('reject changes to locked components and sections', () => {
    const before = { instruction: 'a\n<!-- locked -->\nnever lie\n<!-- /locked -->\nb', 'skill/x': 's' };
    const set = (text: string) => ({ set: { instruction: text }, drop: [] });
    expect(refusal(before, set('c\n<!-- locked -->\nnever lie\n<!-- /locked -->'), [])).toBeNull();
    expect(refusal(before, set('c\n<!-- locked -->\nnever lie \n<!-- /locked -->'), [])).toContain('locked section');
    expect(refusal(before, set('c'), [])).toContain('locked section');
    expect(refusal(before, { set: {}, drop: ['instruction'] }, [])).toContain('locked section');
    expect(refusal(before, { set: { 'skill/x': 't' }, drop: [] }, ['skill/*'])).toBe('skill/x is locked');
    expect(refusal(before, { set: { 'skill/x': 't' }, drop: [] }, ['skill/y'])).toBeNull();
  });

  it('create a child only if something allowed changed', () => {
    const start = createFirstCandidate(spec);
    expect(createChild(start.components, { parents: [start], origin })).toEqual({ refused: 'nothing was changed' });
    const newChild = createChild({ ...start.components, instruction: 'Be kind.' }, { parents: [start], origin });
    expect('child' in newChild && newChild.child.parents).toEqual([start.id]);
    // An improver that also swaps the kind changes components only.
    const sly = breed({ ...spec, kind: 'random', texts: { instruction: 'x' } }, { parents: [start], origin });
    expect('child' in sly && [sly.child.spec.tools, sly.child.spec.kind]).toEqual([['clock'], 'llm']);
    expect(createChild({ ...start.components, model: 'y' }, { parents: [start], origin, locked: ['model'] })).toEqual({
      refused: 'model is locked',
    });
  });
});

describe('edits', () => {
  const text = (seed: number) => {
    const dice = rng(seed, 'text');
    return Array.from({ length: dice.int(9) }, () => dice.pick(['a', 'b', 'c', 'd', '', ' a'])).join('\n');
  };

  it('transform any text into any other, line by line', () => {
    for (let seed = 0; seed < 400; seed++) {
      const before = { one: text(seed), two: text(seed + 1000) };
      const after = { one: text(seed + 2000), two: seed % 3 === 0 ? before.two : text(seed + 3000) };
      expect(applyEdits(before, editsBetween(before, after))).toEqual(after);
      expect(editsBetween(before, before)).toEqual([]);
      const change = changeBetween(before, after);
      expect(applyChange(before, change)).toEqual(after);
      const retainedDiffLines = diffLines(before.one, after.one);
      const side = (sign: '-' | '+') => retainedDiffLines.filter((line) => line.sign !== sign).map((line) => line.text);
      expect(side('+').join('\n')).toBe(before.one);
      expect(side('-').join('\n')).toBe(after.one);
    }
  });

  it('count a replaced line once and a new text by its lines', () => {
    expect(editsBetween({ t: 'a\nb\nc' }, { t: 'a\nx\nc' })).toEqual([{ component: 't', at: 1, take: 'b', put: 'x' }]);
    expect(editsBetween({ t: 'a' }, { t: 'p\nq\nr' })).toHaveLength(3);
  });

  it('merge patches of one text, with the first patch winning a line', () => {
    const before = { t: 'a\nb' };
    const edits = [
      { component: 't', at: 1, take: 'b', put: 'B' },
      { component: 't', at: 1, take: 'b' },
      { component: 't', at: 2, put: 'c' },
    ];
    expect(applyEdits(before, edits)).toEqual({ t: 'a\nB\nc' });
  });
});
