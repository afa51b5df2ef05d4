/** @file `ludus models setup`: installs an optional runtime, after one question. Commands that need a missing runtime offer the same. */

import { runtimeStates } from '@ludus-agents/agents/internal/runtimes/runtime-states';
import { runtimeFolder, runtimeMissing, runtimes } from '@ludus-agents/agents/internal/runtimes/runtimes';
import { Fault, isFault, printable } from '@ludus-agents/kernel/internal/core/index';
import { setup as setupRuntime } from '../../../library/setup.ts';
import { exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

interface Setup {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Install without asking. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
}

export async function setup(names: readonly string[], { terminal, json, yes, signal }: Setup): Promise<number> {
  if (names.length === 0) return list(terminal, json);
  const unknown = names.find((name) => !Object.hasOwn(runtimes, name));
  // The library lists the available ones.
  if (unknown !== undefined) await setupRuntime({ name: unknown }, terminal);
  if (!yes && (json || !isPersonPresent(terminal)))
    throw new Fault(
      'input',
      `Cannot ask for confirmation here. Run "ludus models setup ${names.join(' ')} --yes" to install without asking.`,
      {
        code: 'E_CONFIRMATION_NEEDED',
      },
    );
  const installed = [];
  for (const name of names) {
    if (!yes && !(await confirm(terminal, question(name, terminal)))) return exits.found;
    installed.push(await install(name, terminal, signal));
  }
  if (json) printJson(terminal, installed.length === 1 ? installed[0] : installed);
  return exits.fine;
}

/** Runs a command; if it needs a missing runtime and a person agrees to install it, runs it again. */
export async function withRuntimeOffer(terminal: Terminal, isJson: boolean, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (thrown) {
    const name = isFault(thrown) && thrown.code === runtimeMissing ? String(thrown.details['runtime']) : null;
    if (name === null || isJson || !isPersonPresent(terminal)) throw thrown;
    terminal.stderr.write(`${printable((thrown as Error).message)}\n`);
    if (!(await confirm(terminal, question(name, terminal)))) throw thrown;
    await install(name, terminal, new AbortController().signal);
    return run();
  }
}

function isPersonPresent({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

function question(name: string, { env }: Terminal): string {
  const { package: packageName, version, size } = runtimes[name]!;
  return `Install ${packageName} ${version} with npm into ${runtimeFolder(env)} (${size})?`;
}

async function install(name: string, terminal: Terminal, signal: AbortSignal) {
  const { package: packageName, version } = runtimes[name]!;
  terminal.stderr.write(`Installing ${packageName} ${version} …\n`);
  const runtime = await setupRuntime({ name, signal }, terminal);
  const text = runtime.installed
    ? `Installed ${packageName} ${version} in ${runtime.path}.`
    : `${packageName} ${version} is already installed.`;
  terminal.stderr.write(`${printable(text)}\n`);
  return runtime;
}

/** Every runtime, and whether it is installed. */
function list(terminal: Terminal, json: boolean): number {
  const rows = runtimeStates(terminal.env);
  if (json) {
    printJson(terminal, rows);
    return exits.fine;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = [{ title: '' }, { title: 'runtime' }, { title: 'package' }, { title: 'what it does', flexible: 'wrap' as const }];
  const lines = rows.map(({ name, package: packageName, version, purpose, installed }) => [
    installed ? colours.green('✓') : colours.faint('·'),
    colours.cyan(name),
    `${packageName} ${version}`,
    `${purpose}${installed ? '' : '; not installed'}`,
  ]);
  print(terminal, table(titles, lines, { colours, columns: columnsOf(terminal.stdout) }));
  print(terminal, '', ...wrap('ludus models setup NAME installs one.', Math.min(100, columnsOf(terminal.stdout))).map(colours.faint));
  return exits.fine;
}
