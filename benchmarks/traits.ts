/**
 * @file The traits that our rules read in what a speaker says, and those that people see: `npm run bench -- traits --labels=FILE.csv`. The file has the columns text,
 * character, cAGR, cCON, cEXT, cOPN and cNEU, as FriendsPersona has: short scenes as lines of "<b>NAME</b>: …" between <br> marks, and for one of the speakers whether three people put it above the median of all scenes.
 */

import { readFileSync } from 'node:fs';
import type { Trait } from '@ludus-agents/agents/internal/personas/index';
import { areaUnderCurve } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import { readTraitCues } from '@ludus-agents/evaluation/internal/scoring/rules/trait-cues';
import { readCsvRecords } from '@ludus-agents/kernel/internal/core/csv';
import type { Figure, Flags } from './run.ts';

const columns: Readonly<Record<Trait, string>> = { O: 'cOPN', C: 'cCON', E: 'cEXT', A: 'cAGR', N: 'cNEU' };
const traits = Object.keys(columns) as Trait[];

const sample = [
  { text: '<b>Ann</b>: Come along, all of us!<br><br><b>Bob</b>: I prefer it alone.', character: 'Ann', ...labelsOf('1') },
  { text: '<b>Ann</b>: Come along!<br><br><b>Bob</b>: I would rather stay here, quietly.', character: 'Bob', ...labelsOf('0') },
];

function labelsOf(value: string) {
  return Object.fromEntries(Object.values(columns).map((column) => [column, value]));
}

/** What one speaker of a scene says, a line each. */
function linesBy(text: string, speaker: string): readonly string[] {
  return text.split('<br><br>').flatMap((line) => {
    const start = `<b>${speaker}</b>:`;
    return line.startsWith(start) ? [line.slice(start.length).trim()] : [];
  });
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['labels'];
  const rows: readonly Readonly<Record<string, unknown>>[] =
    typeof file === 'string' ? readCsvRecords(readFileSync(file, 'utf8'), file) : sample;
  const scenes = rows.map((row) => {
    const lines = linesBy(String(row['text']), String(row['character']));
    return { row, reading: readTraitCues(lines), isSilent: lines.length === 0 };
  });
  const spoken = scenes.filter(({ isSilent }) => !isSilent);
  const figures = traits.flatMap((trait): readonly Figure[] => {
    const high = spoken.filter(({ row }) => Number(row[columns[trait]]) === 1).map(({ reading }) => reading[trait]);
    const low = spoken.filter(({ row }) => Number(row[columns[trait]]) !== 1).map(({ reading }) => reading[trait]);
    const shown = [...high, ...low].filter((reading) => reading !== 0).length;
    const { value, error } = areaUnderCurve(high, low);
    const decided = high.filter((reading) => reading > 0).length + low.filter((reading) => reading < 0).length;
    return [
      { name: `${trait}: read as shown`, value: shown / spoken.length, unit: 'share' },
      { name: `${trait}: right where read`, value: shown === 0 ? null : decided / shown, unit: 'share', note: `of ${shown}` },
      {
        name: `${trait}: high above low`,
        value,
        unit: 'area under the curve, chance .5',
        note: `${(value - 1.96 * error).toFixed(3)} to ${(value + 1.96 * error).toFixed(3)}`,
      },
    ];
  });
  return [{ name: 'scenes', value: spoken.length, unit: 'scenes' }, ...figures];
}
