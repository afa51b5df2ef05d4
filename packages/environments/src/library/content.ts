/** @file A library from files: documents, and questions with answers or with the points of a report. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { boolean, object, optional, required, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { type ContentReader, refuseDuplicates, textOrNumber, texts } from '../content/content.ts';
import { readDocuments } from './own-documents.ts';
import { isSupported, judgeReport } from './report.ts';

const questionShape = object({
  id: optional(textOrNumber, 'the name of its case; q1, q2, … unless set'),
  held: withDefault(boolean, false, 'keep it out of training'),
  ask: required(words, 'the question'),
  answer: optional(textOrNumber, 'the answer in a few words'),
  cites: required(texts, 'documents that prove the answer'),
  points: optional(texts, 'what a report should say, a sentence each'),
});

export const libraryContent: ContentReader = {
  files: {
    'documents/': 'Markdown, HTML or text files; their paths are their names',
    'questions.json': 'questions: ask, answer, cites, points for reports, id, and held (true keeps a question out of training)',
  },
  seat: 'reader',
  best: 'researcher',
  pass: 0.5,
  // The question is in the first message.
  window: 0,
  read(source, task) {
    const names = source.namesUnder('documents', ['.md', '.html', '.txt']);
    const documents = Object.fromEntries(names.map((name) => [name.slice('documents/'.length), source.text(name)]));
    if (names.length < 2) source.refuse('documents/', null, `expected at least 2 documents (.md, .html, .txt), got ${names.length}`);
    for (const name of names)
      if (/[\s;,[\]]/.test(name)) source.refuse(name, null, 'rename the file: spaces, commas, semicolons and brackets cannot be cited');
    const rows = source.table('questions', questionShape);
    const cases = rows.map((row, i) => ({
      ...row,
      value: { id: row.value.id ?? `q${i + 1}`, task: { question: i + 1 }, heldOut: row.value.held },
    }));
    refuseDuplicates(source, cases);
    const ids = Object.keys(documents);
    for (const { value, file, line } of rows) {
      const { ask, answer, cites, points } = value;
      for (const path of cites)
        if (!ids.includes(path)) source.refuse(file, line, `"${ask}" cites "${path}", which is not under documents/`);
      if (answer === undefined && points === undefined) source.refuse(file, line, `"${ask}" has neither an answer nor points`);
      if (answer !== undefined && /[[\];]/.test(answer))
        source.refuse(file, line, `the answer "${answer}" must not have brackets or semicolons`);
    }
    const isGood = source.problems.length === 0;
    const read = isGood ? readDocuments(documents) : [];
    const isReport = task['report'] === true;
    if (isGood)
      for (const { value, file, line } of rows) {
        const { answer, cites, points = [] } = value;
        const cited = read.filter(({ id }) => cites.includes(id));
        // A short answer that is not in any cited document cannot be found by reading them.
        const isThere = answer === undefined || cited.some(({ text }) => text.toLowerCase().includes(answer.toLowerCase()));
        if (!isReport && !isThere)
          source.refuse(file, line, `the answer "${answer}" is in none of the documents it cites (${cites.join(', ')})`);
        if (isReport && points.length === 0) source.refuse(file, line, `"${value.ask}" has no points, and world.json asks for reports`);
        for (const point of points)
          if (!isSupported({ text: point, cites }, read))
            source.refuse(file, line, `the point "${point}" is not supported by the documents it cites`);
      }
    const questions = rows.map(({ value: { id: _, held: __, ...question } }) => question);
    const best =
      isReport && source.problems.length === 0
        ? questions.map(
            ({ points = [], cites }) => judgeReport({ headings: [], claims: points.map((text) => ({ text, cites })) }, points, read).f1,
          )
        : [];
    return {
      task: { documents, questions, question: 0 },
      cases: cases.map(({ value }) => value),
      ...(task['team'] === true ? { seats: ['planner', 'retriever', 'writer'] } : {}),
      turns: 70 * 4,
      proofs: [
        `${count(names.length, 'document')} and ${count(rows.length, 'question')}; every question cites documents that are there.`,
        isReport
          ? `Every point is supported by what it cites, so a report can earn ${Math.min(...best).toFixed(2)} or more on every question.`
          : 'Every answer is written in a document that its question cites.',
      ],
    };
  },
};
