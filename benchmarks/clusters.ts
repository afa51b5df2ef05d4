/**
 * @file How well conversations are grouped by what they are about: `npm run bench -- clusters --dialogues=sgd.jsonl [--seeds=5] [--first=7001]`.
 *
 * The file has one conversation a line, with `turns` (`speaker`, `text`) and `services`, as the Schema-Guided Dialogue data has them; those of one
 * service are used, eight of each. Figures are adjusted Rand indices: 1 for the true groups, about 0 by chance.
 */

import { readFileSync } from 'node:fs';
import type { Embedder } from '@ludus-agents/agents/internal/encoders/encoder';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { clusterTexts } from '@ludus-agents/desk/internal/clusters';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface Dialogue {
  readonly services: readonly string[];
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
}

const each = 8;

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['dialogues'];
  const encoder = await installedEncoder();
  if (typeof file !== 'string' || encoder === null)
    return [{ name: 'groups', value: null, unit: 'ARI', note: 'needs --dialogues=FILE and "ludus models setup minilm"' }];
  const dialogues = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Dialogue)
    .filter(({ services }) => services.length === 1);
  const kindOf = ({ services }: Dialogue) => services[0].replace(/_\d+$/, '');
  const kinds = [...new Set(dialogues.map(kindOf))];
  const first = Number(flags['first'] ?? 7001);
  const seeds = Array.from({ length: sizeOf(flags, 'seeds', 5, 2) }, (_, i) => first + i);
  const figures: Figure[] = [];
  for (const count of [3, 6, 10]) {
    const scores = { words: [] as number[], meaning: [] as number[] };
    for (const seed of seeds) {
      const dice = rng(seed, 'dialogues');
      const sampledKinds = dice.shuffle(kinds).slice(0, count);
      const sample = sampledKinds.flatMap((kind) => dice.shuffle(dialogues.filter((dialogue) => kindOf(dialogue) === kind)).slice(0, each));
      const texts = sample.map(({ turns }) => turns.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : [])).join('\n'));
      const labels = sample.map(kindOf);
      scores.words.push(adjustedRand(labels, await groupsOf(texts, null)));
      scores.meaning.push(adjustedRand(labels, await groupsOf(texts, encoder)));
    }
    const { value, interval } = pairedDifference(scores.meaning.map((a, i) => ({ a, b: scores.words[i] })));
    const note = `meaning less words; 95% ${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}; meaning ${mean(scores.meaning).toFixed(2)}, words ${mean(scores.words).toFixed(2)}; by ${encoder.name}`;
    figures.push({ name: `${count} kinds of conversations`, value, unit: 'ARI', note });
  }
  return figures;
}

async function groupsOf(texts: readonly string[], encoder: Embedder | null): Promise<readonly number[]> {
  const groups = await clusterTexts(texts, encoder);
  return texts.map((_, i) => groups.findIndex(({ members }) => members.includes(i)));
}

/** Hubert and Arabie (1985). */
function adjustedRand(a: readonly string[], b: readonly number[]): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const agreeing = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + pairs(n), 0);
  };
  const [both, left, right] = [agreeing(a.map((label, i) => `${label} ${b[i]}`)), agreeing(a), agreeing(b.map(String))];
  const expected = (left * right) / pairs(a.length);
  return (both - expected) / ((left + right) / 2 - expected);
}
