/**
 * @file Names of the model hub: `hf:user/repo:QUANT` and `hf:user/repo/file.gguf`. The hub is huggingface.co, or the mirror at HF_ENDPOINT;
 * a token in HF_TOKEN is sent there and nowhere else.
 */

import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { fieldsOf } from './openai.wire.ts';

type EnvVars = Readonly<Record<string, string | undefined>>;

/** A file to download. */
export interface HubFile {
  readonly url: string;
  /** The sha256 of its bytes, if the hub reports it. */
  readonly sha256?: string | undefined;
}

function hubAddress(env: EnvVars): string {
  const written = (env['HF_ENDPOINT'] || 'https://huggingface.co').replace(linear(/\/+$/), '');
  const url = URL.parse(written);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    throw new Fault('input', 'HF_ENDPOINT must be a URL such as https://hf-mirror.example, without a user or password.');
  return written;
}

/** The headers of a request to the hub; requests to other servers get none. */
export function hubHeaders(url: string, env: EnvVars): Record<string, string> {
  const token = env['HF_TOKEN']?.trim();
  return token && new URL(url).origin === new URL(hubAddress(env)).origin ? { authorization: `Bearer ${token}` } : {};
}

export function fileAddress(repo: string, file: string, env: EnvVars): string {
  return `${hubAddress(env)}/${repo}/resolve/main/${file.split('/').map(encodeURIComponent).join('/')}`;
}

const whole = /^hf:([\w.-]+\/[\w.-]+)\/(.+\.gguf)$/i;
const tagged = /^hf:([\w.-]+\/[\w.-]+)(?::([\w.-]+))?$/i;

export function isHubName(name: string): boolean {
  return name.startsWith('hf:');
}

/** Resolves a hub name to a file. A quantization is looked up, because each repository names its files differently. */
export async function hubFile(name: string, env: EnvVars, signal?: AbortSignal): Promise<HubFile> {
  const [, ownRepo, file] = whole.exec(name) ?? [];
  if (ownRepo !== undefined && file !== undefined) return { url: fileAddress(ownRepo, file, env) };
  const [, repo, tag = 'latest'] = tagged.exec(name) ?? [];
  if (repo === undefined)
    throw new Fault('input', `"${name}" is not a Hugging Face name. Use hf:user/repo:Q4_K_M or hf:user/repo/file.gguf.`);
  const url = `${hubAddress(env)}/v2/${repo}/manifests/${tag}`;
  const { host } = new URL(url);
  // The hub sends a manifest only to clients that identify as llama.cpp.
  const headers = { ...hubHeaders(url, env), 'user-agent': 'llama-cpp', accept: 'application/json' };
  const response = await fetch(url, { headers, ...(signal === undefined ? {} : { signal }) }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    throw new Fault(
      'model',
      `${name} could not be looked up at ${host}: ${sentenceOf(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown)}.`,
    );
  });
  if (response.status === 401 || response.status === 403)
    throw new Fault('input', `${host} restricts access to ${name}. Accept its license there and set HF_TOKEN.`);
  if (!response.ok)
    throw new Fault('input', `${host} has no ${tag} of ${repo} (HTTP ${response.status}). Check which files the repository has.`);
  const manifest = fieldsOf(await response.json().catch(() => null));
  const fields = fieldsOf(manifest['ggufFile']);
  const { rfilename } = fields;
  if (typeof rfilename !== 'string' || !/\.gguf$/i.test(rfilename) || rfilename.split('/').includes('..'))
    throw new Fault('model', `${host} lists no GGUF file for ${name}.`);
  const sha256 = fieldsOf(fields['lfs'])['sha256'];
  return {
    url: fileAddress(repo, rfilename, env),
    ...(typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256) ? { sha256: sha256.toLowerCase() } : {}),
  };
}
