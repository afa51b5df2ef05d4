/**
 * @file SAGE without weights: skills written after one task are tried on the next ones of its kind, and kept if they are useful there
 * (arXiv 2512.17102).
 *
 * Tasks of one kind are played in a row. What the proposer writes from one is a new skill; the next are played with it and without it,
 * under the same dice, and it stays for the rest of the chain where play with it is better, net of its length: one that does nothing earns
 * nothing. Code that the agent called on a play that went no worse earns SAGE's bonus besides. The chain's skills go to the gate together.
 * Code must pass its own tests in a sandbox first. Differs: the reward decides what goes to the gate instead of being trained on.
 */

import { skillCallName, skillIn } from '@ludus-agents/environments/internal/code-skill';
import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Candidate, createChild } from '../candidate.ts';
import { defineEngine, type Engine, holdChild, type Parts, selectScore } from '../engine.ts';
import { flawIn, type RunCode } from '../library.ts';
import type { Delta, Playbook } from '../playbook.ts';
import { applyDeltas, bookIn, entriesOffered, Numbering, readProposal, rewriteComponents, SeenEntries } from '../playbook.ts';
import type { TrialKey } from '../trial-ledger.ts';
import { pairTrials } from '../trial-scores.ts';

const kind = 'library';

const parameters = {
  chain: parameter.integer({
    min: 1,
    max: 32,
    default: 3,
    description: 'tasks of one kind per chain, each with the skills of the earlier ones',
  }),
  tries: parameter.integer({ min: 1, max: 32, default: 3, description: 'tasks on which a new skill must help' }),
  bonus: parameter.number({
    min: 0,
    max: 1,
    default: 0.05,
    description: 'bonus for a play that used a new skill without harm',
  }),
  price: parameter.number({ min: 0, max: 1, default: 0.00005, description: 'cost of a skill per character, in score' }),
} as const;

export const skills: Engine = skillsWith(null);

/** The engine with a sandbox for code skills. */
export function skillsWith(run: RunCode | null): Engine {
  return defineEngine({
    name: 'skills',
    method: 'SAGE, a skill library over chains of tasks',
    source: 'arXiv 2512.17102',
    differs: 'no weights; use is told by paired plays; code must pass its tests; the gate decides',
    parameters,

    async *run(parts, settings) {
      const { archive } = parts;
      const numbering = new Numbering(parts.start.components, kind);
      const seenEntries = new SeenEntries();
      const knownEntries = new Map<string, string | null>();
      let current = parts.start;
      let library: Playbook = bookIn(current.components, kind);
      archive.add(current);
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
      for (let step = 0; ; step++) {
        const chain: Chain = { parts, run, known: knownEntries, current, library, numbering, step, settings };
        const { child, book, refused } = await followChain(chain);
        for (const flaw of refused) yield { kind: 'note', words: `a skill is refused: ${flaw}` };
        if (child === null || !seenEntries.fresh(child.components) || !archive.add(child)) continue;
        yield { kind: 'candidate', candidate: child };
        const verdict = await holdChild(parts, current, child);
        yield { kind: 'verdict', candidate: child.id, against: current.id, verdict };
        if (!verdict.accept) continue;
        [current, library] = [child, book];
        yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
      }
    },
  });
}

interface Chain {
  readonly parts: Parts;
  readonly run: RunCode | null;
  /** Earlier test results of code: the error, or null. */
  readonly known: Map<string, string | null>;
  readonly current: Candidate;
  readonly library: Playbook;
  readonly numbering: Numbering;
  readonly step: number;
  readonly settings: { readonly chain: number; readonly tries: number; readonly price: number; readonly bonus: number };
}

/** Plays tasks of one kind in a row, each with the skills kept from earlier ones; null if none was useful. */
async function followChain(
  chain: Chain,
): Promise<{ readonly child: Candidate | null; readonly book: Playbook; readonly refused: readonly string[] }> {
  const { parts, current, numbering, step, settings } = chain;
  const { bench, dice, archive, locked } = parts;
  const task = dice('task', step).int(bench.tasks.propose);
  const refused: string[] = [];
  let [at, book] = [current, chain.library];
  for (let link = 0; link < settings.chain; link++) {
    const from = (step * settings.chain + link) * (settings.tries + 1);
    const plays = (await bench.evaluate(at, [{ split: 'propose', task, repeat: from }])).filter(({ score }) => score !== null);
    const components = entriesOffered(at.components, step + link);
    const question = { parent: at, step: step * 1000 + link, plays, components, tried: archive.rejected };
    const [proposed] = await bench.propose(parts.proposer, question);
    if (proposed === undefined) continue;
    const reading = readProposal(at.components, proposed.components, { book, kind, numbering });
    const flaw = await broken(reading.deltas, chain);
    if (flaw !== null) {
      refused.push(flaw);
      continue;
    }
    const next = applyDeltas(book, reading.deltas).book;
    const origin = { engine: archive.engine, proposer: parts.proposer.name, step };
    const newChild = createChild(rewriteComponents(at.components, { book: next, edits: reading.edits, kind }), {
      parents: [current],
      origin,
      locked,
    });
    if ('refused' in newChild) continue;
    const places = Array.from({ length: settings.tries }, (_, i): TrialKey => ({ split: 'propose', task, repeat: from + 1 + i }));
    const use = await useOf(parts, [at, newChild.child], { places, bonus: settings.bonus });
    if (use - settings.price * Math.max(0, lengthOf(newChild.child) - lengthOf(at)) > 0) [at, book] = [newChild.child, next];
  }
  return { child: at.id === current.id ? null : at, book, refused };
}

/** Why the code among new entries may not be stored, or null. */
async function broken(deltas: readonly Delta[], { run, known }: Pick<Chain, 'run' | 'known'>): Promise<string | null> {
  for (const delta of deltas) {
    const [id, text] = delta.op === 'add' ? [delta.entry.id, delta.entry.text] : delta.op === 'update' ? [delta.id, delta.text] : ['', ''];
    const skill = skillIn(id, text);
    const flaw = skill === null ? null : known.has(text) ? (known.get(text) ?? null) : await flawIn(skill, run);
    known.set(text, flaw);
    if (flaw !== null) return flaw;
  }
  return null;
}

/**
 * The gain of the next tasks of the kind with a skill over without it, with the same seeds, plus a bonus for each play that called new code
 * and did not get worse; 0 for a skill without effect.
 */
async function useOf(
  { bench }: Parts,
  [without, using]: readonly [Candidate, Candidate],
  { places, bonus }: { readonly places: readonly TrialKey[]; readonly bonus: number },
): Promise<number> {
  const [before, after] = [await bench.evaluate(without, places), await bench.evaluate(using, places)];
  const pairs = pairTrials(before, after);
  const names = Object.keys(using.components).filter((name) => using.components[name] !== without.components[name]);
  const fresh = new Set(names.map(skillCallName));
  const called = after.filter(
    ({ called = [], score }, i) => called.some((name) => fresh.has(name)) && (score ?? 0) >= (before[i]?.score ?? 0),
  );
  return meanOrZero(pairs.map(({ before: low, after: high }) => high - low)) + (bonus * called.length) / Math.max(1, after.length);
}

function lengthOf({ components }: Candidate): number {
  return Object.values(components).reduce((sum, text) => sum + text.length, 0);
}
