/** @file A learner as a member of a team: the planner learns in the flow, the other members are frozen, and the log names them all. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { flowGrpo } from '../rl/recipes/group-relative.ts';
import { withTeamSeats } from './team-training.ts';

const members = `
const last = (turn) => turn.view.seen.filter((item) => item.kind === 'message').at(-1)?.text ?? '';
export const executor = {
  name: 'executor',
  speaks: true,
  act: (turn) => ({ action: { text: 'Answer: ' + (/asks you: (\\\\[[^\\\\]]+\\\\])/.exec(last(turn))?.[1] ?? '') } }),
};
export const verifier = { name: 'verifier', speaks: true, act: () => ({ action: { text: 'Enough: no' } }) };
`;

function folder(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'team-'));
  writeFileSync(join(cwd, 'members.mjs'), members.replaceAll('\\\\', '\\'));
  const team = {
    ...{ name: 'crew', kind: 'team' },
    settings: {
      ...{ protocol: 'four-modules', rounds: 1, goals: ['[hammer a]', '[hammer b]', '[rope a]', '[rope b]'] },
      members: [
        { name: 'planner', kind: 'random' },
        { name: 'executor', kind: './members.mjs#executor' },
        { name: 'verifier', kind: './members.mjs#verifier' },
      ],
    },
  };
  writeFileSync(join(cwd, 'team.json'), JSON.stringify(team));
  return cwd;
}

describe('a learner in a team', () => {
  const place = (cwd: string) => ({ cwd, trust: Trust.commandLine });
  const recipeWith = (training: object): Recipe => {
    return { ...flowGrpo, training: { ...flowGrpo.training, environment: 'mission', ...training } };
  };

  it('has the members as seats, of which all but the one that learns are frozen', async () => {
    const cwd = folder();
    const { training } = await withTeamSeats(recipeWith({ team: './team.json', member: 'planner' }), place(cwd));
    expect(training).toMatchObject({
      environment: 'crew:./team.json@mission',
      seats: { planner: 'learner', executor: 'member:./team.json#executor', verifier: 'member:./team.json#verifier' },
    });
    expect(training.team).toBeUndefined();
    await expect(withTeamSeats(recipeWith({ team: './team.json', member: 'plumber' }), place(cwd))).rejects.toThrow(/planner, executor/);
    await expect(withTeamSeats(recipeWith({ member: 'planner' }), place(cwd))).rejects.toThrow(/training\.team/);
  });

  it('plays an environment in which the planner’s goal becomes the executor’s move, and all are paid', async () => {
    const cwd = folder();
    const crew = await resolveEnvironment('crew:./team.json@mission', cwd, Trust.commandLine);
    const agents = Object.fromEntries(
      await Promise.all(
        crew
          .seats(crew.task({}))
          .map(async (seat) => [seat, await loadAgent(`member:./team.json#${seat}`, seat, crew, place(cwd))] as const),
      ),
    );
    const log: EpisodeEvent[] = [];
    for await (const event of play(crew, agents, { seed: 2, task: { length: 2, storms: 0, slack: 20 } })) log.push(event);
    expect(replay(crew, log)).toBeNull();
    const end = log.at(-1);
    expect(end).toMatchObject({ kind: 'end', reason: 'over' });
    if (end?.kind === 'end') expect(end.returns['planner']).toBe(end.returns['executor']);
    const speakers = log.flatMap((event) => (event.kind === 'action' ? [event.seat] : []));
    expect(speakers.slice(0, 5)).toEqual(['planner', 'executor', 'verifier', 'planner', 'executor']);
    if (end?.kind === 'end') expect(end.returns['planner']).toBeGreaterThan(0);
    // The seat is shown its latest messages only, and so is a member, besides the discussion of the turn.
    const windows = log.flatMap((event) => (event.kind === 'turn' ? event.asks : [])).map(({ window = 0 }) => window);
    const [outer] = (await resolveEnvironment('mission', cwd, Trust.commandLine))
      .start(crew.task({ length: 2, storms: 0, slack: 20 }), rng(2))
      .asks.map(({ window = 0 }) => window);
    expect(Math.min(...windows)).toBe((outer ?? 0) + 1);
    expect(Math.max(...windows)).toBeLessThan((outer ?? 0) + 12);
  });
});
