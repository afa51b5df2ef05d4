import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
import { jobs, lot } from '@ludus-agents/store/internal/job-queue.cases';
import { log, rejectionOf } from '@ludus-agents/store/internal/logs.cases';
import { openSharedStore } from '@ludus-agents/store/internal/open-store';
import { readAddress } from '@ludus-agents/store/internal/postgres/address';
import { postgresStore } from '@ludus-agents/store/internal/postgres/index';
import { grantsFor } from '@ludus-agents/store/internal/postgres/migrate';
import { handOver, type Server, startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { slowModel } from '../../../../../test/fixtures/slow-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-secure-'));
chmodSync(folder, 0o755);
const certificates = makeCertificates();
const ssl = certificates ? ['-c', 'ssl=on', '-c', `ssl_cert_file=${folder}/server.crt`, '-c', `ssl_key_file=${folder}/server.key`] : [];
const server = await startServer(['-c', 'fsync=off', ...ssl]);
if (typeof server === 'string') console.warn(server);
if (!certificates) console.warn('There is no openssl here to make certificates with, so TLS is not tried.');
afterAll(async () => {
  if (typeof server !== 'string') await server.stop();
  rmSync(folder, { recursive: true });
});

/** An authority with a server certificate for "localhost", and a second, untrusted authority. */
function makeCertificates(): boolean {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  try {
    for (const name of ['ca', 'stranger'])
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.crt`,
        '-days',
        '2',
        '-subj',
        `/CN=${name}`,
      );
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
    writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
    openssl(
      'x509',
      '-req',
      '-in',
      'server.csr',
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      'server.crt',
      '-days',
      '2',
      '-extfile',
      'names',
    );
  } catch {
    return false;
  }
  const key = join(folder, 'server.key');
  chmodSync(key, 0o600);
  handOver(key);
  return true;
}

const at = (): Server => server as Server;

async function asOwner(use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port: at().port, user: 'owner', password: 'owner-password', database: 'ludus' });
  await client.connect();
  await use(client).finally(() => client.end());
}

async function denied(client: pg.Client, statement: string): Promise<void> {
  await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
}

describe.skipIf(typeof server === 'string')('roles', () => {
  it('[S33] let a worker play and score, but not see keys or tenants, delete, or change tables', async () => {
    for (const schema of ['lab', 'other']) {
      const store = await postgresStore(at().address(schema));
      await store.append('secret-episode', 0, log(1), 'r');
      await store.close();
    }
    await asOwner(async (client) => {
      await client.query("create role lab_worker login password 'w'; create role lab_reader login password 'r'");
      await client.query("create table lab.keys (name text, secret text); insert into lab.keys values ('openai', 'sk-secret')");
      for (const statement of [...grantsFor('lab', 'lab_worker', 'worker'), ...grantsFor('lab', 'lab_reader', 'reader')])
        await client.query(statement);
    });
    const sharedStore = await openSharedStore(at().address('lab', { user: 'lab_worker', password: 'w' }));
    const many = Array.from({ length: 20 }, (_, i) => sharedStore.store.append(`e${i}`, 0, log(2), 'r'));
    await Promise.all(many);
    await sharedStore.store.putRun({ id: 'r', plan: { environments: [], seeds: [1], casts: [] }, episodes: 1 });
    await sharedStore.store.note('r', 'm', 0, [1]);
    await sharedStore.store.putSpec({ name: 'a', kind: 'random' });
    await sharedStore.ledger.open('r', { calls: 5 });
    const spent = { calls: 1, tokens: 1, money: 0, unpriced: 0 };
    await sharedStore.ledger.spend('r', 'w', { revision: 1, spent, held: { ...spent, calls: 0, tokens: 0 } });
    await sharedStore.ledger.pace('p', 60, 1);
    await sharedStore.jobs.offer(lot(), jobs(2));
    const [usedLease] = await sharedStore.jobs.claim({ worker: 'w', limit: 2, lease: 1000 });
    expect(await sharedStore.jobs.finish(usedLease as NonNullable<typeof usedLease>, { outcome: 'over', turns: 1 })).toBe(true);
    await sharedStore.close();
    const worker = new pg.Client(at().address('lab', { user: 'lab_worker', password: 'w' }).split('?')[0]!);
    await worker.connect();
    for (const statement of [
      'select * from lab.keys',
      'select * from other.runs',
      'select * from other.episodes',
      'delete from lab.runs',
      "update lab.chunks set body = ''",
      'truncate lab.chunks',
      'drop table lab.runs',
      'create table lab.mine (x text)',
      'create schema mine',
      "copy lab.runs to program 'cat'",
    ])
      if (!statement.startsWith('drop')) await denied(worker, statement);
      else await expect(worker.query(statement)).rejects.toThrow('must be owner');
    await worker.end();
    const reader = await postgresStore(at().address('lab', { user: 'lab_reader', password: 'r' }));
    expect(await reader.events('e0')).toEqual(log(2));
    expect(await rejectionOf(reader.append('x', 0, log(1)))).toContain('this role does not have the permission; "ludus store');
    await reader.close();
    expect(await rejectionOf(postgresStore(at().address('other', { user: 'lab_worker', password: 'w' })))).toContain(
      'failed: this role does not have the permission;',
    );
  });

  it('[S34] leave no key or password in any table or in the output of a worker', async () => {
    const where = at().address('quiet');
    const sharedStore = await openSharedStore(where);
    const model = await slowModel(1);
    const plan = readPlan({
      name: 'q',
      environments: ['kuhn-poker'],
      seeds: 3,
      casts: [{ '*': { name: 'L', kind: 'llm', model: model.name } }],
    });
    await enqueuePlan(plan, { sharedStore, environment: builtInEnvironment });
    const entry = join(import.meta.dirname, '../../../../../test/fixtures/worker.ts');
    const env = { PATH: process.env['PATH'], LUDUS_STORE: where, LUDUS_API_KEY: 'sk-very-secret', LUDUS_DEBUG: '1' };
    const child = spawn(process.execPath, [entry, 'fleet', 'worker', '--until-empty'], { env, cwd: folder });
    let spokenText = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (spokenText += text));
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    expect(spokenText).toContain('3 jobs finished');
    expect([...model.hints].sort()).toEqual([...(await sharedStore.store.statuses('q')).keys()].sort());
    await asOwner(async (client) => {
      const { rows } = await client.query("select tablename from pg_tables where schemaname = 'quiet'");
      for (const { tablename } of rows as { tablename: string }[])
        spokenText += (await client.query(`select t::text as line from quiet.${tablename} t`)).rows.map(({ line }) => line).join('\n');
    });
    expect(spokenText.length).toBeGreaterThan(5000);
    for (const secret of ['sk-very-secret', 'owner-password']) expect(spokenText).not.toContain(secret);
    await Promise.all([sharedStore.close(), model.close()]);
  });
});

describe.skipIf(typeof server === 'string' || !certificates)('TLS', () => {
  const through = (host: string, more: string) =>
    `postgres://owner:owner-password@${host}:${at().port}/ludus?schema=tls&sslmode=verify-full${more}`;

  it('[S35] verifies the host name, or rejects the connection with an explanation', async () => {
    const trusted = `&sslrootcert=${folder}/ca.crt`;
    const store = await postgresStore(through('localhost', trusted));
    await store.append('e', 0, log(1));
    await asOwner(async (client) => {
      const { rows } = await client.query(
        "select bool_and(ssl) as all from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'ludus'",
      );
      expect(rows).toEqual([{ all: true }]);
    });
    await store.close();
    expect(await rejectionOf(postgresStore(through('localhost', `&sslrootcert=${folder}/stranger.crt`)))).toContain('does not verify');
    expect(await rejectionOf(postgresStore(through('localhost', '')))).toContain('does not verify');
    expect(await rejectionOf(postgresStore(through('127.0.0.1', trusted)))).toContain('does not verify');
    expect(await rejectionOf(postgresStore(through('localhost', '&sslrootcert=/nowhere.crt')))).toContain('/nowhere.crt cannot be read');
  });
});

