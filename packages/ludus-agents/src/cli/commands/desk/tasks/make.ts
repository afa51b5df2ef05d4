/** @file `ludus desk tasks make`: cases made from a desk, each proved by its gold calls, as a suite that eval and test play. */

import { resolve } from 'node:path';
import { deskScene, loadDesk } from '@ludus-agents/desk/internal/desks';
import { makeCases } from '@ludus-agents/desk/internal/environment/make/index';
import { type MakeKind, makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly kinds: string;
  readonly each: number;
  readonly seed: number;
  readonly output: string;
  readonly json?: boolean;
}

export const make: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const kinds = options.kinds.split(',').map((kind) => kind.trim());
    const odd = kinds.find((kind) => !(makeKinds as readonly string[]).includes(kind));
    if (odd !== undefined)
      throw new Fault('input', `There is no kind "${odd}"; there are ${makeKinds.join(', ')}.${didYouMean(odd, makeKinds)}`);
    const desk = loadDesk(args[0]!, terminal.cwd, terminal.trust);
    const { kept, down } = makeCases(desk, { kinds: kinds as MakeKind[], each: options.each, seed: options.seed });
    if (kept.length === 0)
      throw new Fault(
        'input',
        `Nothing could be made of ${args[0]}: ${down[0]?.why ?? 'it needs cases with gold calls, customers with several records, and rules on lines of their own'}.`,
      );
    const { tasks: _, ...plain } = desk;
    const groups = [...Map.groupBy(kept, ({ probe }) => probe)];
    const suite: SuiteInput = {
      name: `${desk.name}-made`.slice(0, 60),
      about: `Cases made from ${desk.name}: ${kinds.join(', ')}.`,
      seeds: 1,
      nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
      scenes: groups.map(([probe, cases]) => {
        const scene = deskScene(
          probe,
          cases.map((one) => ({ case: one, desk: plain })),
        );
        // Pairs are scored by how many were found; half of them is more than none.
        if (probe === 'knowledge: pairs') return { ...scene, score: 'pairs', pass: 1 };
        return probe === 'ambiguous' || probe === 'clear' ? { ...scene, also: [...(scene.also ?? []), 'clarity'] } : scene;
      }),
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const made = Object.fromEntries(groups.map(([probe, cases]) => [probe, cases.length]));
    if (options.json === true) printJson(terminal, { file: options.output, cases: kept.length, made, down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(kept.length, 'case')} in ${options.output}: ${Object.entries(made)
          .map(([probe, much]) => `${printable(probe)} ${much}`)
          .join(', ')}`,
        ...down
          .slice(0, 5)
          .map(({ id, stage, why }) => `  ${colours.yellow('·')} turned down by ${stage}: ${printable(id)}: ${printable(why)}`),
        ...(down.length > 5 ? [`  and ${down.length - 5} more; --json tells all`] : []),
      );
    }
    return exits.fine;
  },
};
