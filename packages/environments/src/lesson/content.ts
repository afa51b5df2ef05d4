/** @file A lesson from files: concepts, questions with their answers, and students. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { conceptShape, type Material, problemsOfMaterial, questionShape, studentShape } from './material.ts';

export const lessonContent: ContentReader = {
  files: {
    'concepts.json': 'what is to be understood: id, idea, needs, cues',
    'questions.json': 'questions: id, concept, ask, answers, wrong, quiz; or questions.csv with "|" between answers',
    'students.json': 'optional: students with id, lacks, manner, and held (true keeps a student out of training)',
  },
  seat: 'tutor',
  others: { student: 'scripted:student' },
  best: 'diagnose',
  scale: [-1, 1],
  pass: 0.2,
  read(source, task) {
    const tables = {
      concepts: source.table('concepts', conceptShape),
      questions: source.table('questions', questionShape),
      students: source.holdableTable('students', studentShape, { isOptional: true }),
    };
    const isReadable = source.problems.length === 0;
    for (const rows of Object.values(tables)) refuseDuplicates(source, rows as never);
    const material: Material = {
      concepts: tables.concepts.map(({ value }) => value),
      questions: tables.questions.map(({ value }) => value),
      students: tables.students.map(({ value }) => value),
    };
    // Unresolved names are reported only if every row could be parsed.
    if (isReadable)
      for (const { table, index, message } of problemsOfMaterial(material)) {
        const { file, line } = tables[table][index];
        source.refuse(file, line, message);
      }
    const { concepts, students } = material;
    const quiz = material.questions.filter((question) => question.quiz).length;
    const turns = numberOf(task['turns'], 10);
    const [explanations, needed] = [numberOf(task['explanations'], 2), numberOf(task['needed'], 2)];
    // Explanations are used first; the remaining lacks need questions.
    const turnsFor = (lacks: number) => Math.min(lacks, explanations) + needed * Math.max(0, lacks - explanations);
    const lacking = students.length > 0 ? students.map(({ lacks }) => lacks.length) : [concepts.length];
    const taught = lacking.filter((lacks) => turnsFor(lacks) <= turns).length;
    const who =
      students.length > 0
        ? `${taught} of ${count(students.length, 'student')}`
        : taught > 0
          ? 'Even a student who lacks everything'
          : 'No student who lacks everything';
    return {
      task: { material },
      cases: tables.students.map(({ value: student, heldOut }) => ({
        ...{ id: student.id, task: { material: { ...material, students: [student] } }, heldOut },
      })),
      turns: (2 * turns + 2) * 4,
      proofs: [
        `${count(concepts.length, 'concept')}, ${count(material.questions.length - quiz, 'practice question')} and ${count(quiz, 'quiz question')}; every concept has both kinds.`,
        'Concepts can be taught in the order of the file: each needs only earlier ones.',
        `${who} can be taught everything in ${count(turns, 'turn')} with ${count(explanations, 'explanation')}.`,
        'No explanation contains the answer to a quiz question, and no wrong answer is accepted as right.',
      ],
    };
  },
};

function numberOf(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
