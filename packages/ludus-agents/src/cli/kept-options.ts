/** @file Options that name kept episodes to learn from: which run or file, which of its seats, and which turns are read and not learned. */

import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import type { Command } from 'commander';

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
    .option(
      '--from <run>',
      'learn from kept episodes: of a run of the store (a,b for several), or of a .jsonl that "ludus data export" wrote',
    )
    .option('--where <bound>', 'with --from: only seats whose score is so, e.g. "return>=1"; may be given often', bounds('--where'))
    .option('--mask <bound>', 'with --from: turns whose own score is so are read and not learned, e.g. "penalty>0"', bounds('--mask'))
    .option('--mask-quotes <bound>', 'the same, of what such a score quotes of the answer alone', bounds('--mask-quotes'));
}
