/** @file The environments that accept content, each with its lazily loaded reader. */

import { findEntry } from '@ludus-agents/kernel/internal/core/index';
import type { ContentReader } from './content.ts';

const readers: Readonly<Record<string, () => Promise<ContentReader>>> = {
  sites: async () => (await import('../sites/content.ts')).sitesContent,
  reproduction: async () => (await import('../reproduction/content.ts')).reproductionContent,
  lesson: async () => (await import('../lesson/content.ts')).lessonContent,
  library: async () => (await import('../library/content.ts')).libraryContent,
  blocks: async () => (await import('../blocks/content.ts')).blocksContent,
  support: async () => (await import('../support/content.ts')).supportContent,
  consultation: async () => (await import('../consultation/content.ts')).consultationContent,
  recommender: async () => (await import('../recommender/content.ts')).recommenderContent,
  disclosure: async () => (await import('../disclosure/content.ts')).disclosureContent,
  preferences: async () => (await import('../preferences/content.ts')).preferencesContent,
};

/** Names of the environments that accept content. */
export const contentWorlds: readonly string[] = Object.keys(readers);

export async function loadContentReader(environment: string): Promise<ContentReader | null> {
  return (await findEntry(readers, environment)?.()) ?? null;
}
