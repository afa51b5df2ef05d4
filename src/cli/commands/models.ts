/** @file `ludus models`: what can be called from here, with a one-line test and the price. */

import { count } from '../../core/format.ts';
import { printable } from '../../core/index.ts';
import { reachable } from '../../models/index.ts';
import { type CommandFile, examples, exits, withJson } from '../command.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { type Column, table } from '../render/table.ts';
import { wrap } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson } from '../terminal.ts';

type Reach = Awaited<ReturnType<typeof reachable>>[number];

export const models: CommandFile = {
  declare(command) {
    command.argument('[names...]', 'models to put one short question to; without names, a look around that costs nothing');
    withJson(command);
    examples(command, {
      'ludus models': 'what is configured and reachable',
      'ludus models fake openai/gpt-5-mini': 'ask each of them for one word',
      'ludus models --json': 'for machines',
    });
  },

  async run({ args, options, terminal }) {
    const names = (args[0] as unknown as readonly string[] | undefined) ?? [];
    const { controller, release } = interruptible(terminal);
    try {
      const found = await reachable(names.length === 0 ? undefined : names, { env: terminal.env, signal: controller.signal });
      if (options['json'] === true) printJson(terminal, found);
      else {
        const colours = coloursFor(terminal.stdout, terminal.env);
        const columns = terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : undefined;
        const titles: readonly Column[] = [{ title: '' }, { title: 'model' }, { title: 'price' }, { title: 'test', flexible: 'wrap' }];
        const order = [...found].sort((a, b) => Number(b.ready) - Number(a.ready));
        print(
          terminal,
          table(
            titles,
            order.map((one) => row(one, colours)),
            { colours, columns },
          ),
        );
        const ready = found.filter((one) => one.ready).length;
        const footer = `${count(ready, 'place')} of ${found.length} ready; prices are dollars a million tokens. ludus models NAME asks one.`;
        print(terminal, '', ...wrap(footer, Math.min(100, columnsOf(terminal.stdout))).map(colours.faint));
      }
      // Looking around finds what it finds; a model that was named and does not answer is a finding.
      return names.length > 0 && found.some((one) => !one.ready) ? exits.found : exits.fine;
    } finally {
      release();
    }
  },
};

function row({ name, ready, about, price }: Reach, colours: Colours): string[] {
  const paid =
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
    paid,
    printable(shorter(about)),
  ];
}

/** The address is shown already, and that nothing runs there is the usual case. */
function shorter(about: string): string {
  return /^\S+ could not be reached: nobody listens/.test(about) ? 'nobody listens there' : about;
}
