import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { createTeacher, TaskTeacher } from '../teachers/index.ts';
import { adapt, type CycleFigures, drills, evenly, type Writer, weakest } from './adaptation.ts';
import { agreement, createSolverPolicy } from './arena.ts';
import { neighbours, tasksFromFailures } from './failures.ts';
import { climber, ladder, rungs } from './ladder.cases.ts';
import { menuProposer, taughtProposer } from './menu.ts';
import { createProposerEnvironment } from './proposer-environment.ts';
import type { ProposerRecipe } from './recipes.ts';
import { flawOf, proposerRecipe, proposerRecipes } from './recipes.ts';
import { selfPlay } from './selfplay.ts';
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

describe('what a proposer is paid', () => {
  it('follows the table', () => {
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

  it('pays Agent0 for real calls only, and takes off what repeats', () => {
    expect(shapes.agentZero(at(0.5, { likeness: 0.25, calls: 2 }))).toBeCloseTo(0.35, 12);
    expect(shapes.agentZero(at(0.75, { likeness: 0.1, calls: 2 }))).toBeCloseTo(0.25, 12);
    expect(shapes.agentZero(at(0.5, { valid: false, likeness: 0.25 }))).toBeCloseTo(-1.25, 12);
  });

  it('pays MAE nothing for what nobody solves, once the rule is added', () => {
    expect(shapes.maePublished(at(0))).toBeGreaterThan(shapes.maePublished(at(0.5)));
    expect(shapes.mae(at(0))).toBeLessThan(shapes.mae(at(0.5)));
    expect(shapes.maePublished(at(0.6, { quality: 0.8 }))).toBeCloseTo(0.7333, 4);
    expect(shapes.maePublished(at(0.6, { quality: 0.6 }))).toBeCloseTo(0.5333, 4);
  });

  it('pays PasoDoble nothing for a stream of duplicates', () => {
    expect(shapes.pasoDoble(at(0.25, { diversity: 0.8 }))).toBeCloseTo(1.01, 12);
    expect(shapes.pasoDoble(at(0.5, { diversity: 0.2 }))).toBe(0);
  });
});

/** The skill that a climber reaches under a shape, over seeds, and how often the alarm rang. */
async function climbed(reward: shapes.DifficultyReward, seeds = 1): Promise<{ readonly skill: number; readonly alarms: number }> {
  const recipe: ProposerRecipe = { ...proposerRecipe('paso-doble'), name: 'test', reward, keep: [0, 1], attempts: 8 };
  let [skill, alarms] = [0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const one = climber();
    const { alarm } = await selfPlay({
      recipe,
      environment: ladder,
      policies: { climber: one.policy },
      solver: 'climber',
      proposer: menuProposer(),
      learn: (tried) =>
        one.learn(
          tried.map(({ found }) => found.rate),
          16,
        ),
      seed,
      steps: 400,
      menu: rungs,
      again: true,
    });
    skill += one.skill() / seeds;
    alarms += alarm === null ? 0 : 1;
  }
  return { skill, alarms };
}

describe('self-play of proposer and solver', () => {
  it('collapses under 1 − p, and not under shapes that pay nothing at both ends', async () => {
    const good = await climbed(shapes.learnable);
    const bad = await climbed(shapes.hard);
    expect(good.skill).toBeGreaterThan(8);
    expect(good.alarms).toBe(0);
    expect(bad.skill).toBeLessThan(2.5);
    expect(bad.alarms).toBe(1);
    if (amount(0, 1) === 0) return;
    expect((await climbed(shapes.triangle)).skill).toBeGreaterThan(7.5);
    expect((await climbed(shapes.constant)).skill).toBeLessThan(5);
  });

  it('can be led by a teacher: one by learnability climbs higher than one without preference', async () => {
    const led = async (name: string) => {
      const one = climber();
      const taskTeacher = new TaskTeacher(rungs.length, createTeacher(name, []));
      await selfPlay({
        recipe: { ...proposerRecipe('paso-doble'), keep: [0, 1] },
        environment: ladder,
        policies: { climber: one.policy },
        solver: 'climber',
        proposer: taughtProposer(taskTeacher, rungs, 1),
        learn: (tried) =>
          one.learn(
            tried.map(({ found }) => found.rate),
            16,
          ),
        seed: 1,
        steps: 120,
        again: true,
      });
      return one.skill();
    };
    expect(await led('learnability')).toBeGreaterThan((await led('uniform')) + 0.5);
  });

  it('moves in a real world to tasks that its solver wins now and then', async () => {
    const environment = await builtInEnvironment('quest-world');
    const easy = { loops: 0, doors: 0, containers: 0, depth: 0, traders: 0, clutter: 0, goal: 'carry' };
    const menu: readonly Json[] = [
      { ...easy, rooms: 2 },
      { ...easy, rooms: 6 },
      { ...easy, rooms: 6, doors: 2 },
      { rooms: 12, depth: 3, doors: 3, traders: 2 },
    ];
    const proposer = menuProposer({ rate: 0.3, even: 0.2 });
    const report = await selfPlay({
      recipe: { ...proposerRecipe('pae'), solvable: false, attempts: 6 },
      environment,
      policies: { seeker: scriptedPolicy('random', environment.scripts?.['random'] as Script) },
      solver: 'seeker',
      solved: (log) => log.some((event) => event.kind === 'message' && event.text === 'The goal is reached.'),
      proposer,
      learn: () => {},
      seed: 2,
      batch: 4,
      steps: 20,
      menu,
      again: true,
    });
    const value = (task: Json | undefined) => proposer.values.get(JSON.stringify(task)) ?? 0;
    const [first, , , last] = menu;
    const middle = Math.max(value(menu[1]), value(menu[2]));
    expect(middle).toBeGreaterThan(0.4);
    expect(middle).toBeGreaterThan(value(last) + 0.2);
    expect(middle).toBeGreaterThan(value(first));
    expect(report.alarm).toBeNull();
  });

  it('rings where nearly everything is proposed again and again', async () => {
    const one = climber();
    const stubborn = scriptedPolicy('stubborn', () => ({ text: '{"rung": 1}' }));
    const { alarm, steps } = await selfPlay({
      recipe: proposerRecipe('paso-doble'),
      environment: ladder,
      policies: { climber: one.policy },
      solver: 'climber',
      proposer: { policy: stubborn, learn: () => {} },
      learn: () => {},
      seed: 1,
      steps: 5,
    });
    expect(alarm).toContain('not valid');
    expect(steps.at(-1)).toMatchObject({ valid: 0, reward: 0 });
  });

  it('runs every recipe, and says what a recipe needs', async () => {
    for (const recipe of proposerRecipes) {
      const one = climber();
      const report = await selfPlay({
        recipe,
        environment: ladder,
        policies: { climber: one.policy },
        solver: 'climber',
        proposer: menuProposer(),
        learn: (tried) =>
          one.learn(
            tried.map(({ found }) => found.rate),
            16,
          ),
        seed: 1,
        steps: 3,
        menu: rungs,
        again: true,
        solvable: (task) => !(task as { broken: boolean }).broken,
        judge: () => 0.9,
      });
      expect(report.steps).toHaveLength(3);
      for (const { valid } of report.steps) expect(valid).toBeGreaterThan(0);
    }
    const parts = { environment: ladder, policies: {}, solver: 'climber', proposer: menuProposer(), learn: () => {}, seed: 1, steps: 1 };
    await expect(selfPlay({ ...parts, recipe: proposerRecipe('mae') })).rejects.toThrow(/needs a judge/);
    await expect(selfPlay({ ...parts, recipe: proposerRecipe('pae') })).rejects.toThrow(/needs a proof/);
    expect(() => proposerRecipe('none')).toThrow(/there are pae, agent0, mae, paso-doble, ssp/);
  });
});

describe('the workshop', () => {
  const environment = createProposerEnvironment(ladder, { reward: shapes.learnable, invalid: -1, menu: rungs }) as AnyEnvironment;

  it('keeps every rule of worlds', async () => {
    expect(
      await check(createProposerEnvironment(ladder, { reward: shapes.learnable }) as AnyEnvironment, { episodes: 40, steps: 400 }),
    ).toEqual([]);
  });

  it('reads tasks by the own reader of the world, says what is wrong, and pays a forfeit at last', async () => {
    const proposer = scriptedPolicy('wrong', () => ({ text: '{"rung": 11}' }));
    const arena = scriptedPolicy('never', () => ({ text: 'unreached' }));
    const [log] = await rollout(environment, { proposer, arena }, { seeds: [1] });
    const said = log?.flatMap((event) => (event.kind === 'message' ? [event.text] : [])).join('\n') ?? '';
    expect(said).toContain('"rung" must be a number from 0 to 10, but came as 11');
    expect(log?.at(-1)).toMatchObject({ kind: 'end', reason: 'over', returns: { proposer: -1 } });
  });

  it('pays by what the arena found, and tells the proposer', async () => {
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

describe('validity', () => {
  it('accepts no impossible task, and none whose check broke', async () => {
    const solvable = (task: Json) => {
      if ((task as { rung: number }).rung === 7) throw new Error('the checker is out');
      return !(task as { broken: boolean }).broken;
    };
    const inspector = new TaskChecker({ environment: ladder, solvable });
    expect(await inspector.inspect({ broken: true })).toMatchObject({ ok: false, problem: 'This task cannot be solved.' });
    expect(await inspector.inspect({ rung: 7 })).toMatchObject({ ok: false, problem: expect.stringContaining('the checker is out') });
    expect(await inspector.inspect({ rung: 2 })).toMatchObject({ ok: true });
    expect(await inspector.inspect({ rung: 2, broken: false })).toMatchObject({ ok: false, problem: 'This task was proposed before.' });
    expect(await inspector.inspect({ stairs: 2 })).toMatchObject({ ok: false, problem: expect.stringContaining('no "stairs"') });
  });

  it('tells likeness by knobs and words', () => {
    expect(likenessOf(marksOf({ a: 1, b: 'red door' }), marksOf({ a: 1, b: 'red key' }))).toBeCloseTo(0.5, 12);
    expect(likenessOf(marksOf({}), marksOf({}))).toBe(1);
    expect(agreement(['a', 'b', 'a', 'a'])).toBe(0.75);
  });

  it('checks questions as search self-play does, and fails closed', async () => {
    const good = {
      question: 'In which year was the tower that stands by the river in the old capital built?',
      answer: '1889',
      searches: ['tower river', 'old capital tower year'],
      documents: ['It was built in 1889.'],
    };
    const reader = async (_: string, documents: readonly string[]) => /\d{4}/.exec(documents.join(' '))?.[0] ?? 'unknown';
    expect(await flawOf(good, reader)).toBeNull();
    expect(await flawOf({ ...good, answer: 'the river' }, reader)).toContain('contains its answer');
    expect(await flawOf({ ...good, question: 'When was it built?' }, reader)).toContain('ten words');
    expect(await flawOf({ ...good, searches: ['Tower  river', 'tower river'] }, reader)).toContain('two different searches');
    expect(await flawOf({ ...good, documents: ['Nothing.'] }, reader)).toContain('does not follow');
    expect(await flawOf(good, () => Promise.reject(new Error('offline')))).toContain('offline');
  });
});

describe('failures to tasks', () => {
  it('takes seeds from failures only, and keeps the band with both its ends', async () => {
    const expected = new Map([
      [1, 0.04],
      [2, 0.05],
      [3, 0.75],
      [4, 0.76],
    ]);
    const tasks = await tasksFromFailures(
      [
        { task: { rung: 0 }, won: false },
        { task: { rung: 9 }, won: true },
      ],
      {
        environment: ladder,
        rng: rng(1),
        vary: (task) => ((task as { rung: number }).rung === 0 ? [1, 2, 3, 4].map((rung) => ({ rung })) : [{ rung: 8 }]),
        expects: (task) => expected.get((task as { rung: number }).rung) ?? 0.5,
      },
    );
    expect(tasks).toEqual([
      { rung: 2, broken: false },
      { rung: 3, broken: false },
    ]);
  });

  it('varies tasks of real worlds into tasks that these read', async () => {
    for (const name of ['quest-world', 'service-desk']) {
      const environment = await builtInEnvironment(name);
      const variants = neighbours(environment, environment.task({}), rng(5));
      expect(variants.length).toBeGreaterThan(4);
      for (const variant of variants) expect(() => environment.task(variant)).not.toThrow();
    }
  });
});

describe('adapting the world', () => {
  /** A student with a skill of its own for each drill; the original world hardly ever asks for the rare one. */
  const student = (own: Readonly<Record<string, Json>>, names: AnyEnvironment) => {
    const skills = new Map(Object.keys(own).map((name) => [name, 0.1]));
    const read = new Map(Object.entries(own).map(([name, task]) => [JSON.stringify(names.task(task)), name]));
    const grow = (name: string, amount: number) =>
      skills.set(name, (skills.get(name) as number) + amount * (1 - (skills.get(name) as number)));
    const practise = (task: Json, episodes: number) => {
      const name = read.get(JSON.stringify(task));
      if (name !== undefined) return void grow(name, 1 - 0.98 ** episodes);
      for (const [i, one] of [...skills.keys()].entries()) grow(one, 1 - 0.98 ** (episodes * (i === 0 ? 0.02 : 0.3)));
    };
    const measure = (): CycleFigures => Object.fromEntries([...skills].map(([name, rate]) => [name, { rate, error: 0.05 }]));
    return { practise, measure };
  };

  it('raises the rare skill of both worlds beyond uniform practice at equal cost', async () => {
    for (const name of ['quest-world', 'service-desk']) {
      const environment = await builtInEnvironment(name);
      const own = drills[name]!;
      const rare = Object.keys(own)[0]!;
      const reached = async (writer: Writer) => {
        const cycles = await adapt({ environment, writer, ...student(own, environment), episodes: 80 });
        expect(cycles.every(({ refused }) => refused.length === 0)).toBe(true);
        return cycles.at(-1)?.measured[rare]?.rate ?? 0;
      };
      const nothing: Writer = () => [];
      expect(await reached(weakest(own, rng(1), 2))).toBeGreaterThan((await reached(nothing)) + 0.1);
      expect(await reached(weakest(own, rng(1), 2))).toBeGreaterThan(await reached(evenly(own, 2)));
    }
  });

  it('refuses settings out of range, tells the writer, and goes on', async () => {
    const environment = await builtInEnvironment('quest-world');
    const heard: string[] = [];
    const writer: Writer = ({ refused }) => {
      heard.push(...refused);
      return [{ rooms: 99 }, { castle: true }, { rooms: 3 }];
    };
    const cycles = await adapt({ environment, writer, practise: () => {}, measure: () => ({}), cycles: 2, episodes: 4 });
    expect(cycles[0]?.tasks).toHaveLength(1);
    expect(heard.join('\n')).toContain('"rooms" must be a whole number from 2 to 20, but came as 99');
    expect(heard.join('\n')).toContain('no "castle"');
  });

  it('finds in real episodes what a careless clerk cannot do', async () => {
    const environment = await builtInEnvironment('service-desk');
    const script = (name: string) => scriptedPolicy(name, environment.scripts?.[name] as Script);
    const measured: Record<string, { rate: number; error: number }> = {};
    for (const [kind, task] of Object.entries(drills['service-desk']!)) {
      const logs = await rollout(
        environment,
        { agent: script('always-agree'), customer: script('customer') },
        { seeds: [1, 2, 3, 4, 5, 6], task },
      );
      const won = logs.filter((log) => (log.at(-1) as { returns: Record<string, number> }).returns['agent'] === 1).length;
      measured[kind] = { rate: won / 6, error: 0.2 };
    }
    const [first] = await weakest(drills['service-desk']!, rng(2), 1)({ measured, refused: [], cycle: 0 });
    expect(measured[(first as { kind: string }).kind]?.rate).toBeLessThan(0.5);
    expect(['must-refuse', 'wrong-identity', 'multi-request']).toContain((first as { kind: string }).kind);
  });
});
