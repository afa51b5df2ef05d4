/** @file `ludus persona probe`: asks a character about its card and reports its fidelity; a gate for edits of a card. */

import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { cardMarkdown, cardPage } from '@ludus-agents/evaluation/internal/probes/card-text';
import { type ProbeSection, probeSections } from '@ludus-agents/evaluation/internal/probes/names';
import type { ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type PersonaProbeReport, type PersonaProbeRequest, probe as probePersona } from '../../../library/probe.ts';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { moralText, portrayalText } from '../../render/character.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions, Pick<PersonaProbeRequest, 'items' | 'turns' | 'memory' | 'seed' | 'reuse'> {
  readonly agent?: string;
  readonly judge?: readonly string[];
  readonly author?: string;
  readonly gym?: boolean;
  readonly dialogues?: boolean;
  readonly moral?: boolean;
  readonly scenes?: string;
  readonly topics?: string;
  readonly partner?: string;
  readonly only?: string;
  readonly failUnder?: number;
  readonly output?: string;
  readonly json?: boolean;
}

export const probe: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    modelOptions(input, terminal.env);
    checkBound(options);
    const { gym, dialogues, moral, judge, only, failUnder, output, json, ...keep } = options;
    const by = gym === true ? 'gym' : dialogues === true ? 'dialogues' : moral === true ? 'moral' : 'card';
    const { controller, release } = interruptible(terminal);
    const request = {
      ...({ ...keep, persona: args[0] as unknown as readonly string[], by, judges: judge, only: sectionsIn(only) } as const),
      ...{ signal: controller.signal, onChange: withNotices(terminal, {}).notice },
    };
    return show(await probePersona(request, terminal).finally(release), options, terminal);
  }),
};

function sectionsIn(typed: string | undefined): readonly ProbeSection[] | undefined {
  if (typed === undefined) return undefined;
  return typed.split(',').map((word) => {
    const section = probeSections.find((probeSection) => probeSection === word.trim());
    if (section === undefined)
      throw new Fault('input', `--only: expected sections of the card (${probeSections.join(', ')}), got "${word.trim()}".`);
    return section;
  });
}

function formatCard(file: string, card: ReportCard): string {
  if (/\.html?$/i.test(file)) return cardPage(card);
  if (/\.json$/i.test(file)) return `${JSON.stringify(card, null, 2)}\n`;
  if (/\.(md|markdown)$/i.test(file)) return cardMarkdown(card);
  throw new Fault('input', `-o: expected a file that ends in .html, .md, or .json, got "${file}".`);
}

/** A threshold that no score can reach would fail every card, and one that every score reaches would pass it. */
function checkBound({ failUnder, gym }: Options): void {
  if (failUnder === undefined) return;
  if (gym === true && (failUnder <= 1 || failUnder > 5))
    throw new Fault(
      'input',
      `--fail-under: with --gym, expected a number above 1 and at most 5, because a PersonaScore is never below 1, got "${failUnder}".`,
    );
  if (gym !== true && failUnder > 1) throw new Fault('input', `--fail-under: expected a number of at most 1, got "${failUnder}".`);
}

