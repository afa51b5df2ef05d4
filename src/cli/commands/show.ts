/** @file `ludus show`: an episode as a transcript, a run as its results, a world as what can be played in it. */

import { castable } from '../../agents/index.ts';
import { count, grouped } from '../../company/amounts.ts';
import { resultsOf } from '../../company/results.ts';
import { episodeBy, reading, runBy, type StoreOptions } from '../../company/stores.ts';
import { didYouMean } from '../../company/suggest.ts';
import { isPath, worldOf } from '../../company/worlds.ts';
import { type AnyEnvironment, Fault, nameOf, printable, type RunRecord, type Store, schemaOf, seenBy } from '../../core/index.ts';
import { environmentNames } from '../../environments/index.ts';
import { describeEntry, rangeOf } from '../../workspace/describe.ts';
import { environmentKind, kindOf, kinds } from '../../workspace/kinds.ts';
import { seatIn } from '../cast.ts';
import { type Call, type CommandFile, examples, exits, withJson, withStore } from '../command.ts';
import { inkFor } from '../ink.ts';
import { resultsTable } from '../results.ts';
import { scene } from '../scene.ts';
import { type Column, table } from '../table.ts';
import { columnsOf, print, printJson, type Terminal } from '../terminal.ts';
import { clip, wrap } from '../width.ts';

interface Options extends StoreOptions {
  readonly seat?: string;
  readonly events?: boolean;
  readonly json?: boolean;
}

export const show: CommandFile = {
  declare(command) {
    command
      .argument('<id>', 'an episode, a run (the first letters of an id are enough), a world, or a kind')
      .argument('[name]', 'what to explain of a kind: a name, a file or a package')
      .option('--seat <seat>', 'only what this seat sees')
      .option('--events', 'the raw events, one JSON a line');
    withJson(withStore(command));
    examples(command, {
      'ludus show 3f2a': 'the transcript; its numbers are what "fork --at" takes',
      'ludus show 3f2a --seat first': 'as one seat saw it',
      'ludus show 3f2a --events': 'the log as it is kept',
      'ludus show kuhn-poker': 'what a world is and which task it takes',
      'ludus show scorer repetition': 'what one of a kind is, its settings, and how it is used',
      'ludus show engine ./mine.ts': 'the same for one of your own',
    });
  },

  async run(call) {
    const { terminal } = call;
    const typed = call.args[0] as string;
    const options = call.options as Options;
    const name = call.args[1];
    if (name !== undefined) return showOne(typed, name, call);
    if (isPath(typed) || environmentNames.includes(typed.split('@', 1)[0] as string)) {
      showWorld(await worldOf(typed, terminal.cwd), call);
      return exits.fine;
    }
    return reading(terminal, options, async (store) => {
      const run = (await store.find(typed, 1)).length === 0 ? await runBy(store, typed) : null;
      if (run === null) await showEpisode(store, typed, call);
      else await showRun(store, run, call);
      return exits.fine;
    });
  },
};

