/**
 * @file Steps per CPU-second at two depths: the rules alone, as simulators of games are measured (a legal move at random, the step, its
 * texts available), and through `rollout`, with dice for every seat, views and the whole log. `npm run bench -- steps [--only=leduc]`.
 */

import '@ludus-agents/servers/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, Dice, type Script, type Seat, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const goals: Readonly<Record<string, readonly [rules: string, logged: string]>> = {
  'tic-tac-toe': ['≥ 2,400,000', '≥ 600,000'],
  'kuhn-poker': ['≥ 1,000,000', '≥ 500,000 episodes'],
  leduc: ['≥ 1,000,000', ''],
  'connect-four': ['≥ 1,000,000', ''],
};

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const names = typeof flags['only'] === 'string' ? flags['only'].split(',') : Object.keys(goals);
  const share = sizeOf(flags, 'seconds', 0.33, 0.01);
  for (const name of names) {
    const environment = await builtInEnvironment(name);
    const [rulesGoal = '', loggedGoal = ''] = goals[name] ?? [];
    const rules = await best((seed) => stepsOfRules(environment, seed), share);
    const logged = await best((seed) => stepsLogged(environment, seed), share);
    const note = `${Math.round(logged.episodes).toLocaleString('en-US')} logged episodes`;
    figures.push({ name: `${name}.rules_steps_per_cpu_s`, value: rules.steps, unit: 'steps', ...(rulesGoal && { goal: rulesGoal }) });
    figures.push({
      name: `${name}.logged_steps_per_cpu_s`,
      value: logged.steps,
      unit: 'steps',
      ...(loggedGoal && { goal: loggedGoal }),
      note,
    });
    process.stderr.write(`… ${name} ${Math.round(rules.steps)} by the rules, ${Math.round(logged.steps)} logged, ${note}\n`);
  }
  return figures;
}

interface Counted {
  readonly steps: number;
  readonly episodes: number;
}

/** The best of four rounds of a third of a CPU-second, after two that warm up. */
async function best(work: (seed: number) => Counted | Promise<Counted>, share: number): Promise<Counted> {
  let match: Counted = { steps: 0, episodes: 0 };
  let seed = 0;
  for (let round = 0; round < 6; round++) {
    const clock = process.cpuUsage();
    let [steps, episodes, seconds] = [0, 0, 0];
    while (seconds < share) {
      const done = await work(seed);
      seed += done.episodes;
      steps += done.steps;
      episodes += done.episodes;
      const { user, system } = process.cpuUsage(clock);
      seconds = (user + system) / 1e6;
    }
    if (round > 1 && steps / seconds > match.steps) match = { steps: steps / seconds, episodes: episodes / seconds };
  }
  return match;
}

const many = 2048;

function stepsOfRules(environment: AnyEnvironment, from: number): Counted {
  const task = environment.task({});
  let steps = 0;
  for (let seed = from; seed < from + many; seed++) {
    const dice = new Dice(seed, ['steps']);
    let step = environment.start(task, dice);
    while (step.asks.length > 0) {
      const { seat, choices } = step.asks[0];
      const actions: Record<Seat, { text: string }> = {};
      actions[seat] = { text: dice.pick(choices as readonly string[]) };
      step = environment.step(step.state, actions, dice);
      steps++;
    }
  }
  return { steps, episodes: many };
}

const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

async function stepsLogged(environment: AnyEnvironment, from: number): Promise<Counted> {
  const policy = scriptedPolicy('random', random);
  const policies = Object.fromEntries(environment.seats(environment.task({})).map((seat: Seat) => [seat, policy]));
  let steps = 0;
  for (let group = 0; group < many; group += 32)
    for (const log of await rollout(environment, policies, { seeds: Array.from({ length: 32 }, (_, i) => from + group + i) })) {
      const end = log.at(-1);
      if (end?.kind === 'end') steps += end.turns;
    }
  return { steps, episodes: many };
}
