import { describe, expect, it } from 'vitest';
import {
  type Action,
  auditsOf,
  type EndEvent,
  type EpisodeEvent,
  type Json,
  type Rng,
  rng,
  type Script,
  type Seat,
  type Seen,
  type Step,
  scriptedPolicy,
} from '../../core/index.ts';
import { check } from '../../engine/check.ts';
import { rollout } from '../../engine/rollout.ts';
import { dress } from '../surface.ts';
import { type ClinicEvidence, type ClinicKnowledge, flagged, greedy, nothingKnown, optimal, posterior } from './bayes.ts';
import { clinic } from './clinic.ts';
import type { ClinicFinding, ClinicTable } from './table.ts';
import { tables } from './tables.ts';
import { askedBy, claims, phrase } from './talk.ts';

const { general, support, small, mini } = tables as Record<string, ClinicTable> &
  Record<'general' | 'support' | 'small' | 'mini', ClinicTable>;
const scripts = clinic.scripts as Readonly<Record<string, Script>>;
const end = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

/** Dice that take every way in turn: run until `next` says there is none left, and weigh each run by `chance`. */
class EveryWay implements Rng {
  chance = 1;
  #way: { taken: number; chances: readonly number[] }[] = [];
  #at = 0;

  weighted(weights: readonly number[]): number {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (this.#at === this.#way.length)
      this.#way.push({ taken: weights.findIndex((weight) => weight > 0), chances: weights.map((weight) => weight / sum) });
    const { taken, chances } = this.#way[this.#at++] as { taken: number; chances: readonly number[] };
    this.chance *= chances[taken] as number;
    return taken;
  }
  int(n: number): number {
    return this.weighted(Array.from({ length: n }, () => 1));
  }
  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }
  next(): number {
    throw new Error('a real number has too many ways');
  }
  shuffle<T>(): T[] {
    throw new Error('no table shuffles');
  }

  /** Turns to the next way, or gives false. */
  turn(): boolean {
    this.chance = 1;
    this.#at = 0;
    for (;;) {
      const last = this.#way.pop();
      if (last === undefined) return false;
      const taken = last.chances.findIndex((chance, i) => i > last.taken && chance > 0);
      if (taken < 0) continue;
      this.#way.push({ ...last, taken });
      return true;
    }
  }
}

/** Plays one consultation through the real start and step, the expert by a script and the helper by its stand-in. */
function consult(task: Json, expert: Script, dice: Rng): number {
  let step: Step = clinic.start(clinic.task(task), dice) as Step;
  const seen: Readonly<Record<Seat, Seen[]>> = { doctor: [], patient: [] };
  let total = 0;
  const take = ({ messages, rewards }: Step) => {
    for (const message of messages) for (const seat of message.to) seen[seat]?.push({ kind: 'message', ...message });
    for (const reward of Object.values(rewards ?? {})) total += reward;
  };
  take(step);
  while (step.asks.length > 0) {
    const ask = step.asks[0] as Step['asks'][number];
    const script = ask.seat === 'patient' ? (scripts['patient'] as Script) : expert;
    const action = script({ view: { seat: ask.seat, seen: seen[ask.seat] ?? [] }, ask, rng: rng(0) }) as Action;
    seen[ask.seat]?.push({ kind: 'action', action });
    step = clinic.step(step.state as never, { [ask.seat]: action }, rng(0)) as Step;
    take(step);
  }
  return total;
}

/** The exact value of an expert: its mean reward over everything the dice can do. */
function worthOf(task: Json, expert: Script): { value: number; chance: number } {
  const dice = new EveryWay();
  let value = 0;
  let chance = 0;
  do {
    const reward = consult(task, expert, dice);
    value += dice.chance * reward;
    chance += dice.chance;
  } while (dice.turn());
  return { value, chance };
}

describe('mini, exactly, through the real rules', () => {
  it('is worth 0.50 to guess and 0.80 to test and then diagnose', () => {
    const { value, chance } = worthOf({ table: 'mini' }, scripts['bayes'] as Script);
    expect(chance).toBeCloseTo(1, 12);
    expect(value).toBeCloseTo(0.8, 12);
    expect(worthOf({ table: 'mini' }, scripts['guess-now'] as Script).value).toBeCloseTo(0.5, 12);
    expect(worthOf({ table: 'mini' }, scripts['test-everything'] as Script).value).toBeCloseTo(0.8, 12);
    expect(optimal(mini)(nothingKnown(mini)).value).toBeCloseTo(0.8, 12);
  });

  it('gains nothing from naming both, or from testing and then not believing the test', () => {
    expect(worthOf({ table: 'mini' }, () => ({ text: '[diagnose redpox, bluepox]' })).value).toBeCloseTo(0.5, 12);
    const contrary: Script = ({ view }) => {
      const result = view.seen.find((item) => item.kind === 'message' && item.text.startsWith('swab:'));
      if (result === undefined) return { text: '[test swab]' };
      return { text: JSON.stringify(result).includes('positive') ? '[diagnose bluepox]' : '[diagnose redpox]' };
    };
    expect(worthOf({ table: 'mini' }, contrary).value).toBeCloseTo(0.15 - 0.05, 12);
  });
});

