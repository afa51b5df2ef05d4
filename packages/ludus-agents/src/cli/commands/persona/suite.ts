/** @file `ludus persona suite`: a benchmark of role-play as a suite of your own, from characters, scenes and a source model. */

import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { buildDialogueSuite, type DialogueScene, readDialogueScenes } from '@ludus-agents/evaluation/internal/dialogue-suite';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type CommandRun, exits } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly scenes?: string;
  readonly source?: string;
  readonly test?: string;
  readonly turns?: number;
  readonly seed?: number;
  readonly output: string;
  readonly json?: boolean;
}

const usualScenes: readonly Json[] = [
  {
    name: 'delay',
    background: 'A storm keeps two travellers in a waiting room. They do not know each other.',
    opening: 'Who are you, and where do you come from?',
  },
  {
    name: 'favour',
    background: 'One of two acquaintances needs a favour that the other may not want to do.',
    opening: 'Would you keep something for me, and not ask why?',
  },
  { name: 'supper', background: 'A long supper at one table, with time to talk.', opening: 'What do you like best about your work?' },
];

export const build: CommandRun<Options, readonly [readonly string[]]> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    if (!/\.json$/i.test(options.output)) throw new Fault('input', `-o: expected a file that ends in .json, got "${options.output}".`);
    const names = args[0];
    const personas = await Promise.all(names.map(async (name) => (await resolvePersona(name, terminal)).persona));
    const { controller, release } = interruptible(terminal);
    const speakers = {
      source: await speakerFor(options.source ?? 'scripted', terminal),
      test: options.test === undefined ? undefined : await speakerFor(options.test, terminal),
    };
    const built = await buildDialogueSuite({
      ...speakers,
      name: basename(options.output)
        .replace(/\.json$/i, '')
        .replace(/[^\w.-]/g, '-')
        .slice(0, 60),
      personas,
      scenes: scenesFrom(options.scenes, terminal),
      turns: options.turns ?? 6,
      seed: options.seed ?? 0,
      signal: controller.signal,
    }).finally(release);
    writeOut(options.output, `${JSON.stringify(built.suite, null, 2)}\n`, terminal.cwd);
    const tasks = Object.values(built.axes).reduce((sum, n) => sum + n, 0);
    if (options.json === true)
      printJson(terminal, { suite: built.suite.name, file: options.output, dialogues: built.dialogues, tasks, axes: built.axes });
    else
      print(
        terminal,
        `${count(tasks, 'task')} from ${count(built.dialogues, 'dialogue')} in ${options.output}: ${Object.entries(built.axes)
          .map(([axis, n]) => `${n} ${axis}`)
          .join(', ')}.`,
        `ludus eval ./${options.output} --agents scripted`,
      );
    return exits.fine;
  }),
};

function scenesFrom(file: string | undefined, terminal: Terminal): readonly DialogueScene[] {
  if (file === undefined) return readDialogueScenes(usualScenes);
  let text: string;
  try {
    text = readFileSync(resolve(terminal.cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The scenes ${file} cannot be read: ${reasonOf(thrown)}.`);
  }
  return readDialogueScenes(jsonFrom(text, `The scenes ${file}`));
}

/** An agent that plays any persona and knows of the others what it may. */
async function speakerFor(typed: string, terminal: Terminal) {
  const spec = await readSpec(typed, terminal.cwd, terminal.trust);
  const load = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
  const environment = await builtInEnvironment('next-line');
  return (persona: Persona, others: readonly Persona[]) =>
    load({ ...spec, persona: persona, settings: { ...spec.settings, others: others } }, 'character', environment);
}
