/** @file Trains members of a team while the other members are frozen: creates the environment with members as seats, and its recipe. */

import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { type AnyEnvironment, Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { createCrewGame } from '../rl/crew-game.ts';
import type { Recipe } from '../rl/recipe.ts';

/** The environment that "crew:TEAM@ENVIRONMENT" names. */
export async function loadCrewGame(name: string, { cwd, trust }: NamingPlace): Promise<AnyEnvironment> {
  const at = name.lastIndexOf('@');
  const team = readTeam(await readSpec(name.slice('crew:'.length, at), cwd, trust));
  const base = await resolveEnvironment(name.slice(at + 1), cwd, trust);
  const discussion = await resolveEnvironment('discussion', cwd, trust);
  return createCrewGame(base, { settings: team, members: team.called.map((member) => member.name), discussion });
}

/** Expands a recipe's `training.team`: its environment has members as seats, and all but the learning ones are frozen. */
export async function withTeamSeats<R extends Pick<Recipe, 'training'>>(recipe: R, { cwd, trust }: NamingPlace): Promise<R> {
  const { team, member, ...training } = recipe.training;
  if (team === undefined) {
    if (member !== undefined)
      throw new Fault('input', `training.member: "${member}" is a member of a team. Set training.team to the team's file.`);
    return recipe;
  }
  const names = readTeam(await readSpec(team, cwd, trust)).called.map(({ name }) => name);
  const learning = (member ?? names[0]).split(',').map((name) => name.trim());
  const stray = learning.find((name) => !names.includes(name));
  if (stray !== undefined)
    throw new Fault(
      'input',
      `training.member: ${team} has no member "${stray}". Its members are ${names.join(', ')}.${didYouMean(stray, names)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const frozen = names.map((name) => [name, learning.includes(name) ? 'learner' : `member:${team}#${name}`] as const);
  const environment = `crew:${team}@${training.environment}`;
  return { ...recipe, training: { ...training, environment, seats: { ...training.seats, ...Object.fromEntries(frozen) } } };
}
