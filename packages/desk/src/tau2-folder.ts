/** @file A domain of τ²-bench from its folder, as cases of desks. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Fault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { parse } from 'smol-toml';
import { readText } from './desks.ts';
import { banking, readTau2Domain, type Tau2Cases } from './environment/tau2.ts';

export interface Tau2Folder {
  readonly domain?: string | undefined;
  /** Only the tasks of this list of split_tasks.json. */
  readonly split?: string | undefined;
}

const bankingPolicy = join('prompts', 'components', 'policy_header.md');
const files: Readonly<Record<string, readonly string[]>> = {
  telecom: ['tasks.json', 'main_policy.md', 'db.toml', 'user_db.toml'],
  [banking]: ['tasks.json', 'db.json', 'documents', bankingPolicy],
};

export function loadTau2Domain(path: string, cwd: string, { domain = basename(resolve(cwd, path)), split }: Tau2Folder = {}): Tau2Cases {
  const folder = resolve(cwd, path);
  const has = (file: string) => existsSync(join(folder, file));
  const needed = files[domain] ?? ['tasks.json', 'policy.md', 'db.json'];
  const missing = needed.filter((file) => !has(file));
  if (missing.length > 0)
    throw new Fault('input', `${path} has no ${missing.join(' and no ')}. Use a folder such as tau2-bench/data/tau2/domains/retail.`);
  const text = (file: string) => readText(join(folder, file));
  const json = (file: string) => jsonFrom(text(file), file) as Json;
  const tasks = tasksOf(json('tasks.json'), has('split_tasks.json') ? json('split_tasks.json') : null, split);
  if (domain === banking) {
    const names = readdirSync(join(folder, 'documents')).filter((name) => name.endsWith('.json'));
    const documents = names.sort().map((name) => json(join('documents', name)));
    return readTau2Domain({ domain, policy: text(bankingPolicy), database: json('db.json'), tasks, documents });
  }
  if (domain !== 'telecom') return readTau2Domain({ domain, policy: text('policy.md'), database: json('db.json'), tasks });
  const manual = has('tech_support_manual.md') ? text('tech_support_manual.md') : '';
  const policy = `<main_policy>\n${text('main_policy.md')}\n</main_policy>\n<tech_support_policy>\n${manual}\n</tech_support_policy>`;
  return readTau2Domain({
    domain,
    policy,
    tasks,
    database: toml(text('db.toml'), 'db.toml'),
    phone: toml(text('user_db.toml'), 'user_db.toml'),
  });
}

/** The tasks of a list of split_tasks.json. A release with many more tasks than its benchmark defines the list "base". */
function tasksOf(all: Json, splits: Json, split: string | undefined): Json {
  const name = split ?? 'base';
  if (!isObject(splits) || !Array.isArray(splits[name])) {
    if (split === undefined) return all;
    const text = isObject(splits) ? Object.keys(splits).join(', ') : 'none';
    throw new Fault('input', `--split ${split}: split_tasks.json has no such split. Available: ${text}.`, { code: 'E_UNKNOWN_NAME' });
  }
  const ids = new Set((splits[name] as readonly Json[]).map(String));
  return (Array.isArray(all) ? (all as readonly Json[]) : []).filter((task) => isObject(task) && ids.has(String(task['id'])));
}

function toml(text: string, file: string): JsonObject {
  try {
    return JSON.parse(JSON.stringify(parse(text))) as JsonObject;
  } catch (thrown) {
    throw new Fault('input', `${file} is not valid TOML: ${sentenceOf(thrown)}`, { code: 'E_INVALID_DOCUMENT' });
  }
}
