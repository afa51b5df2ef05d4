/**
 * @file What similarities mean, use by use: `npm run bench -- encoders [--dialogues=sgd.jsonl] [--paraphrases=msr_paraphrase_test.txt]`.
 *
 * Each threshold is chosen on one half of the pairs and tested on the other, by meaning and by words: of the pairs that belong together, how many are
 * taken for it (recall), and of those that do not, how many are (false alarms).
 */

import { readFileSync } from 'node:fs';
import { type Embedder, likeness, type RelatedPair } from '@ludus-agents/agents/internal/encoders/encoder';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { calibrationPairs } from '@ludus-agents/agents/internal/encoders/pairs';
import { alikeFor } from '@ludus-agents/agents/internal/encoders/thresholds';
import { finderAgent } from '@ludus-agents/agents/internal/finder';
import { isSameQuestion, plain } from '@ludus-agents/desk/internal/faults/manner';
import { searchDocuments } from '@ludus-agents/environments/internal/library/library';
import { likenessOf, type SpokenTurns } from '@ludus-agents/evaluation/internal/scoring/likeness';
import { lexicalEmbedder } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import { wilson } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { sameQuestions, toolRequests } from './_same-questions.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** Relevance that goes on over 1: two wordings of a question are closer than a question and its answer. */
function scaleRelevance({ likeness: [unrelated, related] }: Embedder, a: Float32Array, b: Float32Array): number {
  return (likeness(a, b) - unrelated) / (related - unrelated);
}

interface ScoredPair {
  readonly isSame: boolean;
  readonly score: number;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const encoder = await installedEncoder();
  const all: readonly Embedder[] = encoder === null ? [lexicalEmbedder] : [encoder, lexicalEmbedder];
  const figures: Figure[] = [];
  for (const embedder of all) {
    figures.push(...(await questionFigures(embedder)), ...(await requestFigures(embedder)), ...(await answerFigures(embedder)));
    figures.push(...(await paraphraseFigures(flags, embedder)));
  }
  figures.push(...(await librarySearches('few words shared', calibrationPairs, encoder)));
  figures.push(...(await librarySearches('many words shared', paraphrasesIn(flags).slice(0, 200), encoder)));
  figures.push(rate('same question, rule of the detectors', ruleOnQuestions()));
  if (encoder !== null) figures.push(...(await likenessFigures(flags, encoder)));
  return figures;
}

/** All pairs of wordings, of the same question or not; questions of even places are for setting a threshold. */
async function questionFigures(embedder: Embedder): Promise<readonly Figure[]> {
  const halves = [0, 1].map((half) => sameQuestions.filter((_, i) => (i >> 1) % 2 === half));
  const pairs = await Promise.all(
    halves.map(async (groups) => {
      const vectors = await Promise.all(groups.map((wordings) => embedder.embed(wordings)));
      return groups.flatMap((_, a) =>
        groups.slice(a).flatMap((__, offset) => crossPairs(vectors[a], vectors[a + offset], offset === 0, embedder)),
      );
    }),
  );
  const every = [...pairs[0], ...pairs[1]];
  const highest = every.filter(({ isSame }) => !isSame).map(({ score }) => score);
  highest.sort((a, b) => b - a);
  return [
    ...[0.01, 0.001].flatMap((most) => thresholdFigures(`same question, ${embedder.name}`, pairs[0], pairs[1], most)),
    rate(
      `same question, ${embedder.name}, threshold ${highest[1].toFixed(2)} set for one false alarm in both halves`,
      at(every, highest[1]),
    ),
  ];
}

function crossPairs(
  first: readonly Float32Array[],
  second: readonly Float32Array[],
  isSame: boolean,
  embedder: Embedder,
): readonly ScoredPair[] {
  return first.flatMap((a, i) => (isSame ? second.slice(i + 1) : second).map((b) => ({ isSame, score: scaleRelevance(embedder, a, b) })));
}

async function requestFigures(embedder: Embedder): Promise<readonly Figure[]> {
  const tools = await embedder.embed(toolRequests.map(([tool]) => tool));
  const requests = await Promise.all(toolRequests.map(([, ...texts]) => embedder.embed(texts)));
  const pairsOf = (half: number) =>
    requests.flatMap((vectors, i) =>
      i % 2 !== half
        ? []
        : vectors.flatMap((vector) => tools.map((tool, j) => ({ isSame: i === j, score: scaleRelevance(embedder, vector, tool) }))),
    );
  const figures = thresholdFigures(`tool for a request, ${embedder.name}`, pairsOf(0), pairsOf(1), 0.05);
  const frozen = pairsOf(1);
  return [
    ...figures,
    rate(`tool for a request, ${embedder.name}, threshold ${alikeFor.request.meaning}`, at(frozen, alikeFor.request.meaning)),
  ];
}

