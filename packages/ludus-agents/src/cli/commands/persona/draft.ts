/** @file `ludus persona draft`: drafts a scene from the lore of its characters, their earlier scenes, and facts from files. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { slug } from '@ludus-agents/agents/internal/personas/slug';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { draft as draftScene } from '../../../library/characters.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly cast?: readonly string[];
  readonly facts?: readonly string[];
  readonly model?: string;
  readonly most?: number;
  readonly output?: string;
  readonly json?: boolean;
}

export const draft: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { cast = [], facts, most, model, store, readOnly } = options;
    const about = args[0].trim();
    const file = options.output ?? `${slug(about).slice(0, 40) || 'scene'}.json`;
    if (options.output === undefined && existsSync(resolve(terminal.cwd, file)))
      throw new Fault('input', `${file} already exists. Choose another file with -o, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
    const { controller, release } = interruptible(terminal);
    const request = { about, cast, facts, most, model, store, readOnly, folder: dirname(file), signal: controller.signal };
    const { scene, recalled, encoder, calls } = await draftScene(request, terminal).finally(release);
    writeOut(file, pretty(scene), terminal.cwd);
    if (options.json === true) printJson(terminal, { file, scene, recalled, encoder, calls });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, `${colours.green('✓')} ${file}`, '');
      if (recalled.length > 0) print(terminal, `Found by ${encoder ?? 'shared words'}:`);
      for (const { text, kind, source } of recalled)
        print(terminal, ...wrap(`${kind} (${printable(source)}): ${printable(text)}`, columnsOf(terminal.stdout)));
      print(terminal, '', `${colours.cyan(`ludus play scene ./${file}`)}      play it; later scenes remember it`);
    }
    return exits.fine;
  }),
};
