/** @file A store that was damaged or filled by others: one bad record hides nothing, doctor moves it away whole, and what is forgotten is gone. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStudio } from '@ludus-agents/servers/internal/studio/studio.cases';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';

const storeIn = (here: string) => join(here, '.ludus', 'ludus.sqlite');

async function played(seeds = 6): Promise<string> {
  const here = folder();
  writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'base', environments: ['kuhn-poker'], seeds }));
  expect((await ludus(here, ['run', 'plan.json'])).code).toBe(0);
  return here;
}

/** Changes a store behind our back. */
function tamper(here: string, statement: string): void {
  const database = new DatabaseSync(storeIn(here));
  database.exec(statement);
  database.close();
}

describe('doctor', () => {
  it('finds no problems in a healthy store', async () => {
    const here = await played();
    await ludus(here, ['doctor', '--fix']);
    const { code, out } = await ludus(here, ['doctor', '--json']);
    const { fine, lines } = JSON.parse(out) as { fine: boolean; lines: { name: string; text: string }[] };
    expect({ code, fine }).toEqual({ code: 0, fine: true });
    expect(lines.find(({ name }) => name === 'records')?.text).toBe('1 runs, 0 specs, 6 episodes, 0 scores, 3 notes read');
    expect(lines.find(({ name }) => name === 'node')?.text).toContain(process.versions.node);
    expect((await ludus(here, ['doctor', '--json', '--read-only'])).code).toBe(0);
  });

  it.each([
    ['a null plan', `insert into runs (id, episodes, plan) values ('bad', 0, 'null')`, 'run "bad": plan must be an object'],
    ['a plan that is not JSON', `insert into runs (id, episodes, plan) values ('bad', 0, '{')`, 'run "bad"'],
    [
      'a training without a recipe',
      `insert into runs (id, episodes, plan, work) values ('bad', 0, '{"environments":[],"seeds":[],"casts":[]}', '{"kind":"train"}')`,
      'work.recipe must be',
    ],
    [
      'a spec under another hash',
      `insert into specs (hash, body) values ('00', '{"name":"a","kind":"b"}')`,
      'its hash does not match the one it is',
    ],
    [
      'a null journal entry',
      `insert into runs (id, episodes, plan, work) values ('studio', 0, '{"environments":[],"seeds":[],"casts":[]}', '{"kind":"studio"}'); insert into notes values ('studio', 'episodes', 0, 'null')`,
      'entry 0 of the journal "episodes" of run "studio"',
    ],
    ['a lost event', `delete from chunks where episode = (select max(position) from episodes)`, 'its log has 0 events'],
    ['a changed status', `update episodes set status = 'error' where position = 2`, 'its status is "error", but its log says "over"'],
    ['an orphan', `insert into scores (episode, score) values (999, 1)`, 'their episode is not in the store'],
  ])('reports %s, hides nothing else, and moves it to quarantine', async (_, statement, message) => {
    const here = await played();
    tamper(here, statement);
    const outcome = await ludus(here, ['doctor']);
    expect(outcome.code).toBe(1);
    expect(outcome.out).toContain(message);
    // Lists show the rest.
    const listed = await ludus(here, ['list', 'runs']);
    expect(listed.code).toBe(0);
    expect(listed.out).toContain('base');
    const store = await openStore(storeIn(here));
    const studio = await openStudio({ store, cwd: here });
    for (const path of ['/api/home', '/api/runs', '/api/training', '/api/improving', '/api/runs/episodes'])
      expect((await studio.get(path)).status, path).toBe(200);
    await studio.close();
    await store.close();
    const fixed = await ludus(here, ['doctor', '--fix']);
    expect(fixed.code).toBe(1);
    const parts = readFileSync(`${storeIn(here)}.quarantine.jsonl`, 'utf8')
      .trim()
      .split('\n');
    for (const line of parts)
      expect(JSON.parse(line)).toMatchObject({ table: expect.any(String), row: expect.any(Object), problem: expect.any(String) });
    expect(statSync(`${storeIn(here)}.quarantine.jsonl`).mode & 0o777).toBe(0o600);
    expect((await ludus(here, ['doctor'])).code).toBe(0);
  });
});

