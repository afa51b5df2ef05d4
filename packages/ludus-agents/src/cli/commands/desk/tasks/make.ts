/** @file `ludus desk tasks make`: cases made from a desk, each proved by its gold calls, as a suite that eval and test play. */

import { resolve } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { deskScene, loadDesk } from '@ludus-agents/desk/internal/desks';
import type { DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import { makeCases } from '@ludus-agents/desk/internal/environment/make/index';
import { type MakeKind, makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import { type SafeAnswer, type WrittenCases, writeCases } from '@ludus-agents/desk/internal/write-cases';
import { writeKinds } from '@ludus-agents/desk/internal/write-kinds';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { withinBudget } from '../../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../../terminal.ts';

interface Options {
  readonly kinds?: string;
  readonly each: number;
  readonly seed: number;
  readonly output: string;
  readonly model?: string;
  readonly reviewer?: string;
  readonly rounds: number;
  readonly safeData?: string;
  readonly json?: boolean;
}

/** The kinds that are wanted of those that there are. */
function kindsIn<Kind extends string>(list: string | undefined, all: readonly Kind[]): readonly Kind[] {
  const kinds = (list ?? all.join(',')).split(',').map((kind) => kind.trim());
  const odd = kinds.find((kind) => !(all as readonly string[]).includes(kind));
  if (odd !== undefined) throw new Fault('input', `Unknown kind "${odd}". Available: ${all.join(', ')}.${didYouMean(odd, all)}`);
  return kinds as Kind[];
}

/** Cases by rules, or by a model and rules. */
async function casesFor(desk: DeskDocument, options: Options, terminal: Terminal): Promise<WrittenCases> {
  const { each, seed, rounds } = options;
  if (options.model === undefined) {
    const needless = options.reviewer === undefined ? (options.safeData === undefined ? null : '--safe-data') : '--reviewer';
    if (needless !== null) throw new Fault('input', `${needless} needs --model, because a model writes the texts.`);
    return { ...makeCases(desk, { kinds: kindsIn<MakeKind>(options.kinds, makeKinds), each, seed }), safe: [], calls: 0, rewritten: 0 };
  }
  const kinds = kindsIn(options.kinds, writeKinds);
  const load = createAgentServices(terminal.cwd, terminal.trust).model!;
  const model = await load(options.model);
  const reviewer = options.reviewer === undefined ? undefined : await load(options.reviewer);
  const { controller, release } = interruptible(terminal);
  try {
    return await writeCases(desk, { model, reviewer, kinds, each, rounds, seed, signal: controller.signal });
  } finally {
    release();
  }
}

export const make: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const desk = loadDesk(args[0]!, terminal.cwd, terminal.trust);
    const { kept, down, safe, calls, rewritten } = await casesFor(desk, options, terminal);
    if (kept.length === 0)
      throw new Fault(
        'input',
        `No tasks could be made from ${args[0]}: ${down[0]?.why ?? 'it needs cases with gold calls, customers with several records, and rules on separate lines'}.`,
      );
    if (options.safeData !== undefined)
      writeFileAtomicSync(
        resolve(terminal.cwd, options.safeData),
        safe.map((safeAnswer) => `${JSON.stringify(lessonOf(safeAnswer, desk))}\n`).join(''),
      );
    const { tasks: _, ...plain } = desk;
    const groups = [...Map.groupBy(kept, ({ probe }) => probe)];
    const suite: SuiteInput = {
      name: `${desk.name}-made`.slice(0, 60),
      about: `Cases made from ${desk.name}: ${groups.map(([probe]) => probe).join(', ')}.`,
      seeds: 1,
      nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
      scenes: groups.map(([probe, cases]) => {
        const scene = deskScene(
          probe,
          cases.map((deskCase) => ({ case: deskCase, desk: plain })),
        );
        // Pairs are scored by how many were found; half of them is more than none.
        if (probe === 'knowledge: pairs') return { ...scene, score: 'pairs', pass: 1 };
        return probe === 'ambiguous' || probe === 'clear' ? { ...scene, also: [...(scene.also ?? []), 'clarity'] } : scene;
      }),
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const result = Object.fromEntries(groups.map(([probe, cases]) => [probe, cases.length]));
    if (options.json === true)
      printJson(terminal, {
        file: options.output,
        cases: kept.length,
        made: result,
        down,
        ...(options.model === undefined ? {} : { calls, rewritten, safe: safe.length }),
      });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(kept.length, 'case')} in ${options.output}: ${Object.entries(result)
          .map(([probe, much]) => `${printable(probe)} ${much}`)
          .join(', ')}`,
        ...(options.model === undefined
          ? []
          : [`  ${count(calls, 'call')} of models; ${rewritten} of the cases were right only after an objection.`]),
        ...(options.safeData === undefined ? [] : [`  ${count(safe.length, 'safe answer')} in ${printable(options.safeData)}`]),
        ...down
          .slice(0, 5)
          .map(({ id, stage, why }) => `  ${colours.yellow('·')} turned down by ${stage}: ${printable(id)}: ${printable(why)}`),
        ...(down.length > 5 ? [`  and ${down.length - 5} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  }),
};

/** A safe answer as a conversation to train on. */
function lessonOf({ request, answer }: SafeAnswer, { policy }: DeskDocument): { readonly messages: readonly object[] } {
  return {
    messages: [
      { role: 'system', content: policy },
      { role: 'user', content: request },
      { role: 'assistant', content: answer },
    ],
  };
}
