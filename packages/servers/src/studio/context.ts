/** @file What every file of routes is given: the store, the folder, episodes and jobs. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { BackgroundJobs } from './background-jobs.ts';
import type { Conversations } from './conversations.ts';
import type { LiveEpisodes } from './live-episodes.ts';
import type { ReportDesk } from './report-desk.ts';

/** What every file of routes is given. */
export interface StudioContext {
  readonly store: Store;
  /** The folder and the variables of the one who started the server. */
  readonly place: WorkingFolder;
  /** Episodes that are played here, and work of many episodes. */
  readonly live: LiveEpisodes;
  readonly jobs: BackgroundJobs;
  readonly chats: Conversations;
  /** What reads many episodes at once. */
  readonly reports: ReportDesk;
  /** The location of the store, for other processes; null if other processes can't open it. */
  readonly where: string | null;
}
