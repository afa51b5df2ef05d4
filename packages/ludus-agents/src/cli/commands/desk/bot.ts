/** @file `ludus desk bot`: talks to a bot and says what it found. */

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type BotCheck, checkBot } from '@ludus-agents/agents/internal/bot/check';
import { createBotLink } from '@ludus-agents/agents/internal/bot/link';
import type { BotAnswer, BotLink } from '@ludus-agents/agents/internal/bot/session';
import { isBot, readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { createBotServices } from '@ludus-agents/agents/internal/workspace/bots';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, charged, Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { nearbyFile } from '@ludus-agents/store/internal/files/read-failure';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { print, printJson } from '../../terminal.ts';

export const check: CommandRun = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const spec = await specOf(args[0]!, terminal.cwd);
    const settings = readBotSettings(spec);
    const link = await createBotLink(spec.name, settings, createBotServices(spec, terminal.cwd, Trust.commandLine));
    const secret = `Ada${randomBytes(4).toString('hex')}`;
    const stop = new AbortController();
    const leave = terminal.interrupts(() => stop.abort());
    const botCheck = await checkBot({ name: spec.name, link: countedLink(link), settings, secret, signal: stop.signal }).catch((thrown) => {
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

/** A link whose every message counts as a call of a model: a bot has one behind it, at a price that nobody knows here. */
function countedLink(link: BotLink): BotLink {
  return {
    name: link.name,
    async open(session, signal) {
      const opened = await link.open(session, signal);
      return {
        close: () => opened.close(),
        async send(message, until) {
          let answer: BotAnswer | undefined;
          const model = charged({
            id: link.name,
            price: null,
            async complete(prompt, _, within) {
              answer = await opened.send(message, within);
              const { text, promptTokens, completionTokens } = answer;
              const isKnown = promptTokens !== undefined && completionTokens !== undefined;
              const usage = isKnown ? { promptTokens, completionTokens } : { promptTokens: 0, completionTokens: 0, estimated: true };
              return { model: link.name, prompt, text, finish: 'stop', usage, cost: null };
            },
          });
          await model.complete({ messages: [{ role: 'user', content: message }] }, {}, until);
          return answer as BotAnswer;
        },
      };
    },
  };
}

/** A program is taken for a bot here, whatever its function is called. */
async function specOf(word: string, cwd: string): Promise<AgentSpec> {
  const spec = /^[^:]*\.[cm]?[jt]s(#\w+)?$/.test(word) ? { name: word, kind: `bot:${word}` } : await readSpec(word, cwd, Trust.commandLine);
  if (isBot(spec)) return spec;
  const near = nearbyFile(resolve(cwd, word));
  throw new Fault(
    'input',
    `"${word.slice(0, 80)}" is not a bot${near}${spec.kind === word ? '' : ` but of the kind "${spec.kind.slice(0, 80)}"`}. Use a file such as bot.json or bot.ts, or bot:http://…, a2a:http://…, or cmd:COMMAND.${near === '' ? didYouMean(spec.kind, ['bot', 'a2a', 'cmd']) : ''}`,
  );
}

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