/** Sentences that belong together, each with the answers of the others: even places for the threshold, odd ones for the test. */
async function answerFigures(embedder: Embedder): Promise<readonly Figure[]> {
  const pairsOf = async (half: number) => {
    const pairs = calibrationPairs.filter((_, i) => i % 2 === half);
    const [questions, answers] = await Promise.all([embedder.embed(pairs.map(([a]) => a)), embedder.embed(pairs.map(([, b]) => b))]);
    return questions.flatMap((vector, i) =>
      answers.map((other, j) => ({ isSame: i === j, score: scaleRelevance(embedder, vector, other) })),
    );
  };
  return thresholdFigures(`passage for a question, ${embedder.name}`, await pairsOf(0), await pairsOf(1), 0.05);
}

/** Pairs of sentences that mean the same, as people judged. */
function paraphrasesIn(flags: Flags): readonly RelatedPair[] {
  return newsIn(flags).flatMap(([label, , , first, second]) => (label === '1' ? [[first, second] as const] : []));
}

function newsIn(flags: Flags): readonly (readonly string[])[] {
  const file = flags['paraphrases'];
  const [, ...rows] = typeof file === 'string' ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return rows.map((row) => row.trim().split('\t'));
}

/** Sentences of news that people judged: the same, or not quite. Pairs of neighboring rows are about other things. */
async function paraphraseFigures(flags: Flags, embedder: Embedder): Promise<readonly Figure[]> {
  const cells = newsIn(flags);
  if (cells.length === 0) return [];
  const [first, second] = await Promise.all([embedder.embed(cells.map((row) => row[3])), embedder.embed(cells.map((row) => row[4]))]);
  const scored = (wanted: string) =>
    cells.flatMap(([label], i) => (label === wanted ? [{ isSame: true, score: scaleRelevance(embedder, first[i], second[i]) }] : []));
  const apart = first.map((vector, i) => ({ isSame: false, score: scaleRelevance(embedder, vector, second[(i + 1) % second.length]) }));
  const { meaning } = alikeFor.rewording;
  return [
    rate(`the same news, ${embedder.name}, threshold ${meaning}`, at([...scored('1'), ...apart], meaning)),
    rate(`nearly the same news, ${embedder.name}, threshold ${meaning}`, at([...scored('0'), ...apart], meaning)),
  ];
}

/** How often the document that answers a question is listed first, and among the first three. */
async function librarySearches(name: string, pairs: readonly RelatedPair[], encoder: Embedder | null): Promise<readonly Figure[]> {
  const documents = pairs.map(([, text], i) => ({ id: `d${i}`, title: `d${i}`, text }));
  const listed = async (how: 'words' | 'meaning' | 'both' | 'finder', query: string): Promise<readonly string[]> => {
    if (how !== 'finder') return searchDocuments(documents, query, 3, how === 'words' ? undefined : how).map(({ id }) => id);
    const shown = { kind: 'message', to: ['finder'], text: '', data: documents } as const;
    const turn = { view: { seat: 'finder', seen: [shown] }, ask: { seat: 'finder', data: { query, results: 3 } }, rng: rng(1) };
    const recall = encoder === null ? undefined : { ...encoder, calibration: async () => encoder.likeness };
    return (await finderAgent('finder', recall).act(turn as Turn, new AbortController().signal)).action.text.split(' ');
  };
  if (pairs.length === 0) return [];
  const figures: Figure[] = [];
  for (const how of ['words', 'meaning', 'both', 'finder'] as const) {
    const places: number[] = [];
    for (const [i, [question]] of pairs.entries()) places.push((await listed(how, question)).indexOf(`d${i}`));
    for (const [place, most] of [['first', 1] as const, ['among three', 3] as const]) {
      const right = places.filter((at) => at >= 0 && at < most).length;
      const [low, high] = wilson(right, places.length);
      const by = how === 'finder' && encoder !== null ? `finder (${encoder.name})` : how;
      const note = `95% ${low.toFixed(2)} to ${high.toFixed(2)}; ${places.length} questions and documents`;
      figures.push({ name: `library search, ${name}, ${by}, ${place}`, value: right / places.length, unit: 'share', note });
    }
  }
  return figures;
}

