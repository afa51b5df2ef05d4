/** @file `ludus persona validate`: every problem of a document, each with the field it is in. */

import { count } from '../../../core/format.ts';
import { isFault, type Json, printable } from '../../../core/index.ts';
import { checkPersona, importPersona } from '../../../personas/index.ts';
import { readBytes } from '../../../workspace/personas.ts';
import { type CommandFile, examples, exits, withJson } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson } from '../../terminal.ts';

export const validate: CommandFile = {
  declare(command) {
    command.argument('<file>', 'a persona, or a document of another program; - for standard input');
    withJson(command);
    examples(command, {
      'ludus persona validate ann.json': 'exit code 0 when all is well, 1 when something is wrong',
      'ludus persona validate ann.json --json': '{"valid":true,"format":"persona","problems":[]}',
    });
  },

  async run({ args, options, terminal }) {
    const name = args[0]!;
    const { format, problems, about } = inspected(await readBytes(name, terminal));
    const valid = problems.length === 0;
    const colours = coloursFor(terminal.stdout, terminal.env);
    const columns = Math.min(100, columnsOf(terminal.stdout)) - 4;
    if (options['json'] === true) printJson(terminal, { valid, format, problems });
    else if (valid) print(terminal, `${colours.green('✓')} ${printable(about)}`);
    else {
      print(terminal, `${colours.red('✗')} ${printable(name)} has ${count(problems.length, 'problem')}.`);
      for (const problem of problems)
        print(terminal, ...wrap(printable(problem), columns).map((line, i) => `${i === 0 ? '  · ' : '    '}${line}`));
    }
    return valid ? exits.fine : exits.found;
  },
};

interface Inspected {
  readonly format: string | null;
  readonly problems: readonly string[];
  readonly about: string;
}

/** A document that was read is checked against the form once more, so that the result of an importer is checked too. */
function inspected(bytes: Uint8Array): Inspected {
  try {
    const { persona, format } = importPersona(bytes);
    const about = `${persona.name} is a valid persona${format === 'persona' ? '' : `, read as ${format}`}: ${count(persona.statements.length, 'statement')}, ${count(persona.goals.length, 'goal')}, ${count(persona.secrets.length, 'secret')}.`;
    return { format, problems: checkPersona(persona), about };
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return { format: null, problems: problemsOf(bytes, thrown.message), about: '' };
  }
}

/** A document that is marked as a persona, or looks like nothing else, gets all its mistakes listed; another gets one sentence. */
function problemsOf(bytes: Uint8Array, sentence: string): readonly string[] {
  if (!/^(This is not a valid persona|No known format)/.test(sentence)) return [sentence];
  try {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    const claims = (json as { schema?: Json }).schema === 'persona/1' || sentence.startsWith('No known format');
    const found = claims ? checkPersona(json) : [];
    return found.length > 0 ? found : [sentence];
  } catch {
    return [sentence];
  }
}
