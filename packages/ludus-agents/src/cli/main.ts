/**
 * @file The command line: parses words into commands, each loaded when it is called; every failure becomes one sentence and an exit code.
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
import { type CommandEntry, exits } from './command.ts';
import { useFolderSettings } from './folder-settings.ts';
import { type Colours, coloursFor } from './render/colours.ts';
import { showWaits } from './render/waits.ts';
import { width } from './render/width.ts';
import { seatWords } from './seat-words.ts';
import { ownFileSentence, systemSentence } from './system-errors.ts';
import { columnsOf, printJson, processTerminal, type Terminal } from './terminal.ts';
import { firstUnknownOption, pathOf, unknownOptionSentence } from './unknown-option.ts';

/** Every command, as the help lists them. */
const groups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Begin:': {
    start: {
      summary: 'Open the studio, and watch a language model teach itself poker',
      load: async () => (await import('./declarations/start.ts')).start,
    },
    studio: { summary: 'The page: watch, fork, take a seat', load: async () => (await import('./declarations/studio.ts')).studio },
    demo: {
      summary: 'A first look: watch a model learn poker, then play against it',
      load: async () => (await import('./declarations/demo.ts')).demo,
    },
    new: { summary: 'Begin something of your own, with its test', load: async () => (await import('./declarations/new.ts')).create },
    models: { summary: 'Which models answer, and what they cost', load: async () => (await import('./declarations/models.ts')).models },
    doctor: { summary: 'Is everything in order here?', load: async () => (await import('./declarations/doctor.ts')).doctor },
  },
  'Play and look:': {
    play: { summary: 'Play one episode, on a seat or in the audience', load: async () => (await import('./declarations/play.ts')).play },
    run: { summary: 'Play a whole plan into a store; again to go on', load: async () => (await import('./declarations/run.ts')).run },
    estimate: { summary: 'What a plan would take and cost', load: async () => (await import('./declarations/estimate.ts')).estimate },
    list: { summary: 'What there is, kind by kind, and what is kept', load: async () => (await import('./declarations/list.ts')).list },
    show: { summary: 'An episode, a run, or one of a kind in full', load: async () => (await import('./declarations/show.ts')).show },
    replay: {
      summary: 'Play an episode again from its log and compare',
      load: async () => (await import('./declarations/replay.ts')).replay,
    },
    fork: { summary: 'Branch an episode off and play on differently', load: async () => (await import('./declarations/fork.ts')).fork },
    explain: { summary: 'Why an agent did what it did at one turn', load: async () => (await import('./declarations/explain.ts')).explain },
    blame: { summary: 'The first wrong step of an episode', load: async () => (await import('./declarations/blame.ts')).blame },
    memory: { summary: 'What an agent remembers; edit it, forget', load: async () => (await import('./declarations/memory.ts')).memory },
  },
  'Score and compare:': {
    eval: {
      summary: 'A suite played, scored and compared with its floors',
      load: async () => (await import('./declarations/eval.ts')).evaluate,
    },
    score: { summary: 'Score stored episodes, or score them again', load: async () => (await import('./declarations/score.ts')).score },
    compare: {
      summary: 'Two agents or runs: the difference in words',
      load: async () => (await import('./declarations/compare.ts')).compare,
    },
    arena: { summary: 'Agents meet until their order is decided', load: async () => (await import('./declarations/arena.ts')).arena },
    report: {
      summary: 'A run as a page to read: plots, moments, episodes',
      load: async () => (await import('./declarations/report.ts')).report,
    },
    review: {
      summary: 'What people say about episodes: labels, blind pairs, agreement',
      load: async () => (await import('./declarations/review.ts')).review,
    },
    trust: { summary: 'How far a judge can be relied on', load: async () => (await import('./declarations/trust.ts')).trust },
    induce: {
      summary: 'A rubric from what people wrote about episodes',
      load: async () => (await import('./declarations/induce.ts')).induce,
    },
    reward: { summary: 'A reward model from a run, with its card', load: async () => (await import('./declarations/reward.ts')).reward },
    power: { summary: 'How many episodes it takes to see a difference', load: async () => (await import('./declarations/power.ts')).power },
  },
  'Environments:': {
    check: { summary: 'Does an environment keep the rules of all?', load: async () => (await import('./declarations/check.ts')).check },
    coverage: {
      summary: 'What of an environment its players have seen',
      load: async () => (await import('./declarations/coverage.ts')).coverage,
    },
    solve: {
      summary: 'What a small environment is worth under best play',
      load: async () => (await import('./declarations/solve.ts')).solve,
    },
    exploit: {
      summary: 'What a perfect opponent wins from a model',
      load: async () => (await import('./declarations/exploit.ts')).exploit,
    },
    dream: {
      summary: 'An environment made from episodes, with its error',
      load: async () => (await import('./declarations/dream.ts')).dream,
    },
  },
  'Train and improve:': {
    train: { summary: 'Let a learner play until it is good', load: async () => (await import('./declarations/train.ts')).train },
    sweep: {
      summary: 'One recipe under several settings, side by side',
      load: async () => (await import('./declarations/sweep.ts')).sweep,
    },
    improve: { summary: 'Better texts for an agent, behind a gate', load: async () => (await import('./declarations/improve.ts')).improve },
    lineage: {
      summary: 'Candidates of an improvement and their descent',
      load: async () => (await import('./declarations/lineage.ts')).lineage,
    },
    diff: { summary: 'Two candidates, line by line', load: async () => (await import('./declarations/diff.ts')).diff },
    rollback: {
      summary: 'Put an improvement back to a candidate',
      load: async () => (await import('./declarations/rollback.ts')).rollback,
    },
    experience: {
      summary: 'What kept episodes show, put into an agent',
      load: async () => (await import('./declarations/experience.ts')).experience,
    },
    ablate: { summary: 'What each part of an agent is worth', load: async () => (await import('./declarations/ablate.ts')).ablate },
  },
  'Bots:': {
    bot: { summary: 'Existing bots: can they take a seat?', load: async () => (await import('./declarations/bot.ts')).bot },
    desk: { summary: 'Desks of your own: are they in order?', load: async () => (await import('./declarations/desk.ts')).desk },
    test: {
      summary: 'A gate before a release: exit code, JUnit, Markdown',
      load: async () => (await import('./declarations/test.ts')).test,
    },
    tasks: { summary: 'Tasks from what was played, and from desks', load: async () => (await import('./declarations/tasks.ts')).tasks },
    attack: { summary: 'Look for what gets through to an agent', load: async () => (await import('./declarations/attack.ts')).attack },
  },
  'Characters and populations:': {
    chat: { summary: 'Talk with a character', load: async () => (await import('./declarations/chat.ts')).chat },
    scene: { summary: 'Put characters into one room and watch', load: async () => (await import('./declarations/scene.ts')).scene },
    persona: {
      summary: 'Characters: make, read, write, show, check, sample',
      load: async () => (await import('./declarations/persona.ts')).persona,
    },
    probe: {
      summary: 'Ask a character what its card says; a report card',
      load: async () => (await import('./declarations/probe.ts')).probe,
    },
    rewrite: {
      summary: 'Better lines for a character, kept where a judge agrees',
      load: async () => (await import('./declarations/rewrite.ts')).rewrite,
    },
    teach: {
      summary: 'Lessons for a character, and a recipe to learn them by',
      load: async () => (await import('./declarations/teach.ts')).teach,
    },
    build: {
      summary: 'A benchmark of role-play from characters and scenes',
      load: async () => (await import('./declarations/build.ts')).build,
    },
    survey: {
      summary: 'Ask a population; compare its answers with people',
      load: async () => (await import('./declarations/survey.ts')).survey,
    },
  },
  'Data:': {
    export: { summary: 'Write what a store holds to a file', load: async () => (await import('./declarations/export.ts')).exportCommand },
    import: {
      summary: 'Read conversations and logs into a store',
      load: async () => (await import('./declarations/import.ts')).importCommand,
    },
    make: { summary: 'Data made by a pipeline, proved or judged', load: async () => (await import('./declarations/make.ts')).make },
    store: { summary: 'Copy, prune, and share stores', load: async () => (await import('./declarations/store.ts')).store },
    forget: { summary: 'Delete stored conversations for good', load: async () => (await import('./declarations/forget.ts')).forget },
    allow: { summary: 'What imported data may load and call', load: async () => (await import('./declarations/allow.ts')).allow },
  },
  'Servers and machines:': {
    serve: {
      summary: 'Servers for other programs: OpenEnv, MCP, a proxy',
      load: async () => (await import('./declarations/serve.ts')).serve,
    },
    worker: { summary: 'Play what waits in a store, beside others', load: async () => (await import('./declarations/worker.ts')).worker },
    fleet: { summary: 'Workers, what they hold, pace and cost', load: async () => (await import('./declarations/fleet.ts')).fleet },
    token: { summary: 'Who may call servers, and for what', load: async () => (await import('./declarations/token.ts')).token },
    keys: {
      summary: 'Keys of models: which there are, and for which server',
      load: async () => (await import('./declarations/keys.ts')).keys,
    },
  },
};

