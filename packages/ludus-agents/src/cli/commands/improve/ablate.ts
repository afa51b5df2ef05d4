/** @file `ludus improve ablate`: measures the gain and cost of each part of an agent, on the same tasks and seeds. */

import type { ArmResult } from '@ludus-agents/evaluation/internal/ablation';
import { crossoverWords } from '@ludus-agents/evaluation/internal/crossover';
import { count, money as dollars, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type AblateRequest, ablate as ablateAgent } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { coloursFor } from '../../render/colours.ts';
import { progressLine } from '../../render/progress.ts';
import { table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions, SpendingOptions, Pick<AblateRequest, 'seat' | 'against' | 'thinking' | 'reflex' | 'equalCalls'> {
  readonly on: string;
  readonly task?: string;
  readonly games: number;
  readonly seed: number;
  readonly without?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const ablate: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { on, task, seat, against, games, seed, without, thinking, reflex, equalCalls, store } = options;
    const written = task === undefined ? [{}] : jsonFrom(task, '--task');
    const line = progressLine(terminal);
    const { controller, release } = interruptible(terminal, line.note);
    const request = {
      ...{ agent: args[0], environment: on, tasks: Array.isArray(written) ? written : [written], seat, against, games, seed, thinking },
      ...{ without: without?.split(',').map((name) => name.trim()), reflex, equalCalls, store },
      ...{ budget: budgetOf(options), signal: controller.signal, onProgress: line.tell },
      confirm: async (called: boolean) => !called || options.yes === true || confirm(terminal, 'Models will be called. Start?'),
    };
    const ablation = await ablateAgent(request, terminal, (use) => withRunner(terminal, withNotices(terminal, options), use)).finally(
      () => {
        release();
        line.done();
      },
    );
    if (ablation === null) return exits.interrupted;
    const { environment, agent, report, arms, crossover } = ablation;
    if (options.json === true)
      printJson(terminal, {
        ...{ run: report.run, environment, seat: ablation.seat, stopped: report.stopped, arms },
        ...(crossover !== undefined && { crossover }),
      });
    else {
      print(terminal, textOf(arms, `${agent} on ${environment} · ${report.run}`, terminal));
      if (crossover !== undefined) print(terminal, crossoverWords(crossover, reflex ?? ''));
    }
    return report.stopped === 'signal' ? exits.interrupted : report.ends.error > 0 ? exits.found : exits.fine;
  },
};

function textOf(results: readonly ArmResult[], head: string, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = ['', 'episodes', 'return', 'difference', 'gained', 'lost', 'same', 'p', 'calls', 'tokens', 'cost'].map((title) => ({
    title,
  }));
  const rows = results.map(({ arm, episodes, mean, difference, gained, lost, same, p, calls, tokens, money }) => [
    printable(arm),
    String(episodes),
    formatSigned(mean, 3),
    difference === null
      ? ''
      : `${formatSigned(difference.mean, 3)} (${formatSigned(difference.low, 2)} to ${formatSigned(difference.high, 2)})`,
    ...(difference === null ? ['', '', '', ''] : [String(gained), String(lost), String(same), p.toPrecision(2)]),
    calls.toFixed(1),
    tokens.toFixed(0),
    money === null ? 'unknown' : dollars(money),
  ]);
  const flips = results.reduce((sum, { flips: all }) => sum + all.length, 0);
  return [
    colours.bold(printable(head)),
    '',
    table(titles, rows, { colours, columns: columnsOf(terminal.stdout) }),
    '',
    `${count(flips, 'pair')} of episodes had different results; use --json to list them.`,
  ].join('\n');
}
