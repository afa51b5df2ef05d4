/** @file Builds the report of a run: its rows and scores, its suite, its ranking, and moments quoted from the logs. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { transcript } from '@ludus-agents/kernel/internal/engine/transcript';
import { changedSinceText } from './changed-since.ts';
import { foundExploits } from './found-exploits.ts';
import { type Intent, readIntent } from './intent.ts';
import { gatherRun, type RunResultsOptions } from './results.ts';
import type { ScoredRows } from './score-run.ts';
import { matchesOf, type Ranking, rankingOf } from './scoring/arena/index.ts';
import { type Report, reportOf, withWords } from './scoring/report/index.ts';

export interface Reported {
  readonly report: Report;
  /** The episodes of the moments. */
  readonly transcripts: ReadonlyMap<string, string>;
  /** All episodes that were read. */
  readonly records: ScoredRows['records'];
}

export async function reportFor(
  run: RunRecord,
  options: RunResultsOptions,
  { store, cwd, trust }: { store: Store; cwd: string; trust: Trust },
): Promise<Reported> {
  const { suite, gathered, options: tables } = await gatherRun(run, options, { store, cwd, trust });
  const agents = [...new Set(gathered.rows.map(({ agent }) => agent))].map((name) => ({ name, kind: name }));
  const played = [...new Set([...gathered.records.values()].map(({ environment }) => environment))];
  const exploits = (await Promise.all(played.map((environment) => foundExploits(store, environment, agents)))).flat();
  const changed = await changedSinceText(store, run, cwd);
  const report = reportOf({
    notices: changed === null ? [] : [changed],
    ...{
      run: run.id,
      about: suite?.about ?? '',
      exploits,
      intents: await intentsIn(gathered.records),
      ranking: suite === null ? rankingIn(gathered) : null,
    },
    ...gathered,
    ...tables,
  });
  return { ...(await withLogs(report, store)), records: gathered.records };
}

async function intentsIn(records: ScoredRows['records']): Promise<ReadonlyMap<string, Intent>> {
  const intents = new Map<string, Intent>();
  for (const [episode, record] of records) {
    const intent = await readIntent(record);
    if (intent !== null) intents.set(episode, intent);
  }
  return intents;
}

/** A ranking, if agents under test met each other at one table. */
function rankingIn({ rows, records }: ScoredRows): Ranking | null {
  const agents = [...new Set(rows.map((row) => row.agent))].sort();
  const met = [...records.values()].some(({ cast }) => new Set(Object.values(cast)).size > 1);
  if (agents.length < 2 || !met) return null;
  return rankingOf(matchesOf(records.values(), agents), agents);
}

/** Reads the logs of the moments: their transcripts, and quotes if no scorer provided any. */
async function withLogs(newReport: Report, store: Store): Promise<Omit<Reported, 'records'>> {
  const transcripts = new Map<string, string>();
  const moments = [];
  for (const moment of newReport.moments) {
    const events = await store.events(moment.episode);
    transcripts.set(moment.episode, transcript(events));
    moments.push(withWords(moment, events));
  }
  return { report: { ...newReport, moments }, transcripts };
}
