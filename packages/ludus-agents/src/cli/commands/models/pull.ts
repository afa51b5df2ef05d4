/** @file `ludus models pull`: downloads a small model, resumes interrupted downloads, and makes it the default. */

import { totalmem } from 'node:os';
import { curatedModels, memoryOf } from '@ludus-agents/agents/internal/models/index';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { pullable, pull as pullModel } from '../../../library/setup.ts';
import { exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { formatTimeLeft } from '../../render/waits.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

export interface Pulling {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

export async function pull(names: readonly string[], { terminal, json, signal }: Pulling): Promise<number> {
  if (names.length === 0) return list(terminal, json);
  if (names.length > 1)
    throw new Fault('input', `"ludus models pull" downloads one model at a time, but got ${names.length}: ${names.join(', ')}.`);
  const name = names[0]!;
  const model = Object.hasOwn(curatedModels, name) ? curatedModels[name] : undefined;
  const needed = model === undefined ? 0 : memoryOf(model);
  if (needed > totalmem() / 1e9)
    terminal.stderr.write(`${name} needs about ${needed} GB of memory, and this machine has ${(totalmem() / 1e9).toFixed(1)} GB.\n`);
  const match = await pullModel({ name, signal, onProgress: reporter(terminal) }, terminal);
  if (json) printJson(terminal, match);
  else {
    const licence = model === undefined ? '' : ` Its license is ${model.licence}.`;
    const text = `${printable(match.name)} is at ${match.path}, and is now the default model.${licence} Now: ludus chat innkeeper`;
    print(terminal, ...wrap(text, Math.min(100, columnsOf(terminal.stdout))));
  }
  return exits.fine;
}

/** Reports every percent on a terminal, and every tenth in a log. */
function reporter({ stderr }: Terminal): (bytes: number, of: number | null) => void {
  const isTerminal = stderr.isTTY === true;
  let lastStep = -1;
  let first: { readonly bytes: number; readonly at: number } | undefined;
  return (bytes, of) => {
    first ??= { bytes, at: performance.now() };
    const step = of === null ? Math.floor(bytes / 1e8) : Math.floor((bytes / of) * (isTerminal ? 100 : 10));
    const isDone = bytes === of;
    if (step === lastStep && !isDone) return;
    lastStep = step;
    const status =
      of === null
        ? `${(bytes / 1e6).toFixed(0)} MB`
        : `${(bytes / 1e6).toFixed(0)} of ${(of / 1e6).toFixed(0)} MB${timeLeft(first, bytes, of)}`;
    stderr.write(isTerminal ? `\r\u001b[2K${status}${isDone ? '\n' : ''}` : `${status}\n`);
  };
}

/** The estimated remaining time at the current speed; empty while unknown. */
function timeLeft(first: { readonly bytes: number; readonly at: number }, bytes: number, of: number): string {
  const seconds = (performance.now() - first.at) / 1000;
  const speed = (bytes - first.bytes) / seconds;
  return seconds < 1 || speed <= 0 || bytes >= of ? '' : `, about ${formatTimeLeft((of - bytes) / speed)} left`;
}

/** Models with a short name. */
function list(terminal: Terminal, json: boolean): number {
  const rows = pullable();
  if (json) {
    printJson(terminal, rows);
    return exits.fine;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = ['model', 'weights', 'file', 'memory', 'context', 'license'].map((title) => ({ title }));
  const lines = rows.map(({ name, weights, size, memory, context, licence, about }) => [
    colours.cyan(name),
    `${weights} B`,
    `${size} GB`,
    `${memory} GB`,
    String(context),
    licence,
    about,
  ]);
  print(terminal, table([...titles, { title: '', flexible: 'wrap' as const }], lines, { colours, columns: columnsOf(terminal.stdout) }));
  const footer = '"ludus models pull NAME" downloads one, and hf:user/repo:Q4_K_M any GGUF file of the hub. Sizes are rounded.';
  print(terminal, '', ...wrap(footer, Math.min(100, columnsOf(terminal.stdout))).map(colours.faint));
  return exits.fine;
}
