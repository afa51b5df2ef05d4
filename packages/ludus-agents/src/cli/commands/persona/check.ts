/** @file `ludus persona check`: every problem of a document, each with the field it is in, and what in it does not fit together. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkPersona, emotions, importPersona, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { checkRules } from '@ludus-agents/agents/internal/personas/rules/check';
import { readBytes, resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { findFlaws, type PersonaFlaw } from '@ludus-agents/evaluation/internal/persona-flaws';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { isFault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

export const check: CommandRun = {
  async run({ args, options, terminal }) {
    const name = args[0]!;
    const { format, problems, about, flaws } = await checkNamed(name, terminal);
    const valid = problems.length === 0;
    const colours = coloursFor(terminal.stdout, terminal.env);
    const columns = Math.min(100, columnsOf(terminal.stdout)) - 4;
    if (options['json'] === true) printJson(terminal, { valid, format, problems, flaws });
    else if (valid && flaws.length === 0) print(terminal, `${colours.green('✓')} ${printable(about)}`);
    else {
      const observations = [...problems, ...flaws.map(({ kind, sentence }) => `${kind}: ${sentence}`)];
      print(terminal, `${colours.red('✗')} ${printable(name)} has ${count(observations.length, 'problem')}.`);
      for (const problem of observations)
        print(terminal, ...wrap(printable(problem), columns).map((line, i) => `${i === 0 ? '  · ' : '    '}${line}`));
    }
    return valid && flaws.length === 0 ? exits.fine : exits.found;
  },
};

interface Inspected {
  readonly format: string | null;
  readonly problems: readonly string[];
  readonly about: string;
  /** What in a valid document does not fit together. */
  readonly flaws: readonly PersonaFlaw[];
}

/** A file is checked as it stands; a name of the gallery as the document behind it. */
async function checkNamed(name: string, terminal: Terminal): Promise<Inspected> {
  const isFile = name === '-' || /[\\/.]/.test(name) || existsSync(resolve(terminal.cwd, name));
  if (isFile) return inspectDocument(await readBytes(name, terminal));
  const { persona, format } = await resolvePersona(name, terminal);
  return { ...describePersona(persona, format), format };
}

function describePersona(persona: Persona, format: string): Pick<Inspected, 'problems' | 'about' | 'flaws'> {
  const parts = [
    count(persona.statements.length, 'statement'),
    count(persona.goals.length, 'goal'),
    count(persona.secrets.length, 'secret'),
  ];
  const about = `${persona.name} is a valid persona${format === 'persona' ? '' : `, read as ${format}`}: ${parts.join(', ')}.`;
  return {
    about,
    problems: [...checkPersona(persona), ...(persona.rules === undefined ? [] : checkRules(persona.rules, emotions))],
    flaws: findFlaws(persona),
  };
}

/** A document that was read is checked against the form once more, so that the result of an importer is checked too. */
function inspectDocument(bytes: Uint8Array): Inspected {
  try {
    const { persona, format } = importPersona(bytes);
    return { format, ...describePersona(persona, format) };
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return { format: null, problems: problemsOf(bytes, thrown.message), about: '', flaws: [] };
  }
}

/** A document that is marked as a persona, or looks like nothing else, gets all its mistakes listed; another gets one sentence. */
function problemsOf(bytes: Uint8Array, sentence: string): readonly string[] {
  if (!/^(This is not a valid persona|No known format)/.test(sentence)) return [sentence];
  try {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
    const claims = (json as { schema?: Json }).schema === 'persona/1' || sentence.startsWith('No known format');
    const persona = claims ? checkPersona(json) : [];
    return persona.length > 0 ? persona : [sentence];
  } catch {
    return [sentence];
  }
}