describe('small, exactly', () => {
  /** The value of a consultation that opens with one item, drawn evenly, being told. */
  function promised(table: ClinicTable): number {
    const solve = optimal(table);
    const asks = table.findings.flatMap(({ kind }, f) => (kind === 'ask' ? [f] : []));
    let value = 0;
    for (const f of asks)
      for (const present of [true, false]) {
        const chance = table.conditions.reduce((sum, { prior }, c) => sum + prior * likelihood(table, f, present, c), 0);
        const evidence = nothingKnown(table).evidence.map((known, i) => (i === f ? present : known));
        value += (chance * solve({ ...nothingKnown(table), evidence }).value) / asks.length;
      }
    return value;
  }

  it('the Bayesian doctor gets what dynamic programming promises, and no floor gets as much', () => {
    const { value, chance } = worthOf({ table: 'small' }, scripts['bayes'] as Script);
    expect(chance).toBeCloseTo(1, 9);
    expect(value).toBeCloseTo(promised(small), 9);
    for (const floor of ['guess-now', 'test-everything', 'always-refer'])
      expect(worthOf({ table: 'small' }, scripts[floor] as Script).value, floor).toBeLessThan(value - 0.005);
  });
});

const likelihood = (table: ClinicTable, f: number, present: boolean, c: number): number => {
  const chance = (table.findings[f] as ClinicFinding).chances[c] as number;
  return present ? chance : 1 - chance;
};

/** A table with numbers from dice. */
function randomTable(seed: number, conditions: number, findings: number): ClinicTable {
  const dice = rng(seed, 'table');
  const priors = Array.from({ length: conditions }, () => 0.1 + dice.next());
  const sum = priors.reduce((a, b) => a + b, 0);
  return {
    ...small,
    name: `random-${seed}`,
    conditions: priors.map((prior, c) => ({ id: `c${c}`, prior: prior / sum })),
    findings: Array.from({ length: findings }, (_, f) => ({
      id: `f${f}`,
      kind: 'test',
      chances: priors.map(() => dice.next()),
      cost: dice.next() / 10,
      flag: dice.int(3) === 0,
    })),
    must: ['f0'],
  };
}

/** Sums the whole joint distribution over conditions and all findings, without any formula of the engine. */
function enumerated(table: ClinicTable, evidence: ClinicEvidence): { chances: number[]; flag: number } {
  const chances = table.conditions.map(() => 0);
  let flag = 0;
  let total = 0;
  for (let world = 0; world < 2 ** table.findings.length; world++)
    table.conditions.forEach(({ prior }, c) => {
      let weight = prior;
      let waved = false;
      for (let f = 0; f < table.findings.length; f++) {
        const present = ((world >> f) & 1) === 1;
        if (evidence[f] !== null && evidence[f] !== present) return;
        weight *= likelihood(table, f, present, c);
        if (present && table.findings[f]?.flag) waved = true;
      }
      chances[c] = (chances[c] as number) + weight;
      total += weight;
      if (waved) flag += weight;
    });
  return { chances: chances.map((chance) => chance / total), flag: flag / total };
}

