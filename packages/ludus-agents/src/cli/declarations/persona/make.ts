/** @file What `ludus persona make` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<name>', 'who it is')
      .option(
        '--from <file...>',
        'texts or chats that the person wrote: .txt (a paragraph each), or .json and .jsonl with "text" or "content"',
      )
      .option('--speaker <name>', 'in chats, whose lines are meant (by "speaker", "role" or "from")')
      .option('--consent <text>', 'who agreed to what, and when; without it nothing is made of a real person')
      .option('--update <persona>', 'an earlier version: statements are added, and retired where the person now says otherwise')
      .option(...flag('model', 'it infers the Big Five too; where it and the words disagree, nothing is written'))
      .option('--career <text>', 'a character from choices instead: what it works as')
      .option('--aspiration <text>', 'what it wants in life')
      .option('--trait <word...>', 'words for its temper, like outgoing or careless')
      .option('--skill <text...>', 'what it is good at')
      .option('--emotion <name>', 'how it feels to begin with, like hope')
      .option('--age <n>', 'how old it is', whole('--age', 0, 1_000_000))
      .option(...flag('scenes', 'drawn for the character and written there'))
      .option(...flag('output', '(default: NAME.json)'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona make "Ann Archer" --from letters.txt --consent "Ann, by mail, 3 May 2026, for tests of our help desk"':
        'a person, from what they wrote',
      'ludus persona make "Ann Archer" --from june.jsonl --speaker ann --consent "as before" --update ann-archer.json': 'as talk goes on',
      'ludus persona make Bo --career baker --aspiration "To own the mill." --trait outgoing careless --skill bread --emotion hope --age 30':
        'a character from choices',
    });
  },

  load: async () => (await import('../../commands/persona/make.ts')).make,
};
