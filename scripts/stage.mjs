/**
 * @file What users install, made from what was compiled: one folder for each package below dist/node_modules, as npm would lay them out. In the repository the entries of
 * a package are its sources; here they are what was built of them.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Documents and programs of the repository that come with the package on top. */
const documents = ['docs', 'SPEC.md', 'SECURITY.md', 'ARCHITECTURE.md', 'python/ludus_gpu', 'deploy/openenv/ludus_trl.py'];

/** "./src/x.ts" is "./dist/x.js" there, with its types before it. */
function builtEntry(entry) {
  const path = /^\.\/src\/(.*)\.ts$/.exec(entry)?.[1];
  return path === undefined ? entry : { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` };
}

/** Lays out every package that is published; `compiled` has one folder for each of them. */
export function stage(root, compiled, dist) {
  const names = [];
  for (const folder of readdirSync(join(root, 'packages'))) {
    const home = join(root, 'packages', folder);
    const { scripts: _, devDependencies: __, ...settings } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    if (settings.private === true) continue;
    const to = join(dist, 'node_modules', settings.name);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(dirname(to), { recursive: true });
    mkdirSync(to);
    renameSync(join(compiled, folder, 'src'), join(to, 'dist'));
    const exports = Object.fromEntries(Object.entries(settings.exports).map(([name, entry]) => [name, builtEntry(entry)]));
    writeFileSync(join(to, 'package.json'), `${JSON.stringify({ ...settings, exports }, null, 2)}\n`);
    const extra = settings.files.filter((name) => name !== 'dist' && existsSync(join(home, name)));
    for (const name of ['README.md', ...extra]) cpSync(join(home, name), join(to, name), { recursive: true });
    cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
    if (settings.name === 'ludus-agents')
      for (const name of documents)
        cpSync(join(root, name), join(to, name), {
          recursive: true,
          filter: (path) => !/__pycache__|\.egg-info|python\/ludus_gpu\/tests|\.vitepress|\[/.test(path),
        });
    names.push(settings.name);
  }
  rmSync(compiled, { recursive: true, force: true });
  return names;
}
