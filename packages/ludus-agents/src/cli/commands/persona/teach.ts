/** @file `ludus persona teach`: preference pairs, examples to imitate, recipes and a held-out suite, from a character's own document. */

import { resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { teachCharacter } from '@ludus-agents/learning/internal/teach-character';
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

/** Recipes that are written: what each begins from, and what it changes. */
const recipes: readonly { readonly file: string; readonly base: string; readonly method: string; readonly training?: object }[] = [
  { file: 'dpo', base: 'lm-dpo', method: 'DPO of a small language model on lines of a character' },
  { file: 'kto', base: 'lm-kto', method: 'KTO of a small language model on lines of a character' },
  {
    file: 'table',
    base: 'm-dpo',
    method: 'DPO of a table: the control, which knows only wordings that it has seen',
    training: { learner: 'table', games: 6000, batch: 128, rate: { from: 0.1, to: 0.02 } },
  },
];

export const teach: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { persona } = await resolvePersona(args[0]!, terminal);
    const by = options.by ?? 'probes';
    if (by !== 'probes' && !/^apc(?:=|$)/.test(by))
      throw new Fault('input', `--by: expected "probes", "apc", or "apc=MODEL", got "${by}".`);
    const scorer = by === 'probes' ? undefined : await loadScorer(by, terminal.cwd, terminal.trust);
    const { controller, release } = interruptible(terminal);
    const lessons = await teachCharacter(persona, { items: options.items, seed: options.seed, scorer, signal: controller.signal }).finally(
      release,
    );
    if (lessons.train.length === 0 || lessons.heldOut.length === 0)
      throw new Fault(
        'input',
        `${persona.name} has too few statements: of ${count(lessons.asked, 'question')}, ${lessons.train.length} can be used for training and ${lessons.heldOut.length} are held out. ${scorer === undefined ? 'Add statements' : 'Add statements, use another model for APC, or remove --by'}.`,
      );
    const folder = options.output ?? `${persona.id}-lessons`;
    const write = (name: string, content: string) => writeOut(`${folder}/${name}`, content, terminal.cwd);
    const rows = (list: readonly unknown[]) => list.map((row) => `${JSON.stringify(row)}\n`).join('');
    write('pairs.jsonl', rows(lessons.pairs));
    write('imitation.jsonl', rows(lessons.imitation));
    for (const { file, base, method, training } of recipes)
      write(
        `${file}.json`,
        pretty({
          name: `${persona.id}-${file}`.slice(0, 60),
          base,
          method,
          training: trainingOf(base, lessons.train, training),
          ...(base.startsWith('lm-') && { onServer }),
        }),
      );
    write('held-out.json', pretty(suiteOf(persona.id, lessons.heldOut)));
    const result = {
      folder,
      by,
      ...(scorer !== undefined && { asked: lessons.asked, asDocument: lessons.asDocument }),
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
        ...(scorer === undefined
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

/** A large model by an adapter: fewer and smaller steps, since it speaks already. */
const onServer = {
  'training.games': 1280,
  'training.rate.from': 5e-5,
  'training.rate.to': 1e-5,
  'training.warmUp.steps': 60,
  'training.warmUp.rate': 2e-4,
};

/** A language model imitates the best lines first, and is then paid by what its own are worth. */
function trainingOf(base: string, questions: Json, own: object = {}): object {
  const common = { environment: 'character-quiz', task: { questions }, seats: { character: 'learner' } };
  if (!base.startsWith('lm-')) return { ...common, ...own };
  return {
    ...common,
    games: 2560,
    batch: 64,
    opponents: 'self',
    rate: { from: 5e-4, to: 1e-4 },
    sizes: { width: 64, layers: 2, heads: 4, context: 160, answer: 40, vocabulary: 1024 },
    warmUp: { script: 'best', games: 600, steps: 600, rate: 2e-3, rows: 32 },
    ...own,
  };
}

function suiteOf(id: string, questions: Json): object {
  const scenes = [
    {
      name: 'held-out wordings',
      environment: 'character-quiz',
      tasks: [{ questions }],
      seats: ['character'],
      pass: 1,
      kinds: { scripted: 'scripted:best', first: 'scripted:first' },
    },
  ];
  return {
    name: `${id}-held-out`.slice(0, 60),
    about: 'Questions in wordings that were not taught.',
    seeds: 60,
    nulls: ['random', 'first'],
    scenes,
  };
}