/** One of a kind: what it is, what can be set, and how it is used. */
async function showOne(word: string, name: string, call: Call): Promise<number> {
  const { terminal, options } = call;
  const kind = kindOf(word);
  if (kind === null) {
    const known = kinds.map(({ one }) => one);
    throw new Fault('input', `There is no kind "${word}".${didYouMean(word, known)} "ludus list kinds" shows all.`);
  }
  if (kind.name === environmentKind.name) {
    showWorld(await worldOf(name, terminal.cwd), call);
    return exits.fine;
  }
  const told = await describeEntry(kind, name, terminal.cwd);
  if (options['json'] === true) {
    printJson(terminal, told);
    return exits.fine;
  }
  const ink = inkFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(
    terminal,
    `${ink.bold(printable(told.name))} ${ink.faint(`· ${told.kind}`)}`,
    ...wrap(printable(told.about), Math.min(100, columns)),
    '',
  );
  const facts = Object.entries(told.facts).map(([label, text]) => [ink.faint(label), printable(text)]);
  if (facts.length > 0) print(terminal, table([{ title: '' }, { title: '', flexible: 'wrap' }], facts, { ink, columns }).trimStart(), '');
  const rows = told.settings.map((one) => [ink.cyan(one.name), clip(one.otherwise, 24), clip(one.range, 30), printable(one.about)]);
  const titles: readonly Column[] = [
    { title: 'setting' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  // Settings of recipes have no words of their own.
  const shown = told.settings.every(({ about }) => about === '') ? 3 : 4;
  const cut = rows.map((row) => row.slice(0, shown));
  if (rows.length > 0) print(terminal, table(titles.slice(0, shown), cut, { ink, columns }), '');
  print(terminal, ink.faint(told.example));
  return exits.fine;
}

async function showEpisode(store: Store, typed: string, { options: given, terminal }: Call): Promise<void> {
  const options = given as Options;
  const record = await episodeBy(store, typed);
  const events = await store.events(record.id);
  const start = events[0];
  if (start?.kind !== 'start') throw new Fault('store', `The log of ${record.id} does not begin with its start; the store is damaged.`);
  const seat = options.seat === undefined ? undefined : seatIn(options.seat, { world: record.environment, seats: start.seats });
  if (options.json === true || options.events === true) {
    const log = seat === undefined ? events : events.flatMap((event) => seenBy(event, seat) ?? []);
    if (options.json === true) printJson(terminal, { ...record, log });
    else for (const event of log) printJson(terminal, event);
    return;
  }
  // The rules are wanted for their defaults only; a log can be read without them.
  const knobs = await worldOf(record.environment, terminal.cwd, 'data').then(
    (world) => world.knobs,
    () => undefined,
  );
  const view = scene({ ink: inkFor(terminal.stdout, terminal.env), columns: columnsOf(terminal.stdout), numbers: true, seat, knobs });
  for (const [index, event] of events.entries()) terminal.stdout.write(view.show(event, index));
  if (record.status === 'running') print(terminal, '', 'No end is stored yet: it is still running, or was cut off.');
}

async function showRun(store: Store, run: RunRecord, { options, terminal }: Call): Promise<void> {
  const results = await resultsOf(store, run.id);
  if (options['json'] === true) {
    printJson(terminal, { run, results });
    return;
  }
  const ink = inkFor(terminal.stdout, terminal.env);
  const statuses = [...(await store.statuses(run.id)).values()];
  const done = statuses.filter((status) => status !== 'running').length;
  print(terminal, `${ink.bold(printable(run.id))} ${ink.faint(`· ${grouped(done)} of ${count(run.episodes, 'episode')} ended`)}`, '');
  print(terminal, resultsTable(results, terminal));
}

function showWorld(environment: AnyEnvironment, { options, terminal }: Call): void {
  const { about, knobs } = environment;
  const seats = environment.seats(environment.task(about.tasks[0] ?? {}));
  if (options['json'] === true) {
    printJson(terminal, { id: environment.id, about, seats, task: schemaOf(knobs), agents: castable(environment) });
    return;
  }
  const ink = inkFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(terminal, ink.bold(environment.id), ...wrap(about.summary, Math.min(100, columns)), '');
  print(terminal, `${ink.faint('seats ')}  ${seats.map((seat, i) => ink.seat(seat, i)).join(', ')}`);
  print(terminal, ...wrapped('agents', castable(environment).join(', '), terminal), '');
  const rows = Object.entries(knobs).map(([name, knob]) => [
    ink.cyan(name),
    clip(JSON.stringify(knob.otherwise), 20),
    clip(rangeOf(knob), 30),
    knob.about,
  ]);
  const titles: readonly Column[] = [
    { title: 'task' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  if (rows.length > 0) print(terminal, table(titles, rows, { ink, columns }), '');
  print(terminal, ink.faint(`ludus play ${nameOf(environment)}`));
}

function wrapped(label: string, text: string, terminal: Terminal): string[] {
  const ink = inkFor(terminal.stdout, terminal.env);
  return wrap(text, Math.min(92, columnsOf(terminal.stdout) - 8)).map((line, i) => `${ink.faint(i === 0 ? label : '      ')}  ${line}`);
}
