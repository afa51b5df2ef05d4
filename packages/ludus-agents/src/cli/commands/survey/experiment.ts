/** @file `ludus survey experiment`: people in arms, what each arm read, and the effect; held against what was registered before. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadEnvironment, loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, isObject, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { type AnswerRow, readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { type EffectRow, effectsOf } from '@ludus-agents/societies/internal/surveys/effects';
import {
  deviations,
  type Experiment,
  type PlannedExperiment,
  planExperiment,
  readExperiment,
} from '@ludus-agents/societies/internal/surveys/experiment';
import { rowsByArm, writeAnswers, writeMeasures } from '@ludus-agents/societies/internal/surveys/files';
import { surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import { planSociety, societyEffects } from '@ludus-agents/societies/internal/surveys/society';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { modelOptions } from '../../model-options.ts';
import { planText } from '../../plan-input.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import type { SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { playArms } from './arms.ts';
import { askPeople } from './ask.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly questionnaire?: string;
  readonly population?: string;
  readonly agent?: string;
  readonly register?: string;
  readonly output?: string;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const experiment: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const file = args[0];
    const written = readExperiment(jsonFrom(await planText(file, terminal), `The experiment ${file}`), `The experiment ${file}`);
    if (written.environment !== '') return inEnvironment(written, options, terminal);
    const planned = await readPlannedExperiment(written, options, terminal);
    const changed = writeRegistration(planned, options.register, terminal);
    const make = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
    const people = planned.arms.reduce((sum, arm) => sum + arm.people.size, 0);
    terminal.stderr.write(
      `${printable(planned.experiment.name)} · ${count(people, 'interview')} in ${planned.arms.length} arms · power ${planned.power.toFixed(3)} for ${planned.experiment.effect} SD · registration ${planned.hash.slice(0, 12)}\n`,
    );
    writeDeviations(changed, terminal);
    if (options.yes !== true && !(await confirm(terminal, 'Start?'))) return exits.interrupted;
    return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
      const rows: { arm: string; rows: readonly AnswerRow[] }[] = [];
      let missing = 0;
      for (const { arm, survey, people: ids } of planned.arms) {
        const report = await askPeople(survey, { store, perform, make, options, terminal });
        const answerRows = (await readAnswers(survey, store)).filter(({ person }) => ids.has(person));
        missing += answerRows.filter(({ status }) => status === 'missing').length;
        rows.push({ arm, rows: answerRows });
        await store.note(survey.run, 'registration', (await store.notes(survey.run, 'registration')).length, [
          { hash: planned.hash, registration: planned.registration },
        ]);
        if (report.stopped === 'signal') return exits.interrupted;
      }
      const written =
        options.output === undefined
          ? []
          : (await writeAnswers(options.output, rowsByArm(rows), planned.arms[0]!.survey.instrument, terminal.cwd)).files;
      if (written.length > 0) terminal.stderr.write(`${written.join(', ')} written\n`);
      const effects = effectsOf(planned.experiment, rows, planned);
      const { hash, power, registration } = planned;
      if (options.json === true)
        printJson(terminal, {
          experiment: planned.experiment.name,
          hash,
          deviations: changed,
          power,
          people,
          missing,
          files: written,
          effects,
          registration,
        });
      else if (effects.length > 0) print(terminal, effectsText(effects, 'people', terminal));
      if (!effects.some(({ subgroup }) => subgroup === null)) return writeNoEffect(planned.experiment, terminal);
      return missing > 0 ? exits.found : exits.fine;
    });
  },
};

/** People who live together: every arm is played on the same seeds. */
async function inEnvironment(experiment: Experiment, options: Options, terminal: Terminal): Promise<number> {
  const planned = planSociety(experiment, {
    environment: await loadEnvironment(experiment.environment, terminal.cwd, terminal.trust),
    agent: await readSpec(surveyAgent(options.agent ?? 'scripted'), terminal.cwd, terminal.trust),
    population: options.population === undefined ? null : await loadPopulation(options.population, terminal.cwd, terminal.trust),
  });
  const changed = writeRegistration(planned, options.register, terminal);
  const { hash, power, registration } = planned;
  terminal.stderr.write(
    `${printable(experiment.name)} · ${count(experiment.number * planned.arms.length, 'episode')} in ${planned.arms.length} arms · power ${power.toFixed(3)} for ${experiment.effect} SD · registration ${hash.slice(0, 12)}\n`,
  );
  writeDeviations(changed, terminal);
  if (options.yes !== true && !(await confirm(terminal, 'Start?'))) return exits.interrupted;
  const make = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
  return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
    const arms = await playArms(planned, { store, perform, make, options, terminal });
    if (arms === null) return exits.interrupted;
    const { effects, means, missing } = societyEffects(experiment, arms);
    const files = options.output === undefined ? [] : [options.output];
    for (const file of files) {
      await writeMeasures(file, arms, terminal.cwd);
      terminal.stderr.write(`${file} written\n`);
    }
    if (options.json === true) {
      const runs = Object.fromEntries(arms.map(({ arm, run }) => [arm, run]));
      printJson(terminal, {
        experiment: experiment.name,
        hash,
        deviations: changed,
        power,
        missing,
        files,
        runs,
        means,
        effects,
        registration,
      });
    } else print(terminal, effectsText(effects, 'pairs', terminal));
    return missing > 0 ? exits.found : exits.fine;
  });
}

