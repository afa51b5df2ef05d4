/**
 * @file A training led by an experimenter: one skill after another, each as long as the experimenter decides, with weights carried over.
 */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { type AnyEnvironment, canonical, Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { tokensIn } from '../curricula/coevolution-logs.ts';
import { askSkill, askVerdict, laboratory } from '../curricula/experimenter.ts';
import { SkillWorkshop, type TrainedSkill } from '../curricula/skill-proposals.ts';
import { countedOnly } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { freshReturns, type GainGround } from './gain.ts';
import { policyFor } from './seat-policies.ts';
import { type Seating, seatingOf } from './seating.ts';
import { taskChecks } from './task-checks.ts';
import { createTrainer, type Trainer, type TrainerServices } from './trainer.ts';
import type { TrainingRun } from './training-run.ts';

/** The current skill: its trainer, its return at each review, and its best weights so far. */
interface Stage {
  readonly skill: string;
  readonly trainer: Trainer;
  curve: readonly number[];
  best: { readonly worth: number; readonly weights: string };
}

export async function experimentTrainer({ recipe, seed }: TrainingRun, services: TrainerServices): Promise<Trainer> {
  const { experiment, ...plain } = recipe;
  const { training } = recipe;
  if (experiment === undefined) throw new Fault('input', `${recipe.name} has no experimenter.`);
  if (training.environments !== undefined || training.learner === 'tinker')
    throw new Fault(
      'input',
      `${recipe.name} trains skills of one environment with weights in this process. Remove training.environments and servers.`,
    );
  const { skills: listed, look, by, propose = 0, writer = writerOf(by) } = experiment;
  const names = Object.keys(listed);
  if (names.length === 0) throw new Fault('input', `${recipe.name} has no skills to train. List some in experiment.skills.`);
  const environment = await resolveEnvironment(training.environment, services.cwd, services.trust);
  const experimenter = await policyFor(by, { seat: 'experimenter', environment: laboratory, cwd: services.cwd, trust: services.trust });
  const seating = await seatingOf(recipe, environment, services.cwd, services.trust);
  const ground: GainGround = { environment, tasks: Object.values(listed), seed, ...seating };
  const proposes = propose === 0 ? null : await skillWriter(writer, { environment, seating, recipe, services });
  /** Skills by name: the listed ones and the proposed ones. */
  let skills: Readonly<Record<string, Json>> = listed;
  const proposed = () => Object.keys(skills).length - names.length + repeated;
  /** Requests without a new skill, and refused proposals. */
  let [repeated, refusals] = [0, 0];
  const updates = Math.ceil(training.games / training.batch);
  const open = async (skill: string, from: string | null): Promise<Stage> => {
    // Every stage may use all remaining updates: the experimenter ends it. Setting a channel prevents a table layout for the tree of one
    // skill, so that its weights fit the next.
    const rewards = { environment: { weight: 1 }, ...plain.rewards };
    const ownEntry = { ...plain, rewards, training: { ...training, task: skills[skill] } };
    const trainer = await createTrainer({ recipe: ownEntry, seed }, { ...services, folder: null, readTasks: Object.values(listed) });
    await trainer.begin();
    if (from !== null) await trainer.learner.load(from);
    return { skill, trainer, curve: [], best: { worth: Number.NEGATIVE_INFINITY, weights: await trainer.learner.save() } };
  };
  let [update, weights] = [0, null as string | null];
  /** Whether games of earlier stages had different returns. */
  let varied = false;
  /** Tokens written in this stage, and in earlier ones. */
  let [tokens, spent] = [0, 0];
  let log: readonly TrainedSkill[] = [];
  let stage = await open(names[0], null);
  const retainedSkills = () => log.flatMap(({ skill, verdict }) => (verdict === 'keep' ? [skill] : []));
  const leftSkills = () => names.filter((name) => !retainedSkills().includes(name));
  /** Training ends once every listed skill is kept. */
  const mostUpdates = () => (leftSkills().length === 0 ? update : updates);
  const policyOf = () => stage.trainer.learner.policy();
  const next = async (skill: string, from: string | null) => {
    [tokens, spent] = [0, spent + tokens];
    varied ||= stage.trainer.varied();
    stage = await open(skill, from);
  };
  /** The next skill: one written by the experimenter, if allowed, else one of the list. */
  const choose = async () => {
    const left = leftSkills();
    if (left.length === 0) return;
    const written = await proposeSkill();
    await next(written ?? (await askSkill(experimenter, left, log, seed)), weights);
  };
  const proposeSkill = async (): Promise<string | null> => {
    if (proposes === null || proposed() >= propose) return null;
    const request = { ...{ skills, seed }, learner: policyOf(), trained: log, number: proposed() };
    const { task, words, rate, refused, problem, logs } = await proposes(request);
    refusals += refused;
    for (const episode of logs) spent += tokensIn(episode, seating.mine);
    const match = task === null ? undefined : Object.keys(skills).find((name) => isSame(environment.task(skills[name]), task));
    if (task === null || match !== undefined) repeated++;
    if (task === null) services.say?.(`Update ${update}: no proposed skill is valid: ${problem ?? 'the experimenter wrote no task'}`);
    if (task === null) return null;
    const name = match ?? `${words ?? 'skill'} (${proposed() + 1})`;
    if (match === undefined) skills = { ...skills, [name]: task };
    services.say?.(
      `Update ${update}: the experimenter proposes ${name}, ${JSON.stringify(task)}, which is solved at a rate of ${rate.toFixed(2)}.`,
    );
    return name;
  };
  const lookAt = async (returned: number): Promise<void> => {
    const { skill } = stage;
    stage.curve = [...stage.curve, returned];
    if (returned >= stage.best.worth) stage.best = { worth: returned, weights: await stage.trainer.learner.save() };
    const verdict = await askVerdict(experimenter, skill, stage.curve, seed);
    if (verdict === 'go on') return;
    weights = verdict === 'keep' ? await stage.trainer.learner.save() : stage.best.weights;
    log = [...log, { skill, verdict, returned }];
    services.say?.(`Update ${update}: the experimenter says ${verdict} for ${skill} at a return of ${returned.toFixed(3)}.`);
    await stage.trainer.learner.load(weights);
    await choose();
  };
  return {
    get updates() {
      return mostUpdates();
    },
    get learner() {
      return stage.trainer.learner;
    },
    how: `By rollout: ${by} leads a training of ${names.length} skills of ${environment.id}, and is shown the returns after every ${look} updates.`,
    byTokens: true,
    varied: () => varied || stage.trainer.varied() || log.length > 0,
    fresh: async () => ({ against: 'others', episodes: await freshReturns(policyOf(), [ground]) }),
    update: () => update,
    async begin() {
      const first = update === 0 && log.length === 0 ? await proposeSkill() : null;
      if (first !== null) await next(first, null);
    },
    async run(until) {
      while (update < Math.min(until, mostUpdates())) {
        const [count, before] = [Math.min(look, updates - update), stage.trainer.update()];
        const collapsed = await stage.trainer.run(before + count);
        if (collapsed !== null) return collapsed;
        update += count;
        const figures = await stage.trainer.measure();
        tokens = figures.tokens;
        await lookAt(figures.returned ?? 0);
        // A stage that has completed its schedule starts over from its current weights.
        if (stage.trainer.update() >= stage.trainer.updates) await next(stage.skill, await stage.trainer.learner.save());
      }
      return null;
    },
    async measure() {
      const figures = await stage.trainer.measure();
      const returned = meanOrZero((await freshReturns(policyOf(), [ground])).map(({ paid }) => paid));
      return { ...figures, update, games: update * training.batch, tokens: spent + tokens, returned, exploitability: null, legal: null };
    },
    held: async () => [],
    channels: () => stage.trainer.channels(),
    mechanism: () => countedOnly('verdicts of the experimenter', log.length),
    acted: () => ({
      ...stage.trainer.acted(),
      ...(propose > 0 && { 'skills proposed': Object.keys(skills).length - names.length, 'skills proposed that were refused': refusals }),
    }),
    average: () => null,
    async save() {
      const { skill, curve, best, trainer } = stage;
      return {
        ...{ update, weights, log, skill, curve, best, skills, repeated, refusals, trainer: await trainer.save() },
        learner: await trainer.learner.save(),
      };
    },
    async load(checkpoint) {
      const from = checkpoint as JsonObject;
      [update, weights] = [from['update'] as number, from['weights'] as string | null];
      // Tokens are counted per process.
      [tokens, spent] = [0, 0];
      log = from['log'] as typeof log;
      skills = (from['skills'] ?? listed) as typeof skills;
      [repeated, refusals] = [(from['repeated'] ?? 0) as number, (from['refusals'] ?? 0) as number];
      stage = await open(from['skill'] as string, null);
      await stage.trainer.load(from['trainer']);
      stage.curve = from['curve'] as readonly number[];
      stage.best = from['best'] as Stage['best'];
    },
  };
}

/** The script that writes skills if a script decides; any other agent does both. */
function writerOf(by: string): string {
  return by === 'rule' ? 'frontier' : by === 'random' ? 'uniform' : by;
}

interface Writing {
  readonly environment: AnyEnvironment;
  readonly seating: Seating;
  readonly recipe: Recipe;
  readonly services: TrainerServices;
}

/** Proposes skills with the named agent, and checks each before training. */
async function skillWriter(name: string, { environment, seating, recipe, services }: Writing) {
  const { cwd, trust, say } = services;
  const base = (recipe.training.task ?? {}) as JsonObject;
  const place = { environment, cwd, trust, seat: seating.mine[0], others: seating.others, base };
  const checks = await taskChecks(recipe.experiment?.checks, ['winnable'], { ...place, say: (item) => say?.(item) });
  const workshop = new SkillWorkshop({ environment, ...seating }, checks, base);
  const steps = name.startsWith('local/');
  const experimenter = await policyFor(name, { seat: 'proposer', environment: workshop.environment(steps), cwd, trust });
  return (request: Omit<Parameters<SkillWorkshop['propose']>[0], 'experimenter' | 'steps'>) =>
    workshop.propose({ ...request, experimenter, steps });
}

function isSame(a: Json, b: Json): boolean {
  return canonical(a) === canonical(b);
}
