/** @file The tables of the SQL stores, and the numbered migrations of a database file. */

import type { EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import type { Generated } from 'kysely';

export interface Tables {
  /** `added` is when the run was stored, in milliseconds since 1970; 0 where that is unknown. */
  runs: { position: Generated<number>; id: string; episodes: number; plan: string; work: string | null; added: number };
  specs: { position: Generated<number>; hash: string; parent: string | null; body: string };
  episodes: EpisodesTable;
  /** Which agents are in which episodes, with the other filters of lists, so that no row is read only to be left out. */
  appearances: { agent: string; episode: number; status: EpisodeRecord['status']; environment: string; run: string | null };
  /** The events of an episode that were committed together: packed JSON, joined by commas. */
  chunks: { episode: number; first: number; count: number; body: string };
  /** Shared values; see pack.ts. */
  parts: { hash: string; parent: string | null; part: string };
  /** Which episode has which scores, in order of arrival. */
  scores: { position: Generated<number>; episode: number; score: number };
  /** The contents of scores, each text once; see score-bodies.ts. */
  score_bodies: ScoreBodiesTable;
  /** The journals of runs, entry by entry. */
  notes: { run: string; journal: string; position: number; body: string };
  lots: { id: string; run: string; version: string; body: string };
  jobs: JobsTable;
  workers: { id: string; body: string; started: number; seen: number };
  purses: { run: string; budget: string; base: string; until: number | null; stopped: string | null };
  /** The total spending of each worker: it reports its own sum, so that nothing is counted twice. */
  spendings: { run: string; worker: string; calls: number; tokens: number; money: number; unpriced: number; revision: number };
  /** When a slot is free again, if every worker keeps to its pace. */
  paces: { place: string; free: number };
}

/** Times are milliseconds by the database's clock. A lease is the `token` of the worker that took the job last. */
export interface JobsTable {
  position: Generated<number>;
  id: string;
  lot: string;
  run: string;
  kind: string;
  team: string | null;
  priority: number;
  payload: string;
  state: 'waiting' | 'leased' | 'done' | 'dead' | 'off';
  attempts: Generated<number>;
  ready: Generated<number>;
  until: Generated<number>;
  token: string | null;
  worker: string | null;
  reason: string | null;
  outcome: string | null;
  turns: Generated<number>;
  ended: number | null;
}

export interface ScoreBodiesTable {
  /** Never reused for another body, even after this one is deleted. */
  number: Generated<number>;
  /** The address of the score. */
  hash: string;
  /** 0, and more for further texts of the same address: with keys in another order, or damaged. */
  variant: number;
  body: string;
}

/** The summary of a log. `position` is its order of arrival and its key in other tables. */
export interface EpisodesTable {
  position: Generated<number>;
  id: string;
  run: string | null;
  environment: string;
  status: EpisodeRecord['status'];
  seed: number;
  events: number;
  begun: number;
  /** Completed turns and returns, once the log has ended. */
  turns: number | null;
  returns: string | null;
  casting: string;
  task: string;
  /** The fingerprints of environment and agents, as JSON; null if unknown. */
  versions: string | null;
  /** When it was stored, in milliseconds since 1970: for retention, and nowhere in a log. */
  added: number;
}

/** "Ludu" in ASCII, in the header of every database file of ours. */
export const applicationId = 0x4c756475;

/**
 * Migration n brings a file from version n to n + 1. A released one is never edited: the next change is a new one at the end.
 *
 * The three indices on episodes each lead with one filter, keep the order of the list, and carry the other filters along, so that a page
 * under any of them, or several, is found without touching the rows that do not fit.
 */
export const migrations: readonly string[] = [
  `create table runs (position integer primary key autoincrement, id text not null unique, episodes integer not null, plan text not null) strict;
   create table specs (position integer primary key autoincrement, hash text not null unique, parent text, body text not null) strict;
   create index specs_by_parent on specs (parent, position);
   create table episodes (
     position integer primary key autoincrement, id text not null unique, run text, environment text not null, status text not null,
     seed integer not null, events integer not null, begun integer not null, turns integer, returns text, casting text not null,
     task text not null
   ) strict;
   create index episodes_by_run on episodes (run, position, status, environment);
   create index episodes_by_environment on episodes (environment, position, status, run);
   create index episodes_by_status on episodes (status, position, environment, run);
   create table appearances (
     agent text not null, episode integer not null, status text not null, environment text not null, run text, primary key (agent, episode)
   ) strict, without rowid;
   create table chunks (episode integer not null, first integer not null, count integer not null, body text not null, primary key (episode, first)) strict;
   create table parts (hash text primary key, parent text, part text not null) strict;
   create table scores (
     position integer primary key autoincrement, episode integer not null, hash text not null, body text not null, unique (episode, hash)
   ) strict;`,
  `alter table runs add column work text;
   create table notes (
     run text not null, journal text not null, position integer not null, body text not null, primary key (run, journal, position)
   ) strict, without rowid;`,
  `create table lots (id text primary key, run text not null, version text not null, body text not null) strict;
   create index lots_by_run on lots (run);
   create table jobs (
     position integer primary key autoincrement, id text not null unique, lot text not null, run text not null, kind text not null,
     team text, priority integer not null, payload text not null, state text not null, attempts integer not null default 0,
     ready integer not null default 0, until integer not null default 0, token text, worker text, reason text, outcome text,
     turns integer not null default 0, ended integer
   ) strict;
   create index jobs_waiting on jobs (priority desc, position) where state = 'waiting';
   create index jobs_leased on jobs (until) where state = 'leased';
   create index jobs_by_team on jobs (team) where state = 'waiting';
   create index jobs_by_run on jobs (run, state, outcome);
   create table workers (id text primary key, body text not null, started integer not null, seen integer not null) strict;
   create table purses (run text primary key, budget text not null, base text not null, until integer, stopped text) strict;
   create table spendings (
     run text not null, worker text not null, calls integer not null, tokens integer not null, money real not null,
     unpriced integer not null, primary key (run, worker)
   ) strict;
   create table paces (place text primary key, free real not null) strict;`,
  `alter table episodes add column added integer not null default 0;
   update episodes set added = unixepoch() * 1000;
   create index episodes_by_age on episodes (added);`,
  // Each body once. Whole passes over the rows, in which only bodies that differ from the first of their address are sorted.
  `create table score_bodies (
     number integer primary key autoincrement, hash text not null, variant integer not null, body text not null, unique (hash, variant)
   ) strict;
   insert into score_bodies (hash, variant, body) select hash, 0, body from scores where true on conflict do nothing;
   insert into score_bodies (hash, variant, body)
     select hash, row_number() over (partition by hash order by first), body from (
       select scores.hash, scores.body, min(scores.position) as first
       from scores cross join score_bodies on score_bodies.hash = scores.hash
       where score_bodies.body <> scores.body group by scores.hash, scores.body
     );
   create table score_references (
     position integer primary key autoincrement, episode integer not null, score integer not null, unique (episode, score)
   ) strict;
   insert into score_references (position, episode, score)
     select position, episode, number
     from scores cross join score_bodies on score_bodies.hash = scores.hash and score_bodies.body = scores.body;
   drop table scores;
   alter table score_references rename to scores;`,
  'alter table spendings add column revision integer not null default 0;',
  `alter table episodes add column versions text;`,
  'alter table runs add column added integer not null default 0;',
];
