/** @file `ludus new KIND NAME`: writes a working file of your own with its test. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { readDefaultModel } from '@ludus-agents/agents/internal/workspace/models';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { type CommandRun, exits } from '../command.ts';
import { madeKinds } from '../declarations/new.ts';
import { coloursFor } from '../render/colours.ts';
import { withinBudget } from '../spending.ts';
import { environmentTemplate, environmentTestTemplate } from '../templates.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';
import * as documents from './new/documents.ts';
import * as programs from './new/programs.ts';
import { trainerFiles, trainerKinds } from './new/trainers.ts';

interface Maker {
  /** A program, a document that is JSON everywhere, a table as CSV, or a folder of several. */
  readonly form: 'program' | 'document' | 'table' | 'folder';
  text(wanted: programs.Wanted): string;
  test?(wanted: programs.Wanted): string;
  /** The files of a folder by their paths in it; those beside a document by their names. */
  files?(wanted: programs.Wanted): Readonly<Record<string, string>>;
  /** What to type next, with what it does. */
  next(file: string): Readonly<Record<string, string>>;
}

const makers: Readonly<Record<(typeof madeKinds)[number], Maker>> = {
  environment: {
    form: 'program',
    text: ({ name, ending }) => environmentTemplate(name, ending),
    test: ({ name, ending }) => environmentTestTemplate(name, ending),
    next: (file) => ({
      [`ludus env check ${file}`]: 'check it against the contract',
      [`ludus play ${file}`]: 'play it yourself',
    }),
  },
  agent: {
    form: 'program',
    text: programs.agentText,
    test: programs.agentTest,
    next: (file) => ({ [`ludus play kuhn-poker --agents ${file},random`]: 'watch it play' }),
  },
  scorer: {
    form: 'program',
    text: programs.scorerText,
    test: programs.scorerTest,
    next: (file) => ({ [`ludus score RUN --scorers ${file}`]: 'score a saved run' }),
  },
  engine: {
    form: 'program',
    text: programs.engineText,
    test: programs.engineTest,
    next: (file) => ({ [`ludus improve instruction-demo --engine ${file}`]: 'compare it with random edits' }),
  },
  recipe: {
    form: 'document',
    text: documents.recipeText,
    test: documents.recipeTest,
    next: (file) => ({ [`ludus train ${file} --name first`]: 'train by it' }),
  },
  suite: {
    form: 'document',
    text: documents.suiteText,
    test: documents.suiteTest,
    next: (file) => ({
      [`ludus eval ${file} --agents scripted`]: 'play it',
      'ludus new suite NAME --cases': 'start from a table of inputs and expected answers instead',
    }),
  },
  bot: {
    form: 'document',
    text: documents.botText,
    test: documents.botTest,
    files: documents.botFiles,
    next: (file) => ({
      [`ludus desk bot ${file}`]: 'check that it answers, remembers, and keeps conversations separate',
      [`ludus play chat --character ${file} --user scripted`]: 'it takes a seat like any other agent',
    }),
  },
  desk: {
    form: 'folder',
    text: () => '',
    test: documents.deskTest,
    files: documents.deskFiles,
    next: (file) => ({
      [`ludus desk check ${file}`]: 'can its cases be solved?',
      [`ludus eval ${file} --agents ./bot.json`]: 'try your bot at it',
    }),
  },
  population: {
    form: 'document',
    text: documents.populationText,
    test: documents.populationTest,
    next: (file) => ({ [`ludus persona sample ${file} -n 20`]: 'draw people from it' }),
  },
  persona: {
    form: 'document',
    text: documents.personaText,
    test: documents.personaTest,
    next: (file) => ({ [`ludus chat ${file}`]: 'talk with it' }),
  },
  scene: {
    form: 'document',
    text: documents.sceneText,
    test: documents.sceneTest,
    next: (file) => ({ [`ludus play scene ${file}`]: 'watch it; --model MODEL plays all characters with a model' }),
  },
  team: {
    form: 'document',
    text: documents.teamText,
    test: documents.teamTest,
    next: (file) => ({ [`ludus play tic-tac-toe --agents ${file},random`]: 'watch it play; name models as members to let them talk' }),
  },
  search: {
    form: 'document',
    text: documents.searchText,
    test: documents.searchTest,
    next: (file) => ({ [`ludus play kinarow --agents ${file},scripted`]: 'watch it play' }),
  },
};

/** A suite as a table of cases: no environment has to be written. */
const caseTable: Maker = {
  form: 'table',
  text: documents.casesText,
  next: (file) => ({
    [`ludus eval ${file} --agents ./agent.json`]: 'how many cases does your agent pass?',
    [`ludus improve ./agent.json --on ${file} --proposer MODEL`]: 'improve its prompt on them',
  }),
};

