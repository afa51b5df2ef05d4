/**
 * @file What an attack leaves for the next one: moves of conversations, what is known of parts and of parts after parts, and instructions of
 * attackers with what they were worth. It is kept in a journal of the attack's run, and merged from as many runs as are wanted.
 */

import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { ArsenalMove } from '../adversaries/arsenal.ts';
import { PartGraph, type PartGraphData } from '../adversaries/part-graph.ts';
import type { AttackKind } from './attack-kinds.ts';

const journal = 'arsenal';

export type KeptArsenal = {
  readonly moves: readonly ArsenalMove[];
  readonly parts: PartGraphData;
  /** Instructions of attackers, whether a model wrote them, and the score that each had. */
  readonly texts: readonly { readonly text: string; readonly score: number; readonly written: boolean }[];
};

export const emptyArsenal: KeptArsenal = { moves: [], parts: { parts: [], links: [] }, texts: [] };

/** The most of each that is kept. */
const most = 200;

/** Both together: a move or a text that both have is there once, counts add up. */
export function mergeArsenals(keptArsenal: KeptArsenal, other: KeptArsenal): KeptArsenal {
  const moves = [...keptArsenal.moves, ...other.moves.filter(({ say }) => !keptArsenal.moves.some((move) => move.say === say))];
  const graph = new PartGraph(keptArsenal.parts);
  graph.merge(other.parts);
  const texts = [...keptArsenal.texts, ...other.texts].toSorted((a, b) => b.score - a.score);
  const first = texts.filter(({ text }, i) => text !== '' && texts.findIndex((same) => same.text === text) === i);
  return { moves: moves.slice(0, most), parts: graph.data, texts: first.slice(0, most) };
}

/** What an attack starts with, as a sentence. */
export function describeArsenal({ moves, parts, texts }: KeptArsenal): string {
  const lines = moves.length + texts.length;
  return lines + parts.parts.length === 0
    ? 'The arsenal is empty: no earlier attack of this kind is in the store.'
    : `Started from earlier attacks: ${lines} lines, and the success rates of ${parts.parts.length} parts.`;
}

/** Keeps what a run found, once, at its end. */
export async function keepArsenal(store: Store, run: string, kind: AttackKind, target: string, keptArsenal: KeptArsenal): Promise<void> {
  await store.note(run, journal, 0, [{ kind, target, ...keptArsenal }]);
}

/** What earlier attacks of a kind have kept: all of them, or those of the runs that are named. */
export async function loadArsenal(store: Store, kind: AttackKind, wanted: 'all' | readonly string[]): Promise<KeptArsenal> {
  const knownNames = (await store.runs()).map(({ id }) => id).filter((id) => id.startsWith('attack-'));
  const missing = wanted === 'all' ? undefined : wanted.find((id) => !knownNames.includes(id));
  if (missing !== undefined)
    throw new Fault('input', `Unknown attack "${missing}" in this store.${didYouMean(missing, knownNames)}`, { code: 'E_UNKNOWN_NAME' });
  let all = emptyArsenal;
  for (const id of wanted === 'all' ? knownNames : wanted) {
    const [entry] = (await store.notes(id, journal)) as readonly (KeptArsenal & { readonly kind: string })[];
    if (entry?.kind === kind) all = mergeArsenals(all, entry);
    else if (wanted !== 'all')
      throw new Fault(
        'input',
        `The run "${id}" has no saved attacks for ${kind}${entry === undefined ? '' : `; its attacks are for ${entry.kind}`}.`,
      );
  }
  return all;
}
