/** @file `ludus run --dry-run`: what a plan would take and cost, before any model is called. */

import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { withOwnAgents } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type CostEstimate, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import { formatGrouped, money } from '@ludus-agents/kernel/internal/core/format';
import { printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { loadPlanTasks, readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import { type StoreOptions, storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { planText } from '../plan-input.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { type Column, table } from '../render/table.ts';
import { wrap } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson, type Terminal, tableWidth } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
}

/** Prints the estimate of a plan; nothing is played. */
export const estimateRun: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const where = args[0];
    const called = `The plan ${where === '-' ? 'from standard input' : where}`;
    const written = readPlan(jsonFrom(await planText(where, terminal), called), called);
    const plan = await withOwnAgents(written, terminal.cwd, terminal.trust);
    const sheet = await loadPlanTasks(plan, (name) => resolveEnvironment(name, terminal.cwd, terminal.trust));
    const { controller, release } = interruptible(terminal);
    const reckon = async (store: Store | null) => {
      const ended = store === null ? 0 : [...(await store.statuses(runId(plan))).values()].filter((status) => status !== 'running').length;
      return estimatePlan(plan, sheet, {
        ...{ store, env: terminal.env, ended, signal: controller.signal },
        agents: createAgentServices(terminal.cwd, Trust.planFile),
      });
    };
    try {
      // An estimate needs no store, and makes none.
      const costEstimate = storeExists(terminal, options) ? await withExistingStore(terminal, options, reckon) : await reckon(null);
      if (options.json === true) printJson(terminal, { run: runId(plan), ...costEstimate, budget: plan.budget ?? null });
      else print(terminal, formatEstimate(costEstimate, plan.budget?.money, terminal));
      return exits.fine;
    } finally {
      release();
    }
  },
};

function formatEstimate(costEstimate: CostEstimate, budget: number | undefined, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = Math.min(100, columnsOf(terminal.stdout));
  const called = costEstimate.calls.high > 0;
  const rows = [
    ['episodes', formatGrouped(costEstimate.episodes)],
    ['model calls', called ? spanWords(costEstimate.calls) : 'none'],
    ['tokens read', spanWords(costEstimate.promptTokens)],
    ['tokens written', spanWords(costEstimate.completionTokens)],
    ['money', called ? moneyWords(costEstimate) : 'no model is cast, so it costs nothing'],
    ...(budget === undefined ? [] : [['stops at', money(budget)]]),
  ].filter(([what]) => called || !what?.startsWith('tokens'));
  const titles: readonly Column[] = [{ title: 'this plan' }, { title: 'takes', flexible: 'wrap' }];
  const whole = table(
    titles,
    rows.map(([what, amount]) => [colours.cyan(what as string), amount as string]),
    { colours, columns },
  );
  if (!called) return whole;
  const parts = costEstimate.parts.length < 2 ? '' : `\n\n${partsTable(costEstimate, terminal)}`;
  return `${whole}${parts}\n\n${wrap(`The figures come ${basisWords(costEstimate)}.`, columns)
    .map(colours.faint)
    .join('\n')}`;
}

const most = 20;

function partsTable({ parts }: CostEstimate, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles: readonly Column[] = [
    { title: 'environment', flexible: 'cut' },
    { title: 'cast', flexible: 'cut' },
    { title: 'episodes', align: 'right' },
    { title: 'calls', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: 'money', align: 'right' },
  ];
  const rows = parts
    .slice(0, most)
    .map((part) => [
      printable(part.environment),
      printable(Object.values(part.cast).join(', ')),
      formatGrouped(Math.round(part.episodes)),
      formatGrouped(Math.round(part.calls.likely)),
      formatGrouped(Math.round(part.promptTokens.likely + part.completionTokens.likely)),
      part.money === null ? 'unknown' : money(part.money.likely),
    ]);
  const more = parts.length > most ? `\n${colours.faint(`… and ${formatGrouped(parts.length - most)} more`)}` : '';
  return `${table(titles, rows, { colours, columns: tableWidth(terminal) })}${more}`;
}
