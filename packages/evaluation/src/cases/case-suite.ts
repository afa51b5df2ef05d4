/** @file Builds a suite from cases: a file of inputs with expected answers, or a list of cases in a program or a JSON document. */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { nameObject } from '@ludus-agents/agents/internal/workspace/objects';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { checkOptions, type OptionTable } from '@ludus-agents/kernel/internal/core/options';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type Suite, suite } from '../scoring/suites/suite.ts';
import { casesEnvironment, criteriaOf, type TestCase } from './case.ts';
import { withConversations } from './conversation.ts';
import { type CaseColumns, objectIn, type ReadCases, readCases, rowsIn } from './read-cases.ts';
import { type CaseProgram, programScorer } from './scorers.ts';

/** How the cases of a suite are read and checked. */
export interface CaseFileOptions extends Omit<CaseColumns, 'checked'> {
  /** A program that scores answers: a function, or a file that exports one as default. Its score replaces all other checks. */
  readonly check?: string | CaseProgram | undefined;
  /** The model that grades answers by the rubric of a case, and by meaning. */
  readonly grader?: string | undefined;
}

/** The input of `caseSuite`: cases as data, and how to read and check them. */
export interface CaseSuiteOptions extends CaseFileOptions {
  /** Names the suite. */
  readonly name?: string | undefined;
  /** Cases as data; each has an input, and at least one way to check answers. */
  readonly cases: readonly JsonObject[];
}

const caseSuiteOptions: OptionTable<CaseSuiteOptions> = {
  ...{ name: 'any', cases: 'required list', check: 'any', grader: 'any' },
  ...{ input: 'any', expected: 'any', match: 'any' },
};

/** Reads a file of cases as a suite. */
export async function loadCaseSuite(file: string, options: CaseFileOptions, { cwd, trust }: NamingPlace): Promise<Suite> {
  const path = checkFile(file, trust, { cwd, env: process.env });
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new Fault('input', `The cases in ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  });
  const rows = await withConversations(rowsIn(text, file), file, { cwd, trust });
  const read = readCases(rows, columnsOf(options), file);
  return suiteOf(read, { ...options, name: basename(file).replace(/\.\w+$/, ''), source: file });
}

/** A suite of cases in memory. */
export function caseSuite(request: CaseSuiteOptions): Suite {
  checkOptions('caseSuite', request, caseSuiteOptions);
  const { name = 'cases', cases, ...options } = request;
  const rows = cases.map((fields, i) => ({ where: `Case ${i + 1} of ${name}`, fields: objectIn(fields, `Case ${i + 1} of ${name}`) }));
  return suiteOf(readCases(rows, columnsOf(options), `The suite "${name}"`), { ...options, name, source: name });
}

/** A JSON document with cases: a list of them, or an object with "cases" and the same settings. */
export function readCaseDocument(value: unknown, where: string): Suite | undefined {
  if (Array.isArray(value) && value.length > 0) return caseSuite({ cases: value as readonly JsonObject[] });
  const { cases, ...settings } = (typeof value === 'object' && value !== null ? value : {}) as Partial<CaseSuiteOptions>;
  if (!Array.isArray(cases)) return undefined;
  const knownNames = ['name', 'input', 'expected', 'match', 'check', 'grader'];
  const unknown = Object.keys(settings).find((field) => !knownNames.includes(field));
  if (unknown !== undefined)
    throw new Fault('input', `${where} has an unknown field "${unknown}". Besides cases, it can have ${knownNames.join(', ')}.`, {
      code: 'E_UNKNOWN_FIELD',
    });
  return caseSuite({ ...settings, cases });
}

function columnsOf({ input, expected, match, check }: CaseFileOptions): CaseColumns {
  return { input, expected, match, checked: check !== undefined };
}

interface SuiteParts extends CaseFileOptions {
  readonly name: string;
  /** The source of the cases. */
  readonly source: string;
}

function suiteOf({ cases, duplicates }: ReadCases, { name, source, check, grader }: SuiteParts): Suite {
  const graded = cases.find((testCase) => criteriaOf(testCase).length > 0);
  if (graded !== undefined && grader === undefined && check === undefined)
    throw new Fault(
      'input',
      `${source}: the case "${graded.id}" needs a model that grades its answers. Name one, on the command line with --grader MODEL.`,
    );
  const repeated = duplicates === 0 ? '' : `; ${count(duplicates, 'duplicate')} counted once`;
  return suite({
    name: name.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'cases',
    about: `${count(cases.length, 'case')} from ${source}${repeated}`,
    seeds: 1,
    k: [1],
    nulls: ['scripted:echo'],
    scenes: [
      {
        name: 'cases',
        environment: casesEnvironment,
        tasks: cases,
        seats: ['agent'],
        score: scoreOf({ check, grader, cases }),
      },
    ],
  });
}

/** The scorer that decides: the program, the grader if a case needs one, or the rules of the environment. */
function scoreOf({ check, grader, cases }: Pick<CaseFileOptions, 'check' | 'grader'> & { readonly cases: readonly TestCase[] }): string {
  if (typeof check === 'function') return nameObject(programScorer(check, 'check'), 'check');
  if (check !== undefined) return /#/.test(check) ? check : `${check}#default`;
  return grader !== undefined && cases.some((testCase) => criteriaOf(testCase).length > 0) ? `grader=${grader}` : 'return';
}
