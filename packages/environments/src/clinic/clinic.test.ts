import type { Action, Json, Rng, Script, Seat, Seen, Step } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { type ClinicEvidence, type ClinicKnowledge, greedy, nothingKnown, optimal, posterior, redFlagChance } from './bayes.ts';
import { general, mini, scripts, small, support } from './clinic.cases.ts';
import { clinic } from './clinic.ts';
import type { ClinicTable } from './table.ts';
import { claims, findingAskedFor, phrase } from './talk.ts';

/** Dice that enumerate every outcome: run until `next` says none is left, and weight each run by `chance`. */
class EveryWay implements Rng {
  chance = 1;
  #way: { taken: number; chances: readonly number[] }[] = [];
  #at = 0;

  weighted(weights: readonly number[]): number {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (this.#at === this.#way.length)
      this.#way.push({ taken: weights.findIndex((weight) => weight > 0), chances: weights.map((weight) => weight / sum) });
    const { taken, chances } = this.#way[this.#at++]!;
    this.chance *= chances[taken]!;
    return taken;
  }
  int(n: number): number {
    return this.weighted(Array.from({ length: n }, () => 1));
  }
  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
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
      const index = last.chances.findIndex((chance, i) => i > last.taken && chance > 0);
      if (index < 0) continue;
      this.#way.push({ ...last, taken: index });
      return true;
    }
  }
}

/** Plays one consultation through the real start and step, with a script for the expert and the stand-in for the helper. */
function consult(task: Json, expert: Script, dice: Rng): number {
  let step: Step = clinic.start(clinic.task(task), dice) as Step;
  const observation: Readonly<Record<Seat, Seen[]>> = { doctor: [], patient: [] };
  let total = 0;
  const take = ({ messages, rewards }: Step) => {
    for (const message of messages) for (const seat of message.to) observation[seat]?.push({ kind: 'message', ...message });
    for (const reward of Object.values(rewards ?? {})) total += reward;
  };
  take(step);
  while (step.asks.length > 0) {
    const ask = step.asks[0]!;
    const script = ask.seat === 'patient' ? scripts['patient']! : expert;
    const action = script({ view: { seat: ask.seat, seen: observation[ask.seat] ?? [] }, ask, rng: rng(0) }) as Action;
    observation[ask.seat]?.push({ kind: 'action', action });
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

describe('exact value of the mini clinic', () => {
  it('is 0.50 for guessing and 0.80 for testing before the diagnosis', () => {
    const { value, chance } = worthOf({ table: 'mini' }, scripts['bayes']!);
    expect(chance).toBeCloseTo(1, 12);
    expect(value).toBeCloseTo(0.8, 12);
    expect(worthOf({ table: 'mini' }, scripts['guess-now']!).value).toBeCloseTo(0.5, 12);
    expect(worthOf({ table: 'mini' }, scripts['test-everything']!).value).toBeCloseTo(0.8, 12);
    expect(optimal(mini)(nothingKnown(mini)).value).toBeCloseTo(0.8, 12);
  });

  it('does not improve by naming both conditions or by contradicting the test', () => {
    expect(worthOf({ table: 'mini' }, () => ({ text: '[diagnose redpox, bluepox]' })).value).toBeCloseTo(0.5, 12);
    const contrary: Script = ({ view }) => {
      const result = view.seen.find((item) => item.kind === 'message' && item.text.startsWith('swab:'));
      if (result === undefined) return { text: '[test swab]' };
      return { text: JSON.stringify(result).includes('positive') ? '[diagnose bluepox]' : '[diagnose redpox]' };
    };
    expect(worthOf({ table: 'mini' }, contrary).value).toBeCloseTo(0.15 - 0.05, 12);
  });
});

describe('exact value of the small clinic', () => {
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

  it('is reached by the Bayesian doctor and by no baseline', () => {
    const { value, chance } = worthOf({ table: 'small' }, scripts['bayes']!);
    expect(chance).toBeCloseTo(1, 9);
    expect(value).toBeCloseTo(promised(small), 9);
    for (const floor of ['guess-now', 'test-everything', 'always-refer'])
      expect(worthOf({ table: 'small' }, scripts[floor]!).value, floor).toBeLessThan(value - 0.005);
  });
});

const likelihood = (table: ClinicTable, f: number, present: boolean, c: number): number => {
  const chance = table.findings[f]!.chances[c]!;
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
      chances[c] = chances[c]! + weight;
      total += weight;
      if (waved) flag += weight;
    });
  return { chances: chances.map((chance) => chance / total), flag: flag / total };
}

