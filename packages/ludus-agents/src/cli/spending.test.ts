import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SpendingServer, startSpendingServer } from '../../../../test/attacks/spending-server.ts';
import { folder, ludus } from './terminal.cases.ts';

let server: SpendingServer;
beforeEach(async () => {
  server = await startSpendingServer({ failure: 'error', share: 0 });
});
afterEach(() => server.close());

const model = () => `${server.url}#m`;
/** Every command that may call a model. */
const spending =
  'run,eval,test,arena,improve ablate,improve,attack,play,chat,play scene,fork,show explain,score,judge trust,persona probe,judge induce,survey,env coverage,env dream,new,env exploit,train sweep,train,models,persona new,desk bot'.split(
    ',',
  );

describe('a spending limit', () => {
  it.each(spending)('is an option of %s', async (command) => {
    const { out } = await ludus(folder(), [...command.split(' '), '--help']);
    for (const option of ['--max-cost <dollars>', '--max-calls <n>', '--max-total-tokens <n>']) expect(out).toContain(option);
  });

  it('stops a conversation after exactly the allowed calls, and keeps its messages', async () => {
    const here = folder();
    const words = ['chat', 'innkeeper', '--model', model(), '--json'];
    const { code, out, err } = await ludus(here, [...words, '--max-calls', '2'], { typed: 'one\ntwo\nthree\nfour\n' });
    expect([code, server.spent.calls]).toEqual([1, 2]);
    expect(err).toContain('The budget of 2 calls is spent. Raise it to continue.');
    const { episode } = JSON.parse(out) as { episode: string };
    const outcome = await ludus(here, ['show', episode]);
    expect(outcome.out).toContain('two');
    // Without a limit the same conversation goes on.
    await ludus(folder(), words, { typed: 'one\ntwo\nthree\nfour\n' });
    expect(server.spent.calls).toBe(2 + 4);
  });

  it.each([
    [['--max-total-tokens', '40'], 1, 'The budget of 40 tokens'],
    [['--max-cost', '1'], 2, 'cannot be enforced'],
  ])('%j prevents a call that could exceed it', async (limit, exit, sentence) => {
    const { code, err } = await ludus(folder(), ['chat', 'innkeeper', '--model', model(), ...limit], { typed: 'one\n' });
    expect([code, server.spent.calls]).toEqual([exit, 0]);
    expect(err).toContain(sentence);
  });

  it('stops training as on Ctrl-C, and training can be resumed', async () => {
    const here = folder();
    const words = ['train', 'best-response', '--environment', 'kuhn-poker', '--against', `llm:${model()}`, '--games', '500', '--name', 'b'];
    const { code, err } = await ludus(here, [...words, '--max-calls', '7']);
    expect(code, err).toBe(1);
    // Those under way when the eighth was refused are called off, some before they were sent.
    expect(server.spent.calls).toBeLessThanOrEqual(7);
    expect(err).toContain('Resume with "ludus train --resume b".');
    expect(err).toContain('The budget of 7 calls is spent');
    const before = server.spent.calls;
    const again = await ludus(here, ['train', '--resume', 'b', '--max-calls', '3']);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('The budget of 3 calls is spent')]);
    expect(server.spent.calls - before).toBeLessThanOrEqual(3);
  });

  it('stops a suite, reports it as incomplete, and exits with 1', async () => {
    const { code, err } = await ludus(folder(), [
      'eval',
      'games-core',
      '--agents',
      `llm:${model()}`,
      '--seeds',
      '1',
      '--max-calls',
      '2',
      '--yes',
    ]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('Stopped before the suite was done; run the same command with --reuse to resume.'),
    ]);
    expect(server.spent.calls).toBeLessThanOrEqual(2);
  });

  it('below the number of concurrent calls allows, charges, and uses exactly that many', async () => {
    const here = folder();
    const rows = Array.from({ length: 12 }, (_, i) => `${i}+1?,${i + 1}`);
    writeFileSync(join(here, 'sums.csv'), `input,expected\n${rows.join('\n')}\n`);
    const { out } = await ludus(here, ['eval', './sums.csv', '--agents', `llm:${model()}`, '--max-calls', '11', '--yes', '--json']);
    expect(server.spent.calls).toBe(11);
    const { spent, agents, why } = JSON.parse(out) as {
      readonly why: string;
      readonly spent: { readonly calls: number };
      readonly agents: readonly { readonly isNull: boolean; readonly episodes: number }[];
    };
    expect(spent.calls).toBe(11);
    expect(agents.find(({ isNull }) => !isNull)?.episodes).toBe(11);
    expect(why).toContain('The budget of 11 calls is spent');
  });

  it('applies to all rounds of an arena together', async () => {
    const words = ['--agents', `llm:${model()},random`, '--games', '24', '--max-calls', '7', '--yes'];
    const { err } = await ludus(folder(), ['arena', 'kuhn-poker', ...words]);
    expect(server.spent.calls).toBe(7);
    expect(err).toContain('Spent: 7 model calls');
  });

  it('is rejected with workers, whose calls this process does not count', async () => {
    const { code, err } = await ludus(folder(), ['train', 'kuhn-tabular', '--workers', '1', '--max-calls', '7']);
    expect([code, err]).toEqual([2, expect.stringContaining('Remove --workers, or the budget')]);
  });

  it('applies to a plan, by calls and by tokens', async () => {
    const here = folder();
    const casts = [{ first: `llm:${model()}`, second: 'random' }];
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'p', environments: ['kuhn-poker'], seeds: 20, casts }));
    const { out } = await ludus(here, ['run', 'plan.json', '--yes', '--json', '--max-calls', '5', '--concurrency', '2']);
    expect(JSON.parse(out)).toMatchObject({ stopped: 'calls', spent: { calls: 5 } });
    expect(server.spent.calls).toBe(5);
    const more = await ludus(here, ['run', 'plan.json', '--yes', '--json', '--max-total-tokens', '30']);
    expect(JSON.parse(more.out)).toMatchObject({ stopped: 'tokens' });
    expect(server.spent.calls).toBe(5);
  });

  it('from the folder configuration applies to every command, and options override it', async () => {
    const here = folder();
    writeFileSync(join(here, 'ludus.config.json'), JSON.stringify({ budget: { calls: 2 } }));
    const words = ['chat', 'innkeeper', '--model', model()];
    const { code, err } = await ludus(here, words, { typed: 'one\ntwo\nthree\nfour\n' });
    expect([code, server.spent.calls]).toEqual([1, 2]);
    expect(err).toContain('The budget of 2 calls is spent');
    await ludus(here, [...words, '--max-calls', '3'], { typed: 'one\ntwo\nthree\nfour\n' });
    expect(server.spent.calls).toBe(2 + 3);
    const tested = await ludus(here, ['models', 'test', model(), '--json']);
    expect(server.spent.calls).toBeLessThanOrEqual(2 + 3 + 2);
    expect(tested.err).toContain('The budget of 2 calls is spent');
  });

  it('applies to a tested model, and to every message of a bot', async () => {
    const { out } = await ludus(folder(), ['models', model(), '--json', '--max-total-tokens', '3']);
    expect(JSON.parse(out)).toMatchObject([{ ready: false, about: expect.stringContaining('The budget of 3 tokens') }]);
    expect(server.spent.calls).toBe(0);
    const here = folder();
    writeFileSync(join(here, 'bot.mjs'), 'export const bot = (message) => "You said " + message;\n');
    const { code, err } = await ludus(here, ['desk', 'bot', './bot.mjs', '--max-calls', '1']);
    expect([code, err]).toEqual([1, expect.stringContaining('The budget of 1 call')]);
    expect((await ludus(here, ['desk', 'bot', './bot.mjs', '--max-calls', '9'])).code).not.toBe(130);
  });
});
