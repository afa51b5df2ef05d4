/** @file `config`, `models` and `doctor`: keys, tokens, permissions, models and the installation. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { curatedModels, type ModelTest, memoryOf, pullModel, reachable, testModel } from '@ludus-agents/agents/internal/models/index';
import { originOf } from '@ludus-agents/agents/internal/models/key-origins';
import { runtimes } from '@ludus-agents/agents/internal/runtimes/runtimes';
import { type InstalledRuntime, setupRuntime } from '@ludus-agents/agents/internal/runtimes/setup-runtime';
import { findUnusedLibraries, removeUnusedLibraries, type UnusedLibrary } from '@ludus-agents/agents/internal/runtimes/unused-libraries';
import { changeConsent, consents } from '@ludus-agents/agents/internal/workspace/consent';
import { type KeyState, keyStates, saveKey } from '@ludus-agents/agents/internal/workspace/keys';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { type AccessScope, scopes } from '@ludus-agents/servers/internal/access';
import { auditFile, openAuditLog } from '@ludus-agents/servers/internal/audit-log';
import type { TokenRecord } from '@ludus-agents/servers/internal/tokens';
import { createToken, isOurs, readTokens, revokeToken, rotateToken, tokensFile } from '@ludus-agents/servers/internal/tokens';
import { trustedFolders, trustFolder } from '@ludus-agents/store/internal/folder-trust';
import { type DoctorLine, type DoctorOptions, examine, folderOfPackage } from '../doctor.ts';
import { type CallOptions, type CallPlace, placeOf } from './refs.ts';

/** The options of `config.keys`: nothing to list keys, or a key to save or remove. */
export interface KeysRequest extends CallOptions {
  /** A variable such as OPENAI_API_KEY, or the address of a server. */
  readonly name?: string | undefined;
  /** The key to save; null removes it. */
  readonly key?: string | null | undefined;
}

/** Saves or removes an API key, and lists all keys by name, never by value. */
export async function keys(request: KeysRequest = {}, place: CallPlace = placeOf(request)): Promise<readonly KeyState[]> {
  const { name, key } = request;
  if (key !== undefined && name === undefined) throw new Fault('input', 'name: expected the name of the key, such as OPENAI_API_KEY.');
  // An address with a path is reduced to its origin.
  if (name !== undefined && key !== undefined) saveKey(place, originOf(name) ?? name, key);
  return keyStates(place);
}

/** The options of `config.allow`: nothing to list what is allowed, or something to allow. */
export interface AllowRequest extends CallOptions {
  /** A folder, whose settings are trusted; or a file, address or toolbox that stored data may use. */
  readonly what?: string | undefined;
  /** Revoke the permission. */
  readonly remove?: boolean | undefined;
}

/** The permissions on this machine, and the changes made by this call. */
export interface Allowed {
  readonly allowed: readonly string[];
  readonly changed: string | null;
}

/** Allows a folder, file, address or toolbox, and lists what is allowed. */
export async function allow(request: AllowRequest = {}, place: CallPlace = placeOf(request)): Promise<Allowed> {
  const { what, remove = false } = request;
  if (what === undefined && remove)
    throw new Fault('input', 'Pass the permission to revoke. Run "ludus config allow" to list permissions.', { code: 'E_MISSING_OPTION' });
  const changed = what === undefined ? null : changeAllowed(what, remove ? 'remove' : 'add', place);
  return { allowed: [...consents(place), ...Object.keys(trustedFolders(place))], changed };
}

function changeAllowed(what: string, change: 'add' | 'remove', place: CallPlace): string {
  const path = resolve(place.cwd, what);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true || Object.hasOwn(trustedFolders(place), path);
  return isFolder ? trustFolder({ cwd: path, env: place.env }, change) : changeConsent(what, change, place);
}

/** A token without its hash. */
export type VisibleToken = Omit<TokenRecord, 'hash' | 'mark'>;

/** A token that was just created, with the secret that is shown once. */
export type NewAccessToken = VisibleToken & { readonly token: string };

