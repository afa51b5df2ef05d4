/** @file `ludus persona teach`: preference pairs, examples to imitate, recipes and a held-out suite, from a character's own document. */

import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { teach as teachPersona } from '../../../library/characters.ts';
import { type CommandRun, exits } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options {
  readonly by?: string;
  readonly items?: number;
  readonly seed?: number;
  readonly output?: string;
  readonly json?: boolean;
}

export const teach: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { by = 'probes', items, seed } = options;
    const { controller, release } = interruptible(terminal);
    const lessons = await teachPersona({ persona: args[0], by, items, seed, signal: controller.signal }, terminal).finally(release);
    const { persona } = lessons;
    const isScored = by !== 'probes';
    const folder = options.output ?? `${persona.id}-lessons`;
    const write = (name: string, content: string) => writeOut(`${folder}/${name}`, content, terminal.cwd);
    const rows = (list: readonly unknown[]) => list.map((row) => `${JSON.stringify(row)}\n`).join('');
    write('pairs.jsonl', rows(lessons.pairs));
    write('imitation.jsonl', rows(lessons.imitation));
    for (const [file, recipe] of Object.entries(lessons.recipes)) write(`${file}.json`, pretty(recipe));
    write('held-out.json', pretty(lessons.suite));
    const result = {
      folder,
      by,
      ...(isScored && { asked: lessons.asked, asDocument: lessons.asDocument }),
      questions: lessons.train.length,
      heldOut: lessons.heldOut.length,
      pairs: lessons.pairs.length,
      imitation: lessons.imitation.length,
    };
    if (options.json === true) printJson(terminal, result);
    else
      print(
        terminal,
        `${folder}: ${count(result.pairs, 'pair')}, ${count(result.imitation, 'example')} from ${count(result.questions, 'question')}; ${count(result.heldOut, 'wording')} held out.`,
        ...(!isScored
          ? []
          : [
              `${by} found the best line for ${result.questions + result.heldOut} of ${count(lessons.asked, 'question')}, and agrees with the persona on ${lessons.asDocument}.`,
            ]),
        `ludus train ./${folder}/dpo.json --name ${persona.id}`,
        `ludus eval ./${folder}/held-out.json --agents local/${persona.id}@best,random`,
      );
    return exits.fine;
  }),
};

const pretty = (json: unknown) => `${JSON.stringify(json, null, 2)}\n`;