describe('addresses', () => {
  it('[S35] are verified unless local, and never partially', () => {
    expect(readAddress('postgres://me:pw@db.example/x?schema=lab')).toMatchObject({
      ...{ host: 'db.example', port: 5432, database: 'x', user: 'me', schema: 'lab' },
      ssl: { rejectUnauthorized: true, host: 'db.example', servername: 'db.example' },
      shown: 'postgres://me@db.example:5432/x?schema=lab',
    });
    expect(readAddress('postgres://[::1]/x').ssl).toBe(false);
    expect(readAddress('postgres://10.0.0.5/x').ssl).toEqual({ rejectUnauthorized: true, host: '10.0.0.5' });
    expect(readAddress('postgres://db/x?sslmode=disable').ssl).toBe(false);
    for (const mode of ['require', 'prefer', 'allow', 'verify-ca', 'no-verify'])
      expect(() => readAddress(`postgres://db/x?sslmode=${mode}`)).toThrow('", which does not verify the server.');
    for (const wrong of [
      'postgres://',
      'postgres://h/x?schema=A',
      'postgres://h/x?schema=pg_x',
      'postgres://h/x?options=-csearch_path',
      'http://h',
    ])
      expect(() => readAddress(wrong)).toThrow(/store|schema/);
    expect(readFileSync(new URL('../../../../store/src/postgres/address.ts', import.meta.url), 'utf8')).not.toContain(
      'rejectUnauthorized: false',
    );
  });
});
