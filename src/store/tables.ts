/** @file The tables of the SQL stores, and the numbered steps by which a database file came to have them. */

import type { Generated } from 'kysely';
import type { EpisodeRecord } from '../core/index.ts';

export interface Tables {
  runs: { position: Generated<number>; id: string; episodes: number; plan: string; work: string | null };
  specs: { position: Generated<number>; hash: string; parent: string | null; body: string };
  episodes: EpisodesTable;
  /** Which agents sat in which episodes, with what a list is narrowed by besides, so that no row is looked up only to be left out. */
  appearances: { agent: string; episode: number; status: EpisodeRecord['status']; environment: string; run: string | null };
  /** The events of an episode that were committed together: packed JSON, joined by commas. */
  chunks: { episode: number; first: number; count: number; body: string };
  /** Shared values; see pack.ts. */
  parts: { hash: string; parent: string | null; part: string };
  scores: { position: Generated<number>; episode: number; hash: string; body: string };
  /** The journals of runs, entry by entry. */
  notes: { run: string; journal: string; position: number; body: string };
}

/** The summary of a log. `position` is its order of arrival and what other tables know it by. */
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
];
