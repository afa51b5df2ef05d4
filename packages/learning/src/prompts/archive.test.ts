import { canonical, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { Archive, type ArchiveEntry, ArchiveLog, openArchives, readArchives, restoreSpec } from './archive.ts';
import { type Candidate, createChild, createFirstCandidate } from './candidate.ts';
import type { GateVerdict } from './gate.ts';
import { Journal } from './journal.ts';
import { toySpec } from './toy.cases.ts';

const verdict: GateVerdict = { accept: false, words: 'rejected: no', tasks: 3, mean: -0.1, error: 0.05 };
const origin = { engine: 'test', proposer: 'test', step: 0 };

function childOf(parents: readonly Candidate[], text: string): Candidate {
  const newChild = createChild({ ...parents[0]!.components, instruction: text }, { parents, origin });
  if ('refused' in newChild) throw new Error(newChild.refused);
  return newChild.child;
}

/** start → a, b; a → c; a + b → d (a merge); c → e. */
function family() {
  const archive = new Archive('test');
  const start = createFirstCandidate(toySpec('start'));
  const [a, b] = [childOf([start], 'a'), childOf([start], 'b')];
  const [c, d] = [childOf([a], 'c'), childOf([a, b], 'd')];
  const e = childOf([c], 'e');
  for (const candidate of [start, a, b, c, d, e]) archive.add(candidate);
  return { archive, start, a, b, c, d, e };
}

describe('archive', () => {
  it('returns lines of descent, ancestors, children, and clades', () => {
    const { archive, start, a, b, c, d, e } = family();
    expect(archive.line(e.id).map(({ id }) => id)).toEqual([start.id, a.id, c.id, e.id]);
    expect([...archive.ancestors(d.id)].sort()).toEqual([start.id, a.id, b.id].sort());
    expect([...archive.clade(a.id)].sort()).toEqual([a.id, c.id, d.id, e.id].sort());
    expect(archive.clade(start.id)).toHaveLength(6);
    expect(archive.children(b.id)).toEqual([d.id]);
    expect(archive.add(a)).toBe(false);
    expect(() => archive.add(childOf([childOf([a], 'unknown')], 'f'))).toThrow('which is not in the archive');
    expect(() => archive.get('nobody')).toThrow('Candidate nobody is not in the archive');
  });

  it('pools a clade without changing its members', () => {
    const { archive, a, c } = family();
    const scores = new Map<string, number[]>([
      [a.id, [1, 0]],
      [c.id, [0, 0, 0]],
    ]);
    const of = (id: string) => scores.get(id) ?? [];
    for (let time = 0; time < 3; time++) expect(archive.metaproductivity(a.id, of)).toEqual({ count: 5, sum: 1 });
    expect(scores.get(a.id)).toEqual([1, 0]);
    // The defect this guards against: a list that aliases the node's own grows at every call.
    const aliased = (id: string) => {
      const ownScore = scores.get(id) as number[];
      for (const child of archive.children(id)) ownScore.push(...(scores.get(child) ?? []));
      return ownScore.reduce((sum, score) => sum + score, 0) / ownScore.length;
    };
    expect([aliased(a.id), aliased(a.id), aliased(a.id)].map((mean) => Number(mean.toFixed(3)))).toEqual([0.2, 0.125, 0.091]);
  });

  it('records rejected candidates', () => {
    const { archive, start, a, b } = family();
    archive.judge(a, start, verdict);
    archive.judge(b, start, { ...verdict, accept: true });
    expect(archive.rejected.map(({ candidate }) => candidate)).toEqual([a.id]);
    expect(archive.tried[0]).toMatchObject({ parent: start.id, before: { instruction: 'start' }, change: { set: { instruction: 'a' } } });
  });

  it('is restored byte for byte from its journal', async () => {
    const store = memoryStore();
    await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
    const log = await ArchiveLog.open(store, 'run');
    const archive = log.archive('test');
    const dice = rng(5, 'walk');
    const awkward = ['\u0000', 'é', 'é', '\r\n', '\t', '“”', '😀', '', '\\', '"', '</text>'];
    let at = createFirstCandidate(toySpec('start'));
    archive.add(at);
    const candidates = [at];
    for (let i = 0; i < 60; i++) {
      const text = Array.from({ length: 1 + dice.int(8) }, () => dice.pick(awkward)).join(dice.pick(['\n', ' ', ''])) + i;
      at = childOf([dice.pick(candidates)], text);
      archive.judge(at, archive.get(at.parents[0]!), verdict);
      candidates.push(at);
    }
    await log.head(at.id, 'best');
    await log.settled();
    const { engines, head } = await openArchives(store, 'run');
    const read = engines.get('test') as Archive;
    for (const candidate of candidates)
      expect(canonical(restoreSpec(read, candidate.id) as unknown as Json)).toBe(canonical(candidate.spec as unknown as Json));
    expect(head).toEqual({ id: at.id, words: 'best' });
    expect(read.tried).toEqual(archive.tried);
  });

  it('detects a journal that was modified', () => {
    const entries: ArchiveEntry[] = [];
    const archive = new Archive('test', (entry) => entries.push(entry));
    const start = createFirstCandidate(toySpec('start'));
    const a = childOf([start], 'a');
    archive.add(start);
    archive.add(a);
    const forged = JSON.parse(JSON.stringify(entries).replace('"instruction":"a"', '"instruction":"b"')) as ArchiveEntry[];
    expect(() => restoreSpec(readArchives(forged).engines.get('test') as Archive, a.id)).toThrow(
      'cannot be restored exactly: its journal was modified.',
    );
    expect(restoreSpec(readArchives(entries).engines.get('test') as Archive, a.id)).toEqual(a.spec);
  });

  it('rejects a resumed run that diverges', async () => {
    const entries: Json[] = [];
    const write = async (_: number, subset: readonly Json[]) => void entries.push(...subset);
    const log = new ArchiveLog(new Journal([], write));
    const first = log.archive('test');
    const start = createFirstCandidate(toySpec('start'));
    first.add(start);
    first.add(childOf([start], 'a'));
    await log.settled();
    // Someone has rolled the run back meanwhile: that is no turn of any engine.
    await log.head(start.id, 'rolled back');
    const again = new ArchiveLog(new Journal([...entries], write)).archive('test');
    again.add(start);
    expect(() => again.add(childOf([start], 'b'))).toThrow('This run cannot be resumed: when repeated, its');
  });

  it('opens five thousand candidates in under a second of CPU time', async () => {
    const store = memoryStore();
    await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
    const log = await ArchiveLog.open(store, 'run');
    const archive = log.archive('test');
    const dice = rng(1, 'many');
    const long = Array.from({ length: 40 }, (_, i) => `Line ${i} of a text that is as long as texts are.`).join('\n');
    const newCandidates = [createFirstCandidate(toySpec(long, { 'skill/a': long, 'skill/b': long }))];
    archive.add(newCandidates[0]!);
    for (let i = 1; i < 5000; i++) {
      const parent = newCandidates[dice.int(newCandidates.length)]!;
      const child = childOf([parent], `${long}\n${i}`);
      archive.judge(child, parent, verdict);
      newCandidates.push(child);
    }
    await log.settled();
    const before = process.cpuUsage();
    const { engines } = await openArchives(store, 'run');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect((engines.get('test') as Archive).candidates).toHaveLength(5000);
  });
});
