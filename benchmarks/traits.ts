/**
 * @file The traits that our readers see in what a speaker says, and those that people see.
 *
 * `npm run bench -- traits --labels=FILE.csv`: columns text, character, cAGR, cCON, cEXT, cOPN and cNEU, as FriendsPersona has: short scenes as lines of
 * "<b>NAME</b>: …" between <br> marks, and for one of the speakers whether three people put it above the median of all scenes.
 *
 * `npm run bench -- traits --characters=FILE.csv`: columns group, speaker, text, and the ratings O, C, E, A and N of the speaker by people, empty where there
 * is none. Speakers of one group are compared in pairs whose ratings differ by `--apart` or more (default: 4).
 */

import { readFileSync } from 'node:fs';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import type { Trait } from '@ludus-agents/agents/internal/personas/index';
import { encoderTraitReader } from '@ludus-agents/evaluation/internal/probes/trait-meaning';
import { areaUnderCurve } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import { readTraitCues, type TraitReading } from '@ludus-agents/evaluation/internal/scoring/rules/trait-cues';
import { readCsvRecords } from '@ludus-agents/kernel/internal/core/csv';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { sizeOf } from './_size.ts';
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

type Row = Readonly<Record<string, unknown>>;
type Reader = readonly [name: string, read: (lines: readonly string[]) => Promise<TraitReading>];

async function readers(flags: Flags): Promise<readonly Reader[]> {
  const words: Reader = ['words', async (lines) => readTraitCues(lines)];
  const encoder = flags['smoke'] === true ? null : await installedEncoder();
  if (encoder === null) return [words];
  const byMeaning = encoderTraitReader(encoder);
  return [words, ['meaning', async (lines) => (await byMeaning.read([], lines)) as TraitReading]];
}

async function sceneFigures(rows: readonly Row[], [name, read]: Reader): Promise<readonly Figure[]> {
  const scenes = rows.map((row) => ({ row, lines: linesBy(String(row['text']), String(row['character'])) }));
  const spoken = await Promise.all(
    scenes.filter(({ lines }) => lines.length > 0).map(async ({ row, lines }) => ({ row, reading: await read(lines) })),
  );
  const figures = traits.flatMap((trait): readonly Figure[] => {
    const high = spoken.filter(({ row }) => Number(row[columns[trait]]) === 1).map(({ reading }) => reading[trait]);
    const low = spoken.filter(({ row }) => Number(row[columns[trait]]) !== 1).map(({ reading }) => reading[trait]);
    const shown = [...high, ...low].filter((reading) => reading !== 0).length;
    const { value, error } = areaUnderCurve(high, low);
    const decided = high.filter((reading) => reading > 0).length + low.filter((reading) => reading < 0).length;
    return [
      { name: `${trait} by ${name}: read as shown`, value: shown / spoken.length, unit: 'share' },
      { name: `${trait} by ${name}: right where read`, value: shown === 0 ? null : decided / shown, unit: 'share', note: `of ${shown}` },
      {
        name: `${trait} by ${name}: high above low`,
        value,
        unit: 'area under the curve, chance .5',
        note: `${(value - 1.96 * error).toFixed(3)} to ${(value + 1.96 * error).toFixed(3)}`,
      },
    ];
  });
  return [{ name: 'scenes', value: spoken.length, unit: 'scenes' }, ...figures];
}

interface Speaker {
  readonly group: string;
  readonly ratings: Row;
  readonly reading: TraitReading;
}

/** The share of pairs that a reader orders as people do, and the number of pairs. */
function pairsInOrder(speakers: readonly Speaker[], trait: Trait, apart: number): readonly [rate: number, pairs: number] {
  let [right, pairs] = [0, 0];
  for (const [i, a] of speakers.entries())
    for (const b of speakers.slice(i + 1)) {
      const difference = Number(a.ratings[trait]) - Number(b.ratings[trait]);
      if (a.group !== b.group || a.ratings[trait] === '' || b.ratings[trait] === '' || Math.abs(difference) < apart) continue;
      pairs++;
      right += (Math.sign(difference) * Math.sign(a.reading[trait] - b.reading[trait]) + 1) / 2;
    }
  return [pairs === 0 ? Number.NaN : right / pairs, pairs];
}

async function characterFigures(rows: readonly Row[], [name, read]: Reader, flags: Flags): Promise<readonly Figure[]> {
  const apart = Number(flags['apart'] ?? 4);
  const draws = sizeOf(flags, 'draws', 500, 10);
  const speakers: Speaker[] = [];
  for (const lines of Map.groupBy(rows, (row) => `${row['group']}\n${row['speaker']}`).values()) {
    const [ratings = {}] = lines;
    speakers.push({ group: String(ratings['group']), ratings, reading: await read(lines.map(({ text }) => String(text))) });
  }
  const figures = traits.flatMap((trait): readonly Figure[] => {
    const [value, pairs] = pairsInOrder(speakers, trait, apart);
    if (pairs === 0) return [];
    const dice = rng(7013, trait);
    const drawn = Array.from(
      { length: draws },
      () =>
        pairsInOrder(
          speakers.map(() => dice.pick(speakers)),
          trait,
          apart,
        )[0],
    )
      .filter((rate) => !Number.isNaN(rate))
      .sort((a, b) => a - b);
    const at = (share: number) => (drawn[Math.floor(share * (drawn.length - 1))] ?? Number.NaN).toFixed(3);
    const note = `${at(0.025)} to ${at(0.975)}, speakers drawn again; ${pairs} pairs`;
    return [{ name: `${trait} by ${name}: pairs in the order of people`, value, unit: 'share, chance .5', note }];
  });
  return [{ name: 'speakers', value: speakers.length, unit: 'speakers' }, ...figures];
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const read = (flag: string, sample: readonly Row[]): readonly Row[] => {
    const file = flags[flag];
    return typeof file === 'string' ? readCsvRecords(readFileSync(file, 'utf8'), file) : sample;
  };
  const figures: Figure[] = [];
  const isDefault = flags['characters'] === undefined;
  for (const reader of await readers(flags)) {
    if (isDefault || flags['labels'] !== undefined) figures.push(...(await sceneFigures(read('labels', sample), reader)));
    if (!isDefault) figures.push(...(await characterFigures(read('characters', []), reader, flags)));
  }
  return figures.filter(({ name }, i) => figures.findIndex((figure) => figure.name === name) === i);
}