/** The options of `config.tokens.create`. */
export interface TokenCreateRequest extends CallOptions {
  readonly scopes: readonly string[];
  /** Milliseconds until it expires; null for never. */
  readonly lifetime: number | null;
  readonly name?: string | undefined;
}

/** Creates an access token for servers of this folder. */
export async function createAccess(request: TokenCreateRequest, place: CallPlace = placeOf(request)): Promise<NewAccessToken> {
  const wanted = request.scopes.map((name): AccessScope => {
    const scope = scopes.find((item) => item === name);
    if (scope === undefined) throw new Fault('input', `--scope: expected ${scopes.join(', ')}, separated by commas, got "${name}".`);
    return scope;
  });
  const { lifetime, name = '' } = request;
  const { record, token } = createToken(tokensFile(place.cwd), { scopes: wanted, lifetime, name: name.slice(0, 80) }, Date.now());
  return { ...noteChange('token create', record, place), token };
}

/** What `config.tokens.revoke` and `rotate` take. */
export interface TokenRequest extends CallOptions {
  readonly id: string;
}

/** Revokes a token. */
export async function revokeAccess(request: TokenRequest, place: CallPlace = placeOf(request)): Promise<VisibleToken> {
  return noteChange('token revoke', revokeToken(tokensFile(place.cwd), request.id, Date.now()), place);
}

/** Replaces a token by one with the same rights. */
export async function rotateAccess(request: TokenRequest, place: CallPlace = placeOf(request)): Promise<NewAccessToken> {
  const { record, token } = rotateToken(tokensFile(place.cwd), request.id, Date.now());
  return { ...noteChange('token rotate', record, place), token };
}

/** Lists the access tokens of the folder, each with its state: valid, expired, revoked, or foreign. */
export async function listAccess(
  request: CallOptions = {},
  place: CallPlace = placeOf(request),
): Promise<readonly (VisibleToken & { readonly state: string })[]> {
  const file = tokensFile(place.cwd);
  return readTokens(file).map((record) => {
    const { hash: _, mark: __, ...rest } = record;
    return { ...rest, state: isOurs(file, record) ? stateOf(record, Date.now()) : 'foreign' };
  });
}

function stateOf({ expires, revoked }: VisibleToken, now: number): string {
  if (revoked !== null) return 'revoked';
  return expires !== null && expires <= now ? 'expired' : 'valid';
}

/** Records a change in the audit log. */
function noteChange(did: string, { hash: _, mark: __, ...record }: TokenRecord, { cwd }: CallPlace): VisibleToken {
  const log = openAuditLog(auditFile(cwd));
  log.write({ who: 'owner', address: 'command line', did, path: `${record.id} ${record.scopes.join(',')}`, status: 200 });
  log.close();
  return record;
}

/** The options of `models`. */
export interface ModelsRequest extends CallOptions {
  /** Models to test; by default, all that are reachable. */
  readonly names?: readonly string[] | undefined;
}

/** A model or model provider, whether it answers, and its price. */
export type ReachableModel = Awaited<ReturnType<typeof reachable>>[number];

/** Lists the models that can be called from here, with a test and the price of each. */
export async function models(request: ModelsRequest = {}, place: CallPlace = placeOf(request)): Promise<readonly ReachableModel[]> {
  const { names, signal = new AbortController().signal } = request;
  return reachable(names, { env: place.env, cwd: place.cwd, signal });
}

/** The options of `models.test`. */
export interface ModelTestRequest extends CallOptions {
  readonly names: readonly string[];
}

/** Tests what models can do: latency, speed, context, enforced choices and schemas, log probabilities. */
export async function test(request: ModelTestRequest, place: CallPlace = placeOf(request)): Promise<readonly ModelTest[]> {
  const { names, signal = new AbortController().signal } = request;
  if (names.length === 0) throw new Fault('input', '"ludus models test" needs the name of a model, such as ollama/qwen3:0.6b.');
  const results: ModelTest[] = [];
  // Sequentially, because parallel tests would slow each other down.
  for (const name of names) results.push(await testModel(name, { env: place.env, signal }));
  return results;
}

