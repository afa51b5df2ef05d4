/** @file `ludus persona probe`: a character asked what its own card says, with a report card; a gate for every edit of a card. */

import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { readBytes, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { judgeModel, loadJudge } from '@ludus-agents/evaluation/internal/judges';
import { cardMarkdown, cardPage } from '@ludus-agents/evaluation/internal/probes/card-text';
import { controlAgent } from '@ludus-agents/evaluation/internal/probes/controls';
import { dialogueControl } from '@ludus-agents/evaluation/internal/probes/dialogue-controls';
import { readTopics } from '@ludus-agents/evaluation/internal/probes/dialogue-topics';
import { type GymResult, runGym } from '@ludus-agents/evaluation/internal/probes/gym';
import { modelReader, modelTraitReader } from '@ludus-agents/evaluation/internal/probes/model-reader';
import { type MoralPlayReport, measureMoralPlay, moralControl } from '@ludus-agents/evaluation/internal/probes/moral-play';
import { encoderReader, type MoralReader, modelMoralReader } from '@ludus-agents/evaluation/internal/probes/moral-readers';
import { readMoralScenes } from '@ludus-agents/evaluation/internal/probes/moral-scenes';
import { type ControlCharacter, controlCharacters, type ProbeSection, probeSections } from '@ludus-agents/evaluation/internal/probes/names';
import { measurePortrayal, type PortrayalReport } from '@ludus-agents/evaluation/internal/probes/portrayal';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { probeCharacter, type ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { openProbeRun } from '@ludus-agents/evaluation/internal/probes/probe-run';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type Agent, type AgentSpec, Fault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { moralText, portrayalText } from '../../render/portrayal.ts';
import { table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly agent?: string;
  readonly judge?: readonly string[];
  readonly author?: string;
  readonly gym?: boolean;
  readonly dialogues?: boolean;
  readonly moral?: boolean;
  readonly scenes?: string;
  readonly topics?: string;
  readonly partner?: string;
  readonly items?: number;
  readonly turns?: number;
  readonly only?: string;
  readonly seed?: number;
  readonly reuse?: boolean;
  readonly failUnder?: number;
  readonly output?: string;
  readonly json?: boolean;
}

export const probe: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    modelOptions(input, terminal.env);
    checkBound(options);
    const names = args[0] as unknown as readonly string[];
    if (names.length > 1 && options.moral !== true)
      throw new Fault('input', `Expected one persona, got ${names.length}. Several need --moral.`);
    const personas = await Promise.all(names.map(async (name) => (await resolvePersona(name, terminal)).persona));
    const persona = personas[0] as Persona;
    const agent = await characterFor(persona, options, terminal);
    const { controller, release } = interruptible(terminal);
    try {
      return await withWritableStore(terminal, options, async (store) => {
        const { seed = 0, reuse = false } = options;
        const { run, stored, change } = await openProbeRun(store, { persona, spec: agent.spec, seed, reuse, place: terminal });
        if (change !== null) withNotices(terminal, {}).notice(change);
        const common = { agent: agent.make, seed, store, run, signal: controller.signal };
        if (options.gym === true) {
          const judges = (options.judge ?? []).map((name) => ({
            name,
            create: (rubric: Parameters<typeof judgeModel>[1]) => judgeModel(name, rubric, terminal),
          }));
          const author = options.author === undefined ? undefined : await loadModel(options.author, terminal.cwd, terminal.trust);
          const result = await runGym(persona, {
            ...common,
            stored,
            judges,
            author,
            ...(options.items === undefined ? {} : { questions: options.items }),
          });
          return reportGym(result, { persona, run, options, terminal });
        }
        if (options.dialogues === true) {
          const reader = await traitReaderFor(options, terminal, controller.signal);
          const { store: retainedStore, run: of, signal } = common;
          const about = options.topics === undefined ? undefined : await topicsIn(options.topics, terminal);
          const partner =
            options.partner === undefined ? undefined : await agent.partner((await resolvePersona(options.partner, terminal)).persona);
          const more = {
            topics: options.items,
            about,
            seed,
            store: retainedStore,
            run: of,
            signal,
            reader,
            ...(partner === undefined ? {} : { partner: () => partner }),
          };
          return reportPortrayal(await measurePortrayal(persona, { ...more, agent: agent.version }), { persona, run, options, terminal });
        }
        if (options.moral === true) {
          const { agent: _, ...more } = common;
          const reader = await moralReaderFor(options, terminal, controller.signal);
          const scenes = options.scenes === undefined ? undefined : readMoralScenes(await jsonIn(options.scenes, terminal), options.scenes);
          const result = await measureMoralPlay(personas, { ...more, agent: agent.version, reader, scenes });
          return reportMoral(result, { persona, run, options, terminal });
        }
        const card = await probeCharacter(persona, {
          ...common,
          stored,
          name: agent.spec.name,
          items: options.items,
          turns: options.turns,
          sections: sectionsIn(options.only),
          reader: await readerFor(options, terminal, controller.signal),
        });
        return reportProbes(card, options, terminal);
      });
    } finally {
      release();
    }
  }),
};

