/** @file `ludus desk bot`: talks to a bot and reports the results. */

import { resolve } from 'node:path';
import type { BotCheck } from '@ludus-agents/agents/internal/bot/check';
import { readText } from '@ludus-agents/desk/internal/desks';
import { type SimulatedCustomer, simulateLink } from '@ludus-agents/desk/internal/simulate';
import { complaintOf, uncheckedLines } from '@ludus-agents/desk/internal/test-runner';
import { Fault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { bot as checkBot, openBot } from '../../../library/desk.ts';
import { type CommandCall, type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { print, printJson } from '../../terminal.ts';

export const check: CommandRun = {
  run: withinBudget(async ({ args, options, terminal }) => {
    if (options['customer'] !== undefined) return await talk(args[0]!, { options, terminal });
    if (options['policy'] !== undefined)
      throw new Fault('input', '--policy needs --customer: there is no conversation to judge without one.');
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

/** One conversation with a customer from the user's file, and the verdict on it. */
async function talk(bot: string, { options, terminal }: Pick<CommandCall, 'options' | 'terminal'>) {
  const { link, settings } = await openBot(bot, terminal);
  const read = (option: string) => readText(resolve(terminal.cwd, String(options[option])));
  const file = String(options['customer']);
  const customer = jsonFrom(read('customer'), file);
  if (!isObject(customer) || !Array.isArray(customer['says']))
    throw new Fault('input', `${file}: expected a customer such as {"says": ["Please cancel A-1."], "knows": {"email": "…"}}.`);
  const policy = options['policy'] === undefined ? {} : { policy: read('policy') };
  const run = await simulateLink(link, settings, { customer: customer as unknown as SimulatedCustomer, ...policy });
  const { lines, calls, faults, problems, unchecked, passed, transcript } = run;
  const complaint = complaintOf(run);
  if (options['json'] === true) printJson(terminal, { passed, lines, calls, faults, problems, unchecked, complaint } as unknown as Json);
  else
    print(terminal, ...printable(complaint ?? ['The conversation passes.', ...uncheckedLines(run), '', transcript].join('\n')).split('\n'));
  return passed ? exits.fine : exits.found;
}

function linesOf(botCheck: BotCheck, colours: ReturnType<typeof coloursFor>): string[] {
  const yesOrNo = (value: boolean | null) => (value === null ? 'not tested' : value ? 'yes' : 'no');
  const times = botCheck.milliseconds.length === 0 ? 'no answer' : `${botCheck.milliseconds.join(', ')} ms`;
  return [
    `${botCheck.fine ? colours.green('✓') : colours.red('✗')} ${printable(botCheck.bot)} (${botCheck.via})`,
    ...botCheck.exchanges.flatMap(({ session, said: text, answered }) => [
      `  ${session} › ${printable(text)}`,
      `  ${session} ‹ ${printable(answered.slice(0, 300))}`,
    ]),
    `  answers            ${times}`,
    `  remembers          ${yesOrNo(botCheck.remembers)}`,
    `  separate sessions  ${yesOrNo(botCheck.separate)}`,
    `  its own tools      ${botCheck.tools.length === 0 ? 'none seen' : printable(botCheck.tools.join(', '))}`,
    ...botCheck.notes.map((note) => `  ${colours.yellow('·')} ${printable(note)}`),
    ...botCheck.problems.map((problem) => `  ${colours.red('✗')} ${printable(problem)}`),
  ];
}