/** The options of `models.pull`. */
export interface ModelPullRequest extends CallOptions {
  /** A short name, or hf:user/repo:QUANTIZATION. */
  readonly name: string;
  readonly onProgress?: ((bytes: number, of: number | null) => void) | undefined;
}

/** Downloads a small model, resumes where a download stopped, and makes it the default model. */
export async function pull(request: ModelPullRequest, place: CallPlace = placeOf(request)): ReturnType<typeof pullModel> {
  const { name, signal = new AbortController().signal, onProgress = () => {} } = request;
  return pullModel(name, { env: place.env, signal, onProgress });
}

/** The models with a short name, with their size and required memory. */
export function pullable() {
  return Object.entries(curatedModels).map(([name, model]) => ({ name, ...model, memory: memoryOf(model) }));
}

/** The options of `models.setup`. */
export interface ModelSetupRequest extends CallOptions {
  /** An optional runtime: llama, onnx, or minilm. */
  readonly name: string;
}

/** Installs a runtime for models. */
export async function setup(request: ModelSetupRequest, place: CallPlace = placeOf(request)): Promise<InstalledRuntime> {
  const { name, signal } = request;
  // The name is checked first: an unknown one is answered with the runtimes that exist.
  return setupRuntime(name, { env: place.env, ...(signal !== undefined && Object.hasOwn(runtimes, name) && { signal }) });
}

/** The options of `doctor`. */
export interface DoctorRequest extends DoctorOptions, CallOptions {}

/** Checks the installation, the folder and the store. */
export async function doctor(request: DoctorRequest = {}, place: CallPlace = placeOf(request)): Promise<readonly DoctorLine[]> {
  const { cwd: _, signal: __, ...options } = request;
  return examine(place, options);
}

const trimmed = 'onnxruntime-node';

/** The options of `doctor.trim`. */
export interface TrimRequest extends CallOptions {
  /** The folder of the runtime; the one that Ludus loads by default. */
  readonly folder?: string | undefined;
  /** Called before anything is removed; nothing is removed without it. */
  readonly confirm?: ((folder: string, libraries: readonly UnusedLibrary[]) => Promise<boolean>) | undefined;
}

/** Libraries for other platforms: removed ones, and ones that could not be removed. */
export interface Trimmed {
  /** Null if the runtime is not installed. */
  readonly folder: string | null;
  readonly unused: readonly UnusedLibrary[];
  readonly removed: readonly UnusedLibrary[];
  readonly refused: ReturnType<typeof removeUnusedLibraries>;
}

/** Finds installed libraries that are never loaded on this machine, and removes them if `confirm` agrees. */
export async function trim(request: TrimRequest = {}, place: CallPlace = placeOf(request)): Promise<Trimmed> {
  const folder = folderToTrim(request.folder, place);
  const unused = folder === null ? [] : findUnusedLibraries(folder);
  const isWanted = folder !== null && unused.length > 0 && (await request.confirm?.(folder, unused)) === true;
  if (!isWanted) return { folder, unused, removed: [], refused: [] };
  const refused = removeUnusedLibraries(folder, unused);
  return { folder, unused, removed: unused.filter(({ path }) => !refused.some((item) => item.path === path)), refused };
}

/** The real folder, so the displayed path is the one that is changed. */
function folderToTrim(input: string | undefined, place: CallPlace): string | null {
  const folder = input === undefined ? folderOfPackage(trimmed, place) : resolve(place.cwd, input);
  if (folder === undefined) return null;
  if (input === undefined || (existsSync(join(folder, 'package.json')) && basename(folder) === trimmed)) return realpathSync(folder);
  throw new Fault(
    'input',
    `${trimmed} is not a folder of ${folder}: it has no package.json. Without a folder, the package that Ludus loads is used.`,
  );
}
