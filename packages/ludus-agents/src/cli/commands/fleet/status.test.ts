import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../../test/fixtures/until.ts';
import { folder, ludus } from '../../terminal.cases.ts';

const plan = {
  name: 'small',
  environments: ['kuhn-poker'],
  seeds: 12,
  casts: [{ '*': 'random' }, { '*': { name: 'Ann', kind: 'random' } }],
};

function place(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  return cwd;
}

describe('ludus run --workers', () => {
  it('plays a plan in threads with the same result, and plays nothing the second time', async () => {
    const [alone, shared] = [place(), place()];
    const item = JSON.parse((await ludus(alone, ['run', 'plan.json', '--json'])).out);
    const { code, out } = await ludus(shared, ['run', 'plan.json', '--workers', '2', '--json']);
    const two = JSON.parse(out);
    expect(code).toBe(0);
    const { seconds: _, ...rest } = item;
    expect(two).toMatchObject(rest);
    expect(JSON.parse((await ludus(shared, ['run', 'plan.json', '--workers', '2', '--json'])).out)).toMatchObject({
      played: 0,
      before: 24,
    });
    const view = JSON.parse((await ludus(shared, ['fleet', 'status', '--json'])).out);
    expect(view).toMatchObject({ waiting: 0, leased: 0, dead: 0, unserved: [] });
    expect(view.runs).toMatchObject([{ run: 'small', done: 24, failed: 0 }]);
    expect(view.workers).toHaveLength(2);
    expect(view.workers.reduce((sum: number, { finished }: { finished: number }) => sum + finished, 0)).toBe(24);
    const { out: text } = await ludus(shared, ['fleet', 'status'], { columns: 120 });
    expect(text).toMatch(/small +0 +0 +24/);
  });

  it('waits for a later worker, and stops waiting on Ctrl-C', async () => {
    const cwd = place();
    let press = () => {};
    const waiting = ludus(cwd, ['run', 'plan.json', '--workers', '0', '--json'], {
      during: (interrupt) => {
        press = interrupt;
      },
    });
    await until(async () => (await ludus(cwd, ['fleet', 'status'])).out.includes('no worker is running'));
    const { code, out } = await ludus(cwd, ['fleet', 'worker', '--until-empty', '--json', '--metrics', '0']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ finished: 24, failed: 0 });
    expect(JSON.parse((await waiting).out)).toMatchObject({ played: 24, stopped: null });
    press();
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ ...plan, seeds: 20 }));
    const stopped = ludus(cwd, ['run', 'plan.json', '--workers', '0', '--json'], {
      during: async (interrupt) => {
        await until(async () => (await ludus(cwd, ['fleet', 'status'])).out.includes('no worker is running'));
        interrupt();
      },
    });
    expect((await stopped).code).toBe(130);
    expect((await ludus(cwd, ['fleet', 'worker', '--until-empty', '--json'])).out).toContain('"finished":0');
  });

  it('plays an arena and a suite with workers, and scores them', async () => {
    const cwd = folder();
    const outcome = await ludus(cwd, [
      'arena',
      'kuhn-poker',
      '--agents',
      'random,scripted:honest',
      '--games',
      '40',
      '--workers',
      '1',
      '--json',
    ]);
    expect(outcome.code).toBe(0);
    expect(JSON.parse(outcome.out).played).toBeGreaterThan(0);
    const requestedOutcome = await ludus(cwd, ['eval', 'games-core', '--agents', 'random', '--seeds', '1', '--workers', '1', '--json']);
    expect(requestedOutcome.code).toBe(0);
    expect(JSON.parse(requestedOutcome.out)).toMatchObject({ stopped: null, before: 0, ends: { error: 0 } });
    const scored = await ludus(cwd, ['score', 'arena', '--workers', '1', '--json']);
    expect(JSON.parse(scored.out)).toMatchObject({ scored: JSON.parse(outcome.out).played });
  });

  it('explains invalid options in one sentence', async () => {
    const cwd = place();
    expect((await ludus(cwd, ['run', 'plan.json', '--workers', 'many'])).err).toContain('--workers: expected an integer');
    expect((await ludus(cwd, ['run', 'plan.json', '--workers', '1', '--store', 'memory:'])).err).toContain(
      'Workers need a store in a file or at',
    );
    expect((await ludus(cwd, ['fleet', 'worker', '--metrics', 'x'])).err).toContain('--metrics: expected a port');
    const { err, code } = await ludus(cwd, ['fleet', 'worker', '--patience', '0.1', '--store', 'postgres://u:secret@127.0.0.1:1/x']);
    expect(code).toBe(2);
    expect(err).toContain('connection refused');
    expect(err).not.toContain('secret');
    for (const command of ['fleet', 'store']) expect((await ludus(cwd, [command, '--help'])).out).toContain('Examples:');
  });
});

describe('ludus store', () => {
  it('copies everything, changes nothing when repeated, and extracts a run', async () => {
    const cwd = place();
    await ludus(cwd, ['run', 'plan.json']);
    await ludus(cwd, ['score', 'small']);
    const copied = await ludus(cwd, ['store', 'copy', '.ludus/ludus.sqlite', 'copy.sqlite', '--json']);
    expect(copied.code).toBe(0);
    const first = JSON.parse(copied.out);
    expect(first).toMatchObject({ runs: 1, episodes: 24, fresh: 24 });
    expect(first.scores).toBeGreaterThan(0);
    const second = JSON.parse((await ludus(cwd, ['store', 'copy', '.ludus/ludus.sqlite', 'copy.sqlite', '--json'])).out);
    expect(second).toMatchObject({ episodes: 24, fresh: 0, events: 0, scores: 0, digest: first.digest });
    expect((await ludus(cwd, ['store', 'copy', 'copy.sqlite', 'third.sqlite'])).out).toContain(first.digest.slice(0, 12));
    expect((await ludus(cwd, ['store', 'prune', 'small', '--store', 'copy.sqlite', '--yes'])).out).toContain('24 episodes');
    const store = await openStore(join(cwd, 'copy.sqlite'));
    expect([await store.runs(), await store.episodes()]).toEqual([[], []]);
    await store.close();
    expect((await ludus(cwd, ['store', 'prune', 'small', '--store', 'copy.sqlite', '--yes'])).code).toBe(2);
    expect((await ludus(cwd, ['store', 'copy', 'nowhere.sqlite', 'copy.sqlite'])).err).toContain('No store at');
  });

  it('writes the grants of a role with any name', async () => {
    const cwd = folder();
    const { out } = await ludus(cwd, ['store', 'roles', '--worker', 'w"; drop table x; --', '--store', 'postgres://owner@db/x?schema=lab']);
    expect(out).toContain('grant select, insert on "lab".chunks to "w""; drop table x; --";');
    expect(out).not.toMatch(/delete|all on (?!all tables)/);
    expect((await ludus(cwd, ['store', 'roles', '--worker', 'w'])).err).toContain('Roles are for PostgreSQL');
  });
});
