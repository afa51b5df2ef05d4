/** @file `ludus improve rollback`: returns an improvement to any of its candidates, to the byte. */

import { resolve } from 'node:path';
import { candidateIn, improvementBy, rollBack } from '@ludus-agents/learning/internal/improving/lineage';
import { restoreSpec } from '@ludus-agents/learning/internal/prompts/archive';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly output?: string;
  readonly json?: boolean;
}

export const rollback: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    return withWritableStore(terminal, options, async (store) => {
      const run = await improvementBy(store, args[0]!);
      const locatedCandidate = await candidateIn(store, run, args[1]!);
      const spec = restoreSpec(locatedCandidate.archive, locatedCandidate.candidate.id);
      const address = await rollBack(store, locatedCandidate, spec);
      if (options.output !== undefined) {
        writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(spec, null, 2)}\n`);
      }
      const { id } = locatedCandidate.candidate;
      if (options.json === true) printJson(terminal, { run: run.id, candidate: id, spec: address, content: spec });
      else print(terminal, `${run.id} is back at ${id}, byte for byte. Its spec is saved as ${address.slice(0, 16)}.`);
      return exits.fine;
    });
  },
};
