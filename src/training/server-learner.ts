/** @file A learner on a server with the Tinker API: its weights are elsewhere, its tokenizer is a file of the user's. */

import { resolve } from 'node:path';
import { Fault, type Learner, type Seed } from '../core/index.ts';
import type { Codec } from '../learners/tinker/codec.ts';
import { Tinker } from '../learners/tinker/index.ts';
import type { Training } from '../learning/rl/recipe.ts';
import { checkCode } from '../workspace/consent.ts';
import { importFile } from '../workspace/environments.ts';

/** Makes learners of one server and one base model. */
export async function serverLearner(
  { server }: Pick<Training, 'server'>,
  { seed, cwd }: { readonly seed: Seed; readonly cwd: string },
): Promise<() => Promise<Learner>> {
  if (server === undefined)
    throw new Fault('input', 'A learner on a server needs training.server: say --learner tinker --url URL --base MODEL --tokenizer FILE.');
  const { url, base, rank, tokenizer } = server;
  const codec = await codecIn(tokenizer, cwd);
  return async () => new Tinker({ url, baseModel: base, codec, seed, ...(rank !== undefined && { rank }) });
}

async function codecIn(tokenizer: string | undefined, cwd: string): Promise<Codec> {
  if (tokenizer === undefined)
    throw new Fault(
      'input',
      'A learner on a server trains tokens: name a file that exports its tokenizer (encode, decode, stop) with --tokenizer.',
    );
  const exported = await importFile(checkCode(resolve(cwd, tokenizer), 'user', { cwd, env: process.env }));
  const found = (exported['default'] ?? exported) as Partial<Codec>;
  if (typeof found.encode !== 'function' || typeof found.decode !== 'function' || !Array.isArray(found.stop))
    throw new Fault('input', `${tokenizer} exports no tokenizer: expected encode(prompt), decode(tokens) and a list called stop.`);
  return found as Codec;
}
