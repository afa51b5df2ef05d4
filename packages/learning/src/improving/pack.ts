/**
 * @file Experience packs: the accepted changes of an improvement, or experience from stored episodes (`episode-pack.ts`), each entry with
 * its reason and an example episode, as a file for another agent. That agent stores the entries as memories, recalled when a turn is about
 * them.
 */

import { isLanguageKind } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentSpec, Fault, type Json, type RunRecord, type Store, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { list, number, object, readAs, required, type ShapeValue, text, words } from '@ludus-agents/kernel/internal/core/shape';
import { editsBetween } from '../prompts/edits.ts';
import { TrialLedger, type TrialRecord } from '../prompts/trial-ledger.ts';
import { lineageOf } from './lineage.ts';

export interface PackEntry {
  /** The changed component with its new text; or "task" with the successful way. */
  readonly component: string;
  readonly text: string;
  /** The gate's explanation, or the episode's return. */
  readonly why: string;
  readonly gain: number;
  /** The end of an episode played with it; empty if none is stored. */
  readonly trace: string;
}

const packShape = object(
  {
    name: required(words, 'what the pack is called'),
    from: required(text, 'the improvement or the environment that it comes from'),
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

export type ExperiencePack = ShapeValue<typeof packShape>;

/** The maximum characters of an episode in a pack. */
export const longestTrace = 1200;
/** The part of them that an agent with the pack remembers. */
const longestExample = 300;

/** The accepted changes of an improvement, up to its current state. */
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

/** Reads a pack from the content of a file. */
export function readPack(content: string, file: string): ExperiencePack {
  return readAs(packShape, jsonFrom(content, file), { where: file, called: 'an experience pack' });
}

/**
 * Adds a pack to an agent: each entry becomes a memory, without duplicates. In a team, each language agent gets it, because members recall
 * on their own.
 */
export function withPack(spec: AgentSpec, pack: ExperiencePack): AgentSpec {
  const members = spec.settings?.['members'];
  if (spec.kind === 'team' && Array.isArray(members)) {
    const taught = members.map((member) => (canRead(specOf(member)) ? withPack(specOf(member), pack) : member));
    if (!members.some((member) => canRead(specOf(member)))) throw cannotRead(spec);
    return { ...spec, settings: { ...spec.settings, members: taught } };
  }
  if (!canRead(spec)) throw cannotRead(spec);
  return withNotes(spec, pack);
}

function specOf(member: Json): AgentSpec {
  return typeof member === 'string' ? { name: member, kind: member } : (member as AgentSpec);
}

function canRead({ kind }: AgentSpec): boolean {
  return isLanguageKind(kind);
}

function cannotRead({ name, kind }: AgentSpec): Fault {
  return new Fault('input', `A pack is read by language agents and teams of them, but ${name} is of the kind "${kind}".`);
}

function withNotes(spec: AgentSpec, { entries }: ExperiencePack): AgentSpec {
  const notes = spec.notes ?? [];
  const fresh = entries.map(({ component, text: learnt, why, trace }) => {
    const example = trace === '' ? '' : `\nAn episode with it ended like this: ${trace.slice(-longestExample).toWellFormed()}`;
    return `${component.startsWith('setting/') ? `${component}: ` : ''}${learnt} (${why})${example}`;
  });
  const more = [...new Set(fresh)].filter((note) => !notes.includes(note));
  if (more.length === 0) return spec;
  // Without a persona an agent only recalls memories if the setting says so.
  const settings = { ...spec.settings, memory: spec.settings?.['memory'] ?? 'relevant' };
  return { ...spec, notes: [...notes, ...more], ...(spec.persona === undefined ? { settings } : {}) };
}
