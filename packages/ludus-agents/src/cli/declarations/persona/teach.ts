/** @file What `ludus persona teach` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const teach: CommandDeclaration = {
  declare(command) {
    command
      .argument('<persona>', 'a persona file in any supported format, or a gallery name')
      .option('--by <scorer>', 'how lines are scored: probes, apc, apc=MODEL, or apc=onnx:FOLDER (default: probes)')
      .option(...flag('items', '(default: 200)'), whole('--items', 1, 1000))
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .option(...flag('output', 'a folder (default: NAME-lessons)'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona teach villain -o vole': 'pairs.jsonl, imitation.jsonl, dpo.json, kto.json, table.json and held-out.json',
      'ludus train ./vole/dpo.json --name vole --seed 1': 'a small language model learns the lines',
      'ludus eval ./vole/held-out.json --agents local/vole@best,random': 'on wordings it has not seen',
      'ludus train ./vole/dpo.json --learner tinker --url http://127.0.0.1:8000 --base tinyllama --name large':
        'the same lessons for a model on a server; "ludus eval ./vole/held-out.json --agents local/large@last" asks it',
      'ludus persona teach villain --by apc=openai/gpt-5.4-mini -o vole':
        'APC-DPO: lines are ranked by how far they follow from the statements',
    });
  },

  load: async () => (await import('../../commands/persona/teach.ts')).teach,
};
