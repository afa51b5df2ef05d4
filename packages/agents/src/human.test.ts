/** @file A person at a fake terminal: whole games typed line by line, and every way to be understood, helped or to leave. */

import { PassThrough } from 'node:stream';
import { codebreaker } from '@ludus-agents/environments/internal/codebreaker';
import { ticTacToe } from '@ludus-agents/environments/internal/kinarow';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { Agent, AnyEnvironment, Ask, EndEvent, EpisodeEvent, View } from '@ludus-agents/kernel/internal/core/index';
import { scripted, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { human, understand } from './human.ts';

/** A fake terminal: what is typed goes in, what is shown comes out. */
function desk(typed: string, options: { tty?: boolean; open?: boolean } = {}) {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: 'utf8' });
  if (options.tty === true) Object.assign(input, { isTTY: true, setRawMode: () => input });
  if (options.tty === true) Object.assign(output, { isTTY: true, columns: 80 });
  let visibleText = '';
  output.on('data', (text: string) => {
    visibleText += text;
  });
  input.write(typed);
  if (options.open !== true) input.end();
  const controller = new AbortController();
  const agent = human({ input, output, quit: () => controller.abort() });
  return { agent, input, controller, shown: () => visibleText };
}

async function game(environment: AnyEnvironment, agents: Record<string, Agent>, signal?: AbortSignal) {
  const events: EpisodeEvent[] = [];
  for await (const event of play(environment, agents, { seed: 1, signal })) events.push(event);
  return { events, end: events.at(-1) as EndEvent };
}

const calls = scripted('calls', ({ ask }) => ({ text: ask.choices?.includes('[call]') ? '[call]' : '[check]' }));
const lowest = scripted('lowest', ({ ask }) => ({ text: ask.choices?.[0] ?? '' }));
const actions = (events: readonly EpisodeEvent[]) => events.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));

describe('human agent', () => {
  it('plays Kuhn poker with bare words', async () => {
    const { agent, shown } = desk('bet\n');
    const { events, end } = await game(kuhnPoker, { first: agent, second: calls });
    expect(end.reason).toBe('over');
    expect(actions(events)).toEqual(['[bet]', '[call]']);
    expect(shown()).toContain('Your card is');
    expect(shown()).toContain('1 check  2 bet · ? help');
  });

  it('plays Kuhn poker with numbers', async () => {
    const { agent } = desk('2\n');
    expect(actions((await game(kuhnPoker, { first: agent, second: calls })).events)[0]).toBe('[bet]');
  });

  it('reads a number as a move in tic-tac-toe, never as a list index', async () => {
    const { agent, shown } = desk('4\n0\n2\n6\n');
    const { events, end } = await game(ticTacToe, { X: agent, O: lowest });
    // O takes 0; then "0" is not a move any more and must not become the first one left; 2 and 6 finish the diagonal.
    expect(actions(events)).toEqual(['[4]', '[0]', '[2]', '[1]', '[6]']);
    expect(end.returns).toEqual({ X: 1, O: -1 });
    expect(shown()).toContain('"0" is not a move here');
  });

  it('lets two people share one keyboard', async () => {
    const { agent, input, controller } = desk('0\n3\n1\n4\n2\n');
    const other = human({ input, output: new PassThrough().resume(), quit: () => controller.abort() });
    expect((await game(ticTacToe, { X: agent, O: other })).end.returns).toEqual({ X: 1, O: -1 });
  });

  it('supports line editing in a terminal', async () => {
    const { agent, shown } = desk('chexk\u007f\u007fck\rfold\r', { tty: true, open: true });
    const bets = scripted('bets', () => ({ text: '[bet]' }));
    const { events } = await game(kuhnPoker, { first: agent, second: bets });
    expect(actions(events)).toEqual(['[check]', '[bet]', '[fold]']);
    expect(shown()).toContain('first ›');
  });
});

