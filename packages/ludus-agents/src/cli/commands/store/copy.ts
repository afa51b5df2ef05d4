/** @file `ludus store copy`: copies everything from one store into another; an interrupted copy continues. */

import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { copy as copyEverything } from '../../../library/stored.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

export const copy: CommandRun = {
  async run({ args, options, terminal }) {
    const [from, to] = args as [string, string];
    const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
    const onProgress = (done: number, of: number) => {
      if (terminal.stderr.isTTY === true) terminal.stderr.write(`\r\u001b[2K${formatGrouped(done)} of ${formatGrouped(of)} episodes`);
    };
    try {
      const report = await copyEverything({ from, to, onProgress, signal: controller.signal }, terminal);
      if (terminal.stderr.isTTY === true) terminal.stderr.write('\r\u001b[2K');
      const { episodes, fresh, events, scores, digest } = report;
      const text = `${count(episodes, 'episode')} compared, ${formatGrouped(fresh)} new with ${count(events, 'event')} and ${count(scores, 'score')}; both sides agree (${digest.slice(0, 12)}).`;
      if (options['json'] === true) printJson(terminal, report);
      else print(terminal, `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${text}`);
      return exits.fine;
    } catch (thrown) {
      if (!controller.signal.aborted) throw thrown;
      terminal.stderr.write('Stopped. Run the same command to resume.\n');
      return exits.interrupted;
    } finally {
      release();
    }
  },
};
