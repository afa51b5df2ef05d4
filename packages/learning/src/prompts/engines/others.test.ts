import { runCode } from '@ludus-agents/agents/internal/tools/sandbox';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { createFirstCandidate } from '../candidate.ts';
import { instructionDemo, lawfulPlayer } from '../demo/index.ts';
import { createEpisodeTrials } from '../episode-trials.ts';
import { Evaluator } from '../evaluator.ts';
import { gateRules } from '../gate.ts';
import { Journal } from '../journal.ts';
import { reflectWith } from '../proposers/reflect.ts';
import { idleProposer, toyGround } from '../toy.cases.ts';
import { TrialLedger } from '../trial-ledger.ts';
import { type Trialled, trialled } from './engines.cases.ts';
import { builtInEngine, engines } from './index.ts';
import { coins, lines, linesOf, reflecting, start, worthOf, writing } from './lines.cases.ts';
import { skillsWith } from './skills.ts';

const ours = ['playbook', 'contrast', 'practice', 'skills', 'clade', 'teams', 'then', 'race', 'portfolio'] as const;
const tasks = { propose: 16, select: 24, report: 50 };

const run = (name: string, more: Partial<Trialled> = {}) =>
  trialled({ engine: builtInEngine(name), ground: coins(), tasks, seed: 1, start, proposer: reflecting(0.6), calls: 500, ...more });

describe('every engine', () => {
  it('finds better texts than random edits at equal cost', async () => {
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    const calls = 250;
    const random = meanOrZero(
      await Promise.all(seeds.map(async (seed) => worthOf((await run('random', { seed, proposer: reflecting(0), calls })).best.spec))),
    );
    // A race pays for several engines before it goes on: with so few calls it is behind, and is looked at below.
    for (const name of ours.filter((our) => our !== 'race')) {
      const count = meanOrZero(await Promise.all(seeds.map(async (seed) => worthOf((await run(name, { seed, calls })).best.spec))));
      expect(count, `${name} against ${random}`).toBeGreaterThan(random + 0.04);
    }
  });

  it('accepts nothing from an idle proposer, and still reports a score', async () => {
    for (const name of ours) {
      const { archive, best, select } = await run(name, { proposer: idleProposer, calls: 300 });
      expect(
        archive.tried.filter(({ verdict }) => verdict.accept),
        name,
      ).toEqual([]);
      expect(best.id).toBe(createFirstCandidate(start).id);
      expect(select).toBeGreaterThan(0);
    }
  });

  it('never exceeds its budget and keeps locked components', async () => {
    const locked = ['instruction'];
    for (const name of ours)
      for (const calls of [60, 137]) {
        const ground = coins();
        const { evaluator, archive } = await run(name, { ground, calls, locked });
        expect(ground.made.length, name).toBeLessThanOrEqual(calls);
        expect(evaluator.spent.calls).toBeLessThanOrEqual(calls);
        for (const { components } of archive.candidates) expect(components['instruction']).toBe('Play.');
      }
  });

  it('resumes from any point of its ledger with the same result', async () => {
    for (const name of ours) {
      const retained: Json[] = [];
      const whole = await run(name, {
        calls: 200,
        ledger: new TrialLedger(new Journal([], async (_, entries) => void retained.push(...entries))),
      });
      for (const share of amount(0, 1) === 1 ? [0, 0.1, 0.35, 0.6, 0.95, 1] : [0.1, 0.6]) {
        const cut = retained.slice(0, Math.floor(share * retained.length));
        const plays = cut.filter((item) => (item as { kind: string }).kind === 'play').length;
        const ground = coins();
        const again = await run(name, { calls: 200, ground, ledger: new TrialLedger(new Journal(cut)) });
        expect(again.best.id, name).toBe(whole.best.id);
        expect(JSON.stringify(again.archive.tried)).toBe(JSON.stringify(whole.archive.tried));
        expect(ground.made.length + plays).toBe(retained.filter((item) => (item as { kind: string }).kind === 'play').length);
      }
    }
  });

  it('keeps existing entries and does not reuse their numbers', async () => {
    const kinds = { playbook: 'playbook', contrast: 'hint', practice: 'experience', skills: 'library' };
    for (const [name, kind] of Object.entries(kinds)) {
      const full = { ...start, texts: { ...start.texts, [`${kind}/00007`]: 'good 0', [`${kind}/own`]: 'good 1' } };
      const { archive, best } = await run(name, {
        start: full,
        proposer: writing((n) => [`good ${2 + (n % 3)}`]),
        calls: 300,
        settings: name === 'playbook' ? { drops: 0 } : {},
      });
      expect(best.components[`${kind}/00007`], name).toBe('good 0');
      expect(best.components[`${kind}/own`]).toBe('good 1');
      const added = archive.candidates.flatMap(({ components }) => Object.keys(components)).filter((item) => /\/\d+$/.test(item));
      expect(added.length).toBeGreaterThan(archive.candidates.length);
      for (const item of added) expect(Number(item.split('/')[1])).toBeGreaterThanOrEqual(7);
    }
  });

  it('has a method note and rejects unknown settings', async () => {
    for (const name of ours) {
      const engine = engines[name];
      expect(engine?.method.length).toBeGreaterThan(10);
      expect(engine?.differs.length).toBeGreaterThan(10);
      await expect(run(name, { settings: { magic: 1 } })).rejects.toThrow(/"magic"/);
    }
    await expect(run('then', { settings: { engines: ['gepa', 'sorcery'] } })).rejects.toThrow(/list of two or more of gepa/);
  });
});

