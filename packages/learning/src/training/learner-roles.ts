/** @file Composes learners by the roles slot of a recipe: from plain learners for training, and from a checkpoint for play. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AnyEnvironment, EpisodeEvent, Json, Learner, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { Recipe, Roles } from '../rl/recipe.ts';
import { LatestView } from '../rl/roles/latest-view.ts';
import { LevelRoles } from '../rl/roles/level-roles.ts';
import { MoveView } from '../rl/roles/move-view.ts';
import { OfferView } from '../rl/roles/offer-view.ts';
import { OpponentCodes } from '../rl/roles/opponent-codes.ts';
import { OwnRoles } from '../rl/roles/own-roles.ts';
import { PolicySet } from '../rl/roles/policy-set.ts';
import { RoleLearner, type RoleRule, readRoles } from '../rl/roles/role-learner.ts';
import { type Skill, SkillLearner } from '../rl/roles/skills.ts';
import { policyFor } from './seat-policies.ts';

export interface RolePlace {
  readonly id: string;
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** The learner's seats. */
  readonly seats: readonly Seat[];
  readonly seed: Seed;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
}

/** The learner's roles on its seats, or a reduced view that it reads instead of the whole. */
export type SeatRoles = Roles | { readonly kind: 'moves' | 'offers' | 'latest' };

/** The roles of a recipe; null for a single learner that reads everything on all seats. */
export function rolesOf({ name, roles, view }: Pick<Recipe, 'name' | 'roles' | 'view'>): SeatRoles | null {
  const plain = roles === undefined || roles.kind === 'one';
  if (view?.kind !== 'moves' && view?.kind !== 'offers' && view?.kind !== 'latest') return plain ? null : roles;
  if (!plain) throw new Fault('input', `${name} has roles and a view of ${view.kind}, but only one of the two is supported.`);
  return { kind: view.kind };
}

/** Returns a factory of learners with the recipe's roles, given a factory of plain learners. */
export async function withRoles(roles: SeatRoles, make: () => Promise<Learner>, place: RolePlace): Promise<() => Promise<Learner>> {
  const { id, seats } = place;
  const skills = roles.kind === 'skills' ? await skillsOf(roles, place) : [];
  return async () => {
    if (roles.kind === 'one') return make();
    if (roles.kind === 'skills') return new SkillLearner(id, await make(), { skills, weight: roles.weight });
    const ownItems: [string, Learner][] = [];
    for (const name of roles.kind === 'own' ? seats : roles.kind === 'levels' ? roles.levels : ['all']) ownItems.push([name, await make()]);
    const shared = roles.kind === 'own' && roles.shared === true;
    return new RoleLearner(id, Object.fromEntries(ownItems), ruleOf(roles, place), { shared });
  };
}

/** Loads a learner with roles from its checkpoint; `load` loads a plain one. */
export async function loadRoles(
  roles: SeatRoles,
  checkpoint: string,
  { load, ...place }: Omit<RolePlace, 'seats'> & { readonly load: (checkpoint: string) => Promise<Learner> },
): Promise<Learner> {
  const { learners, rule } = readRoles(checkpoint);
  const match: Record<string, Learner> = {};
  for (const [name, weights] of Object.entries(learners)) match[name] = await load(weights);
  if (roles.kind === 'skills') {
    const { controller } = match as { readonly controller: Learner };
    const seats = [place.environment.seats(place.environment.task(place.task))[0] as Seat];
    const skillLearner = new SkillLearner(place.id, controller, {
      skills: await skillsOf({ ...roles, known: [] }, { ...place, seats }),
      weight: 0,
    });
    await controller.load(learners['controller']);
    return skillLearner;
  }
  const roleRule = ruleOf(roles, { ...place, seats: Object.keys(learners) });
  roleRule.read(rule);
  return new RoleLearner(place.id, match, roleRule);
}

function ruleOf(roles: SeatRoles, { environment, seats, seed }: RolePlace): RoleRule {
  if (roles.kind === 'own') return new OwnRoles(seats, roles.alternate ?? null);
  if (roles.kind === 'levels') return new LevelRoles(roles.levels, roles.alone);
  if (roles.kind === 'opponents') return new OpponentCodes(roles.codes, { reads: roles.reads, seed });
  if (roles.kind === 'set') return new PolicySet(roles.size, roles.reads);
  if (roles.kind === 'moves') return new MoveView(environment.id, environment.about.words);
  if (roles.kind === 'latest') return new LatestView();
  if (roles.kind === 'offers') return new OfferView();
  throw new Fault('input', `Unknown kind of roles: "${roles.kind}".`, { code: 'E_UNKNOWN_NAME' });
}

/** The number of episodes behind a descriptor. */
const measured = 32;

/** The skills by name, each measured against every known opponent from the learner's first seat. */
async function skillsOf({ skills, known }: Extract<Roles, { kind: 'skills' }>, place: RolePlace): Promise<readonly Skill[]> {
  const { environment, task, seats, seed, cwd, trust } = place;
  const [seat] = seats as readonly [Seat];
  const all: readonly Seat[] = environment.seats(environment.task(task));
  const dice = rng(seed, 'descriptors');
  const seeds = Array.from({ length: measured }, () => dice.int(2 ** 32));
  const out: Skill[] = [];
  for (const name of skills) {
    const policy = await policyFor(name, { seat, environment, cwd, trust });
    const descriptors: Record<string, number> = {};
    for (const opponent of known) {
      const cast: Record<Seat, Policy> = {};
      for (const item of all) cast[item] = item === seat ? policy : await policyFor(opponent, { seat: item, environment, cwd, trust });
      const logs = await rollout(environment, cast, { seeds, task });
      descriptors[opponent] = meanOrZero(logs.map((log) => returnOf(log.at(-1), seat)));
    }
    out.push({ name, policy, descriptors });
  }
  return out;
}

function returnOf(end: EpisodeEvent | undefined, seat: Seat): number {
  return end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0;
}
