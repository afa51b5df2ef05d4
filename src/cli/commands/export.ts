/** @file `ludus export`: what a store holds, as a file that other programs read. */

import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { count } from '../../company/amounts.ts';
import { reasonOf } from '../../company/files.ts';
import { reading, runBy, type StoreOptions } from '../../company/stores.ts';
import { didYouMean } from '../../company/suggest.ts';
import { worldIdOf } from '../../company/worlds.ts';
import { type EpisodeQuery, Fault, type Store } from '../../core/index.ts';
import { type CommandFile, examples, exits, withJson, withStore } from '../command.ts';
import { printJson } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly format: string;
  readonly output?: string;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

type Format = (store: Store, query: EpisodeQuery) => Promise<AsyncIterable<string>>;

/** Every format gives lines without their ends. */
const formats: Readonly<Record<string, Format>> = {
  jsonl: async (store, query) => (await import('../../store/jsonl.ts')).exportJsonl(store, query),
};

export const exportCommand: CommandFile = {
  declare(command) {
    command
      .option('--format <format>', `one of ${Object.keys(formats).join(', ')}`, 'jsonl')
      .option('-o, --output <file>', 'where to write it (default: standard output)')
      .option('--run <id>', 'only episodes of this run')
      .option('--environment <name>', 'only episodes of this world')
      .option('--agent <name>', 'only episodes in which this agent plays');
    withJson(withStore(command));
    examples(command, {
      'ludus export -o everything.jsonl': 'all of the usual store',
      'ludus export --store a.sqlite --run baseline | gzip > a.jsonl.gz': 'one run, compressed',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    const format = Object.hasOwn(formats, options.format) ? formats[options.format] : undefined;
    if (format === undefined) {
      const known = Object.keys(formats);
      throw new Fault('input', `There is no format "${options.format}"; there is ${known.join(', ')}.${didYouMean(options.format, known)}`);
    }
    return reading(terminal, options, async (store) => {
      const lines = await format(store, await queryOf(store, options, terminal.cwd));
      const out = options.output === undefined ? terminal.stdout : createWriteStream(resolve(terminal.cwd, options.output));
      const written = await pour(lines, out, options.output);
      if (options.output === undefined) return exits.fine;
      if (options.json === true) printJson(terminal, { file: options.output, lines: written });
      else terminal.stderr.write(`${count(written, 'line')} written to ${options.output}.\n`);
      return exits.fine;
    });
  },
};

async function queryOf(store: Store, { run: typed, environment, agent }: Options, cwd: string): Promise<EpisodeQuery> {
  const run = typed === undefined ? undefined : await runBy(store, typed);
  if (run === null) throw new Fault('input', `There is no run "${typed}" in this store; "ludus list runs" shows what is.`);
  return {
    ...(run === undefined ? {} : { run: run.id }),
    ...(environment === undefined ? {} : { environment: await worldIdOf(environment, cwd) }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Writes no faster than the other end reads. Standard output stays open: it is not ours to close. */
async function pour(lines: AsyncIterable<string>, out: NodeJS.WritableStream, file: string | undefined): Promise<number> {
  let written = 0;
  async function* ended(): AsyncGenerator<string, void, undefined> {
    for await (const line of lines) {
      written++;
      yield `${line}\n`;
    }
  }
  try {
    await pipeline(ended(), out, { end: file !== undefined });
  } catch (thrown) {
    if (file === undefined || thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${file} cannot be written: ${reasonOf(thrown)}.`, { cause: thrown });
  }
  return written;
}
