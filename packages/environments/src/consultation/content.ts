/** @file Consultations from files: symptoms, and conditions with treatments. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { type ConsultTable, conditionShape, fittingConditions, problemsOfConsult, symptomShape } from './cases.ts';

export const consultationContent: ContentReader = {
  files: {
    'symptoms.json': 'symptoms: id, says, cues; or symptoms.csv',
    'conditions.json': 'conditions: id, symptoms, treatment, profile; or conditions.csv',
  },
  seat: 'therapist',
  others: { patient: 'scripted:patient' },
  best: 'differential',
  scale: [-1, 1],
  pass: 0.8,
  read(source, task) {
    const tables = { symptoms: source.table('symptoms', symptomShape), conditions: source.table('conditions', conditionShape) };
    const isReadable = source.problems.length === 0;
    for (const rows of Object.values(tables)) refuseDuplicates(source, rows as never);
    const table: ConsultTable = {
      symptoms: tables.symptoms.map(({ value }) => value),
      conditions: tables.conditions.map(({ value }) => value),
    };
    if (isReadable)
      for (const problem of problemsOfConsult(table)) {
        const { file, line } = tables[problem.table][problem.index];
        source.refuse(file, line, problem.message);
      }
    const turns = typeof task['turns'] === 'number' ? task['turns'] : 8;
    const unique = table.conditions.filter(({ symptoms }) => fittingConditions(table, symptoms).length === 1).length;
    const longest = Math.max(0, ...table.conditions.map(({ symptoms }) => symptoms.length));
    return {
      task: { table: table },
      turns: turns * 2 * 5,
      proofs: [
        `${count(table.conditions.length, 'condition')} and ${count(table.symptoms.length, 'symptom')}; every sentence is recognized as one symptom alone.`,
        `${unique} of ${table.conditions.length} conditions are certain once all their symptoms are told, in ${longest + 2} turns at most${longest + 2 <= turns ? '' : `: more than the ${turns} there are`}.`,
      ],
    };
  },
};
