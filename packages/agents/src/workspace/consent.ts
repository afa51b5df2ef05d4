/**
 * @file What data may trigger. One function decides whether a file may be loaded as code, and one whether a spec may call an address, read
 * a file, or open tools. Data (imports, logs, plans and journals in a store) has no rights: it needs the user's consent.
 */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type AgentSpec, Fault, plainText } from '@ludus-agents/kernel/internal/core/index';
import { makeFolderSync, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { isInside } from '@ludus-agents/store/internal/files/portable-path';
import { nearbyFile } from '@ludus-agents/store/internal/files/read-failure';
import { homeFolder } from '@ludus-agents/store/internal/own-mark';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { formatCommand, splitCommand } from '../bot/command-words.ts';
import { isBot, reachOf } from '../bot/settings.ts';
import { nestedSpecs } from '../kind-rules.ts';
import { ggufFolders } from '../models/gguf-files.ts';
import type { ModelEndpoint } from '../models/kinds.ts';
import type { NameReach, Trust } from './trust.ts';

/**
 * The subject of a consent: the origin of a server, the real path of a file, a hub model, a toolbox by name, a bot command, or a variable
 * passed to it.
 */
export type Want = { readonly kind: 'address' | 'file' | 'hub' | 'tools' | 'command' | 'variable'; readonly what: string };

/** The real path of a file to load as code; throws a fault that explains how to allow it. */
export function checkCode(path: string, trust: Trust, place: WorkingFolder): string {
  const file = checkPath(path, 'code', trust, place);
  if (existsSync(file)) return file;
  const named = resolve(place.cwd, path);
  const similar = trust.isUser ? nearbyFile(named) : '';
  throw new Fault('input', `File not found: ${named}${similar}. Check the path. Built-in names are written without a folder.`, {
    code: 'E_UNREADABLE_FILE',
  });
}

/** The real path of a document to read, whether or not it exists; throws a fault that explains how to allow it. */
export function checkFile(path: string, trust: Trust, place: WorkingFolder): string {
  return checkPath(path, 'file', trust, place);
}

function checkPath(path: string, reach: 'code' | 'file', trust: Trust, { cwd, env }: WorkingFolder): string {
  const file = realOr(resolve(cwd, path));
  if (reaches(trust, reach, file, cwd) || consents({ env }).includes(file)) return file;
  // The sentence does not depend on the file: a caller without access does not learn whether it exists, or where a link leads.
  const why =
    trust.right(reach) === 'inside'
      ? `is outside the folder ${cwd}, and a ${trust.origin} loads files from inside it only`
      : 'is named by stored data, and stored data loads no files';
  throw new Fault('input', `The file ${path.slice(0, 200)} ${why}. If you trust it, run "ludus config allow ${path.slice(0, 200)}".`, {
    code: 'E_NOT_ALLOWED',
  });
}

function reaches(trust: Trust, reach: NameReach, file: string, cwd: string): boolean {
  const right = trust.right(reach);
  return right === 'yes' || (right === 'inside' && isInside(file, realOr(cwd)));
}

/** Throws if the origin of a model name may not call the address, download the model, or read the file in it. */
export function checkModel(name: string, trust: Trust, place: WorkingFolder): void {
  for (const want of wantsOfName(name)) checkWant(want, { trust, place, subject: `model "${plainText(name).slice(0, 80)}"` });
}

/** The same for an endpoint described by a file: its address, and the variable of its key. */
export function checkEndpoint(name: string, { url, key }: ModelEndpoint, trust: Trust, place: WorkingFolder): void {
  const wants: readonly Want[] = [
    { kind: 'address', what: originOf(url) },
    ...(key === undefined ? [] : [{ kind: 'variable', what: key } as const]),
  ];
  for (const want of wants) checkWant(want, { trust, place, subject: `model "${plainText(name).slice(0, 80)}"` });
}

/** Throws if a spec accesses resources that its origin may not access and the user has not allowed. */
export function checkSpec(spec: AgentSpec | string, trust: Trust, place: WorkingFolder): void {
  const name = plainText(typeof spec === 'string' ? spec : spec.name).slice(0, 80);
  const stored = trust.right('address') === 'no' ? 'stored ' : '';
  for (const want of wantsOf(spec)) checkWant(want, { trust, place, subject: `${stored}agent "${name}"` });
}

interface Subject {
  readonly trust: Trust;
  readonly place: WorkingFolder;
  /** The agent or model that requests access, for messages. */
  readonly subject: string;
}

function checkWant({ kind, what }: Want, { trust, place, subject }: Subject): void {
  const path = realOr(resolve(place.cwd, what));
  const isAllowed = kind === 'file' ? reachesFile(trust, what, path, place) : trust.right(reachOfKind[kind]) === 'yes';
  const wanted = kind === 'file' ? path : `${prefixes[kind]}${what}`;
  if (isAllowed || consents(place).includes(wanted)) return;
  // A remote caller does not learn where a link leads.
  const display = kind === 'file' && trust.right('model') === 'inside' ? what : wanted;
  const quoted = (/\s/.test(display) ? `'${display}'` : display).slice(0, 200);
  throw new Fault(
    'input',
    `The ${subject} wants to ${verbs[kind]} ${what.slice(0, 200)}. If you trust it, run "ludus config allow ${quoted}", or use another one.`,
    { code: 'E_NOT_ALLOWED' },
  );
}

const verbs = {
  address: 'call',
  file: 'read',
  hub: 'download',
  tools: 'use the tools',
  command: 'run',
  variable: 'be given the variable',
} as const;

const reachOfKind = { address: 'address', hub: 'address', tools: 'address', command: 'command', variable: 'variable' } as const;

/** Weights may also be in the default model folders; a program or a document is checked again when it is loaded. */
function reachesFile(trust: Trust, what: string, path: string, { cwd, env }: WorkingFolder): boolean {
  if (/\.([cm]?[jt]s|json)$/i.test(what)) return reaches(trust, 'file', path, cwd);
  const isInLibrary = /\.gguf$/i.test(path) && ggufFolders(env).some((folder) => isInside(path, realOr(folder)));
  return reaches(trust, 'model', path, cwd) || (trust.right('model') === 'inside' && isInLibrary);
}

/** The prefixes of consents other than files; a hub name already begins with hf:. */
const prefixes = { address: '', hub: '', tools: 'tools:', command: 'cmd:', variable: 'env:' } as const;

/** The user's own agent or model: a program or a document. */
const ownFile = /^(?:[a-z]:|\.{0,2})[\\/]|\.(?:[cm]?[jt]s|json)(?:#|$)/i;

/** The resources outside this process and the user's own settings that playing a spec would access. */
export function wantsOf(input: AgentSpec | string): readonly Want[] {
  const spec: Partial<AgentSpec> = typeof input === 'string' ? { kind: input } : input;
  if (isBot(spec)) return wantsOfBot(spec);
  return [...wantsOfOne(spec), ...nestedSpecs(spec).flatMap((item) => wantsOf(item))];
}

function wantsOfOne(spec: Partial<AgentSpec>): readonly Want[] {
  const wants: Want[] = [];
  const kind = plainText(spec.kind ?? '');
  // A single letter before the colon is a Windows drive.
  const colon = kind.indexOf(':');
  const rest = colon < 2 ? '' : kind.slice(colon + 1);
  for (const name of new Set([spec.model, rest === '' ? spec.kind : rest])) if (typeof name === 'string') wants.push(...wantsOfName(name));
  const { dream } = (spec.settings ?? {}) as { readonly dream?: { readonly from?: unknown } };
  if (typeof dream?.from === 'string' && ownFile.test(dream.from)) wants.push({ kind: 'file', what: dream.from.split('#', 1)[0]! });
  for (const tools of Array.isArray(spec.tools) ? spec.tools : []) wants.push({ kind: 'tools', what: plainText(tools) });
  return wants;
}

/**
 * The resources that the name of a model or an agent accesses. An address counts anywhere in the name (tinker:http://…) and in any
 * spelling: for the URL parser "ws:host" and a scheme with a line break in it are addresses too.
 */
function wantsOfName(name: string): readonly Want[] {
  const plain = name.replace(/^gguf[:/]/i, '');
  // A model may have adapters: BASE.gguf+ADAPTER.gguf.
  return plain.split(/(?<=\.gguf(?:#sha256=\w{1,64})?)\+/i).flatMap((part): readonly Want[] => {
    const [address] = /(?:https?|wss?):.*/i.exec(part.replace(/[\t\r\n]/g, '')) ?? [];
    if (address !== undefined) return [{ kind: 'address', what: originOf(address) }];
    if (/^hf:/i.test(part)) return [{ kind: 'hub', what: part }];
    const isFile = ownFile.test(part) || /\.gguf(?:#|$)/i.test(part) || (plain !== name && /[\\/]/.test(part));
    return isFile ? [{ kind: 'file', what: part.split('#', 1)[0]! }] : [];
  });
}

function wantsOfBot(spec: Partial<AgentSpec>): readonly Want[] {
  const { addresses, files, commands, variables } = reachOf(spec);
  return [
    ...[...new Set(addresses.map((address) => originOf(address)))].map((what) => ({ kind: 'address', what }) as const),
    ...files.map((what) => ({ kind: 'file', what: what.split('#', 1)[0]! }) as const),
    ...commands.map((what) => ({ kind: 'command', what }) as const),
    ...variables.map((what) => ({ kind: 'variable', what }) as const),
  ];
}

/** The consents on this machine. The list is in the user's own settings, so that no folder or import can provide its own. */
export function consents(place: Pick<WorkingFolder, 'env'>): readonly string[] {
  const file = consentFile(place);
  if (!existsSync(file)) return [];
  try {
    const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

/** Allows a file, an address, `hf:NAME`, `tools:NAME`, `cmd:COMMAND`, or `env:NAME`, or revokes it; returns its entry in the list. */
export function changeConsent(typed: string, change: 'add' | 'remove', place: WorkingFolder): string {
  const what = /^(https?|wss?):\/\//i.test(typed)
    ? originOf(typed)
    : /^(hf|tools|env):/.test(typed)
      ? typed
      : typed.startsWith(prefixes.command)
        ? `${prefixes.command}${formatCommand(splitCommand(typed.slice(prefixes.command.length)))}`
        : realOr(resolve(place.cwd, typed));
  if (change === 'add' && isAbsolute(what) && !existsSync(what))
    throw new Fault(
      'input',
      `File not found: ${what}. You can allow a file, an address such as http://localhost:8000, hf:NAME, tools:NAME, cmd:COMMAND, or env:NAME.`,
      { code: 'E_UNREADABLE_FILE' },
    );
  const others = consents(place).filter((item) => item !== what);
  const file = consentFile(place);
  makeFolderSync(dirname(file), 0o700);
  writeFileAtomicSync(file, `${JSON.stringify(change === 'add' ? [...others, what] : others, null, 2)}\n`, { mode: 0o600 });
  return what;
}

function consentFile(place: Pick<WorkingFolder, 'env'>): string {
  return join(homeFolder(place), 'allowed.json');
}

function originOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
