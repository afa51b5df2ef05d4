/** @file `ludus persona align`: compares sentences with profiles; writes adjusted profiles, and training data in which both agree. */

import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { align as alignPersonas } from '../../../library/characters.ts';
import { type CommandRun, exits } from '../../command.ts';
import { checkLines } from '../../render/character.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly judge?: string;
  readonly output?: string;
  readonly json?: boolean;
}

const byWords = 'Shared words can take a sentence about the same thing for a contradiction: check what was removed, or pass --judge MODEL.';

export const align: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { judge, store, readOnly } = options;
    const { controller, release } = interruptible(terminal);
    const request = { run: args[0], judge, store, readOnly, signal: controller.signal };
    const { profiles, rows, alignments, ...rest } = await alignPersonas(request, terminal).finally(release);
    const folder = options.output ?? `${rest.run}-aligned`;
    const write = (name: string, content: string) => writeOut(`${folder}/${name}`, content, terminal.cwd);
    const lines = (list: readonly unknown[]) => list.map((row) => `${JSON.stringify(row)}\n`).join('');
    write('alignments.jsonl', lines(alignments));
    write('train.jsonl', lines(rows));
    for (const persona of Object.values(profiles)) write(`${persona.id}.json`, `${JSON.stringify(persona, null, 2)}\n`);
    const shows = alignments.filter(({ verdict }) => verdict === 'shows').length;
    const result = { ...rest, folder, shows, contradicts: alignments.length - shows, rows: rows.length };
    if (options.json === true) printJson(terminal, result);
    else
      print(
        terminal,
        `${count(rest.sentences, 'sentence')} of ${count(rest.dialogues, 'dialogue')}, ${count(rest.compared, 'comparison')} with the profile by ${rest.reader}: ${shows} show it, ${result.contradicts} contradict it.`,
        ...rest.changes.map(
          ({ persona, text, contradicts, shows: times, by }) =>
            `- removed from the profile of ${printable(persona)}: “${printable(text)}” (contradicted ${contradicts} times, shown ${times}), such as by “${printable(by)}”`,
        ),
        ...(judge === undefined ? [byWords] : []),
        ...checkLines(rest.check, coloursFor(terminal.stdout, terminal.env)),
        `${folder}: ${count(rows.length, 'row')} of training data; ${count(rest.leftOut, 'line')} left out.`,
      );
    return alignments.length === 0 ? exits.found : exits.fine;
  }),
};
