/** @file `ludus show`: shows an episode as a transcript, a run as its results, an environment with its playable options. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { nameOf, printable } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import { type Description, rangeOf } from '@ludus-agents/servers/internal/describe';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type Shown, show as showStored } from '../../library/show.ts';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { scene } from '../render/episode.ts';
import { endedText, resultsTable } from '../render/results.ts';
import { type Column, table } from '../render/table.ts';
import { clip, wrap } from '../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly seat?: string;
  readonly events?: boolean;
  readonly json?: boolean;
}

export const show: CommandRun = {
  async run({ args, options, terminal }) {
    const { seat, events, json, store, readOnly } = options as Options;
    const [first, second] = args as [string, string | undefined];
    const target = second === undefined ? { name: first } : { kind: first, name: second };
    const view = await showStored({ ...target, seat, store, readOnly }, terminal);
    if (view.kind === 'episode' && json !== true && events === true) for (const event of view.log) printJson(terminal, event);
    else if (json === true) printJson(terminal, dataOf(view));
    else if (view.kind === 'environment') showEnvironment(view, terminal);
    else if (view.kind === 'entry') showEntry(view.entry, terminal);
    else if (view.kind === 'run') showRun(view, terminal);
    else await showEpisode(view, terminal);
    return exits.fine;
  },
};

type ShownAs<Kind extends Shown['kind']> = Extract<Shown, { readonly kind: Kind }>;

function dataOf(view: Shown): unknown {
  if (view.kind === 'entry') return view.entry;
  if (view.kind === 'episode') return { ...view.record, log: view.log };
  if (view.kind === 'run')
    return { run: view.run, ...view.results, saved: view.saved, ...(view.training !== null && { training: view.training }) };
  const { environment, seats, task, agents } = view;
  return { id: environment.id, about: environment.about, seats, task, agents };
}

/** One object of a kind: its description, its settings, and its usage. */
function showEntry(description: Description, terminal: Terminal): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(
    terminal,
    `${colours.bold(printable(description.name))} ${colours.faint(`· ${description.kind}`)}`,
    ...wrap(printable(description.about), Math.min(100, columns)),
    '',
  );
  const facts = Object.entries(description.facts).map(([label, text]) => [colours.faint(label), printable(text)]);
  if (facts.length > 0)
    print(terminal, table([{ title: '' }, { title: '', flexible: 'wrap' }], facts, { colours, columns }).trimStart(), '');
  const rows = description.settings.map((setting) => [
    colours.cyan(setting.name),
    clip(setting.otherwise, 24),
    clip(setting.range, 30),
    printable(setting.about),
  ]);
  const titles: readonly Column[] = [
    { title: 'setting' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  // Settings of recipes have no descriptions.
  const width = description.settings.every(({ about }) => about === '') ? 3 : 4;
  const cut = rows.map((row) => row.slice(0, width));
  if (rows.length > 0) print(terminal, table(titles.slice(0, width), cut, { colours, columns }), '');
  print(terminal, colours.faint(description.example));
}

async function showEpisode({ record, events, seat }: ShownAs<'episode'>, terminal: Terminal): Promise<void> {
  // The rules are needed only for their defaults; a log can be read without them.
  const parameters = await resolveEnvironment(record.environment, terminal.cwd, Trust.storedData).then(
    (environment) => environment.parameters,
    () => undefined,
  );
  const transcript = scene({
    colours: coloursFor(terminal.stdout, terminal.env),
    columns: columnsOf(terminal.stdout),
    numbers: true,
    seat: seat ?? undefined,
    parameters,
  });
  for (const [index, event] of events.entries()) terminal.stdout.write(transcript.show(event, index));
  if (record.status === 'running') print(terminal, '', 'No end event: the episode is still running, or was interrupted.');
}

function showRun({ run, results, saved, ended, earlier, training }: ShownAs<'run'>, terminal: Terminal): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  if (training !== null && ended === 0) {
    const { games, returned } = training;
    const measured = exploitabilityText(training);
    const worth = measured !== null ? `exploitability ${measured}` : returned === null ? 'no figure' : `return ${returned.toFixed(3)}`;
    print(terminal, `${colours.bold(printable(run.id))} ${colours.faint(`· training · ${formatGrouped(games)} games · ${worth}`)}`);
    print(terminal, ...(saved === null ? [] : ['', printable(saved)]));
    return;
  }
  // The number of episodes is from the first plan: after an edit it does not apply to the current one.
  const progress = endedText({ ended, planned: earlier > 0 ? ended : run.episodes, tasks: results.standings.tasks });
  print(terminal, `${colours.bold(printable(run.id))} ${colours.faint(`· ${progress}`)}`, '');
  print(
    terminal,
    resultsTable(results, terminal),
    ...(earlier > 0 ? ['', earlierText(earlier)] : []),
    ...(saved === null ? [] : ['', printable(saved)]),
  );
}

function showEnvironment({ environment, seats, agents }: ShownAs<'environment'>, terminal: Terminal): void {
  const { about, parameters } = environment;
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(terminal, colours.bold(environment.id), ...wrap(about.summary, Math.min(100, columns)), '');
  print(terminal, `${colours.faint('seats ')}  ${seats.map((seat, i) => colours.seat(seat, i)).join(', ')}`);
  print(terminal, ...wrapEntry('agents', agents.join(', '), terminal), '');
  const rows = Object.entries(parameters).map(([name, parameter]) => [
    colours.cyan(name),
    clip(JSON.stringify(parameter.default), 20),
    clip(rangeOf(parameter), 30),
    parameter.description,
  ]);
  const titles: readonly Column[] = [
    { title: 'task' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  if (rows.length > 0) print(terminal, table(titles, rows, { colours, columns }), '');
  print(terminal, colours.faint(`ludus play ${nameOf(environment)}`));
}

function wrapEntry(label: string, text: string, terminal: Terminal): string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  return wrap(text, Math.min(92, columnsOf(terminal.stdout) - 8)).map((line, i) => `${colours.faint(i === 0 ? label : '      ')}  ${line}`);
}
