/** @file `ludus survey facts`: people of a population held against what is stated about them. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { percent } from '@ludus-agents/societies/internal/surveys/check-sentences';
import { checkFacts, type FactReport, factQuestionnaire } from '@ludus-agents/societies/internal/surveys/facts';
import { planSurvey, surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import type { SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { askPeople } from './ask.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly number?: number;
  readonly agent?: string;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly json?: boolean;
}

export const facts: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const population = await loadPopulation(args[0], terminal.cwd, terminal.trust);
    const [number, seed] = [options.number ?? 50, options.seed ?? 0];
    const questionnaire = factQuestionnaire(population, number, seed);
    if ((questionnaire as { items: readonly unknown[] }).items.length === 0)
      throw new Fault('input', 'The people of this population do not differ in any attribute, so there is nothing to ask about.');
    const survey = planSurvey({
      ...{ questionnaire, population, number, seed },
      agent: await readSpec(surveyAgent(options.agent ?? 'fake'), terminal.cwd, terminal.trust),
    });
    const make = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
    return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
      const report = await askPeople(survey, { store, perform, make, options, terminal });
      const rows = await readAnswers(survey, store);
      const factReports = checkFacts(rows, (item) => survey.instrument.items.find(({ id }) => id === item)?.scale ?? item);
      if (options.json === true) printJson(terminal, { run: survey.run, people: number, facts: factReports });
      else print(terminal, factsText(factReports, terminal));
      if (report.stopped === 'signal') return exits.interrupted;
      return factReports.every(({ interval, floor }) => interval[0] > floor) ? exits.fine : exits.found;
    });
  },
};

function factsText(factReports: readonly FactReport[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'attribute', flexible: 'cut' },
    { title: 'known', align: 'right' },
    { title: '95% interval' },
    { title: 'floor', align: 'right' },
    { title: 'refused', align: 'right' },
    { title: 'broken', align: 'right' },
    { title: 'people', align: 'right' },
  ];
  const rows = factReports.map(({ attribute, share, interval, floor, refused, broken, asked }) => [
    printable(attribute),
    interval[0] > floor ? percent(share) : colours.red(percent(share)),
    `${percent(interval[0])} to ${percent(interval[1])}`,
    percent(floor),
    String(refused),
    String(broken),
    String(asked),
  ]);
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}