interface Character {
  readonly spec: AgentSpec;
  make(probe: Probe): Agent | Promise<Agent>;
  /** The same player as the one who talks with the character. */
  partner(persona: Persona): Promise<Agent>;
  /** The same player with another version of the card. */
  version(persona: Persona, probe: Probe): Agent | Promise<Agent>;
}

/** Anyone who plays the persona; a control is made anew for each probe, everybody else once. */
async function characterFor(persona: Persona, { agent: typed = 'scripted', ...options }: Options, terminal: Terminal): Promise<Character> {
  const document = { persona: persona };
  if (typed.startsWith('control:')) {
    const play = options.moral === true ? moralControl : dialogueControl;
    const version = (card: Persona, probe: Probe) => play(typed.slice('control:'.length), card, probe);
    const partner = (): Promise<Agent> => Promise.reject(new Fault('input', 'A control uses fixed lines. Remove --partner.'));
    if (options.dialogues === true || options.moral === true)
      return { spec: { name: typed, kind: 'scripted:character', ...document }, make: (probe) => version(persona, probe), partner, version };
    const control = controlCharacters.find((controlCharacter) => controlCharacter === typed.slice('control:'.length)) as
      | ControlCharacter
      | undefined;
    if (control === undefined)
      throw new Fault(
        'input',
        `Unknown control "${typed}". Available: ${controlCharacters.map((controlCharacter) => `control:${controlCharacter}`).join(', ')}.`,
      );
    const make = (requestedProbe: Probe) => ({
      ...controlAgent(control, { persona, probe: requestedProbe, wording: 0 }),
      persona: persona.hash,
    });
    return { spec: { name: typed, kind: 'scripted:character', ...document }, make, partner, version };
  }
  if (typed === 'human' || typed === 'me')
    throw new Fault('input', 'A probe asks hundreds of questions, so a person cannot answer them. Use "ludus chat".');
  const spec: AgentSpec = { ...(await readSpec(typed, terminal.cwd, terminal.trust)), ...document };
  const load = createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine, options));
  const environment = await builtInEnvironment('chat');
  const seated = await load(spec, 'character', environment);
  const version = (card: Persona) => load({ ...spec, persona: card }, 'character', environment);
  const partner = (card: Persona) => load({ ...spec, name: card.name, persona: card }, 'user', environment);
  return { spec, make: () => seated, partner, version };
}

async function topicsIn(file: string, terminal: Terminal) {
  return readTopics(await jsonIn(file, terminal), `The topics in ${file}`);
}

async function jsonIn(file: string, terminal: Terminal): Promise<Json> {
  return jsonFrom(new TextDecoder().decode(await readBytes(file, terminal)), file);
}

/** The reader of moral play: the judge that was named, else the sentence encoder of this machine, else shared words. */
async function moralReaderFor({ judge = [] }: Options, terminal: Terminal, signal: AbortSignal): Promise<MoralReader | undefined> {
  const model = await readerModel(judge, terminal);
  if (model !== undefined) return modelMoralReader(model, signal);
  const encoder = await installedEncoder(terminal.env);
  return encoder === null ? undefined : encoderReader(encoder);
}

function sectionsIn(typed: string | undefined): readonly ProbeSection[] | undefined {
  if (typed === undefined) return undefined;
  return typed.split(',').map((word) => {
    const section = probeSections.find((probeSection) => probeSection === word.trim());
    if (section === undefined)
      throw new Fault('input', `--only: expected sections of the card (${probeSections.join(', ')}), got "${word.trim()}".`);
    return section;
  });
}

/** The blind reader of dialogues: a model, or cues of speech. */
async function traitReaderFor({ judge = [] }: Options, terminal: Terminal, signal: AbortSignal) {
  const model = await readerModel(judge, terminal);
  return model === undefined ? undefined : modelTraitReader(model, signal);
}

async function readerModel([first, second]: readonly string[], terminal: Terminal) {
  if (first === undefined) return undefined;
  if (second !== undefined) throw new Fault('input', 'Only one model can read the answers. Two judges need --gym.');
  if (first.startsWith('fake:'))
    throw new Fault('input', `${first} is for rubrics and cannot read answers. Remove --judge to use rules, or add --gym.`);
  return loadJudge(first, terminal.cwd, terminal.trust);
}

async function readerFor({ judge = [] }: Options, terminal: Terminal, signal: AbortSignal) {
  const model = await readerModel(judge, terminal);
  return model === undefined ? undefined : modelReader(model, signal);
}

function formatCard(file: string, card: ReportCard): string {
  if (/\.html?$/i.test(file)) return cardPage(card);
  if (/\.json$/i.test(file)) return `${JSON.stringify(card, null, 2)}\n`;
  if (/\.(md|markdown)$/i.test(file)) return cardMarkdown(card);
  throw new Fault('input', `-o: expected a file that ends in .html, .md, or .json, got "${file}".`);
}

