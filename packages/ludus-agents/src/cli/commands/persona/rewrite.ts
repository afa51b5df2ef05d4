/** @file `ludus persona rewrite`: rewrites lines of characters with a model, and keeps those that a judge prefers as preference pairs. */

import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { RewriteReport } from '@ludus-agents/learning/internal/rewrite-run';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { rewrite as rewriteLines } from '../../../library/characters.ts';
import { type CommandRun, exits } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly rubric?: string;
  readonly judge?: string;
  readonly by?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const rewrite: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { rubric, judge, by, store, readOnly } = options;
    const { controller, release } = interruptible(terminal);
    const request = { run: args[0], rubric, judge: judge!, by: by!, store, readOnly, signal: controller.signal };
    const { pairs, kept, ...rest } = await rewriteLines(request, terminal).finally(release);
    if (options.output !== undefined) writeOut(options.output, pairs.map((row) => `${JSON.stringify(row)}\n`).join(''), terminal.cwd);
    const visible = kept.map(({ events: _, ...rewritten }) => rewritten);
    if (options.json === true) printJson(terminal, { ...rest, kept: visible, pairs: pairs.length });
    else print(terminal, textOf({ ...rest, kept }, pairs.length));
    return kept.length === 0 ? exits.found : exits.fine;
  }),
};

function textOf({ trajectories, kept, refused }: RewriteReport, pairs: number): string {
  const rise = kept.map(({ before, after }) => after - before);
  const mean = rise.length === 0 ? 0 : rise.reduce((sum, value) => sum + value, 0) / rise.length;
  const why = Object.entries(refused).map(([reason, n]) => `${n} ${reason}`);
  return [
    `${trajectories} trajector${trajectories === 1 ? 'y' : 'ies'}: ${kept.length} improved${kept.length === 0 ? '' : ` (by ${mean.toFixed(2)} on average)`}${why.length === 0 ? '' : `; discarded: ${why.join(', ')}`}.`,
    `${count(pairs, 'pair')}.`,
    ...kept
      .slice(0, 3)
      .flatMap(({ lines }) => lines.slice(0, 1).map(({ before, after }) => `- ${printable(before)}\n+ ${printable(after)}`)),
  ].join('\n');
}