export const create: CommandRun = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const [what, second, third] = args as [string, string, string | undefined];
    if (options['from'] !== undefined) return fromWords(what, second, options, terminal);
    const isTrainer = what === 'trainer';
    if (!isTrainer && third !== undefined) throw new Fault('input', `"ludus new ${what}" takes one name. Remove "${third}".`);
    const name = isTrainer ? (third ?? '') : second;
    const kind = madeKinds.find((madeKind) => madeKind === what);
    if (options['cases'] === true && what !== 'suite') throw new Fault('input', `--cases is for "ludus new suite", not for ${what}.`);
    const maker = isTrainer ? trainerMaker(second, name) : options['cases'] === true ? caseTable : kind && makers[kind];
    const knownNames = [...madeKinds, 'trainer'];
    if (maker === undefined)
      throw new Fault('input', `Unknown kind "${what}". "ludus new" can create ${knownNames.join(', ')}.${didYouMean(what, knownNames)}`);
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 60)
      throw new Fault('input', `Invalid name "${name}". Use lowercase letters, digits, and hyphens, such as stick-game.`);
    const wanted = { name, ending: endingIn(terminal.cwd), folder: terminal.cwd };
    const endings = { program: wanted.ending, document: 'json', table: 'csv' } as const;
    const file = maker.form === 'folder' ? name : `${name}.${endings[maker.form]}`;
    const input = maker.files?.(wanted) ?? {};
    const inside = Object.entries(input).map(([path, text]) => [`${name}/${path}`, text] as const);
    const files: Readonly<Record<string, string>> = {
      ...(maker.form === 'folder' ? Object.fromEntries(inside) : { [file]: maker.text(wanted), ...input }),
      ...(maker.test === undefined ? {} : { [`${name}.test.${wanted.ending}`]: maker.test(wanted) }),
    };
    for (const path of Object.keys(files))
      if (existsSync(join(terminal.cwd, path)))
        throw new Fault('input', `${path} already exists. Choose another name, or delete it first.`);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(terminal.cwd, path)), { recursive: true });
      writeFileSync(join(terminal.cwd, path), text, { flag: 'wx' });
    }
    if (options['json'] === true) printJson(terminal, { files: Object.keys(files) });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, ...Object.keys(files).map((path) => `${colours.green('✓')} ${path}`), '');
      const test = maker.test === undefined ? {} : { [`node --test ${name}.test.${wanted.ending}`]: 'run its test' };
      const next = { ...maker.next(`./${file}`), ...test };
      const longest = Math.max(...Object.keys(next).map((line) => line.length));
      print(terminal, ...Object.entries(next).map(([line, does]) => `${colours.cyan(line.padEnd(longest))}   ${does}`));
    }
    return exits.fine;
  }),
};

/** Something that a model writes from words. */
async function fromWords(what: string, name: string, options: Readonly<Record<string, unknown>>, terminal: Terminal): Promise<number> {
  const { documentFromWords, writtenKinds } = await import('../../from-words.ts');
  const kind = writtenKinds.find((writtenKind) => writtenKind === what);
  if (kind === undefined) throw new Fault('input', `--from can create ${writtenKinds.join(', ')}, but not ${what}.`);
  const file = join(terminal.cwd, `${name}.json`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Fault('input', `Invalid name "${name}". Use lowercase letters, digits, and hyphens, such as stick-game.`);
  if (existsSync(file)) throw new Fault('input', `${name}.json already exists. Choose another name, or delete it first.`);
  const modelName = (options['model'] as string | undefined) ?? (await readDefaultModel(terminal.cwd));
  if (modelName === undefined)
    throw new Fault('input', 'No model to write it. Set one with --model, or run "ludus models" to see which are available.');
  const environment = await resolveEnvironment(String(options['on']), terminal.cwd, terminal.trust);
  const model = await loadModel(modelName, terminal.cwd, terminal.trust);
  const { controller, release } = interruptible(terminal);
  try {
    const words = String(options['from']);
    const input = { what: kind, name, words, model, modelName, environment, place: terminal, signal: controller.signal };
    const fromWords = await documentFromWords(input);
    writeFileSync(file, `${JSON.stringify(fromWords.document, null, 2)}\n`, { flag: 'wx' });
    if (options['json'] === true) printJson(terminal, { files: [`${name}.json`], ...fromWords });
    else print(terminal, `${name}.json: ${passed[kind]}`);
    return exits.fine;
  } finally {
    release();
  }
}

/** What was checked before a document was written. */
const passed = {
  agent: 'an agent that has played three episodes to the end.',
  environment: 'a story that follows the environment contract and can be won; "ludus play" plays it.',
  plan: 'a plan whose agents were tried to the end; "ludus run" runs it.',
} as const;

/** A trainer is a folder of Python, for the library that is named. */
function trainerMaker(library: string, name: string): Maker {
  const kind = trainerKinds.find((trainerKind) => trainerKind === library);
  if (kind === undefined || name === '')
    throw new Fault(
      'input',
      `A trainer needs a library and a name, such as "ludus new trainer ${kind ?? trainerKinds[0]} poker". Libraries: ${trainerKinds.join(', ')}.${kind === undefined ? didYouMean(library, trainerKinds) : ''}`,
    );
  const run = kind === 'trl' ? `cd ${name} && python train.py --help` : `pip install -e ./${name}`;
  return {
    form: 'folder',
    text: () => '',
    files: () => trainerFiles(kind, name),
    next: () => ({
      'ludus serve openenv --port 8000 --sessions 512 --no-token': 'where it plays',
      [run]: kind === 'trl' ? 'requirements; LUDUS_URL is the environment' : `then: eval ${name} -m MODEL`,
    }),
  };
}

/** Programs are modules. In a "commonjs" package, which is what npm init writes, Node takes only .mts for one. */
function endingIn(cwd: string): 'ts' | 'mts' {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return /"type"\s*:\s*"commonjs"/.test(readFileSync(file, 'utf8')) ? 'mts' : 'ts';
    if (folder === dirname(folder)) return 'ts';
  }
}
