/** @file `ludus persona rewrite`: lines of characters are rewritten by a model, and kept as preference pairs where a judge finds them better. */

import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { judgesFor } from '@ludus-agents/evaluation/internal/judges';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { preferenceRow } from '@ludus-agents/learning/internal/character-data';
import { type RewriteReport, rewriteRun } from '@ludus-agents/learning/internal/rewrite-run';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
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
    if (options.by === options.judge)
      throw new Fault('input', 'The model that rewrites cannot be the judge: it would prefer its own lines. Use two different models.');
    const [judge] = await judgesFor({ rubric: options.rubric ?? 'character-box', judge: options.judge! }, terminal);
    const by = await loadModel(options.by!, terminal.cwd, terminal.trust);
    return withExistingStore(terminal, options, async (store) => {
      const run = (await loadRun(store, args[0]!)).id;
      const { controller, release } = interruptible(terminal);
      const report = await rewriteRun({ store, run, judge: judge!, by, signal: controller.signal }).finally(release);
      if (report.trajectories === 0)
        throw new Fault(
          'input',
          `No seat of ${run} plays a persona, so there is nothing to rewrite. Play a plan, scene, or chat with a persona.`,
        );
      const rows = report.kept.flatMap(({ episode, lines, events }) => lines.map((line) => preferenceRow(events, line, episode)));
      if (options.output !== undefined) writeOut(options.output, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), terminal.cwd);
      const { kept, ...rest } = report;
      const visible = kept.map(({ events: _, ...one }) => one);
      if (options.json === true)
        printJson(terminal, {
          run,
          rubric: judge!.rubric.name,
          judge: judge!.model,
          by: by.id,
          ...rest,
          kept: visible,
          pairs: rows.length,
        });
      else print(terminal, textOf(report, rows.length));
      return kept.length === 0 ? exits.found : exits.fine;
    });
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
