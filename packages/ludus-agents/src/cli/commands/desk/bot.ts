/** @file `ludus desk bot`: talks to a bot and says what it found. */

import type { BotCheck } from '@ludus-agents/agents/internal/bot/check';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { bot as checkBot } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { print, printJson } from '../../terminal.ts';

export const check: CommandRun = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const stop = new AbortController();
    const leave = terminal.interrupts(() => stop.abort());
    const botCheck = await checkBot({ bot: args[0], signal: stop.signal }, terminal).catch((thrown) => {
      if (!stop.signal.aborted) throw thrown;
      return null;
    });
    leave();
    if (botCheck === null) return exits.interrupted;
    if (options['json'] === true) printJson(terminal, botCheck);
    else print(terminal, ...linesOf(botCheck, coloursFor(terminal.stdout, terminal.env)));
    return botCheck.fine ? exits.fine : exits.found;
  }),
};

function linesOf(botCheck: BotCheck, colours: ReturnType<typeof coloursFor>): string[] {
  const yesOrNo = (value: boolean | null) => (value === null ? 'not found out' : value ? 'yes' : 'no');
  const times = botCheck.milliseconds.length === 0 ? 'no answer' : `${botCheck.milliseconds.join(', ')} ms`;
  return [
    `${botCheck.fine ? colours.green('✓') : colours.red('✗')} ${printable(botCheck.bot)} (${botCheck.via})`,
    ...botCheck.exchanges.flatMap(({ session, said: text, answered }) => [
      `  ${session} › ${printable(text)}`,
      `  ${session} ‹ ${printable(answered.slice(0, 300))}`,
    ]),
    `  answers            ${times}`,
    `  remembers          ${yesOrNo(botCheck.remembers)}`,
    `  sessions apart     ${yesOrNo(botCheck.separate)}`,
    `  its own tools      ${botCheck.tools.length === 0 ? 'none seen' : printable(botCheck.tools.join(', '))}`,
    ...botCheck.notes.map((note) => `  ${colours.yellow('·')} ${printable(note)}`),
    ...botCheck.problems.map((problem) => `  ${colours.red('✗')} ${printable(problem)}`),
  ];
}