describe('forget', () => {
  const planted = 'the-secret-of-ada-archer-is-a-teapot';

  /** One conversation that says the planted words, among others. */
  async function withSecret(): Promise<{ here: string; id: string }> {
    const here = await played();
    const store = await openStore(storeIn(here));
    const start = {
      kind: 'start',
      environment: 'chat@1',
      task: { about: planted },
      seed: 1,
      seats: ['user'],
      cast: { user: 'Ada Archer' },
    } as const;
    const says = { kind: 'message', to: ['user'], text: `${planted} `.repeat(60) } as const;
    const call = { model: 'm', prompt: { messages: [{ role: 'user', content: `${planted} `.repeat(40) }] } };
    const act = { kind: 'action', seat: 'user', action: { text: planted }, calls: [call] } as never;
    const end = { kind: 'end', reason: 'over', returns: { user: 0 }, penalties: { user: 0 }, turns: 1 } as const;
    await store.append('ada0001', 0, [start, says, { kind: 'turn', asks: [{ seat: 'user' }] } as never, act, end]);
    await store.putScores('ada0001', [{ name: 'note', scorer: 's', value: 1, status: 'ok', evidence: planted } as never]);
    await store.close();
    return { here, id: 'ada0001' };
  }
  const holds = (here: string) =>
    ['', '-wal', '-journal'].some((ending) => existsSync(storeIn(here) + ending) && readFileSync(storeIn(here) + ending).includes(planted));

  it.each([
    ['by id', ['ada0001']],
    ['by id prefix', ['ada']],
    ['by person', ['--person', 'ada archer']],
    ['by agent', ['--agent', 'Ada Archer']],
    ['by score', ['--where', 'note>=1']],
  ])('removes exactly the selected bytes from the file %s', async (_, args) => {
    const { here, id } = await withSecret();
    expect(holds(here)).toBe(true);
    const dry = JSON.parse((await ludus(here, ['store', 'forget', ...args, '--dry-run', '--json'])).out);
    expect(dry).toEqual({ dryRun: true, episodes: [id], runs: [] });
    expect(holds(here)).toBe(true);
    const { code, out } = await ludus(here, ['store', 'forget', ...args, '--yes']);
    expect(code).toBe(0);
    expect(out).toContain('1 episode forgotten');
    expect(out).toContain('Not covered: exports');
    expect(holds(here)).toBe(false);
    const audit = readFileSync(`${storeIn(here)}.forgotten.jsonl`, 'utf8');
    expect(JSON.parse(audit)).toMatchObject({ episodes: 1, runs: 0 });
    expect(audit).not.toContain('rcher');
    await ludus(here, ['doctor', '--fix']);
    expect((await ludus(here, ['doctor'])).code).toBe(0);
    expect(JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out).length).toBe(6);
  });

  it('selects by the age at which a conversation was stored', async () => {
    const { here } = await withSecret();
    tamper(here, `update episodes set added = added - 31 * 86400000 where id = 'ada0001'`);
    expect(JSON.parse((await ludus(here, ['store', 'forget', '--older-than', '32d', '--dry-run', '--json'])).out).episodes).toEqual([]);
    expect(JSON.parse((await ludus(here, ['store', 'forget', '--older-than', '30d', '--dry-run', '--json'])).out).episodes).toEqual([
      'ada0001',
    ]);
    expect((await ludus(here, ['store', 'forget', '--older-than', '4w', '--yes'])).code).toBe(0);
    expect(holds(here)).toBe(false);
    expect((await ludus(here, ['store', 'forget', '--older-than', 'soon'])).err).toContain(
      '--older-than: expected an age such as 30d, 12h, 6w',
    );
  });

  it('keeps shared records and removes a whole run with its journals', async () => {
    const here = await played();
    const before = await ludus(here, ['data', 'export']);
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'other', environments: ['kuhn-poker'], seeds: 9 }));
    await ludus(here, ['run', 'plan.json']);
    expect((await ludus(here, ['store', 'forget', 'other', '--yes'])).code).toBe(0);
    expect((await ludus(here, ['data', 'export'])).out).toBe(before.out);
  });

  it('asks for confirmation and refuses while another process has the store open', async () => {
    const { here } = await withSecret();
    const unasked = await ludus(here, ['store', 'forget', 'ada0001']);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain('Pass --yes');
    expect((await ludus(here, ['store', 'forget'])).err).toContain('Name an episode or a run');
    const other = await openStore(storeIn(here));
    const refused = await ludus(here, ['store', 'forget', 'ada0001', '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('Another process has this store open');
    await other.close();
    expect(holds(here)).toBe(true);
    expect((await ludus(here, ['store', 'forget', 'ada0001', '--yes'])).code).toBe(0);
    expect(holds(here)).toBe(false);
  });
});
