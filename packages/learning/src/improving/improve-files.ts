/**
 * @file The files that an improvement depends on besides its texts: programs, checkpoints, environments, scorers. Their digests are part of
 * the run, so a run with other files is a different one and is never continued.
 */

import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { changedNames } from '@ludus-agents/evaluation/internal/changed-since';
import { Fingerprints } from '@ludus-agents/evaluation/internal/fingerprint';
import { sourcesOfSuite } from '@ludus-agents/evaluation/internal/loaders';
import { documentSources, noteSources } from '@ludus-agents/evaluation/internal/source-notes';
import { listWords } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, Fault, hash, isFault, type Json, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { ImproveWork } from './improve.ts';
import { isLinesFile, isModelName } from './targets.ts';

/** Digests of files and checkpoints, by kind and name. */
export type ImproveFiles = Readonly<Record<string, string>>;

type PlannedWork = Pick<ImproveWork, 'suite' | 'model' | 'engine' | 'proposer' | 'choices'>;

/** The current digests of the files. Programs are read but not run. */
export async function readImproveFiles(work: PlannedWork, plan: Pick<RunRecord['plan'], 'environments' | 'casts'>, place: NamingPlace) {
  const prints = new Fingerprints({ ...place, isLenient: true, isIdle: true });
  for (const { environment } of plan.environments) await prints.environment(environment);
  for (const agent of plan.casts.flatMap((cast) => Object.values(cast))) await prints.agent(agent as AgentSpec | string);
  for (const name of work.suite?.scenes.flatMap(({ score, also }) => [score, ...also]) ?? []) await prints.scorer(name);
  const choices = (work.choices?.['model'] ?? []).filter((value) => typeof value === 'string');
  const models = [work.model, isModelName(work.proposer) ? work.proposer : null, ...choices].filter((name) => name !== null);
  for (const model of models) await prints.model(model);
  const named = [...(isFileName(work.engine) ? [work.engine] : []), ...(isLinesFile(work.proposer) ? [work.proposer] : [])];
  const sources = [...prints.sources, ...named.map((name) => ({ kind: 'file', name }) as const)];
  const digests = await Promise.all(
    sources.map(async (source) => {
      try {
        return await prints.source(source);
      } catch (thrown) {
        // Problems of a file are reported where it is used.
        if (isFault(thrown)) return null;
        throw thrown;
      }
    }),
  );
  const files: ImproveFiles = Object.fromEntries(
    sources.flatMap(({ kind, name }, i): [string, string][] => (digests[i] == null ? [] : [[`${kind} ${name}`, digests[i]]])),
  );
  return { files, sources };
}

const mixedJournal = 'mixed';

/** Records the files of a run, and refuses to continue one with other files. Returns a message about an earlier run, if any. */
export async function checkImproveFiles(
  store: Store,
  run: RunRecord & { readonly work: ImproveWork },
  place: NamingPlace,
): Promise<string | null> {
  const { work } = run;
  const mixed = (await store.notes(run.id, mixedJournal)).at(-1) as readonly string[] | undefined;
  if (mixed !== undefined)
    throw new Fault(
      'input',
      `${listWords(mixed)} changed while ${run.id} was running, so it may mix two versions and is not continued. Use another --name.`,
      { code: 'E_STALE', details: { run: run.id, files: mixed } },
    );
  const { files, sources } = await readImproveFiles(work, run.plan, place);
  const changed = changedFiles(work.files, files);
  if (changed.length > 0)
    throw new Fault(
      'input',
      `${listWords(changed)} changed since run ${run.id} was started. Undo the change to resume it, or start a new run with another --name.`,
      { code: 'E_STALE', details: { run: run.id, files: changed } },
    );
  const earlier = (await store.runs()).filter(({ id, work: other }) => id !== run.id && other?.kind === 'improve').reverse();
  const documents = [...documentSources([work.start], place.cwd), ...(work.suite === undefined ? [] : sourcesOfSuite(work.suite))];
  await noteSources(store, { run: run.id, use: 'played', sources: [...sources, ...documents], ...place });
  const previous = earlier.find(({ work: other }) => hash(withoutFiles(other as ImproveWork)) === hash(withoutFiles(work)));
  const since = previous === undefined ? [] : changedFiles((previous.work as ImproveWork).files, files);
  return previous === undefined || since.length === 0
    ? null
    : `${listWords(since)} changed since run ${previous.id}: ${run.id} is a new run, and plays everything again.`;
}

/** Compares the files again at the end of an invocation: reports changes, and such a run cannot be continued. */
export async function settleImproveFiles(store: Store, run: RunRecord & { readonly work: ImproveWork }, place: NamingPlace) {
  const { files } = await readImproveFiles(run.work, run.plan, place);
  const mixed = changedFiles(run.work.files, files);
  if (mixed.length > 0) await store.note(run.id, mixedJournal, (await store.notes(run.id, mixedJournal)).length, [mixed as Json]);
  const names = [...new Set([...mixed, ...(await changedNames(store, run.id, place.cwd))])];
  return names.length === 0
    ? null
    : `${listWords(names)} changed while ${run.id} was running, so its figures may be about the version before, or mix two. Start it again for current results.`;
}

/** The changed files, if another run of the same name differs only in them. */
export function sameButFiles(before: ImproveWork, work: ImproveWork): readonly string[] {
  return hash(withoutFiles(before)) === hash(withoutFiles(work)) ? changedFiles(before.files, work.files ?? {}) : [];
}

function changedFiles(before: ImproveFiles = {}, now: ImproveFiles): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return [...new Set(keys.filter((key) => before[key] !== now[key]).map((key) => key.slice(key.indexOf(' ') + 1)))];
}

function withoutFiles({ files: _, ...work }: ImproveWork): Json {
  return work as Json;
}
