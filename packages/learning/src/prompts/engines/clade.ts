/**
 * @file The Huxley–Gödel machine: choose parents by their descendants' scores, not by their own (arXiv 2510.21614).
 *
 * Nodes of the tree are played one task at a time; a node is added while there are few relative to the trials; parents and players are
 * drawn by Thompson sampling, parents from the pooled counts of their clades. The answer is the node with the best lower bound, and it must
 * pass the gate against the previous answer. Differs: candidates are texts; scores are scaled to fractions of a success by their observed
 * range; the root is not played once there are others; the published code pools counts into a list shared with the node, ours pools them
 * again each time.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import type { Candidate } from '../candidate.ts';
import { CladeTree } from '../clade.ts';
import { defineEngine, holdChild, type Parts, selectScore } from '../engine.ts';
import type { TrialKey } from '../trial-ledger.ts';

const parameters = {
  alpha: parameter.number({
    min: 0.1,
    max: 1,
    default: 0.6,
    description: 'a node is added while plays to this power are at least as many as nodes',
  }),
  first: parameter.integer({ min: 1, max: 64, default: 4, description: 'children of the start before anything else' }),
  least: parameter.integer({ min: 1, max: 1000, default: 8, description: 'minimum plays for a node to be an answer' }),
  every: parameter.integer({ min: 1, max: 10_000, default: 40, description: 'plays between two looks at the answer' }),
  reads: parameter.integer({ min: 1, max: 32, default: 3, description: 'plays of the parent that a proposal reads' }),
} as const;

export const clade = defineEngine({
  name: 'clade',
  method: 'the Huxley–Gödel machine, clade metaproductivity',
  source: 'arXiv 2510.21614',
  differs: 'texts instead of code; counts are pooled afresh; the answer passes the gate',
  parameters,

  async *run(parts, settings) {
    const { archive, bench, dice } = parts;
    const tree = new CladeTree({ alpha: settings.alpha });
    const nodes: Candidate[] = [parts.start];
    archive.add(parts.start);
    let best = parts.start;
    yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    for (const { score } of bench.seen(best.id, 'select')) if (score !== null) tree.record(0, score);
    for (let step = 0, idle = 0; ; step++) {
      const breeding = tree.size <= settings.first || (tree.due && idle < 20);
      if (breeding) {
        const at = tree.size <= settings.first ? 0 : tree.parent(dice('parent', step));
        const record = (score: number) => tree.record(at, score);
        const child = await growChild(parts, nodes[at], { step, reads: settings.reads, record });
        idle = child === null ? idle + 1 : 0;
        if (child !== null) {
          tree.add(at);
          nodes.push(child);
          yield { kind: 'candidate', candidate: child };
          continue;
        }
      }
      if (tree.size === 1) continue;
      const node = tree.candidate(dice('player', step));
      const task = dice('task', step).int(bench.tasks.propose);
      const [play] = await bench.evaluate(nodes[node], [{ split: 'propose', task, repeat: step }]);
      if (play?.score != null) tree.record(node, play.score);
      if (step % settings.every !== settings.every - 1) continue;
      const matchingCandidate = nodes[tree.pick(settings.least)];
      if (
        matchingCandidate.id === best.id ||
        archive.tried.some(({ candidate, parent }) => candidate === matchingCandidate.id && parent === best.id)
      )
        continue;
      const verdict = await holdChild(parts, best, matchingCandidate);
      yield { kind: 'verdict', candidate: matchingCandidate.id, against: best.id, verdict };
      if (!verdict.accept) continue;
      best = matchingCandidate;
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    }
  },
});

/** A child of a node from fresh plays of it, which also count for the node; null if nothing new is proposed. */
async function growChild(parts: Parts, parent: Candidate, growth: Growth): Promise<Candidate | null> {
  const { archive, bench, dice, proposer } = parts;
  const { step, reads, record } = growth;
  const tasks = dice('reads', step).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  const places = tasks.slice(0, reads).map((task): TrialKey => ({ split: 'propose', task, repeat: step }));
  const plays = (await bench.evaluate(parent, places)).filter(({ score }) => score !== null);
  for (const { score } of plays) record(score as number);
  const [child] = await bench.propose(proposer, { parent, step, plays, tried: archive.rejected });
  return child !== undefined && archive.add(child) ? child : null;
}

interface Growth {
  readonly step: number;
  readonly reads: number;
  readonly record: (score: number) => void;
}
