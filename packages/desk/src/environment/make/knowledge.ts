/**
 * @file Tasks over a desk's articles with planted noise: duplicates, contradictions (one value changed), stale versions, and articles that only
 * look similar. Each question has a twin without noise, and one task asks for the contradictory pairs.
 */

import type { JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';
import { sentencesOf } from '../../questions.ts';
import type { DeskCase, DeskDatabase, DeskDocument } from '../document.ts';

export type PlantKind = 'duplicate' | 'contradiction' | 'stale' | 'noise';

export interface PlantedArticle {
  readonly kind: PlantKind;
  /** The article that it was made from. */
  readonly of: string;
  readonly id: string;
  readonly row: JsonObject;
  /** The changed value, for contradictions and stale versions. */
  readonly value?: number;
}

interface ArticleFact {
  readonly id: string;
  readonly row: JsonObject;
  readonly sentence: string;
  readonly value: number;
}

/** The first number that each article states, with its sentence. */
function factsIn(articles: DeskDatabase[string]): readonly ArticleFact[] {
  return Object.entries(articles).flatMap(([id, row]) => {
    const sentence = sentencesOf(String(row['text'] ?? '')).find((sentence) => /\b\d+(?:\.\d+)?\b/.test(sentence));
    const match = /\b\d+(?:\.\d+)?\b/.exec(sentence ?? '')?.[0];
    return sentence === undefined || match === undefined ? [] : [{ id, row, sentence: sentence.trim(), value: Number(match) }];
  });
}

/** A different value that no article states. */
function otherValue(value: number, used: ReadonlySet<number>, dice: Rng): number {
  let other = value + 1 + dice.int(9);
  while (used.has(other)) other++;
  return other;
}

/** The noise planted into a base of articles: one of each kind per fact, in turn. */
export function plantArticles({ database, knowledge }: DeskDocument, dice: Rng): readonly PlantedArticle[] {
  const articles = database[knowledge ?? ''] ?? {};
  const facts = factsIn(articles);
  const used = new Set(facts.map(({ value }) => value));
  const kinds: readonly PlantKind[] = ['contradiction', 'stale', 'duplicate', 'noise'];
  return dice.shuffle(facts).map(({ id, row, sentence, value }, i): PlantedArticle => {
    const kind = kinds[i % kinds.length];
    const other = otherValue(value, used, dice);
    used.add(other);
    const text = String(row['text']);
    const changed = text.replace(sentence, sentence.replace(/\b\d+(?:\.\d+)?\b/, String(other)));
    const shared = { kind, of: id, id: `${id}-${kind}` };
    if (kind === 'duplicate') return { ...shared, row: { ...row, title: `${row['title']} (copy)` } };
    if (kind === 'noise')
      return {
        ...shared,
        row: {
          ...row,
          title: `About: ${row['title']}`,
          text: `This page is about the same subject. ${sentence.replace(/\b\d+(?:\.\d+)?\b/g, 'some')}`,
        },
      };
    return { ...shared, value: other, row: { ...row, text: changed, updated: kind === 'stale' ? '1999-01-01' : (row['updated'] ?? null) } };
  });
}

const bare = {
  ...{ customer: null, persona: null, knows: {}, gold: [], refuse: false, insist: 0 },
  ...{ marker: null, planted: null, wrong: null, right: null },
};

/** The search for contradictory articles; the planted articles are its records. */
export function pairsCase(id: string, pairs: readonly string[], records?: DeskDatabase): DeskCase {
  const say = 'Which of your articles contradict each other? Answer with one pair of ids a line, such as "a1 / a2", or with "none".';
  const says = [{ say, kind: 'ask' as const, tell: [] }];
  return { ...bare, id, probe: 'knowledge: pairs', tell: [], never: [], says, pairs, ...(records === undefined ? {} : { records }) };
}

/** Questions about the articles, each with its plain twin, and the search for contradictions with and without planted ones. */
export function knowledgeCases(desk: DeskDocument, dice: Rng): readonly DeskCase[] {
  const { database, knowledge } = desk;
  if (knowledge === undefined) return [];
  const planted = plantArticles(desk, dice);
  const facts = new Map(factsIn(database[knowledge] ?? {}).map((fact) => [fact.id, fact]));
  const questions = planted.flatMap(({ kind, of, id, row, value }): DeskCase[] => {
    const fact = facts.get(of)!;
    const say = `How does this go on in your articles: "${fact.sentence.replace(/\b\d+(?:\.\d+)?\b/, '…')}"?`;
    const shared = { ...bare, tell: [], never: [], says: [{ say, kind: 'ask' as const, tell: [fact.value] }] };
    const both = kind === 'contradiction' && value !== undefined ? [{ say, kind: 'ask' as const, tell: [fact.value, value] }] : shared.says;
    // An agent that reads only the stale version gives an outdated answer.
    const never = kind === 'stale' && value !== undefined ? [String(value)] : [];
    return [
      {
        ...shared,
        id: `knowledge-${kind}-${of}`.slice(0, 50),
        probe: `knowledge: ${kind}`,
        says: both,
        never,
        records: { [knowledge]: { [id]: row } },
      },
      { ...shared, id: `knowledge-${kind}-${of}-plain`.slice(0, 56), probe: 'knowledge: plain' },
    ];
  });
  const all = { [knowledge]: Object.fromEntries(planted.map(({ id, row }) => [id, row])) };
  const pairs = planted.filter(({ kind }) => kind === 'contradiction' || kind === 'stale').map(({ of, id }) => `${of} / ${id}`);
  return [...questions, ...(pairs.length === 0 ? [] : [pairsCase('knowledge-pairs', pairs, all), pairsCase('knowledge-pairs-plain', [])])];
}
