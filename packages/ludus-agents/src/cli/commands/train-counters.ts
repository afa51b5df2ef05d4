/** @file `ludus train --counters`: tabulates the activity of each recipe's mechanism in a few updates. */

import { recipeNames } from '@ludus-agents/learning/internal/recipes';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { type CounterRow, countMechanism } from '@ludus-agents/learning/internal/training/counter-table';
import { exits } from '../command.ts';
import { print, printJson, type Terminal } from '../terminal.ts';

/** Updates per recipe; tables get more while a counter is still 0. */
const updates = 8;

export async function showCounters(
  word: string | undefined,
  load: (name: string) => Promise<Recipe>,
  { terminal, seed, json }: { readonly terminal: Terminal; readonly seed: number; readonly json: boolean },
): Promise<number> {
  const names = word === undefined ? Object.keys(recipeNames) : word.split(',').map((name) => name.trim());
  const rows: CounterRow[] = [];
  for (const name of names) {
    const row = await countMechanism(await load(name), { updates, seed, cwd: terminal.cwd, trust: terminal.trust });
    rows.push(row);
    if (!json) print(terminal, rowText(row));
    await new Promise(setImmediate);
  }
  if (json) printJson(terminal, rows);
  return rows.some(({ mechanism }) => mechanism !== null && !mechanism.acted) ? exits.found : exits.fine;
}

function rowText({ recipe, environments, updates, mechanism, refused }: CounterRow): string {
  const what =
    refused !== null ? `cannot run as it is: ${refused}` : mechanism === null ? 'plays the complete game tree' : countsText(mechanism);
  return `${recipe.padEnd(26)} ${environments.join(',').slice(0, 24).padEnd(24)} ${String(updates).padStart(4)} ${what}`;
}

function countsText({ counts, acted }: NonNullable<CounterRow['mechanism']>): string {
  const listed = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return `${acted ? '' : 'NEVER ACTED: '}${listed.length === 0 ? 'no counters declared: every update is its mechanism' : listed.join(', ')}`;
}
