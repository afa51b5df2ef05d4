import { type EndEvent, type JsonObject, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { codebreaker } from '../codebreaker.ts';
import { reproduction } from './reproduction.ts';
import { expectationOf, isRight, predictionInterval } from './study.ts';
import { createTerminal } from './terminal.ts';

const script = (name: string) => reproduction.scripts?.[name] as Script;

async function accuracy(researcher: Script, task: JsonObject, games = amount(2, 6)): Promise<number> {
  const cast = { researcher: scriptedPolicy('researcher', researcher), shell: scriptedPolicy('shell', script('shell')) };
  const logs = await rollout(reproduction, cast, { seeds: Array.from({ length: games }, (_, i) => i + 1), task });
  return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['researcher']!, 0) / games;
}

describe('study', () => {
  it.each(['epidemic', 'tournament', 'regression'])('%s is reproduced at every level that provides the code', async (study) => {
    for (const given of ['easy', 'medium', 'hard'])
      expect(await accuracy(script('reproducer'), { study, given }), given).toBeGreaterThan(0.6);
  });

  it('cannot be reproduced by copying figures, or from the paper alone', async () => {
    expect(await accuracy(script('copier'), {}, amount(4, 12))).toBe(0);
    expect(await accuracy(script('reproducer'), { given: 'text' })).toBe(0);
  });

  it('ends with an error if it prints no answer', async () => {
    const study = {
      id: 'own',
      paper: '',
      files: { 'main.js': 'console.log(1);' },
      command: 'node main.js {seed}',
      questions: [{ id: 'a', ask: 'What?', line: 'mean' }],
    };
    const cast = { researcher: scriptedPolicy('r', script('reproducer')), shell: scriptedPolicy('s', script('shell')) };
    const [log] = await rollout(reproduction, cast, { seeds: [1], task: { own: study } });
    const note = log!.findLast((event) => event.kind === 'message' && event.to.length === 0);
    expect(note).toMatchObject({ data: { measures: { checked: 0 } } });
  });
});

describe('study answer', () => {
  it('has prediction intervals that match the tables', () => {
    const rounded = (runs: readonly number[]) => predictionInterval(runs).map((value) => Math.round(value * 1e6) / 1e6);
    expect(rounded([10, 11, 12])).toEqual([6.031725, 15.968275]);
    expect(predictionInterval([0.9375660604, 0.9372440958, 0.9319514408]).map((value) => value.toFixed(9))).toEqual([
      '0.919923361',
      '0.951251037',
    ]);
    expect(rounded([5, 5, 5])).toEqual([4.999995, 5.000005]);
  });

  const runs = (values: readonly (number | string)[]) => values.map((value) => `x\nMean wait: ${value} minutes`);
  const question = { id: 'wait', ask: 'How long?', line: 'mean wait' };

  it('is right within the prediction interval, or if it equals the text that all runs print', () => {
    const interval = expectationOf(runs([4, 4.2, 3.9, 4.1, 4.05]), question);
    expect(['4.02', 'about 4.02', '3', '5.5'].map((answer) => isRight(answer, interval as never))).toEqual([true, false, false, false]);
    expect(
      isRight('TIT for tat', expectationOf(['winner: tit for tat', 'winner: tit for tat'], { ...question, line: 'winner' }) as never),
    ).toBe(true);
  });

  it('cannot be checked if runs disagree or print nothing', () => {
    expect(expectationOf(['winner: a', 'winner: b'], { ...question, line: 'winner' })).toHaveProperty('problem');
    expect(expectationOf(['winner: a', ''], { ...question, line: 'winner' })).toHaveProperty('problem');
  });
});

describe('terminal', () => {
  const game = createTerminal(codebreaker);
  const [seat] = codebreaker.seats(codebreaker.task({}));
  const files = { 'guess.js': "console.log('[A]');" };
  const played = async (moves: readonly string[], task: JsonObject = {}) => {
    const user = scriptedPolicy('user', ({ view }) => ({
      text: moves[view.seen.filter((item) => item.kind === 'action').length] ?? moves.at(-1)!,
    }));
    const cast = { [seat!]: user, shell: scriptedPolicy('shell', game.scripts!['shell']!) };
    const [log] = await rollout(game, cast, { seeds: [1], task: { colours: 4, pegs: 1, turns: 2, files, ...task } });
    return log!;
  };
  const actions = (log: Awaited<ReturnType<typeof played>>) =>
    log.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text.trim()}`] : []));
  const heard = (log: Awaited<ReturnType<typeof played>>) =>
    log.flatMap((event) => (event.kind === 'message' && event.to.includes(seat!) ? [event.text] : []));

  it('runs commands between moves, and a move may quote a file', async () => {
    const log = await played(['[run node guess.js]', '$(cat output.txt)', '[run cat page.txt]', '[B]']);
    expect(actions(log)).toContain('shell: [A]');
    expect(heard(log)).toContain('[A]');
    // The page is the answer to the quoted guess, as if it had been typed.
    const plain = await played(['[A]', '[B]']);
    expect(heard(log)).toContain(heard(plain)[2]);
    expect(log.at(-1)).toMatchObject({ kind: 'end', returns: { [seat!]: (plain.at(-1) as EndEvent).returns[seat!] } });
  });

  it('has a limit of commands, and says how a program failed', async () => {
    const log = await played(['[run node none.js]', '[run ls]', '[A]'], { commands: 1 });
    expect(heard(log).some((text) => text.includes('Exit code 1'))).toBe(true);
    expect(heard(log)).toContain('No command is left.');
    expect(actions(log).filter((text) => text.startsWith('shell'))).toHaveLength(1);
  });
});
