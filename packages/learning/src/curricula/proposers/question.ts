/** @file Questions in tasks: locates the question, answer and evidence of a task, and answers from documents without a model. */

import type { LibraryDocument } from '@ludus-agents/environments/internal/library/corpus';
import { readDocuments } from '@ludus-agents/environments/internal/library/own-documents';
import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { AnyEnvironment, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A question with the writer's answer and evidence. */
interface WrittenQuestion {
  readonly question: string;
  readonly answer: string;
  /** Paths of the documents that lead to the answer. */
  readonly evidence: readonly string[];
}

/** The question of a task: its "question", "answer" and "evidence", or the first of its "questions"; null without one. */
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

/** The documents of a task; empty if it has none. */
export function documentsOf(environment: AnyEnvironment, input: Json): readonly LibraryDocument[] {
  const taskDocuments = (input as JsonObject)['documents'] ?? null;
  if (taskDocuments !== null) return readDocuments(taskDocuments);
  if (environment.documents === undefined) return [];
  try {
    return readDocuments(environment.documents(environment.task(input)));
  } catch {
    // An incomplete base task has no documents yet.
    return [];
  }
}

/** Answers a question only from documents; empty if they do not contain the answer. */
export type QuestionReader = (question: string, documents: readonly LibraryDocument[]) => string | Promise<string>;

/**
 * Answers without a model: a sentence with a gap ("____") is looked up and filled in; otherwise it takes the sentence most similar to the
 * question, and the name or number in it that the question does not mention.
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

/** The sentences of a text without headings, with links replaced by their text. */
function sentencesOf(text: string): readonly string[] {
  const plain = text.replace(/^#.*$/gm, '').replace(linear(/\[([^\]\n]*)\]\([^)\n]*\)/g), '$1');
  return plain.split(/(?<=[.!?])\s+|\n+/).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

/** Answers that differ only in case and white space are equal. */
export function sameAnswer(a: string, b: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  return plain(a) === plain(b);
}
