/** @file The help of every command, from the command line as it was built. The site has a page for each command; none of them is in git. */

import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';

export interface CommandHelp {
  /** The command without "ludus", such as "persona import". */
  readonly name: string;
  readonly help: string;
}

const main = join(import.meta.dirname, '../../dist/node_modules/ludus-agents/dist/cli/main.js');

/** The help screen of a command; that of all commands for an empty list. */
async function helpOf(args: readonly string[]): Promise<string> {
  const commandLine = (await import(/* @vite-ignore */ pathToFileURL(main).href)) as {
    main(argv: readonly string[], terminal: unknown): Promise<number>;
  };
  // As wide as a code block on the site.
  const output = Object.assign(new PassThrough(), { columns: 68 });
  const pieces: string[] = [];
  output.on('data', (piece: Buffer) => pieces.push(piece.toString()));
  const terminal = {
    stdin: new PassThrough(),
    stdout: output,
    stderr: output,
    env: {},
    cwd: import.meta.dirname,
    interrupts: () => () => {},
  };
  await commandLine.main([...args, '--help'], terminal);
  return pieces.join('');
}

/** Names in the list of commands at the end of a help screen. */
function partsIn(help: string): readonly string[] {
  const list = /^Commands:\n((?: {2,}.*\n?)*)/m.exec(help)?.[1] ?? '';
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name as string).filter((name) => name !== 'help');
}

/** A command and all its parts, in the order of its help. */
async function withParts(args: readonly string[]): Promise<readonly CommandHelp[]> {
  const help = await helpOf(args);
  const below: CommandHelp[] = [];
  for (const part of partsIn(help)) below.push(...(await withParts([...args, part])));
  return [{ name: args.join(' '), help: help.trimEnd() }, ...below];
}

/** Every command with the help of its parts, as the first screen lists them. */
export async function allCommands(): Promise<readonly (readonly CommandHelp[])[]> {
  const screen = await helpOf([]);
  const names = [...screen.matchAll(/^(?:[A-Z]\w+ +| {2,})([a-z]+) {2,}[A-Z]/gm)].map(([, name]) => name as string);
  const commands: (readonly CommandHelp[])[] = [];
  for (const name of new Set(names)) commands.push(await withParts([name]));
  return commands;
}

/** A command and its parts as the text of a page. */
export function commandPage([command, ...parts]: readonly CommandHelp[]): string {
  const block = (help: string) => `\`\`\`text\n${help}\n\`\`\`\n`;
  return [
    `# ludus ${command?.name}\n`,
    block(command?.help ?? ''),
    ...parts.map(({ name, help }) => `## ludus ${name}\n\n${block(help)}`),
  ].join('\n');
}