describe('inference', () => {
  it('is Bayes’ rule at every step, by summing the joint distribution', () => {
    for (let seed = 0; seed < 40; seed++) {
      const table = randomTable(seed, 2 + (seed % 4), 6);
      const dice = rng(seed, 'evidence');
      let evidence: ClinicEvidence = nothingKnown(table).evidence;
      for (const f of dice.shuffle([0, 1, 2, 3, 4, 5])) {
        const { chances, flag } = enumerated(table, evidence);
        const found = posterior(table, evidence);
        found.forEach((chance, c) => {
          expect(chance).toBeCloseTo(chances[c] as number, 10);
        });
        expect(flagged(table, found, evidence)).toBeCloseTo(flag, 10);
        evidence = evidence.map((known, i) => (i === f ? dice.int(2) === 0 : known));
      }
    }
  });

  it('holds along real consultations too', async () => {
    const random = scriptedPolicy('random', ({ ask, rng: dice }) => ({
      text: dice.pick((ask.choices as readonly string[]).filter((one) => !one.startsWith('[diagnose'))),
    }));
    const patient = scriptedPolicy('patient', scripts['patient'] as Script);
    for (const log of await rollout(clinic, { doctor: random, patient }, { seeds: [1, 2, 3], task: { table: 'small', turns: 6 } })) {
      const evidence: (boolean | null)[] = small.findings.map(() => null);
      let steps = 0;
      for (const event of log) {
        if (event.kind !== 'message' || !event.to.includes('doctor')) continue;
        const result = event.data as { result?: string; present: boolean } | undefined;
        if (result?.result === undefined) continue;
        evidence[small.findings.findIndex(({ id }) => id === result.result)] = result.present;
        const { chances } = enumerated(small, evidence);
        posterior(small, evidence).forEach((chance, c) => {
          expect(chance).toBeCloseTo(chances[c] as number, 12);
        });
        steps++;
      }
      expect(steps).toBeGreaterThan(0);
    }
  });

  it('optimal play is at least as good as greedy play, and both at least as good as stopping', () => {
    /** The value of following a policy, by recursion over the table alone. */
    const follow = (table: ClinicTable, knowledge: ClinicKnowledge, move: (one: ClinicKnowledge) => ReturnType<typeof greedy>): number => {
      const { move: chosen, value } = move(knowledge);
      if (chosen.kind !== 'look') return value;
      const { finding } = chosen;
      const chances = posterior(table, knowledge.evidence);
      let sum = -table.charges.turn - (table.findings[finding]?.cost ?? 0);
      for (const present of [true, false]) {
        const chance = chances.reduce((total, one, c) => total + one * likelihood(table, finding, present, c), 0);
        const evidence = knowledge.evidence.map((known, i) => (i === finding ? present : known));
        sum += chance * follow(table, { ...knowledge, evidence, covered: knowledge.covered | (1 << finding) }, move);
      }
      return sum;
    };
    let better = 0;
    for (let seed = 0; seed < 30; seed++) {
      const table = randomTable(seed, 3, 5);
      const best = optimal(table)(nothingKnown(table)).value;
      expect(follow(table, nothingKnown(table), optimal(table))).toBeCloseTo(best, 10);
      const myopic = follow(table, nothingKnown(table), (knowledge) => greedy(table, knowledge));
      expect(best).toBeGreaterThanOrEqual(myopic - 1e-12);
      if (best > myopic + 1e-9) better++;
    }
    expect(better).toBeGreaterThan(0);
  });
});

describe('tables', () => {
  for (const table of [general, support, small, mini]) {
    it(`${table.name} adds up`, () => {
      expect(table.conditions.reduce((sum, { prior }) => sum + prior, 0)).toBeCloseTo(1, 12);
      expect(table.findings.length).toBeLessThanOrEqual(30);
      expect(new Set(table.findings.map(({ id }) => id)).size).toBe(table.findings.length);
      for (const { chances } of table.findings) {
        expect(chances.length).toBe(table.conditions.length);
        for (const chance of chances) expect(chance > 0 && chance < 1).toBe(true);
      }
      for (const id of table.must) expect(table.findings.some((finding) => finding.id === id)).toBe(true);
    });

    it(`${table.name} speaks so that each phrase says one thing`, () => {
      table.findings.forEach((finding, f) => {
        if (finding.kind !== 'ask') return;
        for (const present of [true, false])
          for (const learned of [true, false])
            expect([...claims(table, `Well… And ${phrase(finding, present, learned)}, you see.`, -1)]).toEqual([[f, present]]);
        for (const word of finding.words ?? []) expect(askedBy(table, `Any ${word}?`), word).toBe(f);
      });
      for (const concern of table.concerns) expect(claims(table, concern, -1).size).toBe(0);
    });
  }
});

