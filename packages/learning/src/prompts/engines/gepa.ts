/**
 * @file GEPA: reflective evolution with a Pareto front over tasks (Agrawal et al., arXiv 2507.19457).
 *
 * A parent is drawn from the front, plays a few examples, its proposer reads them and rewrites one component; a child that does better on
 * the same examples plays all select tasks and joins the pool. Sometimes two branches of one ancestor are merged. The only difference: the
 * pool is GEPA's own, but the run's answer changes only through the gate, since a strict comparison on three examples accepts a third of
 * all edits without effect.
 */

import { Fault, parameter, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Candidate, createChild } from '../candidate.ts';
import { changeable, defineEngine, gatePlaces, type Happening, holdChild, type Parts } from '../engine.ts';
import { formatSigned } from '../gate.ts';
import { bestMean, frontWeights, meanScore } from '../pareto.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';
import { byTask, scoreOf } from '../trial-scores.ts';
import { mergeable, mergeTexts } from './gepa.merge.ts';

const parameters = {
  batch: parameter.integer({ min: 1, max: 64, default: 3, description: 'examples that parent and child are first compared on' }),
  choose: parameter.choice({ options: ['pareto', 'best', 'epsilon'], default: 'pareto', description: 'how a parent is chosen' }),
  epsilon: parameter.number({ min: 0, max: 1, default: 0.1, description: 'epsilon: how often any parent is chosen' }),
  ties: parameter.boolean({ default: false, description: 'may a child join that is just as good on its examples?' }),
  perfect: parameter.number({ min: 0, max: 1e9, default: 1, description: 'examples that all score this much teach nothing' }),
  parallel: parameter.integer({ min: 1, max: 64, default: 1, description: 'proposals that are asked for at once' }),
  merges: parameter.integer({ min: 0, max: 100, default: 5, description: 'merges of two branches, at most' }),
} as const;

export const gepa = defineEngine({
  name: 'gepa',
  method: 'GEPA, reflective Pareto evolution',
  source: 'arXiv 2507.19457',
  differs: 'the pool is as published; the answer changes only through the gate',
  parameters,

  async *run(parts, settings) {
    const { start, archive, bench, dice } = parts;
    const pool = new Pool(parts);
    archive.add(start);
    await pool.join(start);
    yield pool.told();
    let accepted = 0;
    for (let step = 0; ; step += settings.parallel) {
      if (accepted > pool.merges && pool.merges < settings.merges) {
        pool.merges++;
        yield* tryStep(parts, pool, step);
      }
      const requests = Array.from({ length: settings.parallel }, (_, i) => {
        const parent = pool.choose(settings, dice('parent', step + i));
        const examples = shuffleBatch(dice, step + i, { tasks: bench.tasks.propose, batch: settings.batch });
        return proposeChild(parts, { parent, examples, step: step + i, perfect: settings.perfect });
      });
      for (const proposed of await settleAll(requests)) {
        if (proposed === null || !archive.add(proposed.child)) continue;
        const { parent, child, before, examples } = proposed;
        yield { kind: 'candidate', candidate: child };
        const gain = total(await bench.evaluate(child, examples)) - total(before);
        if (gain < 0 || (gain === 0 && !settings.ties)) {
          const reason = `rejected: ${formatSigned(gain / examples.length)} on its ${examples.length} examples`;
          const verdict = { accept: false, words: reason, tasks: examples.length, mean: gain / examples.length, error: 0 };
          archive.judge(child, parent, verdict);
          yield { kind: 'verdict', candidate: child.id, against: parent.id, verdict };
          continue;
        }
        accepted++;
        await pool.join(child);
        yield* pool.answer(child);
      }
    }
  },
});

interface Asked {
  readonly parent: Candidate;
  readonly examples: readonly TrialKey[];
  readonly step: number;
  readonly perfect: number;
}

/** A child of a parent from its results on a few examples; null if they teach nothing, or nothing was proposed. */
async function proposeChild(parts: Parts, { parent, examples, step, perfect }: Asked) {
  const before = await parts.bench.evaluate(parent, examples);
  if (before.every(({ score }) => score !== null && score >= perfect)) return null;
  const names = changeable(parent, parts.choices);
  if (names.length === 0)
    throw new Fault('input', `${parent.spec.name} has no text for gepa to rewrite, and no choices. Add choices with --try.`);
  const [child] = await parts.bench.propose(parts.proposer, {
    ...{ parent, step, plays: before, components: [names[step % names.length]] },
    tried: parts.archive.rejected.filter((rejectedEdit) => rejectedEdit.parent === parent.id),
  });
  return child === undefined ? null : { parent, child, before, examples };
}