const commands: Readonly<Record<string, CommandEntry>> = Object.assign({}, ...Object.values(groups));

const groupOf = new Map(Object.entries(groups).flatMap(([heading, some]) => Object.keys(some).map((name) => [name, heading])));

const opening = `Language agents take seats in small worlds, play, and leave logs that replay to the byte.

  ludus start                a first look, in the browser
  ludus demo                 a first look, at the terminal
  ludus play kuhn-poker      play it yourself
  ludus list environments    what there is to play`;

/** Runs one command line and gives its exit code; nothing is thrown. */
export async function main(argv: readonly string[] = process.argv.slice(2), terminal: Terminal = processTerminal()): Promise<number> {
  const debug = argv.includes('--debug') || (terminal.env['LUDUS_DEBUG'] ?? '') !== '';
  const endWaits = showWaits(terminal);
  const data = join(terminal.cwd, '.ludus');
  const hadData = existsSync(data);
  try {
    const config = await useFolderSettings(argv, terminal);
    return await dispatch(
      argv.filter((word) => word !== '--debug'),
      terminal,
      config,
    );
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

/** `help` for a command that does not exist is no help. */
async function checkHelp(argv: readonly string[]): Promise<void> {
  const [first, ...words] = argv.filter((word) => !word.startsWith('-'));
  if (first !== 'help') return;
  let known: Readonly<Record<string, CommandEntry>> | undefined = commands;
  for (const [i, word] of words.entries()) {
    if (known === undefined) return;
    const entry: CommandEntry | undefined = Object.hasOwn(known, word) ? known[word] : undefined;
    if (entry === undefined) {
      const { didYouMean } = await import('@ludus-agents/kernel/internal/core/suggest');
      const name = [...words.slice(0, i), word].join(' ');
      throw new Fault('input', `There is no command "${name}".${didYouMean(word, Object.keys(known))} "ludus help" lists all.`);
    }
    known = (await entry.load()).parts;
  }
}

/** Options that the configuration has a value for; flags, which are read later, win over it, and so do variables. */
function applyConfig(command: Command, { store, model, budget }: LudusConfig, { env }: Terminal): void {
  const values: Readonly<Record<string, unknown>> = {
    ...((env['LUDUS_STORE'] ?? '') === '' && { '--store': store }),
    '--max-cost': budget?.money,
    '--max-calls': budget?.calls,
    '--max-total-tokens': budget?.tokens,
    '--max-episodes': budget?.episodes,
    // Elsewhere a model replaces a player that costs nothing, which is never the default.
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
    const words = await showFirstScreen(terminal);
    return words === null ? exits.fine : dispatch(words, terminal, config);
  }
  await checkHelp(argv);
  const program = styleHelp(new Command('ludus'), terminal)
    .description(opening)
    .usage('COMMAND [options]')
    .version(version, '-V, --version', 'the version of Ludus')
    .option('--debug', 'show where a failure came from')
    .helpCommand('help [command]', 'the options and examples of a command');
  const line: Line = { words: [...argv], code: exits.fine, canRunAlone: false };
  const last = await enlist(program, commands, { line, from: 0, terminal, config });
  // A command that does nothing by itself, or nothing without an argument, shows what is below it.
  if (last.commands.length > 0 && line.words.every((word) => word === last.name()) && !line.canRunAlone) {
    last.outputHelp();
    return exits.fine;
  }
  try {
    await program.parseAsync([...line.words], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError) || thrown.exitCode === 0) throw thrown;
    throw new Fault('input', `${lineSentence(thrown, last, line.words)} See "${pathOf(last)} --help".`);
  }
  return line.code;
}

/** What is wrong with the words of a line, as a sentence. */
function lineSentence(thrown: CommanderError, command: Command, words: readonly string[]): string {
  const [, unknown] = /unknown option '(.*)'/.exec(thrown.message) ?? [];
  // An option that must be given may be there under a wrong name, which says more than that it is missing.
  const flag = unknown ?? (/required option/.test(thrown.message) ? firstUnknownOption(words, command) : undefined);
  if (flag !== undefined) return unknownOptionSentence(flag, command);
  const said = thrown.message.replace(/^error: /, '').replace(linear(/\(Did you mean (.*?)\?\)/), '– did you mean $1?');
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.?]$/.test(said) ? '' : '.'}`;
}

/** A command line on its way: seats in it become options, and the command that runs leaves its exit code. */
interface Line {
  words: readonly string[];
  code: number;
  /** The command does something without any further word. */
  canRunAlone: boolean;
}

interface Place {
  readonly line: Line;
  /** The first word that may be a command here. */
  readonly from: number;
  readonly terminal: Terminal;
  readonly config: LudusConfig;
}

/** Makes commands known by name and summary, loads the one that is meant, and gives the last command it has made ready. */
async function enlist(parent: Command, entries: Readonly<Record<string, CommandEntry>>, place: Place): Promise<Command> {
  const { line, terminal } = place;
  const at = line.words.findIndex((word, i) => i >= place.from && !word.startsWith('-') && word !== 'help');
  let last = parent;
  for (const [name, { summary, load }] of Object.entries(entries)) {
    const command = styleHelp(parent.command(name), terminal)
      .summary(summary)
      .description(/[.?!]$/.test(summary) ? summary : `${summary}.`);
    const heading = parent.parent === null ? groupOf.get(name) : undefined;
    if (heading !== undefined) command.helpGroup(heading);
    if (name !== line.words[at]) continue;
    const { declare, load: loadRun, parts, seats } = await load();
    if (parts !== undefined) {
      last = await enlist(command, parts, { ...place, from: at + 1 });
      const isPart = last !== command;
      // Options of the whole would take those of its part, where both have them.
      if (!isPart || loadRun === undefined) declare(command);
      // The part that is meant has been found, or there is nothing to do but to show them.
      if (isPart || loadRun === undefined) continue;
    } else declare(command);
    last = command;
    applyConfig(command, place.config, terminal);
    const known = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long.slice(2)]));
    if (seats === true) line.words = seatWords(line.words, command.options);
    line.canRunAlone = command.registeredArguments.every(({ required }) => !required);
    command.action(async () => {
      const { prepareOutputs } = await import('./output-files.ts');
      prepareOutputs(command.opts(), terminal.cwd);
      await import('@ludus-agents/servers/internal/kinds');
      const { run } = await loadRun!();
      const { countingSpending } = await import('./spending-total.ts');
      const { withRuntimeOffer } = await import('./commands/models/setup.ts');
      line.code = await countingSpending(terminal, (counting) =>
        withRuntimeOffer(counting, command.opts()['json'] === true, () =>
          run({ args: command.processedArgs, options: command.opts(), terminal: counting, known }),
        ),
      );
    });
  }
  return last;
}

/** Streams, colours and widths of this terminal instead of the process's own; failures are thrown, not printed. */
function styleHelp(command: Command, terminal: Terminal): Command {
  const colours: Colours = coloursFor(terminal.stdout, terminal.env);
  return command
    .exitOverride()
    .helpOption('-h, --help', 'this help')
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(100, columnsOf(terminal.stdout)),
      getOutHasColors: () => colours.coloured,
    })
    .configureHelp({
      displayWidth: width,
      styleTitle: colours.bold,
      styleSubcommandTerm: colours.cyan,
      styleOptionTerm: colours.cyan,
      styleArgumentTerm: colours.cyan,
    });
}

/** What went wrong in one sentence, and the exit code for it. */
function failure(thrown: unknown): { readonly code: number; readonly sentence: string } {
  if (thrown instanceof CommanderError) return { code: exits.fine, sentence: '' };
  const sentence = sentenceOf(thrown);
  // Ctrl-C ends what waits with this, and is no fault of the program.
  if (thrown instanceof DOMException && thrown.name === 'AbortError')
    return { code: exits.interrupted, sentence: 'Stopped before it was finished.' };
  if (isFault(thrown)) return { code: thrown.boundary === 'input' || thrown.boundary === 'store' ? exits.input : exits.found, sentence };
  const refused = systemSentence(thrown);
  if (refused !== undefined) return { code: exits.input, sentence: refused };
  const own = ownFileSentence(thrown);
  if (own !== undefined) return { code: exits.found, sentence: own };
  return {
    code: exits.found,
    sentence: `Something went wrong inside Ludus: ${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} --debug shows where.`,
  };
}
