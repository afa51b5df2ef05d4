/** @file `ludus models`: available models with a short test and their prices; `ludus models test` measures a model. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { models as listModels, type ReachableModel, test as testModels } from '../../library/setup.ts';
import { type CommandRun, exits } from '../command.ts';
import { modelOptions } from '../model-options.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { type Column, table } from '../render/table.ts';
import { wrap } from '../render/width.ts';
import { withinBudget } from '../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal, tableWidth } from '../terminal.ts';
import { pull } from './models/pull.ts';
import { setup } from './models/setup.ts';

interface Options {
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const models: CommandRun<Options, readonly [(readonly string[])?]> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const names = args[0] ?? [];
    modelOptions(options, terminal.env);
    const { controller, release } = interruptible(terminal);
    try {
      if (names[0] === 'pull') return await pull(names.slice(1), { terminal, json: options.json === true, signal: controller.signal });
      if (names[0] === 'setup') {
        const yes = options.yes === true;
        return await setup(names.slice(1), { terminal, json: options.json === true, yes, signal: controller.signal });
      }
      if (names[0] === 'test')
        return await reportTests(names.slice(1), { terminal, json: options.json === true, signal: controller.signal });
      const reaches = await listModels({ names: names.length === 0 ? undefined : names, signal: controller.signal }, terminal);
      if (options.json === true) printJson(terminal, reaches);
      else {
        const colours = coloursFor(terminal.stdout, terminal.env);
        const columns = tableWidth(terminal);
        const titles: readonly Column[] = [{ title: '' }, { title: 'model' }, { title: 'price' }, { title: 'test', flexible: 'wrap' }];
        const order = [...reaches].sort((a, b) => Number(b.ready) - Number(a.ready));
        print(
          terminal,
          table(
            titles,
            order.map((reach) => row(reach, colours)),
            { colours, columns },
          ),
        );
        const ready = reaches.filter((reach) => reach.ready).length;
        const footer = `${ready} of ${reaches.length} ready. Prices are in dollars per million tokens. "ludus models NAME" asks one a short question.`;
        const columnsNow = Math.min(100, columnsOf(terminal.stdout));
        print(terminal, '', ...wrap(footer, columnsNow).map(colours.faint));
        if (names.length === 0 && !reaches.some((reach) => reach.ready && reach.name !== 'fake'))
          print(terminal, '', ...nextSteps.flatMap((line) => wrap(line, columnsNow)));
      }
      // Discovery may find nothing; a named model that does not answer is a finding.
      return names.length > 0 && reaches.some((reach) => !reach.ready) ? exits.found : exits.fine;
    } finally {
      release();
    }
  }),
};

/** Suggestions if there is no model at all. */
const nextSteps: readonly string[] = [
  'No models yet. Ways to get one:',
  '  Ollama: install it, run "ollama pull qwen3:0.6b", then: ludus chat innkeeper --model ollama/qwen3:0.6b',
  '  In this process: ludus models setup llama, ludus models pull qwen3-0.6b, then: ludus chat innkeeper',
  '  Your own GGUF file: ludus chat innkeeper --model ./model.gguf',
  '  A hosted model: ludus config keys set OPENAI_API_KEY < key.txt, then: ludus chat innkeeper --model openai/gpt-5-mini',
  'Without a model, "ludus chat innkeeper" answers with lines from the card, and every environment has scripted players.',
];

interface Testing {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

async function reportTests(names: readonly string[], { terminal, json, signal }: Testing): Promise<number> {
  const modelTests = await testModels({ names, signal }, terminal);
  if (json) printJson(terminal, modelTests.length === 1 ? modelTests[0] : modelTests);
  else {
    const colours = coloursFor(terminal.stdout, terminal.env);
    const yesOrNo = (can: boolean | null) => (can === null ? 'unknown' : can ? 'yes' : 'no');
    for (const modelTest of modelTests) {
      const rows = [
        ['answer', printable(modelTest.about)],
        ...(modelTest.ready
          ? [
              ['latency', `${modelTest.latency} ms for one word`],
              ['speed', modelTest.tokensPerSecond === null ? 'too fast to measure' : `${modelTest.tokensPerSecond} tokens per second`],
              ['context', modelTest.context === null ? 'not known' : `${modelTest.context} tokens`],
              ['choices enforced', yesOrNo(modelTest.choices)],
              ['schema enforced', yesOrNo(modelTest.schema)],
              ['logprobs', `${yesOrNo(modelTest.logprobs)} for sampled tokens, ${yesOrNo(modelTest.scores)} for given answers`],
            ]
          : []),
      ];
      print(
        terminal,
        table([{ title: printable(modelTest.name) }, { title: '', flexible: 'wrap' }], rows, {
          colours,
          columns: columnsOf(terminal.stdout),
        }),
      );
    }
  }
  return modelTests.every((modelTest) => modelTest.ready) ? exits.fine : exits.found;
}

function row({ name, ready, about, price }: ReachableModel, colours: Colours): string[] {
  const text =
    price === undefined
      ? ''
      : price === null
        ? 'unknown'
        : price.prompt === 0 && price.completion === 0
          ? 'free'
          : `${price.prompt} in, ${price.completion} out`;
  return [
    ready ? colours.green('✓') : colours.faint('·'),
    ready ? colours.cyan(printable(name)) : printable(name),
    text,
    printable(shorter(about)),
  ];
}

/** The address is already shown, and a server that does not run is the normal case. */
function shorter(about: string): string {
  return linear(/^\S+ could not be reached: nobody listens/).test(about) ? 'connection refused' : about;
}
