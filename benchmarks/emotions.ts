/**
 * @file The emotion that agents read, and the one that people label: `npm run bench -- emotions --labels=FILE.csv`. The file has the columns Utterance and
 * Emotion, as MELD has. Read by our word lists, and by the installed sentence encoder. An utterance without a listed word is read as neutral, and so are
 * acceptance and anticipation, which people had no label for.
 */

import { readFileSync } from 'node:fs';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { emotionVector } from '@ludus-agents/agents/internal/mind/appraise';
import { readFeelings } from '@ludus-agents/agents/internal/mind/feelings';
import { cohenKappa, crossTable } from '@ludus-agents/evaluation/internal/scoring/statistics/agreement';
import { readCsvRecords } from '@ludus-agents/kernel/internal/core/csv';
import type { Figure, Flags } from './run.ts';

/** The places of the vector by the labels of people. */
const labels = ['joy', 'neutral', 'fear', 'surprise', 'sadness', 'disgust', 'anger', 'neutral'] as const;
const names = [...new Set(labels)];

const sample = [
  { Utterance: 'I am so happy.', Emotion: 'joy' },
  { Utterance: 'You liar!', Emotion: 'anger' },
  { Utterance: 'It is nine.', Emotion: 'neutral' },
];

function strongestOf(values: readonly number[]): string {
  const most = Math.max(...values);
  return most === 1 ? 'neutral' : (labels[values.indexOf(most)] ?? 'neutral');
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['labels'];
  const rows = typeof file === 'string' ? readCsvRecords(readFileSync(file, 'utf8'), file) : sample;
  const texts = rows.map((row) => String(row['Utterance']));
  const people = rows.map((row) => String(row['Emotion']));
  const encoder = await installedEncoder();
  const isNeutral = people.map((label) => label === 'neutral');
  return [
    { name: 'utterances', value: rows.length, unit: 'utterances' },
    { name: 'right, always neutral', value: share(isNeutral), unit: 'share' },
    ...compare('word lists', people, texts.map(emotionVector)),
    ...(encoder === null ? [] : compare(encoder.name, people, await readFeelings(texts, encoder.embed))),
  ];
}

function share(of: readonly boolean[]): number {
  return of.filter(Boolean).length / of.length;
}

function compare(by: string, people: readonly string[], vectors: readonly (readonly number[])[]): readonly Figure[] {
  const read = vectors.map(strongestOf);
  const {
    kappa,
    interval: [low, high],
  } = cohenKappa(crossTable(people, read, names as readonly string[]));
  const pairs = people.map((label, i) => ({ label, read: read[i] ?? '' }));
  const felt = pairs.filter(({ label }) => label !== 'neutral');
  return [
    { name: `${by}: read as an emotion`, value: share(read.map((emotion) => emotion !== 'neutral')), unit: 'share' },
    { name: `${by}: right`, value: share(pairs.map(({ label, read }) => label === read)), unit: 'share' },
    { name: `${by}: right where people label an emotion`, value: share(felt.map(({ label, read }) => label === read)), unit: 'share' },
    { name: `${by}: agreement with people (kappa)`, value: kappa, unit: 'kappa', note: `${low.toFixed(3)} to ${high.toFixed(3)}` },
  ];
}
