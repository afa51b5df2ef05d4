/** @file `ludus improve ablate`: an agent with and without each of its parts on the same tasks and seeds: what each is worth, and what it costs. */

import { createAgentLoader, standIn } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { checkAgentName, readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AblationRequest, type ArmResult, ablate as ablateAgent, armsOf } from '@ludus-agents/evaluation/internal/ablation';
import { crossoverWords } from '@ludus-agents/evaluation/internal/crossover';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import { count, money as dollars, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { type Cast, Fault, type Json, nameOf, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { seatIn } from '../../cast.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { coloursFor } from '../../render/colours.ts';
import { progressLine } from '../../render/progress.ts';
import { table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly on: string;
  readonly task?: string;
  readonly seat?: string;
  readonly against?: string;
  readonly games: number;
  readonly seed: number;
  readonly without?: string;
  readonly thinking?: boolean;
  readonly reflex?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const ablate: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const environment = await resolveEnvironment(options.on, terminal.cwd, terminal.trust);
    const written = options.task === undefined ? {} : jsonFrom(options.task, '--task');
    const tasks = (Array.isArray(written) ? written : [written]).map((task: Json) => environment.task(task) as Json);
    await checkAgentName(args[0]!, terminal.cwd, terminal.trust);
    const spec = await readSpec(args[0]!, terminal.cwd, terminal.trust);
    const seats = environment.seats(tasks[0]);
    const seat = options.seat === undefined ? seats[0]! : seatIn(options.seat, { environment: nameOf(environment), seats });
    const others: Cast = Object.fromEntries(
      seats.filter((otherSeat) => otherSeat !== seat).map((seat) => [seat, options.against ?? standIn(environment, seat)]),
    );
    const only = options.without?.split(',').map((name) => name.trim());
    if (options.reflex !== undefined && spec.kind !== 'search')
      throw new Fault('input', `--reflex needs an agent of the kind "search", but ${spec.name} is of the kind "${spec.kind}".`);
    const request: AblationRequest = {
      ...{ spec, environment: options.on, tasks, seat, others, only },
      ...{ games: options.games, seed: options.seed, thinking: options.thinking === true, reflex: options.reflex },
    };
    const arms = armsOf(request);
    if (arms.length === 1)
      throw new Fault(
        'input',
        `${spec.name} has no component to switch off${only === undefined ? '' : ` among ${only.join(', ')}`}. Components are modules, members, memory, plans, tools, notes, and texts.`,
      );
    const load = createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine, options));
    for (const arm of arms) await load(arm.spec, seat, environment);
    if (callsModels(spec) && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?'))) return exits.interrupted;
    return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
      const line = progressLine(terminal);
      const { controller, release } = interruptible(terminal, line.note);
      const {
        report,
        arms: results,
        crossover,
      } = await ablateAgent(request, {
        store,
        perform: (plan) =>
          perform(plan, {
            store,
            environment: (name) => resolveEnvironment(name, terminal.cwd, terminal.trust),
            agent: load,
            budget: budgetOf(options),
            signal: controller.signal,
            onProgress: line.tell,
          }),
      }).finally(() => {
        release();
        line.done();
      });
      if (options.json === true)
        printJson(terminal, {
          run: report.run,
          environment: environment.id,
          seat,
          stopped: report.stopped,
          arms: results,
          ...(crossover === undefined ? {} : { crossover }),
        });
      else {
        print(terminal, textOf(results, `${spec.name} on ${environment.id} · ${report.run}`, terminal));
        if (crossover !== undefined) print(terminal, crossoverWords(crossover, options.reflex ?? ''));
      }
      return report.stopped === 'signal' ? exits.interrupted : report.ends.error > 0 ? exits.found : exits.fine;
    });
  },
};

function textOf(results: readonly ArmResult[], head: string, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = ['', 'episodes', 'return', 'difference', 'gained', 'lost', 'same', 'p', 'calls', 'tokens', 'cost'].map((title) => ({
    title,
  }));
  const rows = results.map(({ arm, episodes, mean, difference, gained, lost, same, p, calls, tokens, money }) => [
    printable(arm),
    String(episodes),
    formatSigned(mean, 3),
    difference === null
      ? ''
      : `${formatSigned(difference.mean, 3)} (${formatSigned(difference.low, 2)} to ${formatSigned(difference.high, 2)})`,
    ...(difference === null ? ['', '', '', ''] : [String(gained), String(lost), String(same), p.toPrecision(2)]),
    calls.toFixed(1),
    tokens.toFixed(0),
    money === null ? 'unknown' : dollars(money),
  ]);
  const flips = results.reduce((sum, { flips: all }) => sum + all.length, 0);
  return [
    colours.bold(printable(head)),
    '',
    table(titles, rows, { colours, columns: columnsOf(terminal.stdout) }),
    '',
    `${count(flips, 'pair')} of episodes had different results; use --json to list them.`,
  ].join('\n');
}
