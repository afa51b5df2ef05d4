/** @file `ludus data import`: an export back into a store, or conversations of other programs as episodes; what is there already stays as it is. */

import type { ImportReport } from '@ludus-agents/evaluation/internal/conversations/import';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { importData } from '../../../library/stored.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

export const importCommand: CommandRun = {
  async run({ args, options, terminal }) {
    const request = {
      ...{ file: args[0], licence: options['licence'] as string | undefined, redact: redactionOf(options['redact']) },
      ...{ store: options['store'] as string | undefined, readOnly: options['readOnly'] as boolean | undefined },
    };
    const report = await importData(request, terminal);
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
function words({ formats, episodes, events, scores, skipped, run, left, others, redacted }: ImportReport): string {
  const text = skipped === 0 ? '' : `, ${count(skipped, 'episode')} known already`;
  const matchingEntries = Object.entries(formats).filter(([name]) => name !== 'ludus');
  const from =
    matchingEntries.length === 0
      ? ''
      : ` from ${matchingEntries.map(([name, much]) => `${count(much, 'conversation')} of ${name}`).join(', ')}`;
  const judged = matchingEntries.length === 0 || scores === 0 ? '' : ` and ${count(scores, 'score')}`;
  const where = run === null ? '' : ` They are saved as run ${run}, in the environment relay.`;
  const mixed =
    others === undefined
      ? ''
      : ` The run also has ${count(others, 'episode')} that ${others === 1 ? 'is' : 'are'} not in this file, and its results include ${others === 1 ? 'it' : 'them'}: if the file was corrected, run "ludus store prune ${run}" and import it again.`;
  const without = Object.entries(left).map(([why, much]) => ` Left out: ${much} ${why}.`);
  return `${count(episodes, 'new episode')} with ${count(events, 'event')}${judged}${from}${text}.${where}${mixed}${without.join('')}${redacted === undefined ? '' : ` ${count(redacted, 'value')} taken out.`}`;
}
