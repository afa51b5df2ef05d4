/**
 * @file The results of an attack for later ones: conversation moves, the graph of parts, and instructions of attackers with their scores.
 * They are stored in a journal of the attack's run, and merged from any number of runs.
 */

import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { withoutRepeats } from '@ludus-agents/agents/internal/encoders/repeats';
import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { ArsenalMove } from '../adversaries/arsenal.ts';
import { PartGraph, type PartGraphData } from '../adversaries/part-graph.ts';
import type { AttackKind } from './attack-kinds.ts';

const journal = 'arsenal';

export type KeptArsenal = {
  readonly moves: readonly ArsenalMove[];
  readonly parts: PartGraphData;
  /** Instructions of attackers, their scores, and whether a model wrote them. */
  readonly texts: readonly { readonly text: string; readonly score: number; readonly written: boolean }[];
};

export const emptyArsenal: KeptArsenal = { moves: [], parts: { parts: [], links: [] }, texts: [] };

/** The maximum number of entries of each kind. */
const most = 200;

/** Merges two arsenals: duplicate moves and texts are stored once, counts add up. */
export function mergeArsenals(keptArsenal: KeptArsenal, other: KeptArsenal): KeptArsenal {
  const moves = [...keptArsenal.moves, ...other.moves.filter(({ say }) => !keptArsenal.moves.some((move) => move.say === say))];
  const graph = new PartGraph(keptArsenal.parts);
  graph.merge(other.parts);
  const texts = [...keptArsenal.texts, ...other.texts].toSorted((a, b) => b.score - a.score);
  const first = texts.filter(({ text }, i) => text !== '' && texts.findIndex((same) => same.text === text) === i);
  return { moves: moves.slice(0, most), parts: graph.data, texts: first.slice(0, most) };
}

/** The initial arsenal of an attack, as a sentence. */
export function describeArsenal({ moves, parts, texts }: KeptArsenal): string {
  const lines = moves.length + texts.length;
  return lines + parts.parts.length === 0
    ? 'The arsenal is empty: no earlier attack of this kind is in the store.'
    : `Started from earlier attacks: ${lines} lines, and the success rates of ${parts.parts.length} parts.`;
}

/** Stores the results of a run once, at its end. */
export async function keepArsenal(store: Store, run: string, kind: AttackKind, target: string, keptArsenal: KeptArsenal): Promise<void> {
  await store.note(run, journal, 0, [{ kind, target, ...keptArsenal }]);
}

/**
 * Loads the stored results of earlier attacks of a kind: all of them, or those of the named runs. Lines that say the same as a better or
 * earlier one are left out.
 */
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
  const encoder = recallEncoder();
  const moves = await withoutRepeats(all.moves, ({ say }) => say, encoder);
  const texts = await withoutRepeats(all.texts, ({ text }) => text, encoder);
  return { ...all, moves, texts };
}
