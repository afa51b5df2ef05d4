/**
 * @file Profile and dialogue held against each other sentence by sentence (after BEYOND DIALOGUE): a reader says for each sentence of a character which entries
 * of its profile the sentence shows or contradicts. The scorer reports the share; `ludus persona align` adjusts profiles and makes training data.
 */

import { type Persona, parsePersona, sentences, type Trait, traitWords, withNames } from '@ludus-agents/agents/internal/personas/index';
import type { Evidence, Score, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { logOf, type Utterance, wordsBy } from '../rules/log.ts';
import { evidenceOf } from '../scorer.ts';
import { type SmallModels, seatsOf } from './apc.ts';
import { labelOf, likeness, provenanceOf, relevanceOf } from './small.ts';

/** An entry of a profile as a sentence about the character. */
interface ProfileEntry {
  readonly dimension: 'character' | 'personality' | 'relationship';
  /** The id of a statement, a trait, or a person. */
  readonly entry: string;
  readonly text: string;
}

/** One sentence compared with one entry of the profile. */
export interface AlignedSentence extends ProfileEntry {
  readonly event: number;
  readonly sentence: string;
  readonly verdict: 'shows' | 'contradicts';
}

interface Alignment {
  readonly sentences: number;
  /** Pairs of a sentence and an entry that the reader judged. */
  readonly compared: number;
  readonly alignments: readonly AlignedSentence[];
}

/** A trait this near the middle has no pole to show. */
const middle = 10;
/** The number of most relevant entries that a sentence is compared with. The reader decides whether it concerns them. */
const mostEntries = 4;
/** Shared words cannot tell which entries a paraphrase concerns, so a model is asked about this many. */
const mostByWords = 12;

/** The entries of a profile, each as a sentence about the character. */
function entriesOf(persona: Persona): readonly ProfileEntry[] {
  const { name, statements, identity, relations } = withNames(persona);
  return [
    ...statements
      .filter(({ kind }) => kind !== 'style')
      .map(
        ({ id, text, polarity }): ProfileEntry => ({
          dimension: 'character',
          entry: id,
          text: polarity === 'must' ? text : `It is not so that: ${text}`,
        }),
      ),
    ...Object.entries(identity.personal.bigFive ?? {}).flatMap(([trait, { score }]): readonly ProfileEntry[] =>
      Math.abs(score - 50) < middle
        ? []
        : [{ dimension: 'personality', entry: trait, text: `${name} is ${traitWords(trait as Trait, score)}.` }],
    ),
    ...relations.flatMap(({ to, affinity }): readonly ProfileEntry[] =>
      affinity === 0 ? [] : [{ dimension: 'relationship', entry: to, text: `${name} ${affinity > 0 ? 'likes' : 'dislikes'} ${to}.` }],
    ),
  ];
}

/** Compares every sentence of some lines with the profile of their speaker. */
export async function alignLines(
  lines: readonly Utterance[],
  persona: Persona,
  { nli, embedder }: SmallModels,
  signal?: AbortSignal,
): Promise<Alignment> {
  const entries = entriesOf(persona);
  const entryVectors = await embedder.embed(entries.map(({ text }) => text));
  const isBlind = embedder.basis === 'lexical' && nli.basis === 'model';
  const alignments: AlignedSentence[] = [];
  let [spokenCount, compared] = [0, 0];
  for (const { event, text } of lines)
    for (const sentence of sentences(text)) {
      signal?.throwIfAborted();
      spokenCount++;
      const [vector = new Float32Array()] = await embedder.embed([sentence]);
      const relevant = entries
        .map((entry, i) => ({ entry, relevance: relevanceOf(embedder, likeness(entryVectors[i] ?? vector, vector)) }))
        .filter(({ relevance }) => isBlind || relevance > 0)
        .sort((a, b) => b.relevance - a.relevance)
        .slice(0, isBlind ? mostByWords : mostEntries);
      const verdicts = await nli.classify(relevant.map(({ entry }) => ({ premise: entry.text, hypothesis: sentence })));
      compared += relevant.length;
      for (const [i, { entails, neutral, contradicts }] of verdicts.entries()) {
        const verdict =
          entails > Math.max(neutral, contradicts) ? 'shows' : contradicts > Math.max(neutral, entails) ? 'contradicts' : null;
        const pair = relevant[i];
        if (verdict !== null && pair !== undefined) alignments.push({ event, sentence, ...pair.entry, verdict });
      }
    }
  return { sentences: spokenCount, compared, alignments };
}

const mostQuotes = 12;
const code = 'sentence-alignment@2';

/** Of the sentences that bear on the profile, the share that shows it. `shown` is the share of the profile that any sentence shows. */
export function alignmentScorer(models: SmallModels): Scorer {
  const provenance = provenanceOf({ code, nli: labelOf(models.nli), embedder: labelOf(models.embedder) });
  const common = {
    ...{ name: 'sentence-alignment', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 }, scale: [0, 1] as const },
    ...{ floor: 0.5, provenance },
  };
  return {
    name: 'sentence-alignment',
    tier: 'small',
    identity: provenance.hash,
    async score(input, signal) {
      const scores: Score[] = [];
      const [episode] = input.episodes;
      for (const [seat, json] of seatsOf(input)) {
        const persona = parsePersona(json);
        const log = episode === undefined || input.episodes.length > 1 ? undefined : logOf(episode);
        const lines = log === undefined ? [] : wordsBy(log, seat);
        const { alignments, ...counts } = await alignLines(lines, persona, models, signal);
        const share = (of: readonly AlignedSentence[]) =>
          of.length === 0 ? null : of.filter(({ verdict }) => verdict === 'shows').length / of.length;
        const of = (dimension: ProfileEntry['dimension']) => share(alignments.filter((aligned) => aligned.dimension === dimension));
        const shownEntries = new Set(alignments.flatMap(({ verdict, entry }) => (verdict === 'shows' ? [entry] : [])));
        const entryCount = entriesOf(persona).length;
        const parts = {
          ...{ character: of('character'), personality: of('personality'), relationship: of('relationship') },
          shown: entryCount === 0 ? null : shownEntries.size / entryCount,
          ...counts,
        };
        const value = share(alignments);
        if (value === null || log === undefined)
          scores.push({ ...common, seat, value: null, status: 'not-applicable', parts, evidence: [] });
        else scores.push({ ...common, seat, value, status: 'ok', parts, evidence: quotesOf(log, lines, alignments) });
      }
      return scores;
    },
  };
}

/** Contradictions first, because they are the most interesting. */
function quotesOf(log: ReturnType<typeof logOf>, lines: readonly Utterance[], alignments: readonly AlignedSentence[]): readonly Evidence[] {
  return [...alignments]
    .sort((a, b) => Number(a.verdict === 'shows') - Number(b.verdict === 'shows'))
    .slice(0, mostQuotes)
    .flatMap(({ event, sentence, dimension, text, verdict }) => {
      const line = lines.find((utterance) => utterance.event === event);
      if (line === undefined || !line.text.includes(sentence)) return [];
      return evidenceOf(log, line, { quote: sentence, supports: verdict === 'shows', note: `${dimension}: ${text}` });
    });
}
