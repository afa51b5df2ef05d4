/**
 * @file A clerk of the service desk learns by reinforcement with customers of one manner, or of several, whose words a language model may
 * write, and then serves customers whose manner was in no training. All clerks first imitate the same teacher, which errs, with plain
 * customers. Options: customers ("lifelike": manners drawn for every episode, and words by the model; "scripted": the same manners in the
 * script's words; "plain"; "none": no reinforcement), errs (share of the teacher's errors), steps (of imitation), games (of
 * reinforcement), held ("forgetful" or "terse": the manner that is held out), tests, server ("URL#MODEL"), seed.
 *
 * Prints the share of held-out customers that are served, of plain ones, and how many lines of customers in training were
 * written by the model.
 */

import { createModel } from '@ludus-agents/agents/internal/models/index';
import { serviceDesk } from '@ludus-agents/desk/internal/environment/service-desk/service-desk';
import { voicedCustomer } from '@ludus-agents/desk/internal/voiced-customer';
import type { Agent, AnyEnvironment, Json, Learner, Policy } from '@ludus-agents/kernel/internal/core/index';
import { agentPolicy, scripted, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { openTinker } from '@ludus-agents/learning/internal/learners/tinker/index';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
import { warmUp } from '@ludus-agents/learning/internal/rl/warm-up';
import type { ProgramOptions } from '../arms.ts';

const desk = serviceDesk as AnyEnvironment;
const customerScript = serviceDesk.scripts?.['customer'] as Parameters<typeof scripted>[1];

interface Manners {
  readonly forgetful?: number;
  readonly terse?: number;
  readonly chatter?: number;
}

const taskOf = ({ forgetful = 0, terse = 0, chatter = 0 }: Manners) => ({
  ...{ kind: 'information', number: -1, forgetful, terse, chatter, insist: 0 },
  ...{ customers: 2, orders: 1, messages: 16, errors: 4 },
});

export default async function run({
  customers = 'lifelike',
  errs = 0.2,
  steps = 40,
  games = 576,
  rate = 2e-4,
  held = 'forgetful',
  tests = 64,
  server = '',
  seed: seedNumber = 1,
}: ProgramOptions): Promise<Json> {
  const seed = Number(seedNumber);
  const [url = '', baseModel = ''] = String(server).split('#');
  const clerk = await openTinker({ url, baseModel, seed, rank: 16, maxTokens: 64, checkpointEvery: 1000 });
  const plain = scriptedPolicy('customer', customerScript);
  const counts = { lines: 0, voiced: 0 };
  const lifelike = await lifelikeCustomer(String(server), counts);
  await warmUp(clerk, [{ environment: desk, task: taskOf({}), others: { customer: plain } }], {
    ...{ games: 96, steps: Number(steps), rate: 2e-4, rows: 24, seed },
    ...{ script: 'gold', errs: { script: 'always-refuse', share: Number(errs) } },
  });
  const trained: Manners = { [held === 'forgetful' ? 'terse' : 'forgetful']: 0.5, chatter: 0.5 };
  if (customers !== 'none') {
    const task = taskOf(customers === 'plain' ? {} : trained);
    const settings = [
      `training.task=${JSON.stringify(task)}`,
      `training.games=${games}`,
      `training.rate.from=${rate}`,
      `training.rate.to=${rate}`,
    ];
    const others = { customer: customers === 'lifelike' ? lifelike : plain };
    const loop = new TrainingLoop(override(builtInRecipe('mua-rl'), settings), {
      ...{ environment: desk, learner: clerk as Learner, seed, others, seats: ['agent'] },
    });
    await loop.run();
  }
  const served = async (manners: Manners) => {
    const seeds = Array.from({ length: Number(tests) }, (_, i) => 1_000_000 + seed * 1000 + i);
    const logs = await rollout(desk, { agent: clerk.policy(), customer: plain }, { seeds, task: taskOf(manners) });
    const passed = logs.filter((log) => {
      const end = log.at(-1);
      return end?.kind === 'end' && (end.returns['agent'] ?? 0) > 0.5;
    });
    return passed.length / logs.length;
  };
  return {
    held: await served({ [String(held)]: 1 }),
    plain: await served({}),
    voiced: counts.voiced,
  };
}

/** The script's customer in the words of the base model, where these say the same. */
async function lifelikeCustomer(server: string, counts: { lines: number; voiced: number }): Promise<Policy> {
  const model = await createModel(`tinker:${server}`);
  const brief = {
    ...model,
    complete: ((prompt, sampling, signal) => model.complete(prompt, { ...sampling, maxTokens: 64 }, signal)) as typeof model.complete,
  };
  const voiced = voicedCustomer('customer', brief, scripted('customer', customerScript));
  const counted: Agent = {
    name: 'customer',
    async act(...turn) {
      const reply = await voiced.act(...turn);
      counts.lines++;
      if ((reply.mind as { readonly voiced?: boolean } | undefined)?.voiced === true) counts.voiced++;
      return reply;
    },
  };
  return agentPolicy(counted, new AbortController().signal);
}
