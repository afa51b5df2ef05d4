/** @file Options that select stored episodes to learn from: the run or file, the seats, and turns that are only context. */

import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import type { Command } from 'commander';
import { flag } from './flags.ts';

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
    .option('--from <run>', 'learn from stored episodes: runs (a,b), or a .jsonl file')
    .option(...flag('where'), bounds('--where'))
    .option(...flag('mask'), bounds('--mask'))
    .option(...flag('maskQuotes'), bounds('--mask-quotes'));
}
