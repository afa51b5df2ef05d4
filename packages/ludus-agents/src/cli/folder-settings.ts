/** @file The settings that a command takes from its folder: keys and the configuration. Their loaders are imported only if needed. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LudusConfig } from '@ludus-agents/agents/internal/workspace/config';
import type { Terminal } from './terminal.ts';

/** Loads the keys and returns the configuration of the folder, if the command uses them. */
export async function useFolderSettings(argv: readonly string[], terminal: Terminal): Promise<LudusConfig> {
  if (readsNoSettings(argv)) return {};
  await keysFor(terminal);
  return configFor(terminal);
}

/** Keys that were entered in the studio; their loader is imported only if there are any, because most commands call no model. */
async function keysFor(terminal: Terminal): Promise<void> {
  if (!existsSync(join(terminal.cwd, '.ludus', 'keys.json'))) return;
  const refused = (await import('@ludus-agents/agents/internal/workspace/keys')).loadKeys(terminal);
  if (refused !== null) terminal.stderr.write(`${refused}\n`);
}

/** Commands that inspect a folder or change its permissions: they execute nothing in it, so they also ignore its settings. */
const settingless = ['help', 'doctor', 'config allow', 'config tokens'];

function readsNoSettings(argv: readonly string[]): boolean {
  const [first = 'help', second] = argv.filter((word) => !word.startsWith('-'));
  return (
    argv.length === 0 ||
    settingless.includes(first) ||
    settingless.includes(`${first} ${second}`) ||
    argv.some((word) => /^(-h|--help|-V|--version)$/.test(word))
  );
}

/** The configuration of the folder; its loader is imported only if there is one. The user must approve a foreign folder once. */
async function configFor(terminal: Terminal): Promise<LudusConfig> {
  const { cwd } = terminal;
  const isThere = ['ts', 'mts', 'mjs', 'js', 'json'].some((ending) => existsSync(join(cwd, `ludus.config.${ending}`)));
  if (!isThere) return {};
  const { checkFolder, findConfig, folderTrust, trustFolder } = await import('@ludus-agents/store/internal/folder-trust');
  const file = findConfig(cwd) ?? 'The configuration';
  if (folderTrust(terminal) === null) {
    if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) checkFolder(terminal, file);
    const { refuseByDefault } = await import('./confirm.ts');
    const question = `${file} came with this folder. It can choose models and addresses, use your keys and run code. Trust it?`;
    if (!(await refuseByDefault(terminal, question))) checkFolder(terminal, file);
    trustFolder(terminal, 'add');
  }
  await import('@ludus-agents/servers/internal/kinds');
  return (await import('@ludus-agents/agents/internal/workspace/config')).useConfig(cwd);
}
