/**
 * @file The emotion that our word lists read, and the one that people label: `npm run bench -- emotions --labels=FILE.csv`. The file has the columns Utterance and
 * Emotion, as MELD has. An utterance without a listed word is read as neutral, and so are acceptance and anticipation, which people had no label for.
 */

import { readFileSync } from 'node:fs';
import { emotionVector } from '@ludus-agents/agents/internal/mind/appraise';
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

function readEmotion(text: string): string {
  const values = emotionVector(text);
  const most = Math.max(...values);
  return most === 1 ? 'neutral' : (labels[values.indexOf(most)] ?? 'neutral');
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['labels'];
  const rows = typeof file === 'string' ? readCsvRecords(readFileSync(file, 'utf8'), file) : sample;
  const pairs = rows.map((row) => ({ label: String(row['Emotion']), read: readEmotion(String(row['Utterance'])) }));
  const table = crossTable(
    pairs.map(({ label }) => label),
    pairs.map(({ read }) => read),
    names as readonly string[],
  );
  const share = (of: readonly boolean[]) => of.filter(Boolean).length / of.length;
  const {
    kappa,
    interval: [low, high],
  } = cohenKappa(table);
  const felt = pairs.filter(({ label }) => label !== 'neutral');
  return [
    { name: 'utterances', value: pairs.length, unit: 'utterances' },
    { name: 'read as an emotion', value: share(pairs.map(({ read }) => read !== 'neutral')), unit: 'share' },
    { name: 'right', value: share(pairs.map(({ label, read }) => label === read)), unit: 'share' },
    { name: 'right, always neutral', value: share(pairs.map(({ label }) => label === 'neutral')), unit: 'share' },
    { name: 'right where people label an emotion', value: share(felt.map(({ label, read }) => label === read)), unit: 'share' },
    { name: 'agreement with people (kappa)', value: kappa, unit: 'kappa', note: `${low.toFixed(3)} to ${high.toFixed(3)}` },
  ];
}
