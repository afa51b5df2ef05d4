/** @file Task writers: how they are rewarded, what the environment of a writer accepts, refuses and tells, and what checks refuse. */

import { exam } from '@ludus-agents/environments/internal/exam';
import { forge } from '@ludus-agents/environments/internal/forge';
import { trail } from '@ludus-agents/environments/internal/trail/trail';
import { type AnyEnvironment, type EpisodeEvent, type Json, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { agreement, createSolverPolicy } from './arena.ts';
import { createCheck, safeProblem } from './checks.ts';
import { classifyChoices } from './choice-classes.ts';
import { draftForm, sampleTasks } from './drafts.ts';
import { ladder } from './ladder.cases.ts';
import { createProposerEnvironment } from './proposer-environment.ts';
import * as shapes from './shapes.ts';
import { likenessOf, marksOf, TaskChecker } from './task-checker.ts';

const at = (rate: number, more: Partial<shapes.Attempted> = {}): shapes.Attempted => ({
  valid: true,
  problem: null,
  rate,
  attempts: 8,
  diversity: 1,
  likeness: 0,
  calls: 0,
  quality: 0.9,
  ...more,
});

describe('proposer reward', () => {
  it('matches the reference table', () => {
    const table: readonly (readonly [number, number, number, number, number, number, number])[] = [
      [0, 0, 0, 0, 1, 0, 0.967],
      [0.25, 0.25, 0.5, 0.75, 0.75, 1.05, 0.883],
      [0.5, 0.5, 1, 1, 0.5, 0.8, 0.8],
      [0.75, 0.25, 0.5, 0.75, 0.25, 0.55, 0.717],
      [1, 0, 0, 0, 0, 0.3, 0.633],
    ];
    for (const [rate, ...wanted] of table) {
      const row = [shapes.least, shapes.triangle, shapes.learnable, shapes.hard, shapes.pasoDoble, shapes.maePublished];
      row.forEach((shape, i) => {
        expect(shape(at(rate)), `column ${i} at ${rate}`).toBeCloseTo(wanted[i]!, 3);
      });
    }
  });

  it('of Agent0 requires real calls and penalizes duplicates', () => {
    expect(shapes.agentZero(at(0.5, { likeness: 0.25, calls: 2 }))).toBeCloseTo(0.35, 12);
    expect(shapes.agentZero(at(0.75, { likeness: 0.1, calls: 2 }))).toBeCloseTo(0.25, 12);
    expect(shapes.agentZero(at(0.5, { valid: false, likeness: 0.25 }))).toBeCloseTo(-1.25, 12);
  });

  it('of MAE is 0 for unsolved tasks after the added rule', () => {
    expect(shapes.maePublished(at(0))).toBeGreaterThan(shapes.maePublished(at(0.5)));
    expect(shapes.mae(at(0))).toBeLessThan(shapes.mae(at(0.5)));
    expect(shapes.maePublished(at(0.6, { quality: 0.8 }))).toBeCloseTo(0.7333, 4);
    expect(shapes.maePublished(at(0.6, { quality: 0.6 }))).toBeCloseTo(0.5333, 4);
  });

  it('of PasoDoble is 0 for a stream of duplicates', () => {
    expect(shapes.pasoDoble(at(0.25, { diversity: 0.8 }))).toBeCloseTo(1.01, 12);
    expect(shapes.pasoDoble(at(0.5, { diversity: 0.2 }))).toBe(0);
  });
});

describe('proposer environment', () => {
  const environment = createProposerEnvironment(ladder, { reward: shapes.learnable, invalid: -1 }) as AnyEnvironment;

  it('passes the environment checks', async () => {
    for (const steps of [false, true])
      expect(
        await check(createProposerEnvironment(ladder, { reward: shapes.learnable, steps }) as AnyEnvironment, { episodes: 20, steps: 400 }),
      ).toEqual([]);
  });

  it('parses tasks with the reader of the target environment, and forfeits after repeated errors', async () => {
    const proposer = scriptedPolicy('wrong', () => ({ text: '{"rung": 11}' }));
    const arena = scriptedPolicy('never', () => ({ text: 'unreached' }));
    const [log] = await rollout(environment, { proposer, arena }, { seeds: [1] });
    const spokenText = log?.flatMap((event) => (event.kind === 'message' ? [event.text] : [])).join('\n') ?? '';
    expect(spokenText).toContain('"rung" must be a number from 0 to 10, but got 11');
    expect(log?.at(-1)).toMatchObject({ kind: 'end', reason: 'over', returns: { proposer: -1 } });
  });

  it("pays by the solver's success rate and reports it to the proposer", async () => {
    const proposer = scriptedPolicy('half', () => ({ text: 'Try this: {"rung": 5}' }));
    const arena = createSolverPolicy({
      environment: ladder,
      policies: { climber: scriptedPolicy('five', () => ({ text: '5' })) },
      solver: 'climber',
      seed: 3,
      attempts: 64,
    });
    const [log] = await rollout(environment, { proposer, arena }, { seeds: [1] });
    const end = log?.at(-1);
    expect(end?.kind === 'end' ? end.returns['proposer'] : 0).toBeGreaterThan(0.9);
    expect(log?.some((event) => event.kind === 'message' && /^It was solved in \d+ of 64 attempts\.$/.test(event.text))).toBe(true);
  });
});

const textsOf = (log: readonly EpisodeEvent[] | undefined) =>
  (log ?? []).flatMap((event) => (event.kind === 'message' ? [event.text] : [])).join('\n');
/** The task that reached the arena. */
const writtenIn = (log: readonly EpisodeEvent[] | undefined) => {
  const turn = (log ?? []).findLast((event) => event.kind === 'turn' && event.asks.some(({ seat }) => seat === 'arena'));
  return turn?.kind === 'turn' ? (turn.asks[0]!.data as { readonly task: Json; readonly words?: string }) : null;
};

describe('task writer', () => {
  const arena = scriptedPolicy('half', () => ({
    text: 'half',
    data: { valid: true, problem: null, rate: 0.5, attempts: 8, diversity: 1, likeness: 0, calls: 0, quality: null },
  }));
  const documents = {
    'a.md': '# Office\nOpen from 9 to 17. See [people](b.md).',
    'b.md': '# People\nThe keys are with Mira Lund. Back to [the office](a.md).',
    'c.md': '# Weather\nIt rains.',
  };

  it('searches and opens documents, and retries in text and parameters after a rejection', async () => {
    const answers = [
      '[search keys]',
      '[open b.md]',
      'I would ask about the keys.',
      '{"task": {"question": "Who has the keys of the office?", "answer": "Mira Lund", "start": "nowhere.md"}}',
      '{"words": "Find who has the keys", "task": {"question": "Who has the keys of the office?", "answer": "Mira Lund", "evidence": ["a.md", "b.md"], "start": "a.md"}}',
    ];
    let at = 0;
    const proposer = scriptedPolicy('model', () => ({ text: answers[at++]! }));
    const workshop = createProposerEnvironment(trail, { reward: shapes.learnable, base: { documents } }) as AnyEnvironment;
    const [log] = await rollout(
      workshop,
      { proposer, arena },
      { seeds: [1], task: { history: [{ task: { start: 'c.md' }, rate: null, problem: 'no way' }] } },
    );
    expect(textsOf(log)).toMatch(
      /b\.md People[\s\S]*keys are with Mira Lund[\s\S]*That is not a task: expected one JSON object[\s\S]*"nowhere\.md" is not the path/,
    );
    expect(textsOf(log)).toContain('- {"task":{"start":"c.md"},"rate":null,"problem":"no way"}');
    expect(writtenIn(log)).toMatchObject({ words: 'Find who has the keys', task: { start: 'a.md', answer: 'Mira Lund' } });
    expect(log?.at(-1)).toMatchObject({ returns: { proposer: 1 } });
  });

  it('writes step by step, by parameters in turn or by a fact and a start page', async () => {
    const first = scriptedPolicy('first', ({ ask }) => ({ text: ask.choices![0]! }));
    const orders = createProposerEnvironment(forge, { reward: shapes.learnable, steps: true }) as AnyEnvironment;
    expect(writtenIn((await rollout(orders, { proposer: first, arena }, { seeds: [1] }))[0])?.task).toMatchObject({
      goal: expect.any(Number),
      site: expect.any(Number),
    });
    const pages = createProposerEnvironment(trail, { reward: shapes.learnable, steps: true, base: { documents } }) as AnyEnvironment;
    const { task } = writtenIn((await rollout(pages, { proposer: first, arena }, { seeds: [1] }))[0])!;
    const { evidence, start } = task as { readonly evidence: readonly string[]; readonly start: string };
    expect(evidence[0]).toBe(start);
    expect(sampleTasks(trail, draftForm(trail, { task: { documents } }), 20).length).toBeGreaterThan(3);
  });

  it('targets half-solved tasks or near failures with scripts, unlike the control', async () => {
    const workshop = createProposerEnvironment(forge, {
      reward: shapes.learnable,
      form: draftForm(forge, { parameters: ['goal'] }),
    }) as AnyEnvironment;
    const history = Array.from({ length: 16 }, (_, i) => ({ task: { goal: i + 1, site: 7 }, rate: i < 6 ? 1 : i === 6 ? 0.5 : 0 }));
    const goals = async (name: string) => {
      const proposer = scriptedPolicy(name, workshop.scripts![name]!);
      const logs = await rollout(workshop, { proposer, arena }, { seeds: Array.from({ length: 30 }, (_, i) => i), task: { history } });
      return logs.map((log) => (writtenIn(log)!.task as { readonly goal: number }).goal);
    };
    const near = (list: readonly number[]) => list.filter((goal) => Math.abs(goal - 7) <= 1).length / list.length;
    expect(near(await goals('frontier'))).toBeGreaterThan(0.7);
    expect(near(await goals('uniform'))).toBeLessThan(0.4);
    expect((await goals('failures')).filter((goal) => goal >= 6).length).toBeGreaterThan(18);
  });
});

describe('task writer choices', () => {
  it('are classified by past results, preferably after the same moves', () => {
    const past = [
      { moves: ['a', '1'], rate: 1 },
      { moves: ['a', '2'], rate: 0.5 },
      { moves: ['a', '5'], rate: 0 },
      { moves: ['b', '1'], rate: null },
    ];
    const classes = (moves: readonly string[]) => Object.fromEntries(classifyChoices(['1', '2', '3', '4', '5'], moves, past));
    expect(classes(['a'])).toEqual({ solved: ['1'], half: ['2'], next: ['3'], new: ['4'], failed: ['5'] });
    expect(classes(['b'])).toMatchObject({ refused: ['1'], half: ['2'] });
    expect(classifyChoices(['x', 'y'], [], [])).toEqual([['new', ['x', 'y']]]);
  });
});

describe('task validation', () => {
  const nobody = async () => scriptedPolicy('nobody', () => ({ text: '[anvil]' }));
  const place = (environment: AnyEnvironment, seat: string) => ({
    environment,
    seat,
    others: {},
    agent: nobody,
    reader: async () => () => 'x',
  });

  it('rejects tasks that fail a check or break it', async () => {
    const broken = {
      name: 'mine',
      problem: (task: Json) => {
        if ((task as { rung: number }).rung === 7) throw new Error('the checker is out');
        return (task as { broken: boolean }).broken ? 'This task cannot be solved.' : null;
      },
    };
    const inspector = new TaskChecker({ environment: ladder, checks: [broken] });
    expect(await inspector.inspect({ broken: true })).toMatchObject({ ok: false, check: 'mine', problem: 'This task cannot be solved.' });
    expect(await inspector.inspect({ rung: 7 })).toMatchObject({ ok: false, problem: expect.stringContaining('the checker is out') });
    expect(await inspector.inspect({ rung: 2 })).toMatchObject({ ok: true });
    expect(await inspector.inspect({ rung: 2, broken: false })).toMatchObject({ ok: false, check: 'repetition' });
    expect(await inspector.inspect({ stairs: 2 })).toMatchObject({ ok: false, check: 'schema' });
  });

  it('runs the program of a question and rejects false claims and failing programs', async () => {
    const program = await createCheck('program', place(exam, 'pupil'));
    const problems = [
      { question: 'What is 2 + 3?', answer: '5', program: '2 + 3' },
      { question: 'What is 2 + 3?', answer: '6', program: '2 + 3' },
      { question: 'What is 2 + 3?', answer: '5', program: 'while (true) {}' },
    ].map((task) => safeProblem(program, exam.task(task)));
    expect(await Promise.all(problems)).toEqual([null, expect.stringContaining('comes to 5'), 'Its program fails.']);
  });

  it('refuse a question in other words, but not one about another number or name', async () => {
    const encoder = {
      name: 'sums',
      embed: async (texts: readonly string[]) => texts.map((text) => (/add|sum|plus/i.test(text) ? [1, 0] : [0, 1])),
      calibration: async () => [0, 0.5] as const,
    };
    const check = await createCheck('rewording', { ...place(exam, 'pupil'), encoder });
    const ask = (question: string) => check.problem({ question, answer: '3' });
    expect(await ask('What is the sum of 1 and 2?')).toBeNull();
    expect(await ask('If you add 1 and 2, what is it?')).toBe('It asks the same as "What is the sum of 1 and 2?" (sums).');
    expect(await ask('What is the sum of 1 and 5?')).toBeNull();
    expect(await ask('How tall is the tower?')).toBeNull();
    await expect(
      createCheck('rewording', { ...place(exam, 'pupil'), encoder: undefined }).then(
        () => 'installed',
        ({ code }) => code,
      ),
    ).resolves.toMatch(/E_RUNTIME_MISSING|installed/);
  });

  it('derives the answer from the evidence, and rejects it without evidence', async () => {
    const retrieval = await createCheck('retrieval', place(trail, 'reader'));
    const documents = {
      'a.md': '# A\nThe bridge was built by Ada Bell in the spring. See [b](b.md).',
      'b.md': '# B\nThe mill was sold to Bo Dahl. See [a](a.md).',
      'c.md': '# C\nThe mill was sold to Bo Dahl, says the paper. [a](a.md)',
    };
    const base = {
      documents,
      question: 'Who was the bridge in the village built by?',
      answer: 'Ada Bell',
      evidence: ['a.md'],
      start: 'b.md',
    };
    const refused = async (more: object) => safeProblem(retrieval, trail.task({ ...base, ...more }));
    expect(await refused({})).toBeNull();
    expect(await refused({ answer: 'Bo Dahl' })).toBe('The answer does not follow from its evidence.');
    expect(await refused({ question: 'Was the bridge in the village built by Ada Bell?' })).toBe('The question contains its answer.');
    expect(await refused({ question: 'To whom was the old mill sold that year?', answer: 'Bo Dahl', evidence: ['b.md'] })).toBe(
      'The answer follows without its evidence.',
    );
  });

  it('can use the rules, a reference agent, or a committee', async () => {
    const winnable = await createCheck('winnable', place(forge, 'smith'));
    expect(await safeProblem(winnable, forge.task({ goal: 16, site: 7 }))).toBeNull();
    expect(await safeProblem(winnable, forge.task({ goal: 16, site: 3 }))).toBe('This task cannot be solved.');
    const master = { ...place(forge, 'smith'), agent: async () => scriptedPolicy('master', forge.scripts!['master']!) };
    const reference = await createCheck('reference:master', master);
    expect(await safeProblem(reference, forge.task({ goal: 16 }))).toBeNull();
    expect(await safeProblem(reference, forge.task({ goal: 16, site: 3 }))).toMatch(/No reference agent/);
    const committee = await createCheck('committee:one+two', { ...place(forge, 'smith'), agent: nobody });
    expect(await safeProblem(committee, forge.task({ goal: 16, site: 3 }))).toMatch(/agrees on another answer/);
    await expect(createCheck('luck', place(forge, 'smith'))).rejects.toThrow(/Unknown check "luck"/);
    await expect(createCheck('reference', place(forge, 'smith'))).rejects.toThrow(/needs agents/);
  });

  it('measures similarity by parameters and words', () => {
    expect(likenessOf(marksOf({ a: 1, b: 'red door' }), marksOf({ a: 1, b: 'red key' }))).toBeCloseTo(0.5, 12);
    expect(likenessOf(marksOf({}), marksOf({}))).toBe(1);
    expect(agreement(['a', 'b', 'a', 'a'])).toBe(0.75);
  });
});
