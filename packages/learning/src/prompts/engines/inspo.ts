/**
 * @file INSPO without weights: a population of instructions, rewards attributed to the one in use, the weak pruned (arXiv 2512.01945).
 *
 * For each question an instruction is drawn by softmax of its discounted reward; the lowest-scored episodes are kept for reflection; every
 * so often instructions are removed and a proposer writes new ones from those episodes, which join if a cheap trial finds them no worse
 * than the rest. The policy that the paper trains along with them is the agent of the trial environment. Differs: rewards are taken
 * relative to what the question usually pays; an arm goes only when its interval lies below the best arm's; and the answer changes only
 * through the gate.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { Candidate } from '../candidate.ts';
import { defineEngine, type Happening, holdChild, type Parts, selectScore } from '../engine.ts';
import { CandidatePool } from '../population.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';

const parameters = {
  temperature: parameter.number({
    min: 1e-4,
    max: 100,
    default: 0.05,
    description: 'softmax temperature: small compared with the spread of scores',
  }),
  rate: parameter.number({ min: 1e-4, max: 1, default: 0.1, description: 'how much the latest reward counts' }),
  batch: parameter.integer({ min: 1, max: 1024, default: 16, description: 'questions between two rounds of pruning and writing' }),
  size: parameter.integer({ min: 2, max: 256, default: 6, description: 'maximum number of instructions at a time' }),
  fresh: parameter.integer({ min: 1, max: 32, default: 2, description: 'new instructions per round' }),
  trial: parameter.integer({ min: 1, max: 64, default: 4, description: 'trial plays of a new instruction' }),
  prune: parameter.choice({
    options: ['interval', 'halving'],
    default: 'interval',
    description: 'which ones are removed: clearly weaker ones, or the worse half',
  }),
  errors: parameter.number({ min: 0, max: 5, default: 1, description: 'interval: standard errors each way' }),
} as const;

/** Repeats of trials are numbered from here on, so that their random numbers differ from those of questions. */
const trials = 500_000;

export const inspo = defineEngine({
  name: 'inspo',
  method: 'INSPO, a population of instructions with attribution and pruning',
  source: 'arXiv 2512.01945',
  differs: 'weights stay; rewards are relative to the question; arms go only when surely weaker; the answer passes the gate',
  parameters,

  async *run(parts, settings) {
    const { archive } = parts;
    const arms = new CandidatePool(settings);
    const usual = new Usual();
    let best = parts.start;
    archive.add(best);
    arms.add(best.id, 0);
    yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    for (let round = 0; ; round++) {
      const poor = await playArms(parts, arms, { round, batch: settings.batch });
      for (const [id, rewards] of usual.attributed(poor)) arms.earn(id, rewards);
      poor.sort((a, b) => (a.score as number) - (b.score as number));
      const gone = settings.prune === 'halving' ? arms.halve() : arms.prune(settings.errors);
      for (const id of gone) yield { kind: 'note', words: `${id.slice(0, 8)} leaves the population` };
      for (let k = 0; k < settings.fresh; k++) {
        const child = await writeArms(parts, arms, { poor, step: round * settings.fresh + k });
        if (child === null) continue;
        yield { kind: 'candidate', candidate: child };
        if (await worthy(parts, child, { arms, usual, trial: settings.trial, round })) makeRoom(arms, settings.size);
        else arms.drop(child.id);
      }
      const leader = archive.get(arms.ranked()[0]);
      if (leader.id === best.id) continue;
      const verdict = await holdChild(parts, best, leader);
      yield { kind: 'verdict', candidate: leader.id, against: best.id, verdict } satisfies Happening;
      if (!verdict.accept) continue;
      best = leader;
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    }
  },
});

/** Draws an instruction for every question of a round and plays it: returns the scored plays, arm by arm. */
async function playArms({ archive, bench, dice }: Parts, arms: CandidatePool, { round, batch }: { round: number; batch: number }) {
  const sample = new Map<string, TrialKey[]>();
  for (let at = round * batch; at < (round + 1) * batch; at++) {
    const place: TrialKey = { split: 'propose', task: dice('task', at).int(bench.tasks.propose), repeat: at };
    const id = arms.choose(dice('arm', at));
    sample.set(id, [...(sample.get(id) ?? []), place]);
  }
  const plays: TrialRecord[] = [];
  for (const [id, places] of sample) plays.push(...(await bench.evaluate(archive.get(id), places)));
  return plays.filter(({ score }) => score !== null);
}

/** The usual score of each question, under any instruction, so that easy questions earn no credit. */
class Usual {
  readonly #paid = new Map<number, number[]>();
  readonly #all: number[] = [];

  /** Each candidate's scores relative to the usual. */
  attributed(plays: readonly TrialRecord[]): ReadonlyMap<string, readonly number[]> {
    const earned = new Map<string, number[]>();
    for (const play of plays) earned.set(play.candidate, [...(earned.get(play.candidate) ?? []), this.beyond(play)]);
    return earned;
  }

  beyond({ task, score }: TrialRecord): number {
    const before = this.#paid.get(task) ?? [];
    const expected = before.length > 0 ? meanOrZero(before) : meanOrZero(this.#all);
    this.#paid.set(task, [...before, score as number]);
    this.#all.push(score as number);
    return (score as number) - expected;
  }
}

/** A new instruction from one of the best two and its worst plays, or null if the proposer has nothing new. */
async function writeArms(
  parts: Parts,
  arms: CandidatePool,
  { poor, step }: { poor: readonly TrialRecord[]; step: number },
): Promise<Candidate | null> {
  const parent = parts.archive.get(parts.dice('parent', step).pick(arms.ranked().slice(0, 2)));
  const trialRecords = poor.filter((play) => play.candidate === parent.id).slice(0, 3);
  const [child] = await parts.bench.propose(parts.proposer, { parent, step, plays: trialRecords, tried: parts.archive.rejected });
  if (child === undefined || !parts.archive.add(child)) return null;
  arms.add(child.id, arms.weightOf(parent.id));
  return child;
}

interface Candidacy {
  readonly arms: CandidatePool;
  readonly usual: Usual;
  readonly trial: number;
  readonly round: number;
}

/** A short trial: an instruction with less than the usual scores of its questions does not join. */
async function worthy({ bench, dice }: Parts, child: Candidate, { arms, usual, trial, round }: Candidacy): Promise<boolean> {
  const tasks = dice('trial', round, child.id).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  const places = tasks.slice(0, trial).map((task) => ({ split: 'propose' as const, task, repeat: trials + round }));
  const plays = (await bench.evaluate(child, places)).filter(({ score }) => score !== null);
  const gains = plays.map((play) => usual.beyond(play));
  arms.earn(child.id, gains);
  return meanOrZero(gains) >= 0;
}

function makeRoom(arms: CandidatePool, size: number): void {
  for (const id of arms.ranked().slice(size)) arms.drop(id);
}
