/** @file `ludus import`: an export back into a store; what is there already stays as it is. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { count } from '../../company/amounts.ts';
import { reasonOf } from '../../company/files.ts';
import { type StoreOptions, writing } from '../../company/stores.ts';
import { Fault } from '../../core/index.ts';
import { importJsonl } from '../../store/jsonl.ts';
import { type CommandFile, examples, exits, withJson, withStore } from '../command.ts';
import { inkFor } from '../ink.ts';
import { print, printJson, type Terminal } from '../terminal.ts';

export const importCommand: CommandFile = {
  declare(command) {
    command.argument('<file>', 'an export in JSON lines, or - for standard input');
    withJson(withStore(command));
    examples(command, {
      'ludus import everything.jsonl --store copy.sqlite': 'into a store of its own',
      'gzip -dc a.jsonl.gz | ludus import -': 'from standard input',
    });
  },

  async run({ args, options, terminal }) {
    const input = await opened(args[0] as string, terminal);
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    const counts = await writing(terminal, options as StoreOptions, (store) => importJsonl(store, lines));
    if (options['json'] === true) printJson(terminal, counts);
    else {
      const known = counts.skipped === 0 ? '' : `, ${count(counts.skipped, 'episode')} known already`;
      const ink = inkFor(terminal.stdout, terminal.env);
      print(terminal, `${ink.green('✓')} ${count(counts.episodes, 'new episode')} with ${count(counts.events, 'event')}${known}.`);
    }
    return exits.fine;
  },
};

/** The stream once it is known that it can be read: a store must not be made for a file that is not there. */
async function opened(where: string, terminal: Terminal): Promise<Readable> {
  if (where === '-') return terminal.stdin;
  const stream = createReadStream(resolve(terminal.cwd, where));
  return new Promise((use, refuse) => {
    stream.once('error', (error) => refuse(new Fault('input', `${where} cannot be read: ${reasonOf(error)}.`, { cause: error })));
    // A folder opens like a file and fails only when it is read.
    stream.once('readable', () => use(stream));
  });
}