/** A bound that no score can reach would fail every card, and one that every score reaches would pass it. */
function checkBound({ failUnder, gym }: Options): void {
  if (failUnder === undefined) return;
  if (gym === true && (failUnder <= 1 || failUnder > 5))
    throw new Fault(
      'input',
      `--fail-under: with --gym, expected a number above 1 and at most 5, because a PersonaScore is never below 1, got "${failUnder}".`,
    );
  if (gym !== true && failUnder > 1) throw new Fault('input', `--fail-under: expected a number of at most 1, got "${failUnder}".`);
}

/** Says what is under the bound, where something is. */
function reportBound(score: number, { failUnder }: Options, terminal: Terminal): boolean {
  const failed = failUnder !== undefined && score < failUnder;
  if (failed) terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${score.toFixed(3)} is under ${failUnder}.\n`);
  return failed;
}

function reportProbes(card: ReportCard, options: Options, terminal: Terminal): number {
  if (options.output !== undefined) writeOut(options.output, formatCard(options.output, card), terminal.cwd);
  if (options.json === true) printJson(terminal, card);
  else print(terminal, cardText(card, terminal));
  const failed = card.score !== null && reportBound(card.score, options, terminal);
  return failed || card.score === null ? exits.found : exits.fine;
}

/** How many conversations are stored ones, where any are. */
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
  const head = `${colours.bold(printable(card.persona.name))} by ${printable(card.agent)}: ${colours.bold(figure(card.score))} ${colours.faint(`(${span(card.interval)}), ${card.probes} probes${reusedText(card.reused)}, read by ${card.reader}, ${card.broken} unreadable`)}`;
  return [head, '', display, ...(mend.length === 0 ? [] : ['', colours.bold('What to fix'), ...mend])].join('\n');
}

interface GymReport {
  readonly persona: Persona;
  readonly run: string;
  readonly options: Options;
  readonly terminal: Terminal;
}

/** The mean fidelity over the levels decides. */
function reportMoral(result: MoralPlayReport, { persona, run, options, terminal }: GymReport): number {
  const json = { persona: { id: persona.id, name: persona.name, hash: persona.hash }, run, ...result };
  if (options.output !== undefined) writeOut(options.output, `${JSON.stringify(json, null, 2)}\n`, terminal.cwd);
  if (options.json === true) printJson(terminal, json);
  else print(terminal, moralText(persona.name, result, coloursFor(terminal.stdout, terminal.env)));
  const values = result.rows.flatMap(({ fidelity }) => fidelity ?? []);
  if (values.length === 0) return exits.found;
  return reportBound(values.reduce((sum, value) => sum + value, 0) / values.length, options, terminal) ? exits.found : exits.fine;
}

/** The share of dialogues in which the pole was seen decides. */
function reportPortrayal(result: PortrayalReport, { persona, run, options, terminal }: GymReport): number {
  const json = { persona: { id: persona.id, name: persona.name, hash: persona.hash }, run, ...result };
  if (options.output !== undefined) writeOut(options.output, `${JSON.stringify(json, null, 2)}\n`, terminal.cwd);
  if (options.json === true) printJson(terminal, json);
  else print(terminal, portrayalText(persona.name, result, coloursFor(terminal.stdout, terminal.env)));
  if (result.success === null) return exits.found;
  const failed = reportBound(result.success, options, terminal);
  return failed || (options.failUnder !== undefined && result.recites) ? exits.found : exits.fine;
}

function reportGym(result: GymResult, { persona, run, options, terminal }: GymReport): number {
  const { personaScore, interval, conversations, tasks, judges, settings, reused, unread, written, byRule } = result;
  const json = { persona: { id: persona.id, name: persona.name, hash: persona.hash }, run, ...result };
  if (options.output !== undefined) writeOut(options.output, `${JSON.stringify(json, null, 2)}\n`, terminal.cwd);
  if (options.json === true) printJson(terminal, json);
  else {
    const colours = coloursFor(terminal.stdout, terminal.env);
    const names = Object.keys(judges);
    const figure = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(2) : '–');
    const rows = Object.entries(tasks).map(([task, value]) => [
      task,
      figure(value),
      ...names.map((name) => figure(judges[name]?.[task as keyof typeof tasks])),
    ]);
    print(
      terminal,
      `${colours.bold(printable(persona.name))}: PersonaScore ${colours.bold(figure(personaScore))} of 5 ${colours.faint(`(${interval === null ? 'no interval' : `95% ${figure(interval[0])} to ${figure(interval[1])}`}), ${conversations} conversations${reusedText(reused)} in ${settings.length} settings; ${written} questions by the author, ${byRule} from the card; ${unread} answers without a verdict`)}`,
      '',
      table([{ title: 'task' }, { title: 'mean', align: 'right' }, ...names.map((title) => ({ title, align: 'right' as const }))], rows, {
        colours,
      }),
    );
  }
  if (personaScore === null) return exits.found;
  return reportBound(personaScore, options, terminal) ? exits.found : exits.fine;
}
