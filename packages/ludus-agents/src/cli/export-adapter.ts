/** @file `ludus train RUN --export-adapter FILE`: writes weights trained on a server to a file for other programs. */

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { fetchAdapter, peftConfigOf } from '@ludus-agents/learning/internal/learners/tinker/index';
import { newestRun, readCheckpoint, readRun } from '@ludus-agents/learning/internal/training/run-folder';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { exits } from './command.ts';
import { interruptible, print, printJson, type Terminal } from './terminal.ts';

export async function exportAdapter(
  name: string | undefined,
  { file, json }: { readonly file: string; readonly json?: boolean },
  terminal: Terminal,
): Promise<number> {
  if (name === undefined)
    throw new Fault('input', 'Name the run, such as "ludus train RUN --export-adapter out.gguf".', { code: 'E_MISSING_OPTION' });
  const folder = newestRun(terminal.cwd, name);
  const url = serverOf(readRun(folder));
  const stored = readCheckpoint(folder, 'best') ?? readCheckpoint(folder, 'last');
  if (stored === null) throw new Fault('input', `${name} has no checkpoint yet. Train it for longer.`);
  const { controller, release } = interruptible(terminal);
  const { signal } = controller;
  // A name without an extension is a folder, as PEFT and vLLM expect.
  const folderOut = /[\\/]$/.test(file) || !/\.\w+$/.test(file) ? resolve(terminal.cwd, file) : null;
  const saved = folderOut === null ? resolve(terminal.cwd, file) : join(folderOut, 'adapter_model.safetensors');
  const bytes = await fetchAdapter({ url, env: terminal.env }, stored.checkpoint.learner, { file: saved, signal }).finally(release);
  if (folderOut !== null) {
    mkdirSync(folderOut, { recursive: true });
    writeFileAtomicSync(join(folderOut, 'adapter_config.json'), `${JSON.stringify(peftConfigOf(bytes), null, 1)}\n`);
  }
  writeFileAtomicSync(saved, bytes);
  if (json === true) printJson(terminal, { file, bytes: bytes.length, update: stored.update });
  else print(terminal, `${file}: the adapter of ${name} after update ${stored.update}, ${bytes.length} bytes.`);
  return exits.fine;
}

/** The training server, from the run's recipe. */
function serverOf(run: unknown): string {
  const { recipe } = run as { readonly recipe?: { readonly training?: { readonly server?: { readonly url?: unknown } } } };
  const url = recipe?.training?.server?.url;
  if (typeof url !== 'string') throw new Fault('input', 'This run was not trained on a server, so it has no adapter. Use its checkpoints.');
  return url;
}
