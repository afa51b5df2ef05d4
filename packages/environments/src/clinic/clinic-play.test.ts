import type { EndEvent, EpisodeEvent, Json, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { dress } from '../surface.ts';
import { general, scripts } from './clinic.cases.ts';
import { clinic } from './clinic.ts';

const end = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

describe('clinic orders', () => {
  const opened = (task: Json = {}) => {
    const first = clinic.start(clinic.task(task), rng(4, 'start'));
    return clinic.step(first.state, { patient: { text: 'Hello.' } }, rng(0));
  };
  const order = (text: string, task?: Json) => clinic.step(opened(task).state, { doctor: { text } }, rng(0));

  it('in free text are recognized if they match one question, and are otherwise just talk', () => {
    const plain = order('Do you have a cough?');
    expect(plain.state.asked).toBe(general.findings.findIndex(({ id }) => id === 'cough'));
    expect(plain.state.covered).toBe(order('[ask cough]').state.covered);
    expect(order('How are you today?').state.asked).toBe(-1);
    expect(order('Any cough or headache?').state.asked).toBe(-1);
  });

  it('are rejected without effect if malformed', () => {
    for (const text of [
      '[ask moon]',
      '[exam cough]',
      '[diagnose cold, moon]',
      '[diagnose cold, cold]',
      '[ask cough] [test ecg]',
      '[refer]',
      '',
      '[',
      '[cure cold]',
    ]) {
      const step = order(text);
      expect(step.penalties, text).toEqual({ doctor: 1 });
      expect({ ...step.state, misses: 0 }).toEqual(opened().state);
    }
  });

  it('are charged and rewarded as announced', () => {
    const { state } = opened();
    const truth = general.conditions[state.condition]?.id as string;
    const others = general.conditions.map(({ id }) => id).filter((id) => id !== truth);
    const flag = general.findings.some((finding, f) => finding.flag && state.present[f]);
    const pay = (text: string) => Object.values(order(text).rewards ?? {})[0]!;
    expect(pay('[test ecg]')).toBeCloseTo(-0.06, 12);
    expect(pay('[ask cough]')).toBeCloseTo(-0.01, 12);
    expect(pay('[refer urgent]')).toBeCloseTo(-0.11, 12);
    const lost = flag ? 0.5 : 0;
    expect(pay(`[diagnose ${truth}]`)).toBeCloseTo(1 - 0.01 - lost, 12);
    expect(pay(`[diagnose ${others[0]}, ${truth}, ${others[1]}]`)).toBeCloseTo(0.5 - 0.01 - lost, 12);
    expect(pay(`[diagnose ${others[0]}]`)).toBeCloseTo(-0.01 - lost, 12);
  });

  it('lose half a point for a missed red flag without referral, and reward care by the share covered', () => {
    let seenCount = 0;
    for (let seed = 0; seed < 60; seed++) {
      let step = clinic.start(clinic.task({}), rng(seed, 'start'));
      const { condition, present } = step.state;
      if (!general.findings.some((finding, f) => finding.flag && present[f])) continue;
      seenCount++;
      const truth = `[diagnose ${general.conditions[condition]?.id}]`;
      step = clinic.step(step.state, { patient: { text: 'Hm.' } }, rng(0));
      const paid = (orders: readonly string[]) => {
        let at = step;
        let sum = 0;
        for (const text of orders) {
          at = clinic.step(at.state, { doctor: { text } }, rng(0));
          sum += at.rewards?.['doctor'] ?? 0;
          if (at.asks[0]?.seat === 'patient') at = clinic.step(at.state, { patient: { text: 'Hm.' } }, rng(0));
        }
        return sum;
      };
      expect(paid([truth])).toBeCloseTo(1 - 0.01 - 0.5, 12);
      expect(paid(['[refer urgent]', truth])).toBeCloseTo(1 - 0.02 - 0.1, 12);
      expect(paid(['[refer urgent]', '[ask allergies]', '[ask medicines]', truth])).toBeCloseTo(1 - 0.04 - 0.1 + 0.05, 12);
    }
    expect(seenCount).toBeGreaterThan(5);
  });

  it('return late results when due, and end without a diagnosis at the turn limit', () => {
    let step = order('[test blood-count]', { turns: 4 });
    const results = [step.messages.some(({ text }) => /blood-count: (positive|negative)/.test(text))];
    for (let i = 0; i < 3; i++) {
      step = clinic.step(step.state, { doctor: { text: '[advise "rest"]' } }, rng(0));
      results.push(step.messages.some(({ text }) => /blood-count: (positive|negative)/.test(text)));
    }
    expect(results).toEqual([false, false, true, false]);
    expect(step.asks).toEqual([]);
  });

  it('forfeit after too many malformed answers', () => {
    let step = opened();
    for (let i = 0; i < 3; i++) step = clinic.step(step.state, { doctor: { text: '[nonsense]' } }, rng(0));
    expect(step.asks).toEqual([]);
    expect(step.messages[0]?.text).toContain('forfeits');
  });
});

describe('clinic play', () => {
  const seeds = Array.from({ length: 120 }, (_, i) => i);

  it('detects a patient that contradicts the case', async () => {
    const doctor = scriptedPolicy('everything', scripts['test-everything']!);
    for (const [script, contradicts] of [
      [scripts['patient']!, false],
      [({ ask, rng: dice }: Parameters<Script>[0]) => ({ text: dice.pick(ask.choices as readonly string[]) }), true],
    ] as const) {
      const logs = await rollout(clinic, { doctor, patient: scriptedPolicy('patient', script) }, { seeds: seeds.slice(0, 20) });
      const counts = logs.map((log) => auditsOf(log)['patient']);
      expect(counts.every((count) => (count?.checked ?? 0) > 5)).toBe(true);
      expect(counts.some((count) => (count?.contradicted ?? 0) > 0)).toBe(contradicts);
    }
  });

  it('ranks the Bayesian expert far above every baseline', async () => {
    for (const table of ['general', 'support']) {
      const [expert, helper] = clinic.seats(clinic.task({ table })) as [Seat, Seat];
      const mean = async (name: string) => {
        const policies = {
          [expert]: scriptedPolicy(name, scripts[name]!),
          [helper]: scriptedPolicy(helper, scripts[helper]!),
        };
        const logs = await rollout(clinic, policies, { seeds, task: { table } });
        return logs.reduce((sum, log) => sum + end(log).returns[expert]!, 0) / seeds.length;
      };
      const bayes = await mean('bayes');
      for (const floor of ['guess-now', 'test-everything', 'always-refer'])
        expect(bayes, `${table} ${floor}`).toBeGreaterThan((await mean(floor)) + 0.1);
    }
  });

  it('shows the expert only the ordered results, and the truth only at the end', async () => {
    const doctor = scriptedPolicy('bayes', scripts['bayes']!);
    const patient = scriptedPolicy('patient', scripts['patient']!);
    for (const log of await rollout(clinic, { doctor, patient }, { seeds: seeds.slice(0, 20) })) {
      const ordered = new Set<string>();
      const truths: number[] = [];
      log.forEach((event, i) => {
        if (event.kind === 'action') ordered.add(event.action.text.replace(/^\[\w+ |\]$/g, ''));
        if (event.kind !== 'message' || !event.to.includes('doctor')) return;
        const result = (event.data as { result?: string } | undefined)?.result;
        if (result !== undefined) expect(ordered.has(result)).toBe(true);
        if (event.text.startsWith('It was ')) truths.push(i);
      });
      expect(truths).toEqual([log.length - 3]);
    }
  });

  it('is unchanged when conditions have made-up names', async () => {
    const dressed = dress(clinic);
    const policies = Object.fromEntries(
      [['doctor', 'bayes'] as const, ['patient', 'patient'] as const].map(([seat, name]) => [
        seat,
        scriptedPolicy(name, dressed.scripts?.[name] as Script),
      ]),
    );
    const consultations = (task: Json) => rollout(dressed, policies, { seeds: [0, 1, 2], task });
    const [plain, disguised] = [await consultations({}), await consultations({ disguise: 3 })];
    expect(disguised.map(end)).toEqual(plain.map(end));
    expect(disguised[0]?.map((event) => (event.kind === 'message' ? event.text : '')).join(' ')).not.toMatch(/influenza|appendicitis/);
  });
});