async function readPlannedExperiment(experiment: Experiment, options: Options, terminal: Terminal): Promise<PlannedExperiment> {
  if (options.questionnaire === undefined || options.population === undefined)
    throw new Fault('input', 'An experiment needs items and people. Pass them with --questionnaire and --population.');
  const read = async (name: string, what: string) => jsonFrom(await planText(name, terminal), `${what} ${name}`);
  return planExperiment(experiment, {
    questionnaire: await read(options.questionnaire, 'The questionnaire'),
    population: await loadPopulation(options.population, terminal.cwd, terminal.trust),
    agent: await readSpec(surveyAgent(options.agent ?? 'fake'), terminal.cwd, terminal.trust),
  });
}

/** Writes the registration where there is none yet; otherwise names the fields in which this run differs. Null without one. */
function writeRegistration(
  { registration, hash }: Pick<PlannedExperiment, 'registration' | 'hash'>,
  file: string | undefined,
  terminal: Terminal,
): readonly string[] | null {
  if (file === undefined) return null;
  const path = resolve(terminal.cwd, file);
  if (!existsSync(path)) {
    writeOut(file, pretty({ hash, registration }), terminal.cwd);
    return [];
  }
  const found = jsonFrom(readFileSync(path, 'utf8'), file);
  if (!isObject(found) || !isObject(found['registration']))
    throw new Fault('input', `${file} is not a registration. Create one with --register.`);
  return deviations(found['registration'], registration);
}

/** Says what an effect would take where too few have answered for one. */
function writeNoEffect({ cluster, outcome, design }: Experiment, terminal: Terminal): number {
  const needed = design === 'within' ? 'two' : 'three';
  const units = cluster === '' ? 'people' : `groups of "${cluster}"`;
  terminal.stderr.write(
    `No effect on "${printable(outcome)}" can be estimated: it needs answers of at least ${needed} ${printable(units)} in arms that share their blocks. Ask more people${cluster === '' ? '' : ', or cluster by an attribute with more values'}.\n`,
  );
  return exits.found;
}

function writeDeviations(changed: readonly string[] | null, terminal: Terminal): void {
  if (changed === null || changed.length === 0) return;
  terminal.stderr.write(`This differs from the registration: ${changed.join(', ')} ${changed.length === 1 ? 'differs' : 'differ'}.\n`);
}

function effectsText(effects: readonly EffectRow[], counted: string, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'arm', flexible: 'cut' },
    { title: 'among', flexible: 'cut' },
    { title: 'effect', align: 'right' },
    { title: 'interval' },
    { title: 'p', align: 'right' },
    { title: counted, align: 'right' },
  ];
  const rows = effects.map(({ arm, subgroup, effect, interval, adjusted, people }) => [
    printable(arm),
    subgroup === null ? 'all' : printable(subgroup),
    effect.toFixed(3),
    `${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`,
    adjusted < 0.001 ? '< 0.001' : adjusted.toFixed(3),
    String(people),
  ]);
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}
