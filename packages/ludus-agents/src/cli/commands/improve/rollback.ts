/** @file `ludus improve rollback`: returns an improvement to any of its candidates, byte for byte. */

import { resolve } from 'node:path';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { rollback as rollBack } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly output?: string;
  readonly json?: boolean;
}

export const rollback: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const result = await rollBack({ run: args[0], candidate: args[1]!, store: options.store, readOnly: options.readOnly }, terminal);
    if (options.output !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(result.content, null, 2)}\n`);
    const { run, candidate, spec } = result;
    if (options.json === true) printJson(terminal, result);
    else print(terminal, `${run} is back at ${candidate}, byte for byte. Its spec is saved as ${spec.slice(0, 16)}.`);
    return exits.fine;
  },
};