describe('human agent output', () => {
  it('shows every message once and the rest on request at the end', async () => {
    const { agent, shown } = desk('check\nfold\n');
    const bets = scripted('bets', () => ({ text: '[bet]' }));
    const { events } = await game(kuhnPoker, { first: agent, second: bets });
    expect(shown()).not.toContain('first folds.');
    agent.tell(viewOf(events, 'first'));
    for (const text of ['Your card is', 'first checks.', 'second bets 1.', 'first folds.', 'You receive -1.'])
      expect(shown().split(text).length - 1, text).toBe(1);
  });

  it('shows nothing outside the view', async () => {
    const { agent, shown } = desk('check\ncheck\n');
    const { events } = await game(kuhnPoker, { first: agent, second: lowest });
    const secret = events.find((event) => event.kind === 'message' && event.to.join() === 'second' && event.text.startsWith('Your card'));
    expect(secret).toBeDefined();
    expect(shown()).not.toContain('in the second seat');
  });

  it('strips control characters', () => {
    const { agent, shown } = desk('');
    const view: View = { seat: 'a', seen: [{ kind: 'message', to: ['a'], text: 'hi\u001b[2J\u0007', from: 'b\u001b' }] };
    agent.tell(view);
    expect(shown()).toBe('\nb␛: hi␛[2J␇\n');
  });

  it('lists the moves on "?" without using up the turn', async () => {
    const { agent, shown } = desk('?\n\nbet\n');
    const { events } = await game(kuhnPoker, { first: agent, second: calls });
    expect(actions(events)[0]).toBe('[bet]');
    expect(shown()).toMatch(/Your moves:\n {4}1 \[check\]\n {4}2 \[bet\]/);
    expect(shown()).toContain('/quit leaves');
  });

  it('truncates long lists of moves', async () => {
    const { agent, shown } = desk('?\n1122\n/quit\n');
    await game(codebreaker, { breaker: agent });
    expect(shown()).toContain('… and 1236 more');
    expect(shown().length).toBeLessThan(6000);
  });
});

describe('leaving as a human', () => {
  it.each([
    ['/quit', '/quit\n', {}],
    ['the end of a pipe', '', {}],
    ['Ctrl-C', '\u0003', { tty: true, open: true }],
    ['Ctrl-D', '\u0004', { tty: true, open: true }],
  ])('ends the episode on %s', async (_, typed, options) => {
    const { agent, controller } = desk(typed, options);
    const { end } = await game(kuhnPoker, { first: agent, second: lowest }, controller.signal);
    expect(end.reason).toBe('abort');
  });

  it('stops waiting when the episode is aborted from outside', async () => {
    const { agent, controller } = desk('', { open: true });
    setImmediate(() => controller.abort());
    expect((await game(kuhnPoker, { first: agent, second: lowest }, controller.signal)).end.reason).toBe('abort');
  });
});

describe('understand', () => {
  const moves: Ask = { seat: 'a', choices: ['[check]', '[raise 10]'] };
  it.each([
    ['check', moves, { kind: 'move', text: '[check]' }],
    ['[CHECK]', moves, { kind: 'move', text: '[check]' }],
    [' Raise   10 ', moves, { kind: 'move', text: '[raise 10]' }],
    ['2', { seat: 'a', choices: ['[check]', '[bet]'] }, { kind: 'move', text: '[bet]' }],
    ['10', moves, { kind: 'move', text: '[raise 10]' }],
    ['5', { seat: 'a', choices: ['[harvest 0]', '[harvest 5]', '[harvest 15]'] }, { kind: 'move', text: '[harvest 5]' }],
    ['/say I would rather wait', moves, { kind: 'move', text: 'I would rather wait' }],
    ['I bluff [check]', moves, { kind: 'move', text: 'I bluff [check]' }],
    ['[fly]', moves, { kind: 'move', text: '[fly]' }],
    ['?', moves, { kind: 'help' }],
    ['/quit', moves, { kind: 'quit' }],
    ['Hello there', { seat: 'a' }, { kind: 'move', text: 'Hello there' }],
    ['7', { seat: 'a' }, { kind: 'move', text: '7' }],
    ['other words', { seat: 'a', choices: ['yes', 'no'] }, { kind: 'move', text: 'other words' }],
  ] as const)('reads %s', (line, ask, meaning) => {
    expect(understand(line, ask)).toEqual(meaning);
  });

  it.each([
    // A number is never a place in a list of moves that have numbers in them.
    ['2', moves],
    ['1', { seat: 'a', choices: ['[play 1]', '[discard 1]'] }],
    ['3', { seat: 'a', choices: ['[check]', '[bet]'] }],
    ['fly', moves],
    ['', moves],
    ['1', { seat: 'a', choices: ['[0]', '[2]'] }],
  ] as const)('asks again for "%s"', (line, ask) => {
    expect(understand(line, ask).kind).toBe('unclear');
  });
});
