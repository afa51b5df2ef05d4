/** @file Reads and writes trust cards, and finds the one that backs a judged number. */

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { Grade, TrustCard } from './scoring/trust/index.ts';

/** Stores a card below the working folder and replaces an older card of the same judge and rubric. */
export function saveTrustCard(cwd: string, card: TrustCard): void {
  const folder = folderOf(cwd);
  mkdirSync(folder, { recursive: true });
  const file = resolve(folder, `${`${card.rubric}--${card.judge}`.replace(/[^\w.-]+/g, '-').slice(0, 120)}.json`);
  writeFileAtomicSync(file, `${JSON.stringify(card, null, 2)}\n`);
}

/** All cards, best grade first; other files are skipped. */
export function readTrustCards(cwd: string): readonly TrustCard[] {
  const folder = folderOf(cwd);
  if (!existsSync(folder)) return [];
  const cards = readdirSync(folder).flatMap((file) => {
    if (!file.endsWith('.json')) return [];
    try {
      const card = jsonFrom(readFileSync(resolve(folder, file), 'utf8'), file) as Partial<TrustCard> | null;
      return card?.grade !== undefined && card.measures !== undefined && Array.isArray(card.reasons) ? [card as TrustCard] : [];
    } catch {
      return [];
    }
  });
  return cards.sort((a, b) => order(`${a.grade} ${a.rubric} ${a.judge}`, `${b.grade} ${b.rubric} ${b.judge}`));
}

/** The grade of the judge that gave a score: null if no judge did, "none" if that judge has no card. */
export function gradeOf({ name, provenance }: Pick<Score, 'name' | 'provenance'>, cards: readonly TrustCard[]): Grade | 'none' | null {
  if (!name.startsWith('judge/')) return null;
  const trustCard = cards.find((card) => card.rubricHash === provenance?.['rubricHash'] && card.judgeHash === provenance?.['judgeHash']);
  return trustCard?.grade ?? 'none';
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function folderOf(cwd: string): string {
  return resolve(cwd, '.ludus', 'trust');
}
