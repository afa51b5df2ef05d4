import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { componentsOf, withComponents } from '../components.ts';
import { reflectWith } from '../proposers/reflect.ts';
import { idleProposer, toyGround } from '../toy.cases.ts';
import { asPipeline, readWorkflow, type Workflow, withWorkflow, workflowIn } from '../workflow.ts';
import { trialled } from './engines.cases.ts';
import { builtInEngine } from './index.ts';
import { scriptedWriter } from './scripted-writer.cases.ts';

const start = asPipeline({ name: 'solver', kind: 'llm', model: 'm', texts: { instruction: 'Solve it.' } });
const tasks = { propose: 8, select: 16, report: 8 };
const stepsOf = (spec: AgentSpec) => (workflowIn(componentsOf(spec)) ?? []).map(({ name }) => name);

/** Verifying helps most, thinking helps a little, and every step more than four harms. */
const ground = () =>
  toyGround((spec) => {
    const steps = stepsOf(spec);
    return 0.3 + (steps.includes('verify') ? 0.5 : 0) + (steps.includes('think') ? 0.1 : 0) - 0.2 * Math.max(0, steps.length - 4);
  });

const run = (name: string, model: ReturnType<typeof scriptedWriter>) =>
  trialled({ engine: builtInEngine(name), ground: ground(), tasks, seed: 1, start, proposer: reflectWith({ model }), calls: 300 });

const design = (...names: readonly string[]) =>
  JSON.stringify({ thought: 'x', modules: names.map((name) => ({ name, tell: `Now ${name}.` })) });

describe('workflow', () => {
  it('is created from an agent and round-trips through components', () => {
    const workflow: Workflow = [
      { name: 'plan', tell: 'Plan.', keep: ['Plan'] },
      { name: 'answer', tell: 'Answer.' },
    ];
    const spec = withComponents(start, withWorkflow(componentsOf(start), workflow));
    expect(workflowIn(componentsOf(spec))).toEqual(workflow);
    expect(componentsOf(spec)['module/plan']).toBe('Plan.');
    expect(componentsOf(spec)['members/worker/instruction']).toBe('Solve it.');
  });

  it('keeps all step options and omits empty ones', () => {
    const steps = [
      { name: 'curate', tell: 'Write skills.', skills: 'write', every: 2, by: 'ann' },
      { name: 'act', tell: 'Act.', narrow: 3, when: '', keep: [] },
    ];
    const [curate, act] = steps;
    expect(readWorkflow(JSON.stringify({ modules: steps }), ['ann'])).toMatchObject({
      workflow: [curate, { name: 'act', tell: act.tell, narrow: 3 }],
    });
  });

  it.each([
    ['no json', /not a JSON object/],
    ['{"modules": []}', /list of 1 to 8/],
    ['{"modules": [{"name": "a"}]}', /"a" needs "tell"/],
    ['{"modules": [{"name": "a", "tell": "x"}, {"name": "a", "tell": "x"}]}', /Two modules are called "a"/],
    ['{"modules": [{"name": "a", "tell": "x", "evry": 2}]}', /evry/],
    ['{"modules": [{"name": "a", "tell": "x", "by": "nobody"}]}', /"nobody", who is not a member/],
    ['{"modules": [{"name": "a", "tell": "x", "when": "y"}]}', /last step answers/],
  ])('is rejected if unplayable: %s', (answer, problem) => {
    expect(readWorkflow(answer)).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});

describe('adas', () => {
  it('writes designs from a scored archive, retries unreadable ones, and gates the result', async () => {
    const model = scriptedWriter((prompt) => {
      const many = prompt.split('<design').length - 1;
      if (many === 3 && !prompt.includes('could not be used')) return 'I would add a step.';
      return many === 3
        ? design('think', 'answer', 'extra')
        : many === 4
          ? design('think', 'verify', 'answer')
          : design(`step${many}`, 'answer');
    });
    const { best, happenings } = await run('adas', model);
    expect(stepsOf(best.spec)).toEqual(['think', 'verify', 'answer']);
    expect(model.prompts[0]).toContain('<design score="0.40">');
    expect(model.prompts[1]).toContain('could not be used: it is not a JSON object');
    const notes = happenings.flatMap((happening) => (happening.kind === 'note' ? [happening.words] : []));
    expect(notes.at(-1)).toMatch(/adas: \d+ designs, [1-9]\d* written by the model, 1 unreadable/);
  });
});

describe('aflow', () => {
  it('expands tree nodes by one operation each and records the effect of changes', async () => {
    const steps = ['think', 'draft', 'verify', 'polish', 'smile', 'wait'];
    const model = scriptedWriter((prompt, dice) => {
      const before = JSON.parse(/<workflow[^>]*>\n(.*)\n/.exec(prompt)?.[1] ?? '[]') as Workflow;
      if (dice.next() < 0.2) return design('a', 'b', 'c', 'd', 'e', 'f', 'answer');
      const fresh = steps.filter((name) => !before.some((workflowModule) => workflowModule.name === name));
      return design(...before.slice(0, -1).map(({ name }) => name), dice.pick(fresh), 'answer');
    });
    const { best, archive } = await run('aflow', model);
    expect(stepsOf(best.spec)).toContain('verify');
    expect(model.prompts.some((prompt) => /<tried gain="-?0\.\d/.test(prompt))).toBe(true);
    expect(model.prompts.some((prompt) => prompt.includes('more than one operation'))).toBe(true);
    const depth = ({ parents: [parent] }: { readonly parents: readonly string[] }): number =>
      parent === undefined ? 0 : 1 + depth(archive.get(parent));
    expect(Math.max(...archive.candidates.map(depth))).toBeGreaterThan(1);
    expect(archive.candidates.every(({ spec }) => stepsOf(spec).length <= 8)).toBe(true);
  });
});

it.each(['adas', 'aflow'])('%s reports the number of unreadable answers if none could be used', async (name) => {
  const { best, happenings } = await run(
    name,
    scriptedWriter(() => 'I would add a step.'),
  );
  const notes = happenings.flatMap((happening) => (happening.kind === 'note' ? [happening.words] : []));
  expect(notes.at(-1)).toMatch(/ [1-9]\d* (?:answers )?unreadable/);
  if (name === 'aflow') expect(best.spec).toEqual(start);
});

it.each(['adas', 'aflow'])('%s requires a model', async (name) => {
  const wanted = trialled({ engine: builtInEngine(name), ground: ground(), tasks, seed: 1, start, proposer: idleProposer, calls: 300 });
  await expect(wanted).rejects.toThrow(/--proposer MODEL/);
});
