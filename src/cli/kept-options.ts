/** @file Options that name kept episodes to learn from: which run or file, which of its seats, and which turns are read and not learned. */

import type { Command } from 'commander';
import { Fault } from '../core/index.ts';
import type { KeptSource } from '../learning/rl/recipe.ts';
import { readBound } from '../store/exports/index.ts';
import { keptGround } from '../training/kept-source.ts';
import { type StoreOptions, storeExists, withExistingStore } from '../workspace/stores.ts';
import type { Terminal } from './terminal.ts';

export interface KeptOptions extends StoreOptions {
  readonly from?: string;
  readonly where?: readonly string[];
  readonly mask?: readonly string[];
  readonly maskQuotes?: readonly string[];
  readonly environment?: string;
}

export function withKept(command: Command): Command {
  const bounds =
    (option: string) =>
    (text: string, before: readonly string[] = []) => {
      readBound(text, option);
      return [...before, text];
    };
  return command
    .option('--from <run>', 'learn from kept episodes: of a run of the store (a,b for several), or of a .jsonl that "ludus export" wrote')
    .option('--where <bound>', 'with --from: only seats whose score is so, e.g. "return>=1"; may be given often', bounds('--where'))
    .option('--mask <bound>', 'with --from: turns whose own score is so are read and not learned, e.g. "penalty>0"', bounds('--mask'))
    .option('--mask-quotes <bound>', 'the same, of what such a score quotes of the answer alone', bounds('--mask-quotes'));
}

/** The options as settings of a recipe: the source, and where it was played unless that is said. */
export async function keptSettings(options: KeptOptions, terminal: Terminal): Promise<readonly string[]> {
  const { from, where, mask, maskQuotes, environment } = options;
  if (from === undefined) {
    if (where !== undefined || mask !== undefined || maskQuotes !== undefined)
      throw new Fault('input', '--where, --mask and --mask-quotes choose among kept episodes; say --from RUN.');
    return [];
  }
  const kept: KeptSource = {
    from,
    ...(where !== undefined && { where }),
    ...(mask !== undefined && { mask }),
    ...(maskQuotes !== undefined && { maskQuotes }),
  };
  const source = Object.entries(kept).map(([name, value]) => `kept.${name}=${JSON.stringify(value)}`);
  if (environment !== undefined) return source;
  const { cwd } = terminal;
  const ground = storeExists(terminal, options)
    ? await withExistingStore(terminal, options, (store) => keptGround(kept, { cwd, store }))
    : await keptGround(kept, { cwd, store: undefined });
  if (ground === null) throw new Fault('input', `${from} has no episode to learn from; "ludus list runs" shows what is there.`);
  const [task, ...more] = ground.tasks;
  return [
    ...source,
    `training.environment=${JSON.stringify(ground.environment)}`,
    more.length > 0 ? `training.tasks=${JSON.stringify(ground.tasks)}` : `training.task=${JSON.stringify(task ?? {})}`,
  ];
}