describe('engines with a model as the proposer', () => {
  /** Rewrites whichever text it is shown: one good line more, or a bad entry made empty by other words. */
  const model: Model = {
    id: 'fake/writer',
    async complete({ messages }, { seed = 0 }) {
      const visibleText = /<text>\n(.*?)\n<\/text>/s.exec(messages[0]?.content ?? '')?.[1] ?? '';
      const line = lines[rng(seed).int(lines.length)]!;
      const text = `Thinking.\n<text>\n${[...visibleText.split('\n'), line].filter((item) => item !== '' && !item.startsWith('bad')).join('\n')}\n</text>`;
      return {
        model: 'fake/writer',
        prompt: { messages },
        text,
        finish: 'stop',
        usage: { promptTokens: 50, completionTokens: 20 },
        cost: 0.001,
      };
    },
  };

  it('learn from whole rewritten texts and pay for them', async () => {
    for (const name of ['playbook', 'contrast', 'practice', 'skills', 'teams', 'clade']) {
      const { best, evaluator } = await run(name, { proposer: reflectWith({ model }), calls: 500 });
      expect(worthOf(best.spec), name).toBeGreaterThan(worthOf(start) + 0.2);
      expect(evaluator.spent.money).toBeGreaterThan(0);
    }
  });
});

describe('engines with real episodes', () => {
  it('improve the report score of the demo', async () => {
    const environment = await builtInEnvironment(instructionDemo.environment);
    const { seat, start: first, proposers, counts } = instructionDemo;
    for (const name of ours.slice(0, amount(3, ours.length))) {
      const store = memoryStore();
      await store.putRun({ id: 'demo', plan: { environments: [], seeds: [], casts: [] }, episodes: 0 });
      const ground = createEpisodeTrials({
        ...{ store, run: 'demo', environment, tasks: instructionDemo.tasks, seat },
        agents: async (spec) => ({ [seat]: lawfulPlayer(spec) }),
      });
      const common = { ground, tasks: { ...counts, report: 60 }, seed: 1 };
      const { best } = await trialled({
        ...common,
        engine: builtInEngine(name),
        start: first,
        proposer: proposers['reflect'] as never,
        calls: 300,
      });
      const reporter = new Evaluator({ ...common, engine: 'report' });
      const [before, after] = await reporter.report([createFirstCandidate(first), best]);
      const mean = (plays: typeof before) => meanOrZero((plays ?? []).map(({ score }) => score ?? 0));
      expect(mean(after), name).toBeGreaterThan(mean(before) + 0.1);
    }
  });
});

