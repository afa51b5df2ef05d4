/** @file A user's own documents: Markdown or HTML by path, their links, and questions that are supplied or built from the links. */

import { Fault, type Json, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { LibraryDocument } from './corpus.ts';
import type { LibraryQuestion } from './questions.ts';

const longest = 200_000;

/** Parses documents by path. Throws a fault that says what is wrong. */
export function readDocuments(input: Json): readonly LibraryDocument[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new Fault('input', 'library: "documents" must be an object of texts by path, such as {"notes/a.md": "# A …"}.');
  const documents = Object.entries(input as JsonObject).map(([id, text]) => {
    if (typeof text !== 'string' || text.length > longest || !/^[^\s;,[\]]+$/.test(id))
      throw new Fault(
        'input',
        `library: the document ${JSON.stringify(id)} must be a text of up to ${longest} characters, its path without spaces, commas or brackets.`,
      );
    return { id, title: titleOf(text) ?? id, text };
  });
  if (documents.length < 2 || documents.length > 5000)
    throw new Fault('input', `library: "documents" must be 2 to 5,000 texts, but there are ${documents.length}.`);
  return documents;
}

function titleOf(text: string): string | null {
  const match = /^#\s+(.+)$/m.exec(text)?.[1] ?? /<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? linear(/<h1[^>]*>([^<]*)</i).exec(text)?.[1];
  return match === undefined ? null : match.replace(/[[\]]/g, '').trim().slice(0, 120);
}

/** Returns the paths of other documents that a text links to, in Markdown or HTML, resolved relative to the text. */
export function linksOf({ id, text }: LibraryDocument, knownNames: ReadonlySet<string>): readonly string[] {
  const matches = [...text.matchAll(linear(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|href\s*=\s*["']([^"']+)["']/gi))].map(
    (match) => match[1] ?? match[2],
  );
  const links = matches.flatMap((target) => {
    const path = resolveLink(id, target.split(/[#?]/, 1)[0]);
    return path !== id && knownNames.has(path) ? [path] : [];
  });
  return [...new Set(links)];
}

function resolveLink(from: string, to: string): string {
  const parts = to.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of to.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Parses questions written by a user: the question, the answer or the points of a report, and the paths that prove it. */
export function readQuestions(input: Json, documents: readonly LibraryDocument[]): readonly LibraryQuestion[] {
  const knownNames = new Set(documents.map(({ id }) => id));
  if (!Array.isArray(input) || input.length === 0)
    throw new Fault('input', 'library: "questions" must be a list such as [{"ask": "…", "answer": "…", "cites": ["notes/a.md"]}].');
  const questions = input.map((item: Json, i): LibraryQuestion => {
    const { ask, answer, cites, points } = (item ?? {}) as { ask?: Json; answer?: Json; cites?: Json; points?: Json };
    const paths = Array.isArray(cites) ? cites.filter((path): path is string => typeof path === 'string' && knownNames.has(path)) : [];
    const hasPoints = Array.isArray(points) && points.length > 0 && points.every((point) => typeof point === 'string');
    const hasAnswer = typeof answer === 'string' && answer.trim() !== '' && !/[[\];]/.test(answer);
    if (typeof ask !== 'string' || !(hasAnswer || hasPoints) || paths.length === 0 || paths.length !== (cites as Json[]).length)
      throw new Fault(
        'input',
        `library: question ${i + 1} must have "ask", "answer" (without brackets or semicolons) or "points" (a list of sentences), and "cites", paths among the documents.`,
      );
    const right = hasAnswer ? answer.trim() : ask;
    return { ask, answer: right, support: paths, candidates: [], ...(hasPoints ? { points: points as readonly string[] } : {}) };
  });
  // The answers of the other questions are the wrong choices.
  const candidates = [...new Set(questions.map(({ answer }) => answer))];
  return questions.map((question) => ({ ...question, candidates }));
}

/** Returns whether link questions are possible. */
export function hasLinks(documents: readonly LibraryDocument[]): boolean {
  const knownNames = new Set(documents.map(({ id }) => id));
  return documents.some((document) => linksOf(document, knownNames).length > 0);
}

/** Builds the question "Which page links to these two?" backward from the links. Accepts it only if exactly one page does. */
export function linkQuestion(documents: readonly LibraryDocument[], dice: Rng): LibraryQuestion | null {
  const knownNames = new Set(documents.map(({ id }) => id));
  const pages = documents.map((document) => ({ id: document.id, links: linksOf(document, knownNames) }));
  const page = dice.pick(pages);
  if (page.links.length === 0) return null;
  const pair = dice.shuffle(page.links).slice(0, 2);
  if (pages.filter(({ links }) => pair.every((path) => links.includes(path))).length !== 1) return null;
  const titles = pair.map((path) => `"${documents.find(({ id }) => id === path)!.title}" (${path})`);
  return {
    ask: `Which page links to ${titles.join(' and to ')}? Answer with its path.`,
    answer: page.id,
    support: [page.id],
    candidates: documents.map(({ id }) => id),
  };
}
