/**
 * @file Builds the container images and tries them, `npm run try:images`: as a user who is not root, on a root that is read-only, without any
 * capability. It takes docker or podman, whichever runs; `ENGINE=podman` names one. With `-- --compose` it also starts deploy/compose.yaml.
 */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { root } from './runtime-packages.mjs';

const compose = process.argv.includes('--compose');
const engines = process.env.ENGINE === undefined ? ['docker', 'podman'] : [process.env.ENGINE];
const engine = engines.find((name) => spawnSync(name, ['info']).status === 0);
if (engine === undefined) {
  console.error(`Neither of these runs here: ${engines.join(', ')}. Start docker, or install podman.`);
  process.exit(1);
}
const confined = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'];
const scratch = ['--tmpfs', '/home/node:uid=1000,gid=1000'];
const name = `ludus-try-${randomBytes(4).toString('hex')}`;
const token = randomBytes(12).toString('hex');
let failures = 0;

/** Runs a program in the repository and returns its output; throws if it fails. */
function call(program, args, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? ''}${`${stdout}${stderr}`.split('\n').slice(-25).join('\n')}`);
}

const container = (...args) => call(engine, args);

async function step(title, check) {
  const began = performance.now();
  let problem = null;
  try {
    await check();
  } catch (thrown) {
    failures += 1;
    problem = thrown.message;
  }
  console.log(`${problem === null ? '✓' : '✗'} ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${title}`);
  if (problem !== null) console.log(problem);
}

function expect(truth, problem) {
  if (!truth) throw new Error(problem);
}

/** Asks until the answer is right, at most two minutes. */
async function eventually(what, ask) {
  let last;
  for (let tries = 0; tries < 120; tries += 1) {
    try {
      if (await ask()) return;
    } catch (thrown) {
      last = thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`${what}: not within two minutes. ${last?.message ?? ''}`);
}

/** The address under which a port of the container can be reached from here. */
const address = (port) => `http://${container('port', name, String(port)).split('\n')[0].replace('0.0.0.0', '127.0.0.1')}`;

const health = () => container('inspect', '--format', '{{.State.Health.Status}}', name);

/** Starts a server, tries it, and stops it, which must take less time than the engine waits before it kills. */
async function withServer(args, check) {
  container('run', '--detach', '--name', name, ...args);
  try {
    await eventually('Health', () => health() === 'healthy');
    await check();
    container('stop', '--time', '10', name);
    const code = container('inspect', '--format', '{{.State.ExitCode}}', name);
    expect(code === '0', `It ended with exit code ${code} when it was told to stop.`);
  } catch (thrown) {
    throw new Error(`${thrown.message}\n${spawnSync(engine, ['logs', name], { encoding: 'utf8' }).stderr}`);
  } finally {
    spawnSync(engine, ['rm', '--force', name]);
  }
}

console.log(call(engine, ['--version']));
await step('build deploy/Dockerfile', () => container('build', '--file', 'deploy/Dockerfile', '--tag', 'ludus', '.'));
await step('build deploy/openenv/Dockerfile', () =>
  container('build', '--file', 'deploy/openenv/Dockerfile', '--tag', 'ludus-openenv', '.'),
);
for (const image of ['ludus', 'ludus-openenv'])
  console.log(`  ${image} has ${Math.round(Number(container('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6)} MB`);

for (const image of ['ludus', 'ludus-openenv'])
  await step(`${image} runs as a user who is not root and cannot write to its files`, () => {
    const attempt = 'console.log(process.getuid()); require("node:fs").writeFileSync("/ludus/dist/x", "")';
    const { status, stdout, stderr } = spawnSync(engine, ['run', '--rm', '--entrypoint', 'node', image, '-e', attempt], {
      encoding: 'utf8',
    });
    expect(stdout.trim() === '1000', `The user is ${stdout.trim()}.`);
    expect(status !== 0 && stderr.includes('EACCES'), 'It could write to /ludus.');
  });
await step('ludus play', () =>
  container('run', '--rm', ...confined, ...scratch, 'ludus', 'play', 'kuhn-poker', '--agents', 'random,random'),
);
await step('a volume keeps what was played', () => {
  const volume = ['--volume', `${name}:/home/node`];
  try {
    container(
      'run',
      '--rm',
      ...confined,
      ...volume,
      'ludus',
      'eval',
      'games-core',
      '--agents',
      'random',
      '--seeds',
      '1',
      '--run',
      'kept',
      '--yes',
    );
    expect(
      container('run', '--rm', ...confined, ...volume, 'ludus', 'list', 'runs').includes('kept'),
      'A second container did not find the run.',
    );
  } finally {
    spawnSync(engine, ['volume', 'rm', '--force', name]);
  }
});

