/** @file Runs one arm of an experiment on one seed: a `ludus` command or a program of this folder, in this process, and reads its JSON. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { main } from '../packages/ludus-agents/src/cli/main.ts';

/** Options of a program: every `--name value` of its command, numbers as numbers. */
export type ProgramOptions = Readonly<Record<string, string | number>>;
/** Where programs and the files that commands name are. */
const programs = join(import.meta.dirname, 'programs');

/** The environment variable that names the training server, "URL#MODEL". */
export const serverVariable = 'LUDUS_EVIDENCE_SERVER';

/** Whether an experiment can run here: those with a model on a training server need the server. */
export function canRun({ on }: { readonly on: string }): boolean {
  return !/\{(?:server|learner)\}/.test(on) || process.env[serverVariable] !== undefined;
}

export type Program = (options: ProgramOptions) => Json | Promise<Json>;

/** The words of a command line; quotes keep spaces. */
export function splitCommand(command: string): readonly string[] {
  const parts = command.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return parts.map((part) => part.replace(/^(['"])([\s\S]*)\1$/, '$2'));
}

/** The JSON that a command prints on a seed; of several joined by "&&", that of the last. Throws where one fails or prints none. */
export async function runCommand(command: string, seed: number): Promise<Json> {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-evidence-'));
  try {
    let printed: Json = null;
    for (const part of fillSeed(command, seed).split(' && ')) {
      const [name, ...rest] = splitCommand(part);
      if (name !== 'ludus' && name !== 'program') throw new Error(`An arm starts with "ludus" or "program", got "${name}".`);
      printed = name === 'ludus' ? await runLudus(rest, cwd) : await runProgram(rest);
    }
    return printed;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** A command with its seed, its folder, and its server. */
function fillSeed(command: string, seed: number): string {
  const server = process.env[serverVariable];
  if (server === undefined && !canRun({ on: command }))
    throw new Error('This row trains a model on a server: start ludus-gpu, and name it with --server URL#MODEL.');
  const [url = '', base = ''] = (server ?? '').split('#');
  return command
    .replaceAll('{seed}', String(seed))
    .replaceAll('{programs}', programs)
    .replaceAll('{server}', server ?? '')
    .replaceAll('{learner}', `--learner tinker --url ${url} --base ${base} --rank 16`);
}

async function runProgram([name, ...rest]: readonly string[]): Promise<Json> {
  const options: Record<string, string | number> = {};
  for (let i = 0; i < rest.length; i += 2) {
    const value = rest[i + 1] ?? '';
    options[(rest[i] as string).replace(/^--/, '')] = value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  }
  const { default: run } = (await import(`./programs/${name}.ts`)) as { readonly default: Program };
  return run(options);
}

/** A command line as if it were typed in a folder. */
async function runLudus(argv: readonly string[], cwd: string): Promise<Json> {
  const [out, err] = [textSink(), textSink()];
  const stdin = new PassThrough();
  stdin.end();
  const code = await main(argv, {
    ...{ stdin, stdout: out.stream, stderr: err.stream, cwd, trust: Trust.commandLine },
    env: { LUDUS_CACHE: join(cwd, '.cache') },
    interrupts: () => () => {},
    leave: () => {},
  });
  // Training in which all games pay the same is an outcome, not a failure of the command.
  if ((err.text() + out.text()).includes('Nothing was learned')) return { nothing: true };
  if (code !== 0) throw new Error(`ludus ${argv.join(' ')} failed: ${(err.text() + out.text()).trim().slice(-500)}`);
  return argv.includes('--json') ? (JSON.parse(out.text()) as Json) : out.text();
}

function textSink(): { readonly stream: Writable; text(): string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      parts.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => parts.join('') };
}

/** The number at a dotted path; null where the path leads nowhere. */
export function numberAt(value: Json, path: string): number | null {
  let at: unknown = value;
  for (const key of path.split('.')) at = at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined;
  return typeof at === 'number' && Number.isFinite(at) ? at : typeof at === 'boolean' ? Number(at) : null;
}
