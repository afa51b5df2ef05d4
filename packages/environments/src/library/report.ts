/**
 * @file Reports on documents: headings, claims with citations, and a check of every claim against the documents it cites.
 *
 * A claim is supported if one passage of a cited document contains most of its words and all of its numbers. The expected content is a list
 * of points. A point is covered if a supported claim contains most of its words.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { LibraryDocument } from './corpus.ts';

export type ReportClaim = { readonly text: string; readonly cites: readonly string[] };
export type LibraryReport = { readonly headings: readonly string[]; readonly claims: readonly ReportClaim[] };

/** Minimum share of a claim's words that a passage must contain. */
const enough = 0.6;

/**
 * Parses a report. Headings start with "#"; every other sentence is a claim, with citations in round or square brackets: "Clay holds water
 * (soil.md)."
 */
export function parseReport(text: string, ids: readonly string[]): LibraryReport {
  const headings: string[] = [];
  const claims: ReportClaim[] = [];
  for (const line of text.split('\n').map((row) => row.trim())) {
    if (line === '') continue;
    if (line.startsWith('#')) {
      headings.push(line.replace(linear(/^#+\s*/), ''));
      continue;
    }
    // A period inside brackets or before a letter is part of a path.
    for (const sentence of line.replace(linear(/^[-*]\s+/), '').split(linear(/(?<=[.!?)\]])\s+(?=[A-Z])/))) {
      const cites = [...sentence.matchAll(linear(/[([]([^()[\]]+)[)\]]/g))]
        .flatMap((match) => match[1].split(/[,;]\s*/))
        .filter((id) => ids.includes(id.trim()));
      const plain = sentence.replace(linear(/[([][^()[\]]*[)\]]/g), ' ').trim();
      if (termsOf(plain).length >= 2) claims.push({ text: plain, cites: [...new Set(cites.map((id) => id.trim()))] });
    }
  }
  return { headings, claims };
}

/** Returns the passages of a document: each sentence with the next one. */
function passagesOf(text: string): readonly string[] {
  const sentences = text
    .replace(linear(/<[^>]*>/g), ' ')
    .split(linear(/(?<=[.!?])\s+|\n+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !sentence.startsWith('#'));
  return sentences.map((sentence, i) => `${sentence} ${sentences[i + 1] ?? ''}`.trim());
}

const numbersIn = (text: string): readonly string[] => text.match(/\d+(?:[.,]\d+)*/g) ?? [];
const contentTerms = (text: string) => [...new Set(termsOf(text))].filter((term) => term.length > 2 && !filler.has(term));
const filler = new Set(
  'the and for are was were with that this from has have not but its into than then they them their when which who will would can could there also'.split(
    ' ',
  ),
);

/** Returns whether a passage supports a text: it contains most words and every number. */
function isCovered(terms: readonly string[], numbers: readonly string[], passage: string): boolean {
  const there = new Set(termsOf(passage));
  return (
    terms.length > 0 &&
    terms.filter((term) => there.has(term)).length >= enough * terms.length &&
    numbers.every((number) => numbersIn(passage).includes(number))
  );
}

export function isSupported({ text, cites }: ReportClaim, documents: readonly LibraryDocument[]): boolean {
  const [terms, numbers] = [contentTerms(text), numbersIn(text)];
  return documents.some(
    (document) => cites.includes(document.id) && passagesOf(document.text).some((passage) => isCovered(terms, numbers, passage)),
  );
}

export type ReportVerdict = {
  readonly claims: number;
  readonly supported: number;
  readonly cited: number;
  readonly points: number;
  readonly covered: number;
  readonly headings: number;
  /** Supported claims over all claims, covered points over all points, and their harmonic mean. */
  readonly precision: number;
  readonly coverage: number;
  readonly f1: number;
};

export function judgeReport(report: LibraryReport, points: readonly string[], documents: readonly LibraryDocument[]): ReportVerdict {
  const { headings, claims } = report;
  const supported = claims.filter((claim) => isSupported(claim, documents));
  const covered = points.filter((point) => supported.some(({ text }) => isCovered(contentTerms(point), numbersIn(point), text)));
  const precision = claims.length === 0 ? 0 : supported.length / claims.length;
  const coverage = points.length === 0 ? 0 : covered.length / points.length;
  return {
    claims: claims.length,
    supported: supported.length,
    cited: claims.filter(({ cites }) => cites.length > 0).length,
    points: points.length,
    covered: covered.length,
    headings: headings.length,
    precision,
    coverage,
    f1: precision + coverage === 0 ? 0 : (2 * precision * coverage) / (precision + coverage),
  };
}

/** Builds a report from the passages that share most words with the question, with one heading per document. A substitute for a model. */
export function extractReport(ask: string, documents: readonly LibraryDocument[], most = 6): string {
  const wanted = new Set(contentTerms(ask));
  const ranked = documents
    .flatMap(({ id, title, text }) =>
      passagesOf(text).map((passage) => {
        const [sentence = ''] = passage.split(linear(/(?<=[.!?])\s+/));
        return {
          id,
          title,
          sentence: sentence.replace(linear(/[.!?]+$/), ''),
          score: contentTerms(sentence).filter((term) => wanted.has(term)).length,
        };
      }),
    )
    .filter(({ score, sentence }) => score > 0 && !/[()[\]]/.test(sentence))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most);
  const titles = [...new Set(ranked.map(({ title }) => title))];
  return titles
    .map((title) =>
      [`# ${title}`, ...ranked.filter((item) => item.title === title).map(({ sentence, id }) => `${sentence} (${id}).`)].join('\n'),
    )
    .join('\n');
}