describe('clinic inference', () => {
  it("follows Bayes' rule at every step, computed from the joint distribution", () => {
    for (let seed = 0; seed < 40; seed++) {
      const table = randomTable(seed, 2 + (seed % 4), 6);
      const dice = rng(seed, 'evidence');
      let evidence: ClinicEvidence = nothingKnown(table).evidence;
      for (const f of dice.shuffle([0, 1, 2, 3, 4, 5])) {
        const { chances, flag } = enumerated(table, evidence);
        const matches = posterior(table, evidence);
        matches.forEach((chance, c) => {
          expect(chance).toBeCloseTo(chances[c]!, 10);
        });
        expect(redFlagChance(table, matches, evidence)).toBeCloseTo(flag, 10);
        evidence = evidence.map((known, i) => (i === f ? dice.int(2) === 0 : known));
      }
    }
  });

  it("matches Bayes' rule along real consultations", async () => {
    const random = scriptedPolicy('random', ({ ask, rng: dice }) => ({
      text: dice.pick((ask.choices as readonly string[]).filter((choice) => !choice.startsWith('[diagnose'))),
    }));
    const patient = scriptedPolicy('patient', scripts['patient']!);
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
          expect(chance).toBeCloseTo(chances[c]!, 12);
        });
        steps++;
      }
      expect(steps).toBeGreaterThan(0);
    }
  });

  it('makes optimal play at least as good as greedy play, and both as good as stopping', () => {
    /** The value of following a policy, by recursion over the table alone. */
    const follow = (
      table: ClinicTable,
      knowledge: ClinicKnowledge,
      move: (clinicKnowledge: ClinicKnowledge) => ReturnType<typeof greedy>,
    ): number => {
      const { move: clinicMove, value } = move(knowledge);
      if (clinicMove.kind !== 'look') return value;
      const { finding } = clinicMove;
      const chances = posterior(table, knowledge.evidence);
      let sum = -table.charges.turn - (table.findings[finding]?.cost ?? 0);
      for (const present of [true, false]) {
        const chance = chances.reduce((total, value, c) => total + value * likelihood(table, finding, present, c), 0);
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

describe('clinic tables', () => {
  for (const table of [general, support, small, mini]) {
    it(`${table.name} has valid probabilities and unique findings`, () => {
      expect(table.conditions.reduce((sum, { prior }) => sum + prior, 0)).toBeCloseTo(1, 12);
      expect(table.findings.length).toBeLessThanOrEqual(30);
      expect(new Set(table.findings.map(({ id }) => id)).size).toBe(table.findings.length);
      for (const { chances } of table.findings) {
        expect(chances.length).toBe(table.conditions.length);
        for (const chance of chances) expect(chance > 0 && chance < 1).toBe(true);
      }
      for (const id of table.must) expect(table.findings.some((finding) => finding.id === id)).toBe(true);
    });

    it(`${table.name} has phrases that each express one finding`, () => {
      table.findings.forEach((finding, f) => {
        if (finding.kind !== 'ask') return;
        for (const present of [true, false])
          for (const learned of [true, false])
            expect([...claims(table, `Well… And ${phrase(finding, present, learned)}, you see.`, -1)]).toEqual([[f, present]]);
        for (const word of finding.words ?? []) expect(findingAskedFor(table, `Any ${word}?`), word).toBe(f);
      });
      for (const concern of table.concerns) expect(claims(table, concern, -1).size).toBe(0);
    });
  }
});
