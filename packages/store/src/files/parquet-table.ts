/**
 * @file Reads tables from Parquet files as from CSV: a header, and every cell as text.
 *
 * A few changed bytes can make a decoder loop for hours or request any amount of memory. So a thread decodes, and is terminated if it takes
 * more time or memory than the size of its file allows. The process continues meanwhile.
 */

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CsvTable } from '@ludus-agents/kernel/internal/core/csv';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';

export interface ParquetRequest {
  readonly file: ArrayBuffer;
  readonly where: string;
  /** Whether a cell may be a list or an object, which becomes JSON. */
  readonly nested: boolean;
}

/** From the thread: it has loaded, or has decoded a file, or why it has not. */
export type ParquetAnswer = 'ready' | { readonly table: CsvTable } | { readonly problem: string };

/** Decoding takes some 50 ms for each megabyte, so a busy machine is well within these. */
const leastPatience = 3000;
const patiencePerMegabyte = 3000;
const mostMegabytes = 4096;

/** Reads a table; missing values are empty cells. Lists and objects become JSON if they are `nested`, and are rejected elsewhere. */
export async function readParquet(path: string, where: string, { nested = false } = {}): Promise<CsvTable> {
  const reader = new ParquetReader();
  try {
    return await reader.read(readFileSync(path), where, nested);
  } finally {
    await reader.close();
  }
}

/** Decodes one file after another in a thread, which is restarted if a file does not finish. */
export class ParquetReader {
  #thread: Worker | null = null;
  /** Hears the answer to the file that is being decoded. */
  #hear: (answer: ParquetAnswer | { readonly lost: string }) => void = () => {};

  async read(bytes: Uint8Array, where: string, nested = false): Promise<CsvTable> {
    if (this.#thread === null) await this.#start(where);
    const thread = this.#thread!;
    // A copy of these bytes alone: a small file is a part of memory that Node shares.
    const file = new Uint8Array(bytes).buffer;
    const patience = leastPatience + (patiencePerMegabyte * bytes.byteLength) / 2 ** 20;
    const timer = setTimeout(() => this.#hear({ lost: `decoding did not end within ${Math.round(patience / 1000)} s` }), patience);
    try {
      return await new Promise<CsvTable>((resolve, reject) => {
        this.#hear = (answer) => {
          if (answer === 'ready') return;
          if ('table' in answer) resolve(answer.table);
          else if ('problem' in answer) reject(new Fault('input', answer.problem));
          else {
            this.#thread = null;
            reject(damageFault(where, answer.lost));
          }
        };
        thread.postMessage({ file, where, nested } satisfies ParquetRequest, [file]);
      });
    } finally {
      clearTimeout(timer);
      this.#hear = () => {};
      if (this.#thread === null) await thread.terminate();
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
    this.#thread = null;
  }

  /** Resolves when the thread has loaded its decoder. */
  async #start(where: string): Promise<void> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./parquet-thread.${extension}`, import.meta.url), {
      execArgv: threadFlags,
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    });
    const tell = (answer: ParquetAnswer | { readonly lost: string }) => {
      if (this.#thread === thread) this.#hear(answer);
    };
    this.#thread = thread;
    thread.on('message', tell);
    thread.on('error', (thrown: NodeJS.ErrnoException) =>
      tell({ lost: thrown.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'decoding needs more memory than the file can hold' : sentenceOf(thrown) }),
    );
    thread.on('exit', () => tell({ lost: 'the decoder stopped' }));
    await new Promise<void>((resolve, reject) => {
      this.#hear = (answer) => (answer === 'ready' ? resolve() : reject(damageFault(where, 'the decoder did not start')));
    });
  }
}

function damageFault(where: string, what: string): Fault {
  return new Fault('input', `${where} cannot be read as Parquet: ${what}. The file is damaged; export it again.`, {
    code: 'E_UNREADABLE_FILE',
  });
}
