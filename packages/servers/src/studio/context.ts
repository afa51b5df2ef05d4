/** @file The shared context of all route files: the store, the folder, episodes, and jobs. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { BackgroundJobs } from './background-jobs.ts';
import type { Conversations } from './conversations.ts';
import type { LiveEpisodes } from './live-episodes.ts';
import type { ReportDesk } from './report-desk.ts';

/** The shared context of all route files. */
export interface StudioContext {
  readonly store: Store;
  /** The folder and the environment variables of the server's user. */
  readonly place: WorkingFolder;
  /** Episodes played on this server, and background jobs. */
  readonly live: LiveEpisodes;
  readonly jobs: BackgroundJobs;
  readonly chats: Conversations;
  /** The reader for reports over many episodes. */
  readonly reports: ReportDesk;
  /** The location of the store, for other processes; null if other processes can't open it. */
  readonly where: string | null;
}
