/** @file `ludus data import`: an export back into a store, or conversations of other programs as episodes; what is there already stays as it is. */

import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type ImportReport, importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { blockBytes, linesIn } from '@ludus-agents/store/internal/files/lines';
import { checkManifest } from '@ludus-agents/store/internal/files/manifest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

export const importCommand: CommandRun = {
  async run({ args, options, terminal }) {
    const input = await openInput(args[0]!, terminal);
    const lines = linesIn(input);
    const origin = { file: args[0]!, licence: options['licence'] as string | undefined, redact: redactionOf(options['redact']) };
    const report = await withWritableStore(terminal, options as StoreOptions, (store) => importAny(store, lines, origin));
    if (options['json'] === true) printJson(terminal, report);
    else print(terminal, `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${words(report)}`);
    return exits.fine;
  },
};

function redactionOf(input: unknown): readonly string[] | undefined {
  if (input === undefined) return undefined;
  return input === true
    ? []
    : String(input)
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
}

/** What was found and what became of it. */
function words({ formats, episodes, events, scores, skipped, run, left, redacted }: ImportReport): string {
  const text = skipped === 0 ? '' : `, ${count(skipped, 'episode')} known already`;
  const matchingEntries = Object.entries(formats).filter(([name]) => name !== 'ludus');
  const from =
    matchingEntries.length === 0
      ? ''
      : ` from ${matchingEntries.map(([name, much]) => `${count(much, 'conversation')} of ${name}`).join(', ')}`;
  const judged = matchingEntries.length === 0 || scores === 0 ? '' : ` and ${count(scores, 'score')}`;
  const where = run === null ? '' : ` They are saved as run ${run}, in the environment relay.`;
  const without = Object.entries(left).map(([why, much]) => ` Left out: ${much} ${why}.`);
  return `${count(episodes, 'new episode')} with ${count(events, 'event')}${judged}${from}${text}.${where}${without.join('')}${redacted === undefined ? '' : ` ${count(redacted, 'value')} taken out.`}`;
}

/** The stream once it is known that it can be read: a store must not be made for a file that is not there. */
async function openInput(where: string, terminal: Terminal): Promise<Readable> {
  if (where === '-') return terminal.stdin;
  const path = resolve(terminal.cwd, where);
  if (existsSync(path)) await checkManifest(path);
  const stream = createReadStream(path, { highWaterMark: blockBytes });
  return new Promise((use, refuse) => {
    stream.once('error', (error) => refuse(new Fault('input', `${where} cannot be read: ${reasonOf(error)}.`, { cause: error })));
    // A folder opens like a file and fails only when it is read.
    stream.once('readable', () => use(stream));
  });
}
