/**
 * @file Practice without updates: lessons from groups of episodes of one problem, as a list of experiences (training-free GRPO, arXiv
 * 2510.08191).
 *
 * Each problem of a batch is played several times; groups with equal scores teach nothing; of the others the proposer reads all episodes
 * with their scores, which is the advantage in words, and adds, rewrites or removes experiences. All changes of a batch are applied
 * together and judged at the gate. Differs: there is a gate at all; numbers of experiences are never given anew; a change of an unknown one
 * is refused.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { isMixedGroup } from '../../rl/selection.ts';
import { createChild } from '../candidate.ts';
import { defineEngine, holdChild, type Parts, selectScore } from '../engine.ts';
import type { Delta, Playbook, PlaybookChange } from '../playbook.ts';
import { applyDeltas, bookIn, entriesOffered, Numbering, readProposal, repeats, rewriteComponents, SeenEntries } from '../playbook.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';
import { together } from './playbook.ts';

const kind = 'experience';

const parameters = {
  group: parameter.integer({ min: 2, max: 32, default: 4, description: 'plays of each problem' }),
  batch: parameter.integer({ min: 1, max: 256, default: 3, description: 'problems of a step' }),
  lessons: parameter.integer({ min: 1, max: 8, default: 1, description: 'lessons that one group may teach' }),
} as const;

export const practice = defineEngine({
  name: 'practice',
  method: 'training-free GRPO, experiences from groups',
  source: 'arXiv 2510.08191',
  differs: 'behind a gate; stable numbers; unknown ones are refused',
  parameters,

  async *run(parts, settings) {
    const { archive } = parts;
    const numbering = new Numbering(parts.start.components, kind);
    const seenEntries = new SeenEntries();
    let current = parts.start;
    let list: Playbook = bookIn(current.components, kind);
    archive.add(current);
    yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    for (let step = 0; ; step++) {
      const groups = await playGroups(parts, current.id, { step, ...settings });
      let deltas: readonly Delta[] = [];
      const edits: PlaybookChange['edits'][number][] = [];
      for (const [g, plays] of groups.entries()) {
        const request = { step: step * 1000 + g, edits: settings.lessons, components: entriesOffered(current.components, step + g) };
        const question = { parent: current, plays, ...request, tried: archive.rejected };
        for (const { components } of await parts.bench.propose(parts.proposer, question)) {
          const reading = readProposal(current.components, components, { book: list, kind, numbering });
          deltas = together(deltas, reading.deltas);
          edits.push(...reading.edits);
        }
      }
      const grown = applyDeltas(list, deltas).book;
      const next = applyDeltas(grown, repeats(grown)).book;
      const origin = { engine: archive.engine, proposer: parts.proposer.name, step };
      const newChild = createChild(rewriteComponents(current.components, { book: next, edits, kind }), {
        parents: [current],
        origin,
        locked: parts.locked,
      });
      if ('refused' in newChild || !seenEntries.fresh(newChild.child.components) || !archive.add(newChild.child)) continue;
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(parts, current, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: current.id, verdict };
      if (!verdict.accept) continue;
      [current, list] = [newChild.child, next];
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    }
  },
});

/**
 * Groups of plays with different scores. If all groups are uniform because play is deterministic, one play of each problem forms a group.
 */
async function playGroups(
  { bench, dice, archive }: Parts,
  current: string,
  { step, group, batch }: { readonly step: number; readonly group: number; readonly batch: number },
): Promise<readonly (readonly TrialRecord[])[]> {
  const order = dice('problems', step).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  const groups: (readonly TrialRecord[])[] = [];
  const firsts: TrialRecord[] = [];
  for (const task of order.slice(0, batch)) {
    const places = Array.from({ length: group }, (_, i): TrialKey => ({ split: 'propose', task, repeat: step * group + i }));
    const plays = (await bench.evaluate(archive.get(current), places)).filter(({ score }) => score !== null);
    if (isMixedGroup(plays.map(({ score }) => score as number))) groups.push(plays);
    firsts.push(...plays.slice(0, 1));
  }
  return groups.length > 0 || firsts.every(({ score }) => (score as number) >= 1) ? groups : [firsts];
}
