/** @file `ludus env coverage`: how much of a world its players have seen, and what nobody tried. */

import { type ExplorerSettings, learnStyle } from '@ludus-agents/agents/internal/explorer';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type Coverage, type CoverageRow, coverageOf, type Demonstration } from '@ludus-agents/evaluation/internal/coverage';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { count, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, type AnyEnvironment, type EpisodeEvent, Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly agent?: readonly string[];
  readonly like?: readonly string[];
  readonly task?: string;
  readonly episodes: number;
  readonly repeats: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** Moves that are named before the rest is only counted. */
const mostNamed = 20;

export const coverage: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    modelOptions(options, terminal.env);
    const environment = await resolveEnvironment(args[0]!, terminal.cwd, terminal.trust);
    const demonstrations = options.like === undefined ? [] : await readDemonstrations(environment, options.like, { options, terminal });
    const specs: AgentSpec[] = [];
    for (const word of options.agent ?? ['random', 'explorer']) specs.push(await readSpec(word, terminal.cwd, terminal.trust));
    for (const demonstration of demonstrations) specs.push(createExplorer(demonstration));
    const twice = specs.find(({ name }, i) => specs.findIndex((spec) => spec.name === name) < i);
    if (twice !== undefined) throw new Fault('input', `Two players are called "${twice.name}". List each once, or rename one in its file.`);
    const cast = createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine, options));
    const players = Object.fromEntries(specs.map((spec) => [spec.name, (seat: string) => cast(spec, seat, environment)]));
    const { controller, release } = interruptible(terminal);
    try {
      const { episodes, repeats, seed } = options;
      const task = options.task === undefined ? {} : { task: jsonFrom(options.task, '--task') };
      const coverage = await coverageOf({
        environment,
        ...task,
        players,
        demonstrations,
        episodes,
        repeats,
        seed,
        signal: controller.signal,
      });
      if (options.json === true) printJson(terminal, coverage);
      else printCoverage(coverage, terminal);
      return exits.fine;
    } finally {
      release();
    }
  }),
};

/** An explorer that novelty and a style draw alike. */
function createExplorer({ name, logs }: Demonstration): AgentSpec {
  const settings: ExplorerSettings = { novelty: 1, likeness: 1, style: learnStyle(logs) };
  return { name: `explorer like ${name}`, kind: 'explorer', settings: { ...settings } };
}

interface Place {
  readonly options: StoreOptions;
  readonly terminal: Terminal;
}

/** The episodes of runs that were played in this world. */
function readDemonstrations(environment: AnyEnvironment, runs: readonly string[], { options, terminal }: Place): Promise<Demonstration[]> {
  return withExistingStore(terminal, options, async (store) => {
    const out: Demonstration[] = [];
    for (const typed of runs) {
      const run = await loadRun(store, typed);
      const logs: (readonly EpisodeEvent[])[] = [];
      for await (const { id, environment: played } of recordsOf(store, { run: run.id }))
        if (played === environment.id) logs.push(await store.events(id));
      if (logs.length === 0)
        throw new Fault('input', `The run "${typed}" has no episode of ${environment.id}, so it shows no style of play here.`);
      out.push({ name: typed, logs });
    }
    return out;
  });
}

function printCoverage(coverage: Coverage, terminal: Terminal): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  const { reachable, rows } = coverage;
  const styles = Object.keys(rows[0]?.likeness ?? {});
  const right = (title: string) => ({ title, align: 'right' as const });
  const titles = [{ title: 'player', flexible: 'cut' as const }, right('episodes'), right('states'), right('edges'), right('moves')];
  const cells = rows.map((row) => [
    colours.cyan(printable(row.name)),
    String(row.episodes),
    of(row.states, row.intervals.states, reachable?.states),
    of(row.edges, row.intervals.edges, reachable?.edges),
    of(row.moves, row.intervals.moves),
    ...styles.map((style) => (row.likeness[style] === undefined ? '' : row.likeness[style].toFixed(3))),
  ]);
  print(terminal, table([...titles, ...styles.map((style) => right(`like ${printable(style)}`))], cells, { colours, columns }), '');
  const all =
    reachable === null
      ? 'The total is unknown.'
      : `The environment has ${count(reachable.states, 'state')} and ${count(reachable.edges, 'edge')} in total.`;
  const lines = [
    `${coverage.environment}, ${count(coverage.repeats, 'repetition')}; counts are means over them${coverage.repeats > 1 ? ', with 95% intervals' : ': a single one gives no interval'}. ${all}`,
  ];
  for (const row of rows) lines.push(...linesOf(row, rows[0]!.name, colours));
  for (const line of lines) print(terminal, ...wrap(line, Math.min(100, columns)));
}

function of(seenCount: number, interval: CoverageRow['intervals']['states'], all?: number): string {
  const short = (value: number) => String(Number(value.toFixed(1)));
  const span = interval === null ? '' : ` (${short(interval[0])} to ${short(interval[1])})`;
  return `${short(seenCount)}${span}${all === undefined ? '' : `, ${((100 * seenCount) / all).toFixed(1)}%`}`;
}

function linesOf({ name, growth, untried, gain, illegal, failed }: CoverageRow, first: string, colours: Colours): readonly string[] {
  const { edges, moves } = untried;
  const named = moves.slice(0, mostNamed).map((move) => printable(move));
  const more = moves.length > mostNamed ? ` and ${moves.length - mostNamed} more` : '';
  return [
    '',
    colours.bold(printable(name)),
    ...(gain === undefined
      ? []
      : [
          `  ${formatSigned(gain.value, 1)} states compared with ${first}, 95% interval ${formatSigned(gain.interval[0], 1)} to ${formatSigned(gain.interval[1], 1)}`,
        ]),
    `  states after episodes: ${growth.map(({ episodes, states }) => `${episodes}: ${Number(states.toFixed(1))}`).join(', ')}`,
    `  never tried: ${count(edges, 'listed edge')}, ${count(moves.length, 'listed move')}${moves.length === 0 ? '' : `: ${named.join(' ')}${more}`}`,
    ...(illegal === 0 ? [] : [`  ${count(illegal, 'answer')} that ${illegal === 1 ? 'was' : 'were'} no listed move`]),
    ...(failed === 0 ? [] : [`  ${count(failed, 'episode')} that a failure ended, or that the rules do not make again`]),
  ];
}
