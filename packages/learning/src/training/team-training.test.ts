/** @file A learner as a member of a team: the planner learns in the flow, the other members are frozen, and the log names them all. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Action, Agent, AgentSpec, AnyEnvironment, EpisodeEvent, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createCrewGame } from '../rl/crew-game.ts';
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
// It answers by everything that it is shown, so that any difference between two views is seen in what it says.
export const reader = {
  name: 'reader',
  speaks: 'member',
  act({ view, ask }) {
    const text = [view.seat, ask.window ?? 'all', ...view.seen.map((item) => item.kind + ' ' + (item.text ?? item.action?.text ?? item.reward))].join('; ');
    const sum = [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 10007, 7);
    return { action: { text: ask.choices[sum % ask.choices.length] } };
  },
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

describe('learner in a team', () => {
  const place = (cwd: string) => ({ cwd, trust: Trust.commandLine });
  const recipeWith = (training: object): Recipe => {
    return { ...flowGrpo, training: { ...flowGrpo.training, environment: 'mission', ...training } };
  };

  it('occupies the seat of its member while all other members are frozen', async () => {
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

  it('plays an environment in which goals become moves and all members are paid', async () => {
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

  it.each([
    // Without a verifier the planner speaks first, next to the payment of the last move.
    ...[undefined, 1, 3].flatMap((window) => [
      { window, off: [] },
      { window, off: ['verifier'] },
    ]),
  ])('sees the same in training as in the team: %o', async ({ window, off }) => {
    const cwd = folder();
    const steps = ['[hammer a]', '[hammer b]', '[rope a]', '[rope b]'];
    const ask = { seat: 'worker', choices: steps, ...(window === undefined ? {} : { window }) };
    const toWorker = (text: string) => [{ to: ['worker'], text }];
    const shop: AnyEnvironment = {
      id: 'shop@1',
      about: { summary: 'A shop.', tasks: [{}], turns: 8, listed: true },
      parameters: {},
      task: () => ({}),
      seats: () => ['worker'],
      start: () => ({ state: [], messages: [...toWorker('A shop.'), ...toWorker('Nothing is done.')], asks: [ask] }),
      step: (before: readonly string[], { worker }: Readonly<Record<string, Action>>) => {
        const state = [...before, worker?.text ?? ''];
        return {
          state,
          messages: toWorker(`Done: ${state.join(', ')}.`),
          asks: state.length === 8 ? [] : [ask],
          rewards: { worker: state.length },
        };
      },
    };
    const spec = JSON.parse(readFileSync(join(cwd, 'team.json'), 'utf8')) as AgentSpec & { settings: { members: JsonObject[] } };
    const members = [{ name: 'planner', kind: './members.mjs#reader' }, ...spec.settings.members.slice(1)];
    const team = { ...spec, settings: { ...spec.settings, members, off } };
    writeFileSync(join(cwd, 'team.json'), JSON.stringify(team));
    const goals = async (environment: AnyEnvironment, agents: Readonly<Record<string, Agent>>) => {
      const log: EpisodeEvent[] = [];
      for await (const event of play(environment, agents, { seed: 4 })) log.push(event);
      expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
      return log.findLast((event) => event.kind === 'message' && event.text.startsWith('Done:'));
    };
    const settings = readTeam(team);
    const discussion = await resolveEnvironment('discussion', cwd, Trust.commandLine);
    const crew = createCrewGame(shop, { settings, members: settings.called.map(({ name }) => name), discussion });
    const seats = crew
      .seats({})
      .map(async (seat) => [seat, await loadAgent(`member:./team.json#${seat}`, seat, crew, place(cwd))] as const);
    const trained = await goals(crew, Object.fromEntries(await Promise.all(seats)));
    const worker = await loadAgent('./team.json', 'worker', shop, place(cwd));
    expect(textIn(await goals(shop, { worker }))).toBe(textIn(trained));
    expect(new Set(textIn(trained).match(/\[[^\]]+\]/g)).size).toBeGreaterThan(1);
  });
});

function textIn(event: EpisodeEvent | undefined): string {
  return event?.kind === 'message' ? event.text : '';
}
