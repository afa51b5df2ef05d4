/** @file What `ludus desk bot` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { withSpending } from '../../spending.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument(
      '<bot>',
      'a bot: bot.json, bot.ts, bot:http://…, bot:openai:http://…#model, bot:ws://…, a2a:http://…, bot:acp:COMMAND, bot:mcp:COMMAND, cmd:node bot.js',
    );
    command
      .option('--customer <file>', 'play one conversation with this customer, a case as in tasks.json, and judge it')
      .option('--policy <file>', 'rules to judge the conversation by (with --customer)');
    withJson(withSpending(command));
    examples(command, {
      'ludus desk bot ./bot.json --json': 'for scripts; exits with 1 on a problem',
      'ludus desk bot bot:http://localhost:3000/chat': 'POST {"message", "session"} as JSON',
      'ludus desk bot ./bot.json --customer ann.json --policy policy.md': 'one conversation, with its faults',
      'ludus desk bot "bot:acp:node agent.js"': 'an agent that speaks the Agent Client Protocol',
      'ludus desk bot "cmd:node bot.js"': 'a process that answers {"message"} with {"reply"}, line by line',
    });
  },

  load: async () => (await import('../../commands/desk/bot.ts')).check,
};
