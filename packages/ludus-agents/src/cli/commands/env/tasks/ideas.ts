/** @file `ludus env tasks ideas`: written ideas as text adventures, each proved to be winnable, as a suite to train and test on. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { proveIdea } from '@ludus-agents/environments/internal/quest-world/idea-quest';
import { writeIdea } from '@ludus-agents/environments/internal/quest-world/write-idea';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Model, printable, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { withinBudget } from '../../../spending.ts';
import { interruptible, print, printJson } from '../../../terminal.ts';

interface Options {
  readonly model?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const ideas: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const file = resolve(terminal.cwd, args[0]!);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (thrown) {
      throw new Fault('input', `${args[0]} cannot be read: ${reasonOf(thrown)}.`);
    }
    const written = text.split(/\n\s*\n/).flatMap((item) => item.trim() || []);
    const { controller, release } = interruptible(terminal);
    const results: { readonly idea: string; readonly commands: number }[] = [];
    const down: { readonly idea: string; readonly why: string }[] = [];
    try {
      const model = options.model === undefined ? null : await createModel(options.model);
      for (const idea of written) {
        try {
          results.push(await questOf(idea, model, controller.signal));
        } catch (thrown) {
          controller.signal.throwIfAborted();
          down.push({ idea: idea.slice(0, 80), why: sentenceOf(thrown) });
        }
      }
    } finally {
      release();
    }
    if (results.length === 0) throw new Fault('input', `No idea of ${args[0]} could be used: ${down[0]?.why ?? 'the file has none'}`);
    const suite: SuiteInput = {
      name: 'ideas',
      about: 'Text adventures out of written ideas, each proved to be winnable.',
      nulls: ['random'],
      scenes: [
        {
          environment: 'idea-quest',
          seats: ['seeker'],
          tasks: results.map(({ idea }) => ({ idea })),
          kinds: { scripted: 'scripted:bfs' },
          scale: [-1, 2],
          pass: 0.5,
          also: ['form'],
        },
      ],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, { file: options.output, made: results.length, commands: results.map((item) => item.commands), down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(results.length, 'quest')} in ${options.output}, won in ${results.map((item) => item.commands).join(', ')} commands at best`,
        ...down.map(({ idea, why }) => `  ${colours.yellow('·')} left out: ${printable(idea.split('\n', 1)[0]!)}: ${printable(why)}`),
      );
    }
    return exits.fine;
  }),
};

async function questOf(idea: string, model: Model | null, signal: AbortSignal) {
  if (model === null) return { idea, commands: proveIdea(idea).way.commands.length };
  const { text, commands } = await writeIdea(model, idea, { signal });
  return { idea: text, commands: commands.length };
}
