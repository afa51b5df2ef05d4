/** @file Reads an improvement from a store: its candidates with lineage, scores and verdicts, and any of them by a prefix of its id. */

import { type AgentSpec, Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { loadRun } from '@ludus-agents/store/internal/stores';
import { type Archive, ArchiveLog, type Archives, openArchives, type RejectedEdit } from '../prompts/archive.ts';
import type { Candidate } from '../prompts/candidate.ts';
import type { ImproveReport } from '../prompts/report.ts';
import { TrialLedger, type TrialRecord } from '../prompts/trial-ledger.ts';
import { byUnit, identityOf, scoreOf } from '../prompts/trial-scores.ts';

/** One candidate in a lineage. */
export interface Descendant {
  readonly candidate: Candidate;
  readonly engine: string;
  readonly verdicts: readonly RejectedEdit[];
  /** Its mean on the gate's tasks, and the number of distinct tasks and episodes. */
  readonly select: { readonly mean: number | null; readonly tasks: number; readonly episodes: number };
  /** It and all its descendants, pooled over distinct tasks: clade metaproductivity. */
  readonly clade: { readonly mean: number | null; readonly scores: number; readonly size: number };
}

export interface Lineage {
  readonly run: RunRecord;
  readonly archives: Archives;
  readonly descendants: readonly Descendant[];
}

export async function lineageOf(store: Store, run: RunRecord): Promise<Lineage> {
  const archives = await openArchives(store, run.id);
  const plays = (await TrialLedger.open(store, run.id)).entries().filter((entry) => entry.kind === 'play');
  const selectPlays = scoredSelect(plays);
  const of = (id: string) => [...byUnit(selectPlays.get(id) ?? []).values()].map(({ mean }) => mean);
  // Resampling plays the start more often than the gate does; the lineage only shows the plays that its children were compared with.
  const { repeats = 1 } = (run.work ?? {}) as { readonly repeats?: number };
  const gatePlays = scoredSelect(plays.filter(({ repeat }) => repeat < repeats));
  const descendants = [...archives.engines.values()].flatMap((archive) => {
    const verdicts = new Map<string, RejectedEdit[]>();
    for (const rejectedEdit of archive.tried)
      verdicts.set(rejectedEdit.candidate, [...(verdicts.get(rejectedEdit.candidate) ?? []), rejectedEdit]);
    return archive.candidates.map((candidate): Descendant => {
      const { count, sum } = archive.metaproductivity(candidate.id, of);
      const trialRecords = gatePlays.get(candidate.id) ?? selectPlays.get(candidate.id) ?? [];
      return {
        candidate,
        engine: archive.engine,
        verdicts: verdicts.get(candidate.id) ?? [],
        select: {
          mean: trialRecords.length === 0 ? null : scoreOf(trialRecords),
          tasks: new Set(trialRecords.map((play) => `${identityOf(play).scene}\n${identityOf(play).task}`)).size,
          episodes: trialRecords.length,
        },
        clade: { mean: count === 0 ? null : sum / count, scores: count, size: archive.clade(candidate.id).length },
      };
    });
  });
  return { run, archives, descendants };
}

/** The scored plays of each candidate on the gate's tasks. */
function scoredSelect(plays: readonly TrialRecord[]): ReadonlyMap<string, readonly TrialRecord[]> {
  return Map.groupBy(
    plays.filter(({ split, score }) => split === 'select' && score !== null),
    ({ candidate }) => candidate,
  );
}

/** The report of a finished improvement, or null. */
export async function improveReport(store: Store, run: string): Promise<ImproveReport | null> {
  return ((await store.notes(run, 'report')).at(-1) ?? null) as ImproveReport | null;
}

/** The improvement that a user's input refers to. */
export async function improvementBy(store: Store, typed: string): Promise<RunRecord> {
  const run = await loadRun(store, typed);
  if (run.work?.kind !== 'improve') throw new Fault('input', `The run "${run.id}" was not made by "ludus improve".`);
  return run;
}

/** A candidate with its run and archive. */
export interface LocatedCandidate {
  readonly run: RunRecord;
  readonly archive: Archive;
  readonly candidate: Candidate;
}

/** The only candidate of a run whose id begins with the input. */
export async function candidateIn(store: Store, run: RunRecord, typed: string): Promise<LocatedCandidate> {
  const { engines } = await openArchives(store, run.id);
  const locatedCandidates = matches(run, [...engines.values()], typed);
  if (locatedCandidates.length > 0) return only(locatedCandidates, typed);
  const meant = didYouMean(typed, idsIn(engines.values()));
  throw new Fault('input', `Candidate "${typed}" not found in ${run.id}. Run "ludus improve lineage ${run.id}" to see all.${meant}`, {
    code: 'E_NOT_FOUND',
  });
}

/** The only matching candidate of any improvement in the store, or the current one of a run. */
export async function candidateBy(store: Store, typed: string): Promise<LocatedCandidate> {
  const [first, second] = typed.split(':', 2) as [string, string | undefined];
  if (second !== undefined) return candidateIn(store, await improvementBy(store, first), second);
  const runs = await store.runs();
  const knownNames = runs.map(({ id }) => id);
  const locatedCandidates: LocatedCandidate[] = [];
  for (const run of runs.filter(({ work }) => work?.kind === 'improve')) {
    const { engines, head } = await openArchives(store, run.id);
    locatedCandidates.push(...matches(run, [...engines.values()], run.id === typed && head !== null ? head.id : typed));
    knownNames.push(...idsIn(engines.values()));
  }
  if (locatedCandidates.length > 0) return only(locatedCandidates, typed);
  if (knownNames.includes(typed)) await improvementBy(store, typed);
  const meant = didYouMean(typed, knownNames);
  throw new Fault(
    'input',
    `Candidate "${typed}" not found in this store. Run "ludus improve lineage RUN" to see the candidates of a run.${meant}`,
    { code: 'E_NOT_FOUND' },
  );
}

function idsIn(archives: Iterable<Archive>): readonly string[] {
  return [...archives].flatMap(({ candidates }) => candidates.map(({ id }) => id));
}

function matches(run: RunRecord, archives: readonly Archive[], typed: string): readonly LocatedCandidate[] {
  if (typed === '') return [];
  return archives.flatMap((archive) =>
    archive.candidates.filter(({ id }) => id.startsWith(typed)).map((candidate) => ({ run, archive, candidate })),
  );
}

/** Equal content is one candidate, even from different runs. */
function only(locatedCandidates: readonly LocatedCandidate[], typed: string): LocatedCandidate {
  const ids = [...new Set(locatedCandidates.map(({ candidate }) => candidate.id))];
  if (ids.length > 1) throw new Fault('input', `"${typed}" matches several ids: ${ids.slice(0, 3).join(', ')}. Use a longer prefix.`);
  return locatedCandidates[0];
}

/** Rolls a run back to a candidate, which becomes its current one. Nothing is removed from its history. */
export async function rollBack(store: Store, { run, archive, candidate }: LocatedCandidate, spec: AgentSpec): Promise<string> {
  const parent = candidate.parents[0];
  const before = parent === undefined ? null : await store.putSpec(archive.get(parent).spec);
  const address = await store.putSpec(before === null ? spec : { ...spec, parent: before });
  await (await ArchiveLog.open(store, run.id)).head(candidate.id, 'rolled back');
  return address;
}
