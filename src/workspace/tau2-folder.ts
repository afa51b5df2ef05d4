/** @file A domain of τ²-bench from its folder, as cases of desks. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Fault, type Json } from '../core/index.ts';
import { jsonFrom } from '../core/outside.ts';
import { readTau2Domain, type Tau2Cases } from '../environments/desk/tau2.ts';
import { readText } from './desks.ts';

export function loadTau2Domain(path: string, cwd: string, domain = basename(resolve(cwd, path))): Tau2Cases {
  const folder = resolve(cwd, path);
  const missing = ['tasks.json', 'policy.md', 'db.json'].filter((file) => !existsSync(join(folder, file)));
  if (domain !== 'telecom' && missing.length > 0)
    throw new Fault('input', `${path} has no ${missing.join(' and no ')}; name a folder such as tau2-bench/data/tau2/domains/retail.`);
  const json = (file: string) => (existsSync(join(folder, file)) ? (jsonFrom(readText(join(folder, file)), file) as Json) : null);
  const policy = existsSync(join(folder, 'policy.md')) ? readText(join(folder, 'policy.md')) : '';
  return readTau2Domain({ domain, policy, database: json('db.json'), tasks: json('tasks.json') });
}
