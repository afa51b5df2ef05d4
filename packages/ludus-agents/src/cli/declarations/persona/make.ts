/** @file What `ludus persona make` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<name>', 'the name')
      .option(
        '--from <file...>',
        'texts or chats that the person wrote: .txt (a paragraph each), or .json and .jsonl with "text" or "content"',
      )
      .option('--speaker <name>', 'in chats: the speaker to use ("speaker", "role", or "from")')
      .option('--consent <text>', 'who consented to what, and when; required for a real person')
      .option('--update <persona>', 'an earlier version to update')
      .option(...flag('model', 'a model that also infers the Big Five; disagreements with the text are left out'))
      .option('--career <text>', 'instead of texts: its occupation')
      .option('--aspiration <text>', 'its goal in life')
      .option('--trait <word...>', 'its temperament, such as outgoing or careless')
      .option('--skill <text...>', 'its skills')
      .option('--emotion <name>', 'its initial mood, such as hope')
      .option('--age <n>', 'its age', whole('--age', 0, 1_000_000))
      .option(...flag('scenes', 'where to write scenes drawn for the character'))
      .option(...flag('output', '(default: NAME.json)'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona make "Ann Archer" --from letters.txt --consent "Ann, by mail, 3 May 2026, for tests of our help desk"':
        'a person, from what they wrote',
      'ludus persona make "Ann Archer" --from june.jsonl --speaker ann --consent "as before" --update ann-archer.json':
        'update it from newer texts',
      'ludus persona make Bo --career baker --aspiration "To own the mill." --trait outgoing careless --skill bread --emotion hope --age 30':
        'a character from choices',
    });
  },

  load: async () => (await import('../../commands/persona/make.ts')).make,
};
