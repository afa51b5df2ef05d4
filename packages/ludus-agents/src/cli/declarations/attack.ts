/** @file Declares the options, help, and examples of `ludus attack`. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { attackKinds } from '@ludus-agents/learning/internal/improving/attack-kinds';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const attack: CommandDeclaration = {
  declare(command) {
    command
      .argument('<target>', 'the agent to attack: a spec file, a bot, or a kind such as llm:MODEL')
      .requiredOption('--with <attack>', `the kind of attack: ${Object.keys(attackKinds).join(', ')}`)
      .option('--budget <episodes>', 'the maximum number of episodes', whole('--budget', 4, 1_000_000), 100)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option('--attacker <model>', 'a model that writes the attacks (default: combine known ones)')
      .option('--policy <file>', 'guard: a file with one rule per line; quoted text must never be revealed')
      .option('--defend <rounds>', 'alternate attack and defense for this many rounds', whole('--defend', 1, 100))
      .option(...flag('output', 'with --defend: where to write the defended agent (default: RUN.agent.json)'))
      .option(...flag('desk', 'injection, twins, threats, crescendo, goat, mischievous: your desk (default: the sample desk)'))
      .option('--reflect <model>', 'threats: a model that suggests safe behavior, measured on held-out threats')
      .option('--arsenal [runs]', 'start with attacks that worked in earlier runs: all of them, or the given runs')
      .option('--fail-over <share>', 'exit with 1 if a larger share of attacks succeeds', share);
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus attack ./agent.json --with guard --budget 50': 'try to extract a planted secret',
      'ludus attack ./agent.json --with privacy --budget 200 --json': 'search for attackers in the environment privacy-guard',
      'ludus attack llm:ollama/qwen3:0.6b --with jailbreak --attacker ollama/qwen3:0.6b': 'a model writes the attacks',
      'ludus attack ./agent.json --with redcoder --budget 120': 'ask for code and look for weaknesses in it',
      'ludus attack ./other.json --with redcoder --arsenal': 'the same, starting with attacks that worked before',
      'ludus attack ./agent.json --with redcoder --defend 2 --budget 600 -o defended.json':
        'alternate attack and defense; the defense is a text in the spec',
      'ludus attack ./agent.json --with injection --desk ./shop': 'instructions planted in tool results, with and without our guard',
      'ludus attack ./agent.json --with twins --desk ./shop': 'the same request with and without tools',
      'ludus attack ./agent.json --with threats --desk ./shop --reflect MODEL': 'a threat model, before and after learning from half of it',
      'ludus attack ./agent.json --with threats --desk ./shop --defend 1 -o defended.json': 'a defense that still serves honest requests',
      'ludus attack ./bot.json --with crescendo --desk ./shop --budget 60':
        'conversations that escalate from a harmless question to a forbidden one',
      'ludus attack ./bot.json --with goat --desk ./shop --attacker MODEL': 'a model chooses a technique for every message',
      'ludus attack ./agent.json --with guard --policy ./policy.md --fail-over 0': 'a CI gate for your own policy',
    });
  },

  load: async () => (await import('../commands/attack.ts')).attack,
};

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new Fault('input', `--fail-over: expected a share from 0 to 1, such as 0.05, got "${text}".`);
}
