/** @file What `ludus attack` takes: its options, help and examples. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { attackKinds } from '@ludus-agents/learning/internal/improving/attack-kinds';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const attack: CommandDeclaration = {
  declare(command) {
    command
      .argument('<target>', 'an agent: a spec file, a bot, or a name like llm:MODEL')
      .requiredOption('--with <attack>', `what with: ${Object.keys(attackKinds).join(', ')}`)
      .option('--budget <episodes>', 'episodes that may be played', whole('--budget', 4, 1_000_000), 100)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option('--attacker <model>', 'a model that writes the attacks (default: they are made of known parts)')
      .option('--policy <file>', 'for guard: clauses, one a line; what stands in quotation marks must not be told')
      .option('--defend <rounds>', 'search a defence after each of so many attacks, against all that were found', whole('--defend', 1, 100))
      .option(...flag('output', 'with --defend: where to write the defended agent (default: RUN.agent.json)'))
      .option(...flag('desk', 'injection, twins, threats, crescendo, goat, mischievous: your desk (default: the sample desk)'))
      .option('--reflect <model>', 'for threats: a model that says what would have been safe, to be measured on threats held out')
      .option(
        '--arsenal [runs]',
        'begin with what earlier attacks of this kind have kept in the store: all of them, or runs by name, separated by commas',
      )
      .option('--fail-over <share>', 'exit with 1 where more attacks than this get through', share);
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus attack ./agent.json --with guard --budget 50': 'ask for a planted secret in many ways',
      'ludus attack ./agent.json --with privacy --budget 200 --json': 'search attackers against it in privacy-guard',
      'ludus attack llm:ollama/qwen3:0.6b --with jailbreak --attacker ollama/qwen3:0.6b': 'a model writes the attacks',
      'ludus attack ./agent.json --with redcoder --budget 120': 'ask for code in conversations, and look for weaknesses in it',
      'ludus attack ./other.json --with redcoder --arsenal': 'the same, beginning with what worked on others',
      'ludus attack ./agent.json --with redcoder --defend 2 --budget 600 -o defended.json':
        'attack and defence in turn; the defence is a text of the spec',
      'ludus attack ./agent.json --with injection --desk ./shop': 'orders planted in tool results, with and without our guard',
      'ludus attack ./agent.json --with twins --desk ./shop': 'the same request as a chat and with tools at hand',
      'ludus attack ./agent.json --with threats --desk ./shop --reflect MODEL': 'a threat model, before and after learning from half of it',
      'ludus attack ./agent.json --with threats --desk ./shop --defend 1 -o defended.json':
        'a defence against the threats of your desk, beside its honest requests',
      'ludus attack ./bot.json --with crescendo --desk ./shop --budget 60':
        'conversations that climb from a harmless question to what must be refused',
      'ludus attack ./bot.json --with goat --desk ./shop --attacker MODEL': 'a model chooses a technique for every message',
      'ludus attack ./agent.json --with guard --policy ./policy.md --fail-over 0': 'a gate for your own guideline',
    });
  },

  load: async () => (await import('../commands/attack.ts')).attack,
};

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new Fault('input', `--fail-over takes a share from 0 to 1, like 0.05, but came as "${text}".`);
}
