/** @file `ludus env tasks library`: a folder of your own documents as a suite of the library, with your questions or with questions about its links. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { readDocumentFolder } from '@ludus-agents/store/internal/document-folder';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly questions?: string;
  readonly seeds: number;
  readonly search?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const library: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { documents, skipped } = readDocumentFolder(resolve(terminal.cwd, args[0]!));
    const questions = options.questions === undefined ? null : questionsIn(resolve(terminal.cwd, options.questions), options.questions);
    const environment = await builtInEnvironment('library');
    const { search } = options;
    const task = { documents, ...(questions === null ? {} : { questions }), ...(search === undefined ? {} : { search }) };
    environment.task(task);
    const suite: SuiteInput = {
      name: 'own-library',
      about: 'Questions about your documents: a right answer pays 1/2, plus 1/2 times the F1 of its citations.',
      seeds: options.seeds,
      nulls: ['random'],
      scenes: [{ environment: 'library', seats: ['reader'], tasks: [task], scale: [0, 1], pass: 0.9, also: ['form'] }],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const matchingLength = Object.keys(documents).length;
    const text = questions === null ? '' : ` from ${count((questions as readonly Json[]).length, 'question')}`;
    if (options.json === true) printJson(terminal, { file: options.output, documents: matchingLength, seeds: options.seeds, skipped });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(matchingLength, 'document')} in ${options.output}, ${count(options.seeds, 'question')} to draw${text}`,
        ...skipped.slice(0, 5).map(({ path, why }) => `  ${colours.yellow('·')} left out: ${printable(path)}: ${why}`),
        ...(skipped.length > 5 ? [`  and ${skipped.length - 5} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  },
};

function questionsIn(file: string, named: string): Json {
  try {
    return jsonFrom(readFileSync(file, 'utf8'), named);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${named} cannot be read: ${reasonOf(thrown)}.`);
  }
}
