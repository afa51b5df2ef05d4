/**
 * @file Skills under a controller that adapts online (robot table tennis, 2408.03906): frozen agents, each with its measured results
 * against known opponents, and a policy that chooses one of them for an episode and learns from the result.
 */

import type { Learner, Policy, Reply, Sampling, Turn } from '@ludus-agents/kernel/internal/core/index';
import { RoleLearner, type RoleRule } from './role-learner.ts';

export interface Skill {
  readonly name: string;
  /** Its policy on each seat. */
  readonly policy: Policy;
  /** Its mean return against each known opponent, by name. */
  readonly descriptors: Readonly<Record<string, number>>;
}

/** The controller's turn: a choice among skills. It reads nothing else, so it only learns the skills' returns. */
function asking({ ask: { seat }, rng }: Turn, skills: readonly Skill[]): Turn {
  return { view: { seat: '', seen: [] }, ask: { seat, choices: skills.map(({ name }) => name) }, rng };
}

const alone: RoleRule = { of: (turn) => ({ who: 0, tag: 0, turn }), whoOf: () => 0, write: () => ({}), read: () => {} };

/** A controller that accepts initial preferences. */
interface Preferring {
  readonly table: { place(set: number, logits: ArrayLike<number>): void };
}

export class SkillLearner extends RoleLearner {
  readonly #controller: Learner;
  readonly #skills: readonly Skill[];

  constructor(id: string, controller: Learner, { skills, weight }: { readonly skills: readonly Skill[]; readonly weight: number }) {
    super(id, { controller }, alone);
    this.#controller = controller;
    this.#skills = skills;
    const row = controller.rowOf?.(asking({ ask: { seat: '' } } as Turn, skills), skills[0].name);
    const { table } = controller as Partial<Preferring>;
    if (row !== undefined && table !== undefined) table.place(row.tokens[0], preferences(skills, weight));
  }

  override policyIn(_task: number | null, sampling?: Sampling): Policy {
    const controller = this.#controller.policy(sampling);
    return {
      name: this.id,
      act: async (turns) => {
        const choice = await Promise.all(turns.map((turn) => this.#chosen(turn, controller)));
        const replies = new Array<Reply>(turns.length);
        for (const [s, { policy }] of this.#skills.entries()) {
          const mine = choice.flatMap(({ skill }, i) => (skill === s ? [i] : []));
          if (mine.length === 0) continue;
          const answered = await policy.act(mine.map((i) => inner(turns[i])));
          for (const [at, i] of mine.entries()) {
            const { action, mind = null } = answered[at];
            // Only the controller's choice is trained, not the skill's moves.
            replies[i] = { action, mind: { skill: s, mind }, ...choice[i].calls };
          }
        }
        return replies;
      },
    };
  }

  async #chosen(turn: Turn, controller: Policy): Promise<{ readonly skill: number; readonly calls: Pick<Reply, 'calls'> }> {
    const retainedSkill = (turn.mind as { readonly skill?: number } | undefined)?.skill;
    if (retainedSkill !== undefined) return { skill: retainedSkill, calls: {} };
    const [reply] = await controller.act([asking(turn, this.#skills)]);
    const calls = reply.calls?.map((call) => ({ ...call, promptTokenIds: [0, ...(call.promptTokenIds ?? [])] }));
    return { skill: this.#skills.findIndex(({ name }) => name === reply.action.text), calls: calls === undefined ? {} : { calls } };
  }
}

function inner(turn: Turn): Turn {
  const { mind, ...rest } = turn;
  const ownMind = (mind as { readonly mind?: Turn['mind'] | null } | undefined)?.mind ?? null;
  return ownMind === null ? rest : { ...rest, mind: ownMind };
}

/** The mean result of each skill as a z-score among all skills, times a weight. */
function preferences(skills: readonly Skill[], weight: number): readonly number[] {
  const means = skills.map(({ descriptors }) => {
    const list = Object.values(descriptors);
    return list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
  });
  const middle = means.reduce((sum, value) => sum + value, 0) / means.length;
  const spread = Math.sqrt(means.reduce((sum, value) => sum + (value - middle) ** 2, 0) / means.length);
  return means.map((mean) => (spread === 0 ? 0 : (weight * (mean - middle)) / spread));
}