/** The lowest threshold with at most this many false alarms on the first pairs, and what it does on the second. */
function thresholdFigures(name: string, training: readonly ScoredPair[], unseen: readonly ScoredPair[], most: number): readonly Figure[] {
  const others = training.filter(({ isSame }) => !isSame).map(({ score }) => score);
  others.sort((a, b) => b - a);
  const threshold = others[Math.floor(most * others.length)] + 1e-9;
  return [rate(`${name}, threshold ${threshold.toFixed(2)} set for ${most} false alarms`, at(unseen, threshold))];
}

interface Rates {
  readonly right: number;
  readonly same: number;
  readonly wrong: number;
  readonly other: number;
}

function at(pairs: readonly ScoredPair[], threshold: number): Rates {
  const count = (isSame: boolean) => pairs.filter((pair) => pair.isSame === isSame);
  const over = (isSame: boolean) => count(isSame).filter(({ score }) => score > threshold).length;
  return { right: over(true), same: count(true).length, wrong: over(false), other: count(false).length };
}

function rate(name: string, { right, same, wrong, other }: Rates): Figure {
  const [low, high] = wilson(right, same);
  return {
    name,
    value: right / same,
    unit: 'recall',
    note: `95% ${low.toFixed(2)} to ${high.toFixed(2)}; false alarms ${(wrong / other).toFixed(3)} of ${other}`,
  };
}

function ruleOnQuestions(): Rates {
  const groups = sameQuestions.filter((_, i) => (i >> 1) % 2 === 1).map((wordings) => wordings.map(plain));
  const counts = { right: 0, same: 0, wrong: 0, other: 0 };
  for (const [a, first] of groups.entries())
    for (const [b, second] of groups.entries())
      for (const [i, item] of first.entries())
        for (const [j, other] of second.entries()) {
          if (b < a || (a === b && j <= i)) continue;
          const isTaken = isSameQuestion(item, other);
          if (a === b) {
            counts.same++;
            counts.right += Number(isTaken);
          } else {
            counts.other++;
            counts.wrong += Number(isTaken);
          }
        }
  return counts;
}

/** Conversations of people against those of the same people (control), and against those whose content is another kind's. */
async function likenessFigures(flags: Flags, encoder: Embedder): Promise<readonly Figure[]> {
  const file = flags['dialogues'];
  if (typeof file !== 'string') return [];
  const first = Number(flags['first'] ?? 7001);
  const seeds = Array.from({ length: sizeOf(flags, 'seeds', 5, 2) }, (_, i) => first + i);
  const talks = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { services: readonly string[]; turns: readonly { speaker: string; text: string }[] })
    .filter(({ services }) => services.length === 1)
    .map(({ services, turns }) => ({
      kind: services[0].replace(/_\d+$/, ''),
      turns: turns.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : [])),
    }));
  const kinds = Map.groupBy(talks, ({ kind }) => kind);
  const large = [...kinds.values()].filter((group) => group.length >= 24);
  const arms = { 'the same people': [] as Pair[], 'people with other goals': [] as Pair[] };
  for (const seed of seeds) {
    const dice = rng(seed, 'likeness');
    const [first, other] = dice.shuffle(large).map((group) => dice.shuffle(group).map(({ turns }) => turns));
    arms['the same people'].push(await accuracies(first.slice(0, 12), first.slice(12, 24), seed, encoder));
    arms['people with other goals'].push(await accuracies(first.slice(0, 12), other.slice(0, 12), seed, encoder));
  }
  return Object.entries(arms).map(([name, pairs]) => {
    const { value, interval } = pairedDifference(pairs);
    const note = `with ${encoder.name} less style alone; 95% ${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}; with ${mean(pairs.map(({ a }) => a)).toFixed(2)}, without ${mean(pairs.map(({ b }) => b)).toFixed(2)}; chance .5`;
    return { name: `likeness, ${name}`, value, unit: 'accuracy', note };
  });
}

interface Pair {
  readonly a: number;
  readonly b: number;
}

async function accuracies(first: readonly SpokenTurns[], second: readonly SpokenTurns[], seed: number, encoder: Embedder): Promise<Pair> {
  const all = [...first, ...second];
  const vectors = await encoder.embed(all.map((turns) => turns.join('\n')));
  const meanings = { encoder: encoder.name, of: new Map(all.map((turns, i) => [turns, vectors[i]])) };
  return { a: likenessOf(first, second, seed, meanings).accuracy, b: likenessOf(first, second, seed).accuracy };
}