/** Lists the scores below the threshold, if any. */
function reportBound(score: number, { failUnder }: Options, terminal: Terminal): boolean {
  const failed = failUnder !== undefined && score < failUnder;
  if (failed) terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${score.toFixed(3)} is under ${failUnder}.\n`);
  return failed;
}

/** Writes and prints a report; fails for a score below the threshold, and for a report without scores. */
function show(report: PersonaProbeReport, options: Options, terminal: Terminal): number {
  const { kind: _, ...data } = report;
  const { output } = options;
  if (output !== undefined)
    writeOut(output, report.kind === 'card' ? formatCard(output, data as ReportCard) : `${JSON.stringify(data, null, 2)}\n`, terminal.cwd);
  if (options.json === true) printJson(terminal, data);
  else print(terminal, ...textOf(report, terminal));
  const score = scoreOf(report);
  if (score === null) return exits.found;
  const failed = reportBound(score, options, terminal);
  const recites = report.kind === 'dialogues' && options.failUnder !== undefined && report.recites;
  return failed || recites ? exits.found : exits.fine;
}

/** The deciding figure: for dialogues the share in which the pole was recognized, for moral scenes the mean fidelity over the levels. */
function scoreOf(report: PersonaProbeReport): number | null {
  if (report.kind === 'card') return report.score;
  if (report.kind === 'gym') return report.personaScore;
  if (report.kind === 'dialogues') return report.success;
  const values = report.rows.flatMap(({ fidelity }) => fidelity ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function textOf(report: PersonaProbeReport, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const { name } = report.persona;
  const saved = colours.faint(`Saved as ${report.run}.`);
  if (report.kind === 'card') return [cardText(report, terminal), '', ...(report.run === undefined ? [] : [saved])];
  if (report.kind === 'gym') return [...gymText(report, colours), saved];
  if (report.kind === 'moral') return [moralText(name, report, colours), saved];
  const corpus = `Export what was portrayed: ludus data export --run ${report.run} --where "portrayal>=1" --seat character --format trl-sft -o corpus`;
  return [portrayalText(name, report, colours), saved, ...(report.success ? [colours.faint(corpus)] : [])];
}

/** The number of stored conversations, if any. */
function reusedText(reused: number): string {
  return reused === 0 ? '' : ` (${formatGrouped(reused)} from earlier)`;
}

function cardText(card: ReportCard, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = Math.min(100, columnsOf(terminal.stdout));
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
  const span = (interval: readonly [number, number] | null) =>
    interval === null ? '' : `${figure(interval[0])} to ${figure(interval[1])}`;
  const rows = card.parts.flatMap((part) => [
    [colours.bold(part.section), colours.bold(figure(part.value)), span(part.interval), '', ''],
    ...part.rows.map((row) => [
      `  ${printable(row.name)}${row.lowerIsBetter ? colours.faint(' (less is better)') : ''}`,
      figure(row.value),
      span(row.interval),
      String(row.n),
      row.floor === undefined ? '' : figure(row.floor),
    ]),
  ]);
  const right = { align: 'right' } as const;
  const display = table(
    [{ title: 'probes' }, { title: 'value', ...right }, { title: '95%', ...right }, { title: 'n', ...right }, { title: 'floor', ...right }],
    rows,
    { colours, columns },
  );
  const mend = card.mend.flatMap((item) => wrap(printable(item), columns - 2).map((line, i) => `${i === 0 ? '· ' : '  '}${line}`));
  const head = `${colours.bold(printable(card.persona.name))} by ${printable(card.agent)}: ${colours.bold(card.score === null ? 'no score' : figure(card.score))} ${colours.faint(`${card.interval === null ? '' : `(${span(card.interval)}), `}${card.probes} probes${reusedText(card.reused)}, read by ${card.reader}, ${card.broken} unreadable`)}`;
  return [head, '', display, ...(mend.length === 0 ? [] : ['', colours.bold('What to fix'), ...mend])].join('\n');
}

const rulesOnly = 'Without --judge, rules compare words. With a sentence encoder ("ludus models setup minilm"), they compare meanings.';

function gymText(report: Extract<PersonaProbeReport, { kind: 'gym' }>, colours: Colours): readonly string[] {
  const { persona, personaScore, interval, conversations, tasks, judges, settings, reused, unread, empty, warning, written, byRule } =
    report;
  const names = Object.keys(judges);
  const figure = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(2) : '–');
  const rows = Object.entries(tasks).map(([task, value]) => [
    task,
    figure(value),
    ...names.map((name) => figure(judges[name]?.[task as keyof typeof tasks])),
  ]);
  const columns = [
    { title: 'task' },
    { title: 'mean', align: 'right' as const },
    ...names.map((title) => ({ title, align: 'right' as const })),
  ];
  return [
    `${colours.bold(printable(persona.name))}: PersonaScore ${colours.bold(figure(personaScore))} of 5 ${colours.faint(`(${interval === null ? 'no interval' : `95% ${figure(interval[0])} to ${figure(interval[1])}`}), ${conversations} conversations${reusedText(reused)} in ${settings.length} settings; ${written} questions by the author, ${byRule} from the card; ${unread} conversations without a verdict${empty === 0 ? '' : `, ${empty} in which it said nothing`}`)}`,
    '',
    table(columns, rows, { colours }),
    ...(warning === null ? [] : [colours.yellow(warning)]),
    ...(names.includes('rules') ? [colours.faint(rulesOnly)] : []),
    ...names
      .filter((name) => !name.startsWith('rules'))
      .map((name) => colours.faint(`Trust card: ludus judge trust persona-gym --judge ${name}`)),
  ];
}
