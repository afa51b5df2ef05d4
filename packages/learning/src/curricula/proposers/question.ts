/** @file Questions in tasks: where a task keeps its question, answer and evidence, and a reader without a model that answers from documents. */

import type { LibraryDocument } from '@ludus-agents/environments/internal/library/corpus';
import { readDocuments } from '@ludus-agents/environments/internal/library/own-documents';
import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { AnyEnvironment, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A question as its writer wrote it. */
interface WrittenQuestion {
  readonly question: string;
  readonly answer: string;
  /** Paths of the documents that lead to the answer. */
  readonly evidence: readonly string[];
}

/** The question of a task: its "question", "answer" and "evidence", or the first of its "questions"; null where it has none. */
export function questionIn(task: Json): WrittenQuestion | null {
  const { question, answer, evidence, questions } = (task ?? {}) as JsonObject;
  if (typeof question === 'string' && question !== '') return readQuestion(question, answer, evidence);
  const [first] = Array.isArray(questions) ? questions : [];
  if (typeof first !== 'object' || first === null) return null;
  const { ask, answer: right, cites } = first as JsonObject;
  return typeof ask === 'string' ? readQuestion(ask, right, cites) : null;
}

function readQuestion(question: string, answer: Json | undefined, evidence: Json | undefined): WrittenQuestion {
  const paths = Array.isArray(evidence) ? evidence.filter((path): path is string => typeof path === 'string') : [];
  return { question, answer: typeof answer === 'string' ? answer : '', evidence: paths };
}

/** The documents that a task is about; none where it has none. */
export function documentsOf(environment: AnyEnvironment, input: Json): readonly LibraryDocument[] {
  const taskDocuments = (input as JsonObject)['documents'] ?? null;
  if (taskDocuments !== null) return readDocuments(taskDocuments);
  if (environment.documents === undefined) return [];
  try {
    return readDocuments(environment.documents(environment.task(input)));
  } catch {
    // A base that is not a whole task yet has no documents yet.
    return [];
  }
}

/** Answers a question from documents alone; an empty answer where they do not tell. */
export type QuestionReader = (question: string, documents: readonly LibraryDocument[]) => string | Promise<string>;

/**
 * Reads without a model: a sentence with a gap ("____") is looked up and filled in; else the sentence nearest to the question is taken, and
 * the name or number in it that the question does not mention.
 */
export const ruleReader: QuestionReader = (question, documents) => {
  const sentences = documents.flatMap(({ text }) => sentencesOf(text));
  const [, quoted] = linear(/"([^"]*____[^"]*)"/).exec(question) ?? [];
  if (quoted !== undefined) {
    const [before = '', after = ''] = quoted.split('____', 2);
    const match = sentences.find(
      (sentence) => sentence.startsWith(before.trim()) && sentence.endsWith(after.trim()) && sentence.length > before.length + after.length,
    );
    return match === undefined ? '' : match.slice(before.trim().length, match.length - after.trim().length).trim();
  }
  const scores = bm25(
    termsOf(question),
    sentences.map((sentence) => termsOf(sentence)),
  );
  const best = scores.indexOf(Math.max(0, ...scores));
  if (best < 0 || scores[best] === 0) return '';
  const facts = sentences[best].match(linear(/\p{Lu}\p{L}+ \p{Lu}\p{L}+|\d[\d.,]*\d|\d/gu)) ?? [];
  return facts.find((fact) => !question.includes(fact)) ?? '';
};

/** The sentences of a text without headings, links as the words they show. */
function sentencesOf(text: string): readonly string[] {
  const plain = text.replace(/^#.*$/gm, '').replace(linear(/\[([^\]\n]*)\]\([^)\n]*\)/g), '$1');
  return plain.split(/(?<=[.!?])\s+|\n+/).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

/** Texts that differ by case and white space only are the same answer. */
export function sameAnswer(a: string, b: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  return plain(a) === plain(b);
}
