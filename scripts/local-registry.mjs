/** @file A registry for tests of a release: serves the tarballs of a folder as the newest versions, and sends every other request to the real registry. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The package.json in a tarball that npm packed. */
export function manifestIn(bytes) {
  const tar = gunzipSync(bytes);
  for (let at = 0; at < tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('The tarball has no package/package.json.');
}

/** Starts the registry on a free port of this machine; `upstream` is the registry for packages that are not in the folder. */
export async function startRegistry(folder, upstream) {
  const packages = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
    const bytes = readFileSync(join(folder, file));
    packages.set(manifestIn(bytes).name, { file, bytes, manifest: manifestIn(bytes) });
  }
  const requests = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    requests.push(path);
    const tarball = [...packages.values()].find(({ file }) => path === `/-/tarballs/${file}`);
    const entry = packages.get(path.slice(1));
    if (tarball !== undefined) response.end(tarball.bytes);
    else if (entry !== undefined) {
      const { manifest, bytes, file } = entry;
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const tarballUrl = `http://127.0.0.1:${server.address().port}/-/tarballs/${file}`;
      const version = { ...manifest, dist: { tarball: tarballUrl, integrity } };
      const body = { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    } else response.writeHead(302, { location: new URL(request.url, upstream).href }).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    names: [...packages.keys()].sort(),
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
