/**
 * @file The command line: parses arguments into commands, which are loaded on demand; every failure becomes one sentence and an exit code.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closeBots } from '@ludus-agents/agents/internal/bot/open-bots';
import type { LudusConfig } from '@ludus-agents/agents/internal/workspace/config';
import { closeTools } from '@ludus-agents/agents/internal/workspace/open-tools';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/fault';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { printable } from '@ludus-agents/kernel/internal/core/printable';
import { version } from '@ludus-agents/store/internal/version';
import { Command, CommanderError } from 'commander';
import { commands, overview } from './catalog.ts';
import { type CommandEntry, type CommandParts, declarationOf, describeOption, exits } from './command.ts';
import { useFolderSettings } from './folder-settings.ts';
import { type Colours, coloursFor } from './render/colours.ts';
import { showWaits } from './render/waits.ts';
import { width } from './render/width.ts';
import { seatWords } from './seat-words.ts';
import { ownFileSentence, systemSentence } from './system-errors.ts';
import { columnsOf, printJson, processTerminal, type Terminal } from './terminal.ts';
import { nameCommands, namingScreen, typedName } from './typed-name.ts';
import { firstUnknownOption, pathOf, unknownOptionSentence } from './unknown-option.ts';

/** Runs one command line and returns its exit code; never throws. */
export async function main(argv: readonly string[] = process.argv.slice(2), baseTerminal: Terminal = processTerminal()): Promise<number> {
  const terminal = { ...baseTerminal, stderr: namingScreen(baseTerminal.stderr, typedName(baseTerminal)) };
  const debug = argv.includes('--debug') || (terminal.env['LUDUS_DEBUG'] ?? '') !== '';
  const endWaits = showWaits(terminal);
  const data = join(terminal.cwd, '.ludus');
  const hadData = existsSync(data);
  try {
    const config = await useFolderSettings(argv, terminal);
    await checkHelp(argv);
    return await dispatch(asHelpOption(argv.filter((word) => word !== '--debug')), terminal, config);
  } catch (thrown) {
    const { code, sentence } = failure(thrown);
    if (sentence !== '' && argv.includes('--json'))
      printJson(terminal, { error: sentence, exit: code, ...(isFault(thrown) && thrown.code !== undefined && { code: thrown.code }) });
    if (sentence !== '') terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${printable(sentence)}\n`);
    if (debug && code !== exits.fine && thrown instanceof Error) terminal.stderr.write(`${printable(thrown.stack ?? '')}\n`);
    return code;
  } finally {
    endWaits();
    if (!hadData && existsSync(data)) (await import('@ludus-agents/store/internal/folder-trust')).noteOwnFolder(terminal);
    await closeTools();
    await closeBots();
  }
}

/** `help` for an unknown command is an error. */
async function checkHelp(argv: readonly string[]): Promise<void> {
  const [first, ...args] = argv.filter((word) => !word.startsWith('-'));
  if (first !== 'help') return;
  let existing: Readonly<Record<string, CommandEntry>> | CommandParts | undefined = commands;
  for (const [i, word] of args.entries()) {
    if (existing === undefined) return;
    const entry: CommandEntry | CommandParts[string] | undefined = Object.hasOwn(existing, word) ? existing[word] : undefined;
    if (entry === undefined) {
      const { didYouMean } = await import('@ludus-agents/kernel/internal/core/suggest');
      const name = [...args.slice(0, i), word].join(' ');
      throw new Fault(
        'input',
        `Unknown command "${name}".${didYouMean(word, Object.keys(existing))} Run "ludus --help" to see all commands.`,
        {
          code: 'E_UNKNOWN_COMMAND',
          details: { name },
        },
      );
    }
    existing = (await declarationOf(entry)).parts;
  }
}

/** `help persona export` is `persona export --help`. */
function asHelpOption(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' && argv.length > 1 ? [...argv.slice(1), '--help'] : argv;
}

/** Options with a value in the configuration; flags, which are parsed later, and variables override it. */
function applyConfig(command: Command, { store, model, budget }: LudusConfig, { env }: Terminal): void {
  const values: Readonly<Record<string, unknown>> = {
    ...((env['LUDUS_STORE'] ?? '') === '' && { '--store': store }),
    '--max-cost': budget?.money,
    '--max-calls': budget?.calls,
    '--max-total-tokens': budget?.tokens,
    '--max-episodes': budget?.episodes,
    // Elsewhere a model replaces a free player, which is never the default.
    ...(['chat', 'scene'].includes(command.name()) && { '--model': model }),
  };
  for (const option of command.options) {
    const value = values[option.long ?? ''];
    if (value !== undefined) command.setOptionValueWithSource(option.attributeName(), value, 'config');
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal, config: LudusConfig): Promise<number> {
  if (argv.length === 0) {
    const { showFirstScreen } = await import('./first-screen.ts');
    const args = await showFirstScreen(terminal);
    return args === null ? exits.fine : dispatch(args, terminal, config);
  }
  const program = styleHelp(new Command('ludus'), terminal)
    .version(version, '-V, --version')
    .option('--debug')
    .helpCommand('help [command]');
  const { bold, cyan } = coloursFor(terminal.stdout, terminal.env);
  program.configureHelp({ formatHelp: () => overview(bold, cyan) });
  const line: Line = { words: [...argv], code: exits.fine, canRunAlone: false };
  const last = await enlist(program, commands, { line, from: 0, terminal, config });
  // A command without an action, or that needs an argument, shows its subcommands.
  if (last.commands.length > 0 && line.words.every((word) => word === last.name()) && !line.canRunAlone) {
    last.outputHelp();
    return exits.fine;
  }
  try {
    await program.parseAsync([...line.words], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError) || thrown.exitCode === 0) throw thrown;
    throw new Fault('input', `${lineSentence(thrown, last, line.words)} See "${pathOf(last)} --help".`, {
      code: lineCodes[thrown.code] ?? 'E_INVALID_COMMAND_LINE',
      details: { command: pathOf(last) },
    });
  }
  return line.code;
}

/** The parser's name for a problem, and the code for programs. */
const lineCodes: Readonly<Record<string, string>> = {
  'commander.unknownOption': 'E_UNKNOWN_OPTION',
  'commander.unknownCommand': 'E_UNKNOWN_COMMAND',
  'commander.missingArgument': 'E_MISSING_ARGUMENT',
  'commander.missingMandatoryOptionValue': 'E_MISSING_OPTION',
};

/** The error of a command line, as a sentence. */
function lineSentence(thrown: CommanderError, command: Command, args: readonly string[]): string {
  const [, unknown] = /unknown option '(.*)'/.exec(thrown.message) ?? [];
  // A missing required option may have been misspelled, which is the more helpful message.
  const flag = unknown ?? (/required option/.test(thrown.message) ? firstUnknownOption(args, command) : undefined);
  if (flag !== undefined) return unknownOptionSentence(flag, command);
  const text = thrown.message.replace(/^error: /, '').replace(linear(/\(Did you mean (.*?)\?\)/), '– did you mean $1?');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;
}

/** Prepares a command line: seats in it become options, and the command stores its exit code. */
interface Line {
  words: readonly string[];
  code: number;
  /** The command has an action without further arguments. */
  canRunAlone: boolean;
}

interface Place {
  readonly line: Line;
  /** The first argument that may be a command here. */
  readonly from: number;
  readonly terminal: Terminal;
  readonly config: LudusConfig;
}

/** Registers commands by name and summary, loads the selected one, and returns the last prepared command. */
async function enlist(parent: Command, entries: Readonly<Record<string, CommandEntry>> | CommandParts, place: Place): Promise<Command> {
  const { line, terminal } = place;
  const at = line.words.findIndex((word, i) => i >= place.from && !word.startsWith('-') && word !== 'help');
  let last = parent;
  for (const [name, entry] of Object.entries(entries)) {
    const { summary } = entry;
    const command = styleHelp(parent.command(name), terminal)
      .summary(summary)
      .description(/[.?!]$/.test(summary) ? summary : `${summary}.`);
    if (name !== line.words[at]) continue;
    const { declare, load: loadRun, parts, seats } = await declarationOf(entry);
    if (parts !== undefined) {
      last = await enlist(command, parts, { ...place, from: at + 1 });
      const isPart = last !== command;
      // Options of the parent would capture those of its subcommand if both define them.
      if (!isPart || loadRun === undefined) declare(command);
      // The subcommand has been found, or only the help remains.
      if (isPart || loadRun === undefined) continue;
    } else declare(command);
    last = command;
    applyConfig(command, place.config, terminal);
    const knownNames = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long.slice(2)]));
    if (seats === true) line.words = seatWords(line.words, command.options);
    line.canRunAlone = command.registeredArguments.every(({ required }) => !required);
    command.action(async () => {
      const { prepareOutputs } = await import('./output-files.ts');
      prepareOutputs(command.opts(), terminal.cwd);
      await import('@ludus-agents/servers/internal/kinds');
      const { run } = await loadRun!();
      const { countingSpending } = await import('./spending-total.ts');
      const { withRuntimeOffer } = await import('./commands/models/setup.ts');
      line.code = await countingSpending(terminal, command.opts(), (counting) =>
        withRuntimeOffer(counting, command.opts()['json'] === true, () =>
          run({ args: command.processedArgs, options: command.opts(), terminal: counting, known: knownNames }),
        ),
      );
    });
  }
  return last;
}

/** Uses this terminal's streams, colors, and widths instead of the process's; failures are thrown, not printed. */
function styleHelp(command: Command, terminal: Terminal): Command {
  const colours: Colours = coloursFor(terminal.stdout, terminal.env);
  return command
    .exitOverride()
    .helpOption('-h, --help', 'show help')
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(nameCommands(text, typedName(terminal))),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(100, columnsOf(terminal.stdout)),
      getOutHasColors: () => colours.coloured,
    })
    .configureHelp({
      displayWidth: width,
      optionDescription: describeOption,
      styleTitle: colours.bold,
      styleSubcommandTerm: colours.cyan,
      styleOptionTerm: colours.cyan,
      styleArgumentTerm: colours.cyan,
    });
}

/** The error in one sentence, and its exit code. */
function failure(thrown: unknown): { readonly code: number; readonly sentence: string } {
  if (thrown instanceof CommanderError) return { code: exits.fine, sentence: '' };
  const sentence = sentenceOf(thrown);
  // Ctrl-C ends pending waits with this error, which is not a program failure.
  if (thrown instanceof DOMException && thrown.name === 'AbortError')
    return { code: exits.interrupted, sentence: 'Stopped before it finished.' };
  if (isFault(thrown)) return { code: thrown.boundary === 'input' || thrown.boundary === 'store' ? exits.input : exits.found, sentence };
  const refused = systemSentence(thrown);
  if (refused !== undefined) return { code: exits.input, sentence: refused };
  const ownText = ownFileSentence(thrown);
  if (ownText !== undefined) return { code: exits.found, sentence: ownText };
  return {
    code: exits.found,
    sentence: `Something went wrong inside Ludus: ${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} --debug shows where.`,
  };
}
