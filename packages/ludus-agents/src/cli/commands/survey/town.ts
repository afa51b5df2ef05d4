/** @file `ludus survey town`: a town played with and without memory, reflection and plans, with interviews at the end. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadEnvironment, loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { ablationEffects, ablationExperiment, ablationOutcomes, meanCurve } from '@ludus-agents/societies/internal/surveys/ablation';
import { surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import { planSociety, type SocietyEffects } from '@ludus-agents/societies/internal/surveys/society';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import type { SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { type PlayedArm, playArms } from './arms.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly population?: string;
  readonly agent?: string;
  readonly people?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly number?: number;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const town: CommandRun = {
  async run({ options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const { people = 25, days = 2, hours = 6, number = 5, seed = 0 } = options;
    const experiment = ablationExperiment({ people, days, hours, number, seed });
    const planned = planSociety(experiment, {
      environment: await loadEnvironment('town', terminal.cwd, terminal.trust),
      agent: await readSpec(surveyAgent(options.agent ?? 'scripted:villager'), terminal.cwd, terminal.trust),
      population: options.population === undefined ? null : await loadPopulation(options.population, terminal.cwd, terminal.trust),
    });
    terminal.stderr.write(`${count(number * planned.arms.length, 'episode')} of ${people} people in ${planned.arms.length} arms\n`);
    if (options.yes !== true && !(await confirm(terminal, 'Start?'))) return exits.interrupted;
    const make = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
    return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
      const arms = await playArms(planned, { store, perform, make, options, terminal });
      if (arms === null) return exits.interrupted;
      const effects = ablationEffects(experiment, arms);
      const curves = Object.fromEntries(arms.map(({ arm, measures }) => [arm, meanCurve(measures)]));
      const missing = effects['believable']?.missing ?? 0;
      if (options.json === true) {
        const runs = Object.fromEntries(arms.map(({ arm, run }) => [arm, run]));
        printJson(terminal, { hash: planned.hash, runs, missing, outcomes: effects, curves });
      } else print(terminal, ablationText(arms, effects, terminal));
      return missing > 0 ? exits.found : exits.fine;
    });
  },
};

function ablationText(arms: readonly PlayedArm[], effects: Readonly<Record<string, SocietyEffects>>, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const outcomes = Object.entries(effects);
  const columns: readonly Column[] = [
    { title: 'arm', flexible: 'cut' },
    ...outcomes.map(([title]): Column => ({ title, align: 'right' })),
    { title: 'believable less than full' },
    { title: 'p', align: 'right' },
  ];
  const rows = arms.map(({ arm }) => {
    const effectRow = effects['believable']?.effects.find((effect) => effect.arm === arm);
    return [
      printable(arm),
      ...outcomes.map(([, { means }]) => (means.find((mean) => mean.arm === arm)?.mean ?? 0).toFixed(3)),
      effectRow === undefined
        ? ''
        : `${effectRow.effect.toFixed(3)} (${effectRow.interval[0].toFixed(3)} to ${effectRow.interval[1].toFixed(3)})`,
      effectRow === undefined ? '' : effectRow.adjusted.toFixed(3),
    ];
  });
  const words = Object.entries(ablationOutcomes).map(([name, about]) => `${name}: ${about}`);
  const sample = table(columns, rows, { colours, columns: tableWidth(terminal) });
  return [sample, '', ...words.map((line) => colours.faint(line))].join('\n');
}
