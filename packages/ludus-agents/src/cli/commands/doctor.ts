/** @file `ludus doctor`: checks the installation, the folder, and the store, and lists problems. */

import { relative } from 'node:path';
import { megabytesOf, type removeUnusedLibraries, type UnusedLibrary } from '@ludus-agents/agents/internal/runtimes/unused-libraries';
import { Fault, printable, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { DoctorLine, DoctorOptions } from '../../doctor.ts';
import { doctor as checkInstallation, trim as trimRuntime } from '../../library/setup.ts';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import { confirm } from '../confirm.ts';
import { coloursFor } from '../render/colours.ts';
import { systemSentence } from '../system-errors.ts';
import { print, printJson, type Terminal } from '../terminal.ts';

const name = 'onnxruntime-node';

/** `ludus doctor trim`: lists installed libraries that are never loaded here, and removes them on request. */
export const trim: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const isJson = options['json'] === true;
    const confirmTrim = async (folder: string, libraries: readonly UnusedLibrary[]) => {
      if (!isJson) print(terminal, ...describe(folder, libraries));
      return options['yes'] === true || (!isJson && (await isConfirmed(terminal)));
    };
    const { folder, unused: libraries, removed, refused } = await trimRuntime({ folder: args[0], confirm: confirmTrim }, terminal);
    if (!isJson && libraries.length === 0) print(terminal, ...describe(folder, libraries));
    const wanted = removed.length + refused.length > 0;
    const problem = refusal(refused, libraries);
    if (isJson) printJson(terminal, { folder, unused: libraries, removed: removed.map(({ path }) => path), ...problem });
    else if (removed.length > 0) print(terminal, `${megabytesOf(removed)} removed.${linkedSentence(removed)}`);
    else if (libraries.length > 0 && !wanted) print(terminal, 'Nothing was removed. Pass --yes to remove them.');
    if (problem === undefined) return exits.fine;
    if (!isJson) throw new Fault('input', problem.error);
    return problem.exit;
  },
};

/** The items that could not be removed, in the format of all failures. */
function refusal(
  refused: ReturnType<typeof removeUnusedLibraries>,
  libraries: readonly UnusedLibrary[],
): { readonly error: string; readonly exit: number } | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const unusedLibraries = libraries.filter(({ path }) => refused.some((item) => item.path === path));
  const why = systemSentence(first.why) ?? `${first.path} cannot be deleted: ${sentenceOf(first.why)}.`;
  return { error: `${megabytesOf(unusedLibraries)} could not be removed. ${why}`, exit: exits.input };
}

function describe(folder: string | null, libraries: readonly UnusedLibrary[]): readonly string[] {
  if (folder === null) return [`${name} is not installed, so there is nothing to remove.`];
  if (libraries.length === 0) return [`${folder} has only what ${process.platform} ${process.arch} needs.`];
  const widest = Math.max(...libraries.map((library) => megabytesOf([library]).length));
  return [
    `${megabytesOf(libraries)} in ${printable(folder)} are for other platforms than ${process.platform} ${process.arch}, or for graphics cards, and Ludus never loads them:`,
    ...libraries.map((library) => `  ${megabytesOf([library]).padStart(widest)}  ${printable(relative(folder, library.path))}`),
    `Another program that uses the same folder on a graphics card would miss the latter.`,
  ];
}

function linkedSentence(removed: readonly UnusedLibrary[]): string {
  const linked = removed.filter((unusedLibrary) => unusedLibrary.linked);
  return linked.length === 0 ? '' : ` ${megabytesOf(linked)} of it is also linked from other folders, so removing it here frees no space.`;
}

/** Without a person at the terminal, nothing is removed unless an option says so. */
async function isConfirmed(terminal: Terminal): Promise<boolean> {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY === true && confirm(terminal, 'Remove them?');
}

export const doctor: CommandRun = {
  async run({ options, terminal }) {
    const lines = await checkInstallation(options as DoctorOptions, terminal);
    const bad = lines.filter(({ state }) => state === 'bad').length;
    if (options['json'] === true) printJson(terminal, { fine: bad === 0, lines });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      const marks: Readonly<Record<DoctorLine['state'], string>> = {
        fine: colours.green('✓'),
        note: colours.yellow('·'),
        bad: colours.red('✗'),
      };
      const widest = Math.max(...lines.map(({ name }) => name.length));
      print(terminal, ...lines.map(({ name, state, text }) => `${marks[state]} ${name.padEnd(widest)} ${printable(text)}`));
    }
    return bad === 0 ? exits.fine : exits.found;
  },
};
