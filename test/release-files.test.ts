/** @file Files that other machines read are well formed and name what there is: workflows, the action, containers, project files, manifests. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commands } from '../packages/ludus-agents/src/cli/catalog.ts';
import { publishOrder } from '../scripts/publish.mjs';
import { filesWithVersion, readChangeset, withChange } from '../scripts/version.mjs';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: documents of any shape are looked into.
const yaml = (file: string): any => parse(read(file), { merge: true });
const { scripts, version } = JSON.parse(read('package.json'));
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly shell?: string;
}

describe('workflows', () => {
  it.each(workflows)('%s has a trigger, permissions, and jobs whose steps run or use something', (file) => {
    const { name, on, permissions, jobs } = yaml(file);
    expect([typeof name, typeof on, permissions]).toEqual(['string', 'object', { contents: 'read' }]);
    for (const job of Object.values<{ 'runs-on': string; steps: readonly Step[] }>(jobs)) {
      expect(job['runs-on']).toEqual(expect.any(String));
      for (const { run, uses } of job.steps) {
        expect((run === undefined) !== (uses === undefined)).toBe(true);
        if (uses !== undefined) expect(uses).toMatch(/^[\w.-]+\/[\w./-]+@[\w./-]+$/);
      }
    }
  });

  it.each(workflows)('%s runs only existing scripts and files', (file) => {
    const text = read(file);
    for (const [, name] of text.matchAll(/npm run ([\w:-]+)(?! --if-present)(?=\s|$)/gm))
      if (!text.includes(`npm run ${name} --if-present`)) expect(Object.keys(scripts)).toContain(name);
    for (const [, path] of text.matchAll(/node (scripts\/[\w.-]+)/g)) expect(existsSync(join(root, path!)), path).toBe(true);
    // Text of a pull request must not become a part of a script.
    expect(text).not.toMatch(/run:.*\$\{\{ *github\.(event|head_ref)/);
  });

  it('check packages and files against published schemas before a merge and a release', () => {
    const { static: merge } = yaml('.github/workflows/check.yml').jobs;
    const { publish } = yaml('.github/workflows/release.yml').jobs;
    for (const { steps } of [merge, publish]) {
      const lines = (steps as readonly Step[]).map(({ run }) => run);
      expect(lines).toEqual(expect.arrayContaining(['npm run pack', 'npm run check:packages', 'npm run check:files']));
    }
  });

  it('cover the promised platforms and versions of Node', () => {
    const { test, install } = yaml('.github/workflows/check.yml').jobs;
    for (const { strategy } of [test, install]) {
      expect(strategy.matrix.os.map((name: string) => name.split('-')[0])).toEqual(['ubuntu', 'ubuntu', 'macos', 'windows']);
      expect(strategy.matrix.node).toEqual([22, 24, 'latest']);
    }
    const { publish } = yaml('.github/workflows/release.yml').jobs;
    expect(publish.permissions['id-token']).toBe('write');
    expect(JSON.stringify(publish.steps)).toContain('--provenance');
  });

  it('in deploy/ci provide the same gate for other systems', () => {
    expect(yaml('deploy/ci/gitlab.yml')['bot-gate'].artifacts.reports.junit).toBe('gate.xml');
    expect(yaml('deploy/ci/github-action.yml').jobs.gate.steps.length).toBeGreaterThan(5);
  });
});

describe('action.yml', () => {
  const { inputs, runs } = yaml('action.yml');

  it('is a composite action with inputs that are described and used', () => {
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(['desk', 'agents', 'fail-under']));
    expect(runs.using).toBe('composite');
    for (const [name, { description }] of Object.entries<{ description: string }>(inputs)) {
      expect(description.length).toBeGreaterThan(10);
      expect(JSON.stringify(runs)).toContain(`inputs.${name} `);
    }
  });

  it('passes inputs as variables, never as script text, and its scripts parse', () => {
    for (const { run, shell } of runs.steps as readonly Step[]) {
      if (run === undefined) continue;
      expect([run.includes('${{'), shell]).toEqual([false, 'bash']);
      expect(spawnSync('bash', ['-n', '-c', run]).status).toBe(0);
    }
  });
});

describe('containers', () => {
  it.each(['deploy/Dockerfile', 'deploy/openenv/Dockerfile'])('%s ends as an unprivileged user with an existing entry point', (file) => {
    const last = read(file)
      .split(/^FROM /m)
      .at(-1)!;
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^ENTRYPOINT \["node", "\/ludus\/dist\/node_modules\/ludus-agents\/bin\/ludus\.js"/m);
    expect(existsSync(join(root, 'packages/ludus-agents/bin/ludus.js'))).toBe(true);
  });

  it('of compose.yaml have a read-only root, no capabilities, a health check, and existing commands', () => {
    const { services } = yaml('deploy/compose.yaml');
    for (const name of ['server', 'worker']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], healthcheck: { test: expect.any(Array) } });
      expect(Object.keys(commands)).toContain(services[name].command[0]);
    }
  });

  it('of kubernetes.yaml have a read-only root, no capabilities, and existing commands', () => {
    const documents = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS());
    for (const { apiVersion, kind, metadata } of documents) expect([apiVersion, kind, metadata.name].every(Boolean)).toBe(true);
    const { spec } = documents.find(({ kind }) => kind === 'Deployment').spec.template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    for (const { args, livenessProbe, readinessProbe, securityContext, resources, volumeMounts } of spec.containers) {
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
      expect([livenessProbe, readinessProbe, resources.limits.memory].every(Boolean)).toBe(true);
      expect(Object.keys(commands)).toContain(args[0]);
      for (const { name } of volumeMounts) expect(spec.volumes.map((volume: { name: string }) => volume.name)).toContain(name);
    }
  });
});

describe('Python packages', () => {
  const built = /for folder in ([^;]+);/.exec(read('.github/workflows/release.yml'))![1]!.split(' ');

  it('are all built for a release', () => {
    const folders = readdirSync(join(root, 'python')).filter((name) => existsSync(join(root, 'python', name, 'pyproject.toml')));
    expect(built).toEqual(folders.map((name) => `python/${name}`));
  });

  it.each(built)('%s has the shared version, a README, a license, its module, and existing commands', (folder) => {
    const settings = read(`${folder}/pyproject.toml`);
    expect(settings).toContain(`\nversion = "${version}"\n`);
    expect(read(`${folder}/${folder.split('/')[1]}/__init__.py`)).toContain(`__version__ = "${version}"`);
    expect(read(`${folder}/README.md`).length).toBeGreaterThan(300);
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'));
    for (const [, module, name] of settings.matchAll(/^[\w-]+ = "([\w.]+):(\w+)"$/gm))
      expect(read(`${folder}/${module!.replaceAll('.', '/')}.py`)).toContain(`def ${name}(`);
  });
});

describe('project files', () => {
  it('exist and agree on the version', () => {
    for (const file of ['CODE_OF_CONDUCT.md', 'SUPPORT.md', 'AGENTS.md', 'llms.txt', '.github/pull_request_template.md'])
      expect(existsSync(join(root, file)), file).toBe(true);
    expect(yaml('CITATION.cff')).toMatchObject({ 'cff-version': '1.2.0', version });
    for (const name of ['bug.yml', 'feature.yml']) expect(yaml(`.github/ISSUE_TEMPLATE/${name}`).body.length).toBeGreaterThan(1);
    expect(JSON.parse(read('.devcontainer/devcontainer.json')).postCreateCommand).toBe('npm ci');
  });

  it('list every line that the version script updates', () => {
    const lines = [...filesWithVersion()].map(([file, line]) => [file, line.exec(read(file))?.[0]]);
    expect(lines.map(([file]) => file)).toEqual(
      expect.arrayContaining(['package.json', 'CITATION.cff', 'python/ludus_gpu/pyproject.toml']),
    );
    for (const [, line] of lines) expect(line).toContain(version);
  });

  it.each(['AGENTS.md', 'SUPPORT.md', 'llms.txt', 'test/README.md', 'docs/explanation/stability.md'])(
    '%s links only to existing files',
    (file) => {
      for (const [, target] of read(file).matchAll(/\]\(([^)#:\s]+)\)/g))
        expect(existsSync(join(root, file, '..', target!)), `${file} → ${target}`).toBe(true);
    },
  );
});

describe('manifests', () => {
  const manifests = readdirSync(join(root, 'packages'))
    .map((name) => ({ folder: `packages/${name}`, ...JSON.parse(read(`packages/${name}/package.json`)) }))
    .filter((manifest) => manifest.private !== true);

  it.each(manifests)('$name names its source and has a changelog for its version', ({ folder, ...manifest }) => {
    expect(manifest).toMatchObject({
      version,
      license: 'MIT',
      type: 'module',
      publishConfig: { access: 'public' },
      bugs: { url: expect.any(String) },
    });
    expect(manifest.repository).toMatchObject({ type: 'git', directory: folder });
    expect(manifest.keywords.length).toBeGreaterThan(2);
    expect(read(`${folder}/CHANGELOG.md`)).toContain(`## ${version}`);
    expect(manifest.optionalDependencies).toBeUndefined();
  });

  it('are published in dependency order', () => {
    const order = publishOrder(manifests).map(({ name }) => name);
    for (const { name, dependencies = {} } of manifests)
      for (const other of Object.keys(dependencies).filter((item) => order.includes(item)))
        expect(order.indexOf(other), `${other} before ${name}`).toBeLessThan(order.indexOf(name));
    expect(() =>
      publishOrder([
        { name: 'a', dependencies: { b: '1' } },
        { name: 'b', dependencies: { a: '1' } },
      ]),
    ).toThrow('Circular');
  });
});

describe('changesets before a release', () => {
  it('are read with their packages', () => {
    const text = '---\n"ludus-agents": minor\n"create-ludus-agents": patch\n---\n\nOne sentence.\n';
    const packages = [
      ['ludus-agents', 'minor'],
      ['create-ludus-agents', 'patch'],
    ];
    expect(readChangeset(text)).toEqual({ sentence: 'One sentence.', packages });
  });

  it('are added to the newest version, in a section for their size', () => {
    const before = '# a\n\n## 0.2.0\n\n### Minor Changes\n\n- First.\n';
    const older = '\n## 0.1.0\n\n### Minor Changes\n\n- Old.\n';
    expect(withChange(before, 'minor', 'Second.')).toBe(`${before}- Second.\n`);
    expect(withChange(`${before}${older}`, 'patch', 'Fix.')).toBe(`${before}\n### Patch Changes\n\n- Fix.\n${older}`);
  });
});
