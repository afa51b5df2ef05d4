/**
 * @file Experience packs: what an improvement kept, each change with why it was kept and an episode that shows it, as a file that another
 * agent takes along. There its entries are memories, recalled by what a turn is about.
 */

import { type AgentSpec, Fault, type RunRecord, type Store, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { list, number, object, readAs, required, type Shape, text, words } from '@ludus-agents/kernel/internal/core/shape';
import { editsBetween } from '../prompts/edits.ts';
import { TrialLedger, type TrialRecord } from '../prompts/trial-ledger.ts';
import { lineageOf } from './lineage.ts';

export interface PackEntry {
  /** The component that was changed, and what it says since then. */
  readonly component: string;
  readonly text: string;
  /** The gate's words. */
  readonly why: string;
  readonly gain: number;
  /** The end of an episode that was played with it; empty where none is kept. */
  readonly trace: string;
}

export interface ExperiencePack {
  readonly name: string;
  /** The improvement that it comes from. */
  readonly from: string;
  readonly entries: readonly PackEntry[];
}

const packShape: Shape<ExperiencePack> = object<ExperiencePack>(
  {
    name: required(words, 'what the pack is called'),
    from: required(text, 'the improvement that it comes from'),
    entries: required(
      list(
        object<PackEntry>({
          component: required(words),
          text: required(text),
          why: required(text),
          gain: required(number()),
          trace: required(text),
        }),
      ),
    ),
  },
  { document: true },
);

/** Characters of an episode that a pack takes along. */
const longestTrace = 1200;
/** Characters of it that the agent which takes the pack remembers. */
const longestExample = 400;

/** What an improvement has kept on the way to where it stands. */
export async function packOf(store: Store, run: RunRecord): Promise<ExperiencePack> {
  const { archives } = await lineageOf(store, run);
  const { head } = archives;
  const archive = [...archives.engines.values()].find((engine) => head !== null && engine.has(head.id));
  if (head === null || archive === undefined)
    throw new Fault('input', `The run "${run.id}" has not accepted a candidate yet. Resume it with "ludus improve --resume ${run.id}".`);
  const plays = (await TrialLedger.open(store, run.id)).entries().filter((entry) => entry.kind === 'play');
  const entries: PackEntry[] = [];
  const line = archive.line(head.id);
  for (const [i, candidate] of line.entries()) {
    const parent = line[i - 1];
    if (parent === undefined) continue;
    const verdict = archive.tried.find((rejectedEdit) => rejectedEdit.candidate === candidate.id && rejectedEdit.verdict.accept)?.verdict;
    const trace = await traceOf(store, plays, candidate.id);
    for (const { component, put } of editsBetween(parent.components, candidate.components))
      if (put !== undefined && put.trim() !== '')
        entries.push({ component, text: put, why: verdict?.words ?? 'accepted along the way', gain: verdict?.mean ?? 0, trace });
  }
  return { name: run.id, from: run.id, entries };
}

/** The end of the best play of a candidate, as its seat saw it. */
async function traceOf(store: Store, plays: readonly TrialRecord[], candidate: string): Promise<string> {
  const trialRecords = plays.filter((play) => play.candidate === candidate && play.split !== 'report' && play.episode !== undefined);
  const best = trialRecords.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))[0];
  if (best?.episode === undefined) return '';
  const events = await store.events(best.episode);
  const seat = events.find((event) => event.kind === 'action')?.seat;
  return seat === undefined ? '' : textOf(viewOf(events, seat)).trim().slice(-longestTrace);
}

/** Reads a pack from what a file holds. */
export function readPack(content: string, file: string): ExperiencePack {
  return readAs(packShape, jsonFrom(content, file), { where: file, called: 'an experience pack' });
}

/** An agent that takes a pack along: each entry is a memory of its own; what it knows already it does not get twice. */
export function withPack(spec: AgentSpec, { entries }: ExperiencePack): AgentSpec {
  const notes = spec.notes ?? [];
  const fresh = entries.map(({ component, text: learnt, why, trace }) => {
    const example = trace === '' ? '' : `\nAn episode with it ended like this: ${trace.slice(-longestExample).toWellFormed()}`;
    return `${component.startsWith('setting/') ? `${component}: ` : ''}${learnt} (${why})${example}`;
  });
  const more = [...new Set(fresh)].filter((note) => !notes.includes(note));
  return more.length === 0 ? spec : { ...spec, notes: [...notes, ...more] };
}
