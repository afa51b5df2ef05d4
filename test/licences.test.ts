/** @file Every package that is installed with Ludus has a licence that allows it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, runtimePackages } from '../scripts/runtime-packages.mjs';

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly extraneous?: boolean;
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

const allowed = /^(MIT|Apache-2\.0|BSD-[23]-Clause|ISC|0BSD|BlueOak-1\.0\.0|CC0-1\.0)$/;

/** An expression is allowed if one of its alternatives is. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((item) => item.split(' AND ').every((part) => allowed.test(part.trim())));
}

it('finds an allowed license for every runtime dependency', () => {
  const runtime = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
  );
  expect(runtime.length).toBeGreaterThan(10);
  expect(runtime.filter(([, { license = 'none' }]) => !isAllowed(license)).map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

it('covers all dependencies of the packages', () => {
  const names = new Set(runtimePackages().map(({ name }) => name));
  const declared = readdirSync(join(root, 'packages')).flatMap((name) => {
    const { dependencies = {}, private: isPrivate = false } = JSON.parse(
      readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
    );
    return isPrivate ? [] : Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@ludus-agents/'));
  });
  expect(declared.length).toBeGreaterThan(10);
  expect(declared.filter((name) => !names.has(name))).toEqual([]);
});

it('rejects licenses that are not allowed', () => {
  for (const licence of ['GPL-3.0', 'MPL-2.0', 'none', 'MIT AND GPL-2.0', '']) expect(isAllowed(licence)).toBe(false);
  for (const licence of ['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0 AND MIT']) expect(isAllowed(licence)).toBe(true);
});
