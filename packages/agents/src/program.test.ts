/** @file A policy in code: its input, its output, and the agreement of the interpreter and the sandbox. */

import { maze } from '@ludus-agents/environments/internal/maze/maze';
import { type AgentSpec, type EndEvent, type EpisodeEvent, type Json, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from './kinds.ts';
import { createAgentServices } from './workspace/agent-services.ts';
import { readAgent } from './workspace/agents.ts';
import { Trust } from './workspace/trust.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const never = new AbortController().signal;
const load = createAgentLoader(agentServices);

/** Keeps its right hand on a wall; where no loop is, that leads everywhere. */
const rightHand = `export function policy(turn) {
  const ways = ['left', 'down', 'right', 'up'];
  const seen = turn.text.slice(turn.text.indexOf('There '));
  const heading = ways.findIndex((way) => turn.text.includes('You head ' + way));
  const order = [3, 0, 1, 2].map((turned) => ways[(Math.max(heading, 0) + turned) % 4]);
  return '[' + order.find((way) => !seen.includes(way)) + ']';
}`;

const specOf = (policy: string, place: Json = 'interpreter'): AgentSpec => ({
  name: 'walker',
  kind: 'program',
  texts: { policy },
  settings: { in: place },
});

function turnWith(text: string, mind?: Json): Turn {
  const view = { seat: 'walker', seen: [{ kind: 'message', to: ['walker'], text }] } as const;
  return { view, ask: { seat: 'walker', choices: ['[left]', '[up]'] }, rng: rng(1), ...(mind === undefined ? {} : { mind }) };
}

describe('program agent', () => {
  it('leaves every maze without loops, in steps and in runs', async () => {
    const program = await load(specOf(rightHand), 'walker', maze);
    const returns = async (moves: string) => {
      const matches: number[] = [];
      for (let seed = 0; seed < 8; seed++) {
        const log: EpisodeEvent[] = [];
        const task = { loops: 0, size: 3, sight: 'local', moves };
        for await (const event of play(maze, { walker: program }, { seed, task })) log.push(event);
        expect(replay(maze, log)).toBeNull();
        const end = log.at(-1) as EndEvent;
        expect(end).toMatchObject({ kind: 'end', reason: 'over' });
        expect(end.turns).toBeGreaterThan(0);
        matches.push(end.returns['walker']!);
      }
      return matches;
    };
    const steps = await returns('steps');
    expect(Math.min(...steps)).toBeGreaterThan(-2 * 17);
    expect(await returns('runs')).toEqual(steps);
  });

  it('gives the same results in the sandbox and the interpreter and keeps its memory', async () => {
    const policy =
      'export function policy(turn) { return { text: turn.choices[1], memory: [turn.memory, turn.text, turn.random, turn.seat] }; }';
    const replies = [];
    for (const place of ['interpreter', 'sandbox'])
      replies.push(await (await load(specOf(policy, place), 'walker', maze)).act(turnWith('hi', { kind: 'program/1', memory: 7 }), never));
    expect(replies[0]).toEqual({ action: { text: '[up]' }, mind: { kind: 'program/1', memory: [7, 'hi', rng(1).next(), 'walker'] } });
    expect(replies[1]).toEqual(replies[0]);
  });

  it.each([
    ['export function policy(turn) { throw new Error("lost"); }', /The program of walker failed: .*lost/],
    ['export function policy(turn) { while (true) {} }', /The program of walker failed: The program took more than 200000 steps/],
    ['export function policy(turn) { return 7; }', /must return a string, or \{"text", "memory"\}, but returned 7/],
  ])('ends the turn with a readable error when it fails: %s', async (policy, sentence) => {
    const program = await load(specOf(policy), 'walker', maze);
    await expect(async () => program.act(turnWith('hi'), never)).rejects.toThrow(sentence);
  });

  it('is rejected at load without a policy or with an unknown sandbox', () => {
    expect(() => readAgent(specOf(''), 'walker.json')).toThrow(/is a program, but its text "policy" has no/);
    expect(() => readAgent(specOf(rightHand, 'cellar'), 'walker.json')).toThrow(/sandbox/);
  });
});
