/** @file The interface between command files and `main`, and shared options. */

import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Command, Option } from 'commander';
import type { Terminal } from './terminal.ts';

/** The arguments after a command whose first one is required, as in most declarations. */
export type RequiredArguments = readonly [string, ...(string | undefined)[]];

/** The arguments after a command that requires none. */
export type OptionalArguments = readonly (string | undefined)[];

/** One invocation of a command, with parsed options and arguments. */
export interface CommandCall<Options = Readonly<Record<string, unknown>>, Args = RequiredArguments> {
  readonly args: Args;
  readonly options: Options;
  readonly terminal: Terminal;
  /** Long names of the command's own options. Any other option may be a seat. */
  readonly known: readonly string[];
}

/** The action of a command, loaded when it runs. */
export interface CommandRun<Options = Readonly<Record<string, unknown>>, Args = RequiredArguments> {
  /** Runs it and returns the exit code: 0 success, 1 finding, 2 bad input, 130 interrupted. */
  run(call: CommandCall<Options, Args>): Promise<number>;
}

/** The declaration of a command for parsing and help; it loads instantly because it does not load the action. */
export interface CommandDeclaration {
  declare(command: Command): void;
  /** Its action. A command that only has subcommands has none. */
  readonly load?: () => Promise<CommandRun<object, readonly unknown[]>>;
  /** True when `--SEAT AGENT` casts an agent on any seat. */
  readonly seats?: boolean;
  /** Subcommands: `ludus persona import`. A command with subcommands has no action, unless it has `load`. */
  readonly parts?: CommandParts;
}

/** The subcommands by name. */
export type CommandParts = Readonly<Record<string, CommandDeclaration & { readonly summary: string }>>;

/** A command by its summary; its code is loaded on use. */
export interface CommandEntry {
  readonly summary: string;
  readonly loadDeclaration: () => Promise<CommandDeclaration>;
}

/** The declaration of a command: loaded for a top-level command, declared with it for a subcommand. */
export async function declarationOf(entry: CommandEntry | CommandParts[string]): Promise<CommandDeclaration> {
  return 'loadDeclaration' in entry ? entry.loadDeclaration() : entry;
}

/** A command that only has subcommands, with examples of them. */
export function commandGroup(parts: CommandParts, lines: Readonly<Record<string, string>>): CommandDeclaration {
  return {
    parts,
    declare(command) {
      command.usage('COMMAND [options]').helpCommand(false);
      examples(command, lines);
    },
  };
}

export const exits = { fine: 0, found: 1, input: 2, interrupted: 130 } as const;

/**
 * The exit code of work that a limit may have ended. Reaching the requested number of episodes is success; running out of money,
 * calls, or tokens is reported to programs that wait for the result.
 */
export function exitOfStop(stopped: string | null): number {
  if (stopped === 'signal') return exits.interrupted;
  return stopped === null || stopped === 'episodes' ? exits.fine : exits.found;
}

export function withStore(command: Command): Command {
  return command
    .option('--store <file>', 'the store (default: .ludus/ludus.sqlite, or LUDUS_STORE)')
    .option('--read-only', 'don’t write to the store');
}

export function withWorkers(command: Command): Command {
  return command.option('--workers <n>', 'play with this many workers; 0 waits for "ludus fleet worker"', whole('--workers', 0, 256));
}

/** Whether stored results of agents that cannot be fingerprinted count. */
export function withReuse(command: Command): Command {
  return command.option('--reuse', 'reuse stored results of agents without a version, such as a bare URL (default: play them again)');
}

/** The scope to which the intervals generalize. */
export function withOver(command: Command): Command {
  return command.option(
    '--over <what>',
    'what confidence intervals cover: new seeds of these tasks, or new tasks (default: tasks, if there are ten or more)',
    (text: string): Over => {
      const over = (['seeds', 'tasks'] as const).find((item) => item === text);
      if (over === undefined) throw invalidOption('--over', text, '"seeds" or "tasks"');
      return over;
    },
  );
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON');
}

/** Examples in the help of a command: the command, and its effect next to it or, on a narrow screen, below it. */
export function examples(command: Command, lines: Readonly<Record<string, string>>): Command {
  return command.addHelpText('after', () => {
    const columns = command.configureOutput().getOutHelpWidth?.() ?? 80;
    const longest = Math.max(...Object.keys(lines).map((line) => line.length));
    const beside = Object.values(lines).every((what) => longest + what.length + 4 <= columns);
    const text = Object.entries(lines).map(([line, what]) => (beside ? `  ${line.padEnd(longest)}  ${what}` : `  ${line}\n      ${what}`));
    return `\n${command.createHelp().styleTitle('Examples:')}\n${text.join('\n')}`;
  });
}

/** The description of an option, with its choices and default as a user would type them: Commander prints them as JSON. */
export function describeOption({ description, argChoices, defaultValue }: Option): string {
  const text = defaultText(defaultValue);
  const notes = [argChoices === undefined ? '' : `one of ${argChoices.join(', ')}`, text === '' ? '' : `default: ${text}`];
  const noteText = notes.filter((note) => note !== '').join('; ');
  return noteText === '' ? description : `${description} (${noteText})`;
}

function defaultText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([unit, amount]) => `${amount} ${unit}`)
    .join(', ');
}

/** The fault of an option with an invalid value. */
function invalidOption(option: string, value: string, expected: string, advice = ''): Fault {
  return new Fault('input', `${option}: expected ${expected}, got "${value}".${advice}`, {
    code: 'E_INVALID_OPTION',
    details: { option, value },
  });
}

/** Reads an integer from an option. */
export function whole(option: string, from: number, to: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER && !(value > to) ? `of ${from} or more` : `from ${from} to ${to}`;
    throw invalidOption(option, text, `an integer ${range}`);
  };
}

/** Reads an amount above 0 from an option. */
export function amount(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
    throw invalidOption(option, text, 'a positive number');
  };
}

/** Reads one of a few names from an option. */
export function oneOf<Name extends string>(option: string, names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const name = names.find((name) => name === text);
    if (name !== undefined) return name;
    throw invalidOption(option, text, `one of ${names.join(', ')}`, didYouMean(text, names));
  };
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