/** A page as a browser sees it: redirects are followed, cookies are sent back, and names under localhost are this machine. */
function open(url, cookie = '') {
  const lookup = (_, { all }, done) => (all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4));
  return new Promise((resolve, reject) => {
    get(url, { lookup, headers: { cookie } }, async (answer) => {
      const cookies = [cookie, ...(answer.headers['set-cookie'] ?? []).map((text) => text.split(';')[0])].filter(Boolean).join('; ');
      if (answer.headers.location !== undefined) return resolve(open(new URL(answer.headers.location, url), cookies));
      const text = (await answer.setEncoding('utf8').toArray()).join('');
      resolve({ status: answer.statusCode, url, cookies, text });
    }).on('error', reject);
  });
}

const studioHealth = 'node -e "fetch(\'http://127.0.0.1:4747/health\').then(({ ok }) => process.exit(ok ? 0 : 1))"';
const studio = [...confined, ...scratch, '--publish', '127.0.0.1::4747', '--env', `LUDUS_TOKEN=${token}`, '--health-interval', '2s'];
await step('the studio opens', () =>
  withServer([...studio, '--health-cmd', studioHealth, 'ludus', 'studio', '--host', '0.0.0.0', '--no-open'], async () => {
    const at = address(4747);
    expect((await open(at)).status === 401, 'It opens without its token.');
    const page = await open(`${at}/?token=${token}`);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, file]) => file);
    expect(page.status === 200 && files.length > 0, `Its page answers ${page.status} and names ${files.length} files.`);
    for (const file of files) {
      const { status } = await open(new URL(file, page.url), page.cookies);
      expect(status === 200, `${file} answers ${status}.`);
    }
  }),
);

const openenv = [...confined, ...scratch, '--publish', '127.0.0.1::8000', '--env', `LUDUS_TOKEN=${token}`, 'ludus-openenv'];
await step('the OpenEnv server answers, with the health check of its image', () =>
  withServer(openenv, async () => {
    const at = `${address(8000)}/openenv/tic-tac-toe`;
    const post = async (path, body, headers = { authorization: `Bearer ${token}` }) => {
      const answer = await fetch(`${at}/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, value: await answer.json() };
    };
    expect((await post('reset', { seed: 1 }, {})).status === 401, 'It answers without its token.');
    const { status, value } = await post('reset', { seed: 1 });
    expect(status === 200 && value.observation.prompt.includes('board'), `reset answers ${status}: ${JSON.stringify(value)}`);
  }),
);

if (compose) {
  const env = { POSTGRES_PASSWORD: token, LUDUS_TOKEN: token, COMPOSE_PROJECT_NAME: name };
  const [program, ...first] = spawnSync(engine, ['compose', 'version']).status === 0 ? [engine, 'compose'] : ['docker-compose'];
  const files = [...first, '-f', 'deploy/compose.yaml'];
  const inRepository = { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' };
  const compose = (...args) => call(program, [...files, ...args], env);
  await step('deploy/compose.yaml: PostgreSQL, a server and two workers play a plan', async () => {
    try {
      compose('up', '--detach', '--scale', 'worker=2');
      await eventually('Health of the server', async () => (await fetch('http://127.0.0.1:8080/health')).ok);
      const plan = ['run', '--rm', '-T', 'ludus', 'run', '-', '--workers', '0', '--yes'];
      const { status, stderr } = spawnSync(program, [...files, ...plan], {
        ...inRepository,
        input: '{"environments":["kuhn-poker"],"seeds":20}',
      });
      expect(status === 0, `The plan was not played: ${stderr}`);
      expect(compose('run', '--rm', '-T', 'ludus', 'list', 'runs').includes('20'), 'The store does not list the run.');
    } catch (thrown) {
      throw new Error(`${thrown.message}\n${spawnSync(program, [...files, 'logs'], inRepository).stdout}`);
    } finally {
      compose('down', '--volumes');
    }
  });
}
console.log(failures === 0 ? 'Everything works.' : `${failures} steps failed.`);
process.exitCode = failures === 0 ? 0 : 1;
