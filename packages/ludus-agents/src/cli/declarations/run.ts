/** @file Declares the options, help, and examples of `ludus run`. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

/** A plan with common settings, as shown in the help. */
export const examplePlan = `  {
    "name": "baseline",
    "environments": [
      "tic-tac-toe",
      {"environment": "connect-four", "tasks": [{}, {"columns": 5}]}
    ],
    "seeds": 100,
    "casts": [{"X": "random", "*": {"name": "Ada", "kind": "random"}}],
    "swap": true,
    "limits": {"turns": 200},
    "budget": {"money": 5}
  }`;

/** Such a file, as shown in the help. Servers are written as in other programs. */
const exampleTools = `  {
    "mcpServers": {
      "desk": {"command": "node", "args": ["desk.js"], "env": {"KEY": "…"}},
      "web": {"url": "http://localhost:3000/mcp"}
    },
    "sandbox": {"backend": "wasm", "milliseconds": 2000, "megabytes": 64},
    "roles": {"clerk": ["desk__*", "run_code"], "*": []}
  }`;

export const run: CommandDeclaration = {
  declare(command) {
    command
      .argument('<plan>', 'a JSON file, or - for standard input')
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option('--max-episodes <n>', 'stop after this many episodes', whole('--max-episodes', 1))
      .option(...flag('dryRun', 'print an estimate of calls, tokens, and cost'))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(command)))));
    examples(command, {
      'ludus run plan.json --store results.sqlite': 'play new and changed episodes',
      [`echo '{"environments":["kuhn-poker"],"seeds":100}' | ludus run -`]: 'a hundred hands between random players',
      'ludus run plan.json --dry-run': 'estimate calls and cost',
      'ludus run plan.json --max-cost 5 --yes --json': 'unattended, within five dollars',
      'ludus run plan.json --store postgres://me@db/ludus --workers 0': 'on the workers of a fleet',
    });
    command.addHelpText('after', `\nA plan defines environments × tasks × seeds × casts:\n${examplePlan}`);
    command.addHelpText(
      'after',
      `\nA language agent may use the tools in the file that LUDUS_TOOLS names:\n  {"name": "Eve", "kind": "llm:MODEL", "tools": ["sandbox", "desk"],\n   "settings": {"architecture": "react"}}\n\n${exampleTools}\n\nTo see what the sandbox restricts on this machine, run: ludus list sandboxes`,
    );
  },

  load: async () => (await import('../commands/run.ts')).run,
};