describe('talk and orders', () => {
  const opened = (task: Json = {}) => {
    const first = clinic.start(clinic.task(task), rng(4, 'start'));
    return clinic.step(first.state, { patient: { text: 'Hello.' } }, rng(0));
  };
  const order = (text: string, task?: Json) => clinic.step(opened(task).state, { doctor: { text } }, rng(0));

  it('free words that ask for one thing are that question, others are just talk', () => {
    const plain = order('Do you have a cough?');
    expect(plain.state.asked).toBe(general.findings.findIndex(({ id }) => id === 'cough'));
    expect(plain.state.covered).toBe(order('[ask cough]').state.covered);
    expect(order('How are you today?').state.asked).toBe(-1);
    expect(order('Any cough or headache?').state.asked).toBe(-1);
  });

  it('broken orders are refused, and nothing is done instead', () => {
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

  it('charges and pays as announced', () => {
    const { state } = opened();
    const truth = general.conditions[state.condition]?.id as string;
    const others = general.conditions.map(({ id }) => id).filter((id) => id !== truth);
    const flag = general.findings.some((finding, f) => finding.flag && state.present[f]);
    const pay = (text: string) => Object.values(order(text).rewards ?? {})[0] as number;
    expect(pay('[test ecg]')).toBeCloseTo(-0.06, 12);
    expect(pay('[ask cough]')).toBeCloseTo(-0.01, 12);
    expect(pay('[refer urgent]')).toBeCloseTo(-0.11, 12);
    const lost = flag ? 0.5 : 0;
    expect(pay(`[diagnose ${truth}]`)).toBeCloseTo(1 - 0.01 - lost, 12);
    expect(pay(`[diagnose ${others[0]}, ${truth}, ${others[1]}]`)).toBeCloseTo(0.5 - 0.01 - lost, 12);
    expect(pay(`[diagnose ${others[0]}]`)).toBeCloseTo(-0.01 - lost, 12);
  });

  it('a missed red flag costs half a point unless the case was referred, and care is paid by the share covered', () => {
    let seen = 0;
    for (let seed = 0; seed < 60; seed++) {
      let step = clinic.start(clinic.task({}), rng(seed, 'start'));
      const { condition, present } = step.state;
      if (!general.findings.some((finding, f) => finding.flag && present[f])) continue;
      seen++;
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
    expect(seen).toBeGreaterThan(5);
  });

  it('late results come when they are due, and a consultation without a diagnosis ends', () => {
    let step = order('[test blood-count]', { turns: 4 });
    const results = [step.messages.some(({ text }) => /blood-count: (positive|negative)/.test(text))];
    for (let i = 0; i < 3; i++) {
      step = clinic.step(step.state, { doctor: { text: '[advise "rest"]' } }, rng(0));
      results.push(step.messages.some(({ text }) => /blood-count: (positive|negative)/.test(text)));
    }
    expect(results).toEqual([false, false, true, false]);
    expect(step.asks).toEqual([]);
  });

  it('forfeits after too many broken answers', () => {
    let step = opened();
    for (let i = 0; i < 3; i++) step = clinic.step(step.state, { doctor: { text: '[nonsense]' } }, rng(0));
    expect(step.asks).toEqual([]);
    expect(step.messages[0]?.text).toContain('forfeits');
  });
});

describe('play', () => {
  const seeds = Array.from({ length: 120 }, (_, i) => i);

  it('audits the helper: a stand-in never contradicts the case, one that answers by chance does', async () => {
    const doctor = scriptedPolicy('everything', scripts['test-everything'] as Script);
    for (const [script, contradicts] of [
      [scripts['patient'] as Script, false],
      [({ ask, rng: dice }: Parameters<Script>[0]) => ({ text: dice.pick(ask.choices as readonly string[]) }), true],
    ] as const) {
      const logs = await rollout(clinic, { doctor, patient: scriptedPolicy('patient', script) }, { seeds: seeds.slice(0, 20) });
      const counts = logs.map((log) => auditsOf(log)['patient']);
      expect(counts.every((count) => (count?.checked ?? 0) > 5)).toBe(true);
      expect(counts.some((count) => (count?.contradicted ?? 0) > 0)).toBe(contradicts);
    }
  });

  it('orders its experts: the Bayesian one is far above all floors', async () => {
    for (const table of ['general', 'support']) {
      const [expert, helper] = clinic.seats(clinic.task({ table })) as [Seat, Seat];
      const mean = async (name: string) => {
        const policies = {
          [expert]: scriptedPolicy(name, scripts[name] as Script),
          [helper]: scriptedPolicy(helper, scripts[helper] as Script),
        };
        const logs = await rollout(clinic, policies, { seeds, task: { table } });
        return logs.reduce((sum, log) => sum + (end(log).returns[expert] as number), 0) / seeds.length;
      };
      const bayes = await mean('bayes');
      for (const floor of ['guess-now', 'test-everything', 'always-refer'])
        expect(bayes, `${table} ${floor}`).toBeGreaterThan((await mean(floor)) + 0.1);
    }
  });

  it('shows the expert only results it ordered, and the truth only at the end', async () => {
    const doctor = scriptedPolicy('bayes', scripts['bayes'] as Script);
    const patient = scriptedPolicy('patient', scripts['patient'] as Script);
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

  it('is the same consultation when the conditions have made-up names', async () => {
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

  it('keeps every rule of the conformance kit', async () => {
    expect(await check(clinic, { episodes: 80, steps: 3000 })).toEqual([]);
  });
});