describe('playbook', () => {
  it('keeps helpful entries and removes harmful ones, even if added together', async () => {
    const proposer = writing((n) => [lines[n % 5]!, lines[5 + (n % 3)]!]);
    const { best, happenings } = await run('playbook', { proposer, calls: 2500, settings: { drops: 80, batch: 4 } });
    const has = [...linesOf(best.spec)];
    expect(has.filter((line) => line.startsWith('good')).length).toBeGreaterThanOrEqual(4);
    expect(has.filter((line) => line.startsWith('bad')).length).toBeLessThanOrEqual(1);
    expect(happenings.some((happening) => happening.kind === 'note' && /entry \d+ goes/.test(happening.words))).toBe(true);
  });

  it('stays within its size limit', async () => {
    const { archive } = await run('playbook', { settings: { room: 50 } });
    for (const { components } of archive.candidates) {
      const entries = Object.entries(components).filter(([name]) => name.startsWith('playbook/'));
      expect(entries.reduce((sum, [, text]) => sum + text.length, 0)).toBeLessThanOrEqual(50);
    }
  });
});

describe('practice', () => {
  it('proposes nothing if all plays of a problem end alike', async () => {
    const { evaluator } = await run('practice', { ground: toyGround(() => 1), calls: 200 });
    expect(evaluator.spent.proposals).toBe(0);
  });

  it('learns a good lesson and rejects a harmful one', async () => {
    const proposer = writing((n) => [n % 2 === 0 ? 'good 0' : 'bad 5']);
    const { best } = await run('practice', { proposer, calls: 1500, settings: { batch: 1 } });
    expect(linesOf(best.spec).has('good 0')).toBe(true);
    expect(linesOf(best.spec).has('bad 5')).toBe(false);
  });
});

describe('contrast', () => {
  /** Tasks of two classes. One hint helps the first, the other too but ruins the second. */
  const classes = toyGround((spec, { task, seed }) => {
    const has = linesOf(spec);
    const lucky = rng(seed).int(2) === 0 ? 0.2 : 0;
    if (task % 2 === 1) return has.has('greedy') ? 0 : 0.9;
    return has.has('sound') ? 0.9 : has.has('greedy') ? 1 : lucky;
  });

  it('accepts a hint that fixes one class, and rejects one that breaks another', async () => {
    const common = { ground: classes, calls: 400, settings: { drop: 0.3, idle: 0, gap: 0.05 } };
    const sound = await run('contrast', { ...common, proposer: writing(() => ['sound']) });
    expect(linesOf(sound.best.spec).has('sound')).toBe(true);
    const greedy = await run('contrast', { ...common, gate: gateRules.strict, proposer: writing(() => ['greedy']) });
    expect(linesOf(greedy.best.spec).has('greedy')).toBe(false);
    expect(greedy.archive.rejected.some(({ verdict }) => verdict.words.includes('protected task'))).toBe(true);
  });

  it('retires a hint whose removal changes nothing', async () => {
    const ground = toyGround((spec, { seed }) => (linesOf(spec).has('sound') ? 0.9 : rng(seed).int(2) === 0 ? 0.2 : 0));
    const proposer = writing((n) => (n === 0 ? ['idle'] : [`sound`, `more ${n}`]));
    const { happenings } = await run('contrast', { ground, proposer, gate: gateRules.ties, calls: 900, settings: { idle: 20, drop: 1 } });
    expect(happenings.some((happening) => happening.kind === 'note' && happening.words.includes('is retired'))).toBe(true);
  });
});

