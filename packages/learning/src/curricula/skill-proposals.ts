/**
 * @file Skills proposed by an experimenter (Game On, arXiv 2409.03402): it plays the seat of a task writer, given the results of earlier
 * skills; checks accept the task, and the current learner tries it a few times.
 */

import type { AnyEnvironment, EpisodeEvent, Json, JsonObject, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { refuseFailures } from './coevolution-logs.ts';
import { createSolverPolicy } from './proposers/arena.ts';
import type { TaskCheck } from './proposers/checks.ts';
import { type DraftForm, draftForm } from './proposers/drafts.ts';
import { createProposerEnvironment } from './proposers/proposer-environment.ts';
import { learnable } from './proposers/shapes.ts';
import type { PastTask } from './proposers/writers.ts';

/** The result of a trained skill. */
export type TrainedSkill = {
  readonly skill: string;
  readonly verdict: string;
  readonly returned: number;
};

/** The task that the experimenter proposes to train next; `task` is null if it proposed no valid one. */
export interface SkillProposal {
  readonly task: Json | null;
  readonly words?: string;
  readonly problem?: string;
  /** The number of proposals refused before it. */
  readonly refused: number;
  /** The learner's success rate before training, and its episodes. */
  readonly rate: number;
  readonly logs: readonly (readonly EpisodeEvent[])[];
}

interface SkillRequest {
  readonly experimenter: Policy;
  /** Whether it chooses among the values of a parameter instead of writing JSON. */
  readonly steps: boolean;
  readonly learner: Policy;
  readonly skills: Readonly<Record<string, Json>>;
  readonly trained: readonly TrainedSkill[];
  readonly seed: Seed;
  readonly number: number;
}

interface SkillGround {
  readonly environment: AnyEnvironment;
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
}

const attempts = 8;
/** The maximum number of proposals until one is valid. */
const mostTries = 8;

/** The environment in which skills are proposed: that of a task writer. */
export class SkillWorkshop {
  readonly #ground: {
    readonly environment: AnyEnvironment;
    readonly mine: readonly Seat[];
    readonly others: Readonly<Record<Seat, Policy>>;
  };
  readonly #checks: readonly TaskCheck[];
  readonly #base: JsonObject;
  readonly #form: DraftForm;

  constructor(ground: SkillGround, checks: readonly TaskCheck[], base: JsonObject) {
    this.#ground = ground;
    this.#checks = checks;
    this.#base = base;
    this.#form = draftForm(ground.environment, { task: base });
  }

  environment(steps: boolean): AnyEnvironment {
    return createProposerEnvironment(this.#ground.environment, { reward: learnable, form: this.#form, base: this.#base, steps });
  }

  /** Returns the first valid skill of a few proposals; each request includes the reasons for earlier refusals. */
  async propose({ experimenter, steps, learner, skills, trained, seed, number }: SkillRequest): Promise<SkillProposal> {
    const { environment, mine, others } = this.#ground;
    const result: { -readonly [name in keyof SkillProposal]: SkillProposal[name] } = { task: null, rate: 0, refused: 0, logs: [] };
    const history = trained.map(
      ({ skill, verdict, returned }): PastTask => ({
        ...{ task: skills[skill] as JsonObject, words: skill, rate: Math.max(0, Math.min(1, returned)) },
        ...(verdict === 'roll back' && { problem: 'The experimenter rolled it back.' }),
      }),
    );
    const arena = createSolverPolicy({
      ...{ environment, attempts, fresh: false, checks: this.#checks, solver: mine[0] },
      policies: { ...others, ...Object.fromEntries(mine.map((seat) => [seat, learner])) },
      seed: rng(seed, 'skills', number).int(2 ** 32),
      hear: ({ task, words, found, logs }) =>
        Object.assign(result, { task, rate: found.rate, logs, ...(words !== undefined && { words }) }),
      refuse({ task, problem }) {
        result.problem = problem;
        history.push({ task: task as JsonObject, rate: null, problem });
      },
    });
    const dice = rng(seed, 'proposal of a skill', number);
    const workshop = this.environment(steps);
    for (let tries = 0; result.task === null && tries < mostTries; tries++) {
      const logs = await rollout(
        workshop,
        { proposer: experimenter, arena },
        { seeds: [dice.int(2 ** 32)], task: { history: [...history] as readonly JsonObject[] } },
      );
      refuseFailures(logs);
      if (result.task === null) result.refused++;
    }
    return result;
  }
}
