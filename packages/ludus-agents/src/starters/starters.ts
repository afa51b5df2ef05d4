/** @file The starters of `new`, by kind: the files, and the next commands. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import * as documents from './documents.ts';
import type { StarterKind } from './kinds.ts';
import * as programs from './programs.ts';
import { environmentTemplate, environmentTestTemplate } from './templates.ts';
import { trainerFiles, trainerKinds } from './trainers.ts';

export interface Starter {
  /** A program, a JSON document, a CSV table, or a folder of several. */
  readonly form: 'program' | 'document' | 'table' | 'folder';
  text(wanted: programs.Wanted): string;
  test?(wanted: programs.Wanted): string;
  /** The files of a folder by their paths in it; additional files of a document by name. */
  files?(wanted: programs.Wanted): Readonly<Record<string, string>>;
  /** The next commands, with their effects. */
  next(file: string): Readonly<Record<string, string>>;
}

export const starters: Readonly<Record<StarterKind, Starter>> = {
  environment: {
    form: 'program',
    text: ({ name }) => environmentTemplate(name),
    test: ({ name }) => environmentTestTemplate(name),
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
    next: (file) => ({ [`ludus train ${file} --name first`]: 'train with it' }),
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
      [`ludus test ${file} --agents bot:http://localhost:3000/chat`]: 'test your bot, here at port 3000',
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

/** A suite as a table of cases: no environment is needed. */
export const caseTable: Starter = {
  form: 'table',
  text: documents.casesText,
  next: (file) => ({
    [`ludus eval ${file} --agents ./agent.json`]: 'how many cases does your agent pass?',
    [`ludus improve ./agent.json --on ${file} --proposer MODEL`]: 'improve its prompt on them',
  }),
};

/** A trainer is a Python folder for the named library. */
export function trainerStarter(library: string, name: string): Starter {
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