describe('skills', () => {
  const fence = (code: string) => `Wins. \`\`\`js\n${code}\n\`\`\``;
  /** Anyone who holds a skill that returns 42 wins. */
  const ground = toyGround((spec) => (Object.values(spec.texts ?? {}).some((text) => text.includes('return 42')) ? 1 : 0.1));
  const coder = (code: string) => ({
    name: 'coder',
    improver: () => ({
      name: 'coder',
      improve: async () => [{ ...start, texts: { ...start.texts, 'library/new': fence(code) } }],
    }),
  });

  it('rejects code that fails its tests or cannot run', async () => {
    // A whole skill is its own component, so it is put where entries stand.
    const sandboxed = skillsWith((code, input) => runCode(code, input));
    const wrong = await run('skills', { engine: sandboxed, ground, proposer: coder('// test: null -> 41\nreturn 42;'), calls: 120 });
    expect(wrong.best.id).toBe(createFirstCandidate(start).id);
    expect(
      wrong.happenings.some((happening) => happening.kind === 'note' && happening.words.includes('gave 42 where its test says 41')),
    ).toBe(true);
    const blocked = await run('skills', { ground, proposer: coder('// test: null -> 42\nreturn 42;'), calls: 120 });
    expect(blocked.best.id).toBe(createFirstCandidate(start).id);
    const right = await run('skills', { engine: sandboxed, ground, proposer: coder('// test: null -> 42\nreturn 42;'), calls: 120 });
    expect(right.select).toBe(1);
  });

  it('sends skills to the gate if they are called without harm, and not if unused', async () => {
    const engine = skillsWith((code, input) => runCode(code, input));
    const played = (calls: boolean) => {
      const flat = toyGround(() => 0.5);
      const holds = (texts: Readonly<Record<string, string>> = {}) => Object.keys(texts).find((name) => name.startsWith('library/'));
      return {
        ...flat,
        play: async (...[spec, trial, signal]: Parameters<typeof flat.play>) => {
          const skill = holds(spec.texts);
          const called = calls && skill !== undefined ? { called: [skill.replace('library/', 'skill_')] } : {};
          return { ...(await flat.play(spec, trial, signal)), ...called };
        },
      };
    };
    const proposer = coder('// test: null -> 7\nreturn 7;');
    const used = await run('skills', { engine, ground: played(true), proposer, calls: 120 });
    expect(used.archive.tried.length).toBeGreaterThan(0);
    expect(used.best.id).toBe(createFirstCandidate(start).id);
    expect((await run('skills', { engine, ground: played(false), proposer, calls: 120 })).archive.tried).toEqual([]);
  });

  it('sends no idle skill to the gate', async () => {
    const { archive } = await run('skills', { proposer: writing((n) => [`idle ${n}`]), calls: 300 });
    expect(archive.tried).toEqual([]);
  });
});

describe('clade', () => {
  it('builds deep lineages with many candidates', async () => {
    const { archive } = await run('clade', { calls: 400 });
    expect(archive.candidates.length).toBeGreaterThan(15);
    expect(Math.max(...archive.candidates.map(({ id }) => archive.line(id).length))).toBeGreaterThan(3);
  });
});

describe('composite engines', () => {
  it('switch at a plateau and never lose progress', async () => {
    const { happenings } = await run('then', { calls: 800, settings: { plateau: 60 } });
    expect(happenings.filter((happening) => happening.kind === 'note' && happening.words.includes('goes on from')).length).toBeGreaterThan(
      2,
    );
    const scores = happenings.flatMap((happening) => (happening.kind === 'best' ? [happening.score] : []));
    // Each answer passed the gate against the one before, on the same select tasks.
    scores.slice(1).forEach((score, i) => {
      expect(score).toBeGreaterThanOrEqual(scores[i]!);
    });
  });

  it('race on part of the budget and continue from the winner', async () => {
    const { happenings } = await run('race', { calls: 700 });
    expect(happenings.filter((happening) => happening.kind === 'note' && happening.words.includes('runs with'))).toHaveLength(3);
    expect(happenings.filter((happening) => happening.kind === 'note' && happening.words.includes('wins;'))).toHaveLength(1);
    const worth = await Promise.all([1, 2, 3, 4].map(async (seed) => worthOf((await run('race', { seed, calls: 1000 })).best.spec)));
    expect(meanOrZero(worth)).toBeGreaterThan(0.8);
    await expect(run('race', { calls: Number.POSITIVE_INFINITY })).rejects.toThrow(/needs a budget of calls/);
  });

  it('give turns to the engine that gains', async () => {
    const { archive } = await run('portfolio', { calls: 600, settings: { engines: ['playbook', 'random'] } });
    expect(archive.tried.length).toBeGreaterThan(3);
  });
});
