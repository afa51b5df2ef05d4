/** @file A learner on a server with the Tinker API: its weights are remote; its tokenizer is the user's file or the server's. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import { checkCode } from '@ludus-agents/agents/internal/workspace/consent';
import { importFile } from '@ludus-agents/agents/internal/workspace/programs';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault, type Learner, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { openTinker, Tinker } from '../learners/tinker/index.ts';
import type { Recipe } from '../rl/recipe.ts';
import { formOfView } from './learner-view.ts';

const program = /\.[cm]?[jt]s$/;

/** Creates learners of one server and one base model. */
export async function serverLearner(
  {
    view,
    training: { server, sizes },
  }: { readonly view?: Recipe['view']; readonly training: Pick<Recipe['training'], 'server' | 'sizes'> },
  { seed, cwd, trust }: { readonly seed: Seed; readonly cwd: string; readonly trust: Trust },
): Promise<() => Promise<Learner>> {
  if (server === undefined)
    throw new Fault('input', 'A learner on a server needs training.server. Pass --learner tinker --url URL --base MODEL.', {
      code: 'E_MISSING_OPTION',
    });
  const { url, base, rank, tokenizer } = server;
  const path = resolve(cwd, base);
  const answer = sizes?.answer ?? 8;
  const common = { url, baseModel: existsSync(path) ? path : base, seed, maxTokens: answer, checkpointEvery: 200 };
  const options = { ...common, form: formOfView(view, answer), ...(rank !== undefined && { rank }) };
  if (tokenizer !== undefined && program.test(tokenizer)) {
    const codec = await codecIn(tokenizer, cwd, trust);
    return async () => new Tinker({ ...options, codec });
  }
  return () => openTinker({ ...options, ...(tokenizer !== undefined && { tokenizer: resolve(cwd, tokenizer) }) });
}

/** Loads a tokenizer from the user's program. */
async function codecIn(tokenizer: string, cwd: string, trust: Trust): Promise<Codec> {
  const exported = await importFile(checkCode(resolve(cwd, tokenizer), trust, { cwd, env: process.env }));
  const match = (exported['default'] ?? exported) as Partial<Codec>;
  if (typeof match.encode !== 'function' || typeof match.decode !== 'function' || !Array.isArray(match.stop))
    throw new Fault('input', `${tokenizer} exports no tokenizer: expected encode(prompt), decode(tokens), and a list named stop.`);
  return match as Codec;
}
