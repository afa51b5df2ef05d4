/** @file Options of commands that take a file of cases as their suite. */

import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { matchRules } from '@ludus-agents/evaluation/internal/cases/match-rules';
import { type Command, Option } from 'commander';

/** Adds the options for reading and checking a file of cases. */
export function withCaseOptions(command: Command): Command {
  return command
    .option('--input <column>', 'cases: the input column, or several separated by commas (default: input, question, or prompt)')
    .option('--expected <column>', 'cases: the column with the expected answer (default: expected, or answer)')
    .addOption(new Option('--match <rule>', 'cases: how to compare answers with the expected ones (default: same)').choices(matchRules))
    .option('--check <file>', 'cases: a program that scores answers; its default export is (output, case) => true, false, or 0 to 1')
    .option('--grader <model>', 'cases: the model that grades answers by the rubric column, or by --match meaning');
}

/** The given options; undefined if none was given. */
export function caseOptionsIn({ input, expected, match, check, grader }: CaseFileOptions): CaseFileOptions | undefined {
  const options = Object.entries({ input, expected, match, check, grader }).filter(([, value]) => value !== undefined);
  return options.length === 0 ? undefined : Object.fromEntries(options);
}