/** Waits for all requests, so that none is left running after a failure. */
async function settleAll<T>(requests: readonly Promise<T>[]): Promise<readonly T[]> {
  return (await Promise.allSettled(requests)).map((item) => {
    if (item.status === 'rejected') throw item.reason;
    return item.value;
  });
}

/** The active candidates, with their scores on every select task, and the current answer. */
class Pool {
  readonly scores = new Map<string, readonly (number | null)[]>();
  best: Candidate;
  merges = 0;
  readonly #parts: Parts;
  /** The mean over distinct tasks of each candidate. */
  readonly #means = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.best = parts.start;
  }

  async join(candidate: Candidate): Promise<void> {
    const plays = await this.#parts.bench.evaluate(candidate, gatePlaces(this.#parts));
    const means = byTask(plays);
    this.#means.set(candidate.id, scoreOf(plays));
    this.scores.set(
      candidate.id,
      Array.from({ length: this.#parts.bench.tasks.select }, (_, task) => means.get(task) ?? null),
    );
  }

  choose({ choose, epsilon }: { choose: string; epsilon: number }, dice: Rng): Candidate {
    const ids = [...this.scores.keys()];
    if (choose === 'epsilon' && dice.next() < epsilon) return this.#parts.archive.get(dice.pick(ids));
    const weights = [...frontWeights(this.scores)];
    // Without any scores, the front is empty.
    if (choose !== 'pareto' || weights.length === 0) return this.#parts.archive.get(bestMean(this.scores));
    const sampledWeight = weights[dice.weighted(weights.map(([, weight]) => weight))];
    return this.#parts.archive.get(sampledWeight[0]);
  }

  /** Compares a candidate with the current answer, at the gate. */
  async *answer(candidate: Candidate): AsyncGenerator<Happening, void, undefined> {
    const verdict = await holdChild(this.#parts, this.best, candidate);
    yield { kind: 'verdict', candidate: candidate.id, against: this.best.id, verdict };
    if (!verdict.accept) return;
    this.best = candidate;
    yield this.told();
  }

  told(): Happening {
    return { kind: 'best', candidate: this.best, score: this.#means.get(this.best.id) ?? 0 };
  }
}

/** Tries to merge two candidates of the front that have diverged from a common ancestor. */
async function* tryStep(parts: Parts, pool: Pool, step: number): AsyncGenerator<Happening, void, undefined> {
  const dice = parts.dice('merge', step);
  const front = [...frontWeights(pool.scores).keys()];
  const merge = mergeable(parts.archive, front, { mean: (id) => meanScore(pool.scores, id), dice });
  if (merge === null) return;
  const { first, second } = merge;
  const origin = { engine: parts.archive.engine, proposer: 'merge', step };
  const newChild = createChild(mergeTexts(merge), { parents: [first, second], origin, locked: parts.locked });
  if ('refused' in newChild || !parts.archive.add(newChild.child)) return;
  yield { kind: 'candidate', candidate: newChild.child };
  const tasks = dice.shuffle(Array.from({ length: parts.bench.tasks.select }, (_, task) => task)).slice(0, 5);
  const places = gatePlaces(parts).filter(({ task }) => tasks.includes(task));
  const scoreAt = async (candidate: Candidate) => meanOrZero([...byTask(await parts.bench.evaluate(candidate, places)).values()]);
  const floor = Math.max(await scoreAt(first), await scoreAt(second));
  if ((await scoreAt(newChild.child)) < floor) return;
  await pool.join(newChild.child);
  yield* pool.answer(newChild.child);
}

/** The examples of a step: every task once before any repeats, and repeats with other seeds. */
function shuffleBatch(dice: Parts['dice'], step: number, { tasks, batch }: { tasks: number; batch: number }) {
  return Array.from({ length: Math.min(batch, tasks) }, (_, i) => {
    const at = step * Math.min(batch, tasks) + i;
    const epoch = Math.floor(at / tasks);
    const order = dice('epoch', epoch).shuffle(Array.from({ length: tasks }, (_, task) => task));
    return { split: 'propose' as const, task: order[at % tasks], repeat: epoch };
  });
}

function total(plays: readonly TrialRecord[]): number {
  return plays.reduce((sum, { score }) => sum + (score ?? 0), 0);
}
