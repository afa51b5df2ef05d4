/** @file `ludus desk tasks make`: cases made from a desk, each proved by its gold calls, as a suite that eval and test play. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { make as makeTasks } from '../../../../library/desk-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { withinBudget } from '../../../spending.ts';
import { interruptible, print, printJson } from '../../../terminal.ts';

interface Options {
  readonly kinds?: string;
  readonly each: number;
  readonly seed: number;
  readonly output: string;
  readonly model?: string;
  readonly reviewer?: string;
  readonly rounds: number;
  readonly safeData?: string;
  readonly json?: boolean;
}

export const make: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { each, seed, model, reviewer, rounds, safeData, output } = options;
    const needless = reviewer === undefined ? (safeData === undefined ? null : '--safe-data') : '--reviewer';
    if (model === undefined && needless !== null) throw new Fault('input', `${needless} needs --model, because a model writes the texts.`);
    const { controller, release } = interruptible(terminal);
    const kinds = options.kinds?.split(',').map((kind) => kind.trim());
    const request = { desk: args[0], kinds, each, seed, model, reviewer, rounds, signal: controller.signal };
    const { suite, counts: result, lessons, kept, down, calls, rewritten } = await makeTasks(request, terminal).finally(release);
    if (safeData !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, safeData), lessons.map((lesson) => `${JSON.stringify(lesson)}\n`).join(''));
    writeFileAtomicSync(resolve(terminal.cwd, output), `${JSON.stringify(suite, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        file: output,
        cases: kept.length,
        made: result,
        down,
        ...(model === undefined ? {} : { calls, rewritten, safe: lessons.length }),
      });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(kept.length, 'case')} in ${output}: ${Object.entries(result)
          .map(([probe, much]) => `${printable(probe)} ${much}`)
          .join(', ')}`,
        ...(model === undefined
          ? []
          : [`  ${count(calls, 'call')} of models; ${rewritten} of the cases were right only after an objection.`]),
        ...(safeData === undefined ? [] : [`  ${count(lessons.length, 'safe answer')} in ${printable(safeData)}`]),
        ...down
          .slice(0, 5)
          .map(({ id, stage, why }) => `  ${colours.yellow('·')} turned down by ${stage}: ${printable(id)}: ${printable(why)}`),
        ...(down.length > 5 ? [`  and ${down.length - 5} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  }),
};
